// How fast a line is, by what has lately come over it.

/** What was loaded, or as much of it as had come when it was given up. */
export interface Carried {
  nowMs: number;
  bytes: number;
  /** From the request to the first byte. */
  waitedMs: number;
  /** From the first byte to the last. */
  tookMs: number;
}

/** What was before says little of the line as it is now. */
const windowMs = 8_000;
/** So many say how it is at this moment, or fewer that have taken so long together. */
const latestMax = 3;
const latestMs = 250;
/** The first packet is there with the first byte: it has taken no time that is known. */
const firstPacketBytes = 1_448;
/** Clocks of browsers are no finer. */
const tookMsMin = 1;

export class LineSpeed {
  private carried: Carried[] = [];

  add(carried: Carried): void {
    this.carried = [...this.carried, carried].filter(
      ({ nowMs }) => carried.nowMs - nowMs < windowMs,
    );
  }

  /** Bits a second; undefined where nothing is known. */
  get bits(): number | undefined {
    return bitsOf(this.carried);
  }

  /** The same of this moment; one that has just become faster is believed later. */
  get bitsNow(): number | undefined {
    const [long, short] = [this.bits, bitsOf(this.latest)];
    return long === undefined || short === undefined ? long : Math.min(long, short);
  }

  private get latest(): readonly Carried[] {
    let tookMs = 0;
    const from = this.carried.findLastIndex((one) => {
      tookMs += one.tookMs;
      return tookMs >= latestMs;
    });
    return this.carried.slice(Math.max(from, this.carried.length - latestMax));
  }

  /** Usually from a request to its first byte: the way there and back. */
  get waitMs(): number {
    const sorted = this.carried.map(({ waitedMs }) => waitedMs).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  }
}

function bitsOf(carried: readonly Pick<Carried, 'bytes' | 'tookMs'>[]): number | undefined {
  const telling = carried.filter(({ bytes }) => bytes > firstPacketBytes);
  if (telling.length === 0) return undefined;
  const bytes = telling.reduce((sum, one) => sum + one.bytes - firstPacketBytes, 0);
  const tookMs = telling.reduce((sum, one) => sum + Math.max(tookMsMin, one.tookMs), 0);
  return (bytes * 8_000) / tookMs;
}
