// The tables of one track of a progressive MP4 (ISO 14496-12 8.6, 8.7), a few bytes a sample.
import type { Sample } from '../../formats/fmp4-reader.ts';
import { fullBox, u32 } from '../../formats/mp4-box.ts';

/** Times are in the track's timescale and count from its first sample. */
export class SampleTable {
  private readonly entries: Uint8Array[] = [];
  /** Pairs: how many samples, and how long each of them is. */
  private readonly durations = new Column();
  /** Pairs: how many samples, and how long after decoding each is shown. */
  private readonly offsets = new Column();
  private readonly sizes = new Column();
  private readonly keys = new Column();
  /** Triples: from which chunk on, how many samples each has, which entry decodes them. */
  private readonly shapes = new Column();
  private readonly chunksAt: number[] = [];
  private chunk = { samples: 0, entry: 0 };
  private last = { at: 0, duration: 0 };
  private lowestOffset = 0;
  /** When the first sample is shown, and when everything has been. */
  shownFrom = 0;
  shownTo = 0;

  /** What is added to every offset, as players want none below 0; an edit list takes it off again. */
  get offsetShift(): number {
    return Math.max(0, -this.lowestOffset);
  }

  /** When everything that was added has been decoded. */
  get endsAt(): number {
    return this.last.at + this.last.duration;
  }

  /** The samples that follow stand there in the media data, one after another, and are decoded by `entry`. */
  startChunk(at: number, entry: Uint8Array): void {
    this.endChunk();
    const known = this.entries.findIndex((other) => Buffer.compare(other, entry) === 0);
    this.chunk = { samples: 0, entry: known < 0 ? this.entries.push(entry) : known + 1 };
    this.chunksAt.push(at);
  }

  /**
   * A sample lasts until the next is decoded; one whose time goes back is decoded at once after the one before. None
   * is shown before the first, which players begin with.
   */
  add(sample: Sample, size: number, decodedAt: number): void {
    if (this.isEmpty) this.shownFrom = sample.compositionOffset;
    else this.endSample(Math.max(0, decodedAt - this.last.at));
    this.last.duration = sample.duration;
    this.sizes.push(size);
    addToRuns(this.offsets, this.offsetOf(sample));
    if (sample.isKey) this.keys.push(this.sizes.length);
    this.chunk.samples += 1;
  }

  /** Nothing follows. */
  end(): void {
    this.endChunk();
    if (!this.isEmpty) this.endSample(this.last.duration);
    this.last.duration = 0;
  }

  /** What `stbl` holds, for media data that begins at `dataAt` of the file. */
  toBoxes(dataAt: number): Uint8Array[] {
    const isShownAtOnce = this.offsets.length === 2 && this.offsets.fromEnd(1) === 0;
    const isAllKeys = this.keys.length === this.sizes.length;
    const offsets = isShownAtOnce ? [] : [this.offsetsBox()];
    const keys = isAllKeys ? [] : [table('stss', this.keys, 1)];
    return [
      fullBox({ type: 'stsd' }, u32(this.entries.length), ...this.entries),
      table('stts', this.durations, 2),
      ...offsets,
      ...keys,
      table('stsc', this.shapes, 3),
      fullBox({ type: 'stsz' }, u32(0, this.sizes.length), this.sizes.toBytes()),
      fullBox({ type: 'co64' }, u32(this.chunksAt.length), this.placesFrom(dataAt)),
    ];
  }

  private get isEmpty(): boolean {
    return this.sizes.length === 0;
  }

  private offsetsBox(): Uint8Array {
    const { offsets, offsetShift } = this;
    return fullBox({ type: 'ctts' }, u32(offsets.length / 2), offsets.toBytes(offsetShift));
  }

  /** From the last sample's decoding to its showing. */
  private offsetOf({ compositionOffset, duration }: Sample): number {
    const shown = Math.max(this.last.at + compositionOffset, this.shownFrom);
    const offset = shown - this.last.at;
    this.lowestOffset = Math.min(this.lowestOffset, offset);
    this.shownTo = Math.max(this.shownTo, shown + duration);
    return offset;
  }

  private endSample(duration: number): void {
    addToRuns(this.durations, duration);
    this.last.at += duration;
  }

  private endChunk(): void {
    const { samples, entry } = this.chunk;
    const isSame = this.shapes.fromEnd(2) === samples && this.shapes.fromEnd(1) === entry;
    if (this.chunksAt.length > 0 && !isSame) this.shapes.push(this.chunksAt.length, samples, entry);
  }

  private placesFrom(dataAt: number): Uint8Array {
    const bytes = Buffer.allocUnsafe(8 * this.chunksAt.length);
    this.chunksAt.forEach((at, chunk) => {
      bytes.writeBigUInt64BE(BigInt(dataAt + at), 8 * chunk);
    });
    return bytes;
  }
}

function table(type: string, column: Column, numbersInRow: number): Uint8Array {
  return fullBox({ type }, u32(column.length / numbersInRow), column.toBytes());
}

/** Adds one more sample of that value to pairs of count and value. */
function addToRuns(runs: Column, value: number): void {
  if (runs.length > 0 && runs.fromEnd(1) === value >>> 0) runs.raise(2);
  else runs.push(1, value);
}

/** Numbers of four bytes, as many as there come: a recording of 12 hours has three million samples. */
class Column {
  private numbers = new Uint32Array(1_024);
  length = 0;

  /** Negative numbers as two's complement. */
  push(...more: readonly number[]): void {
    if (this.length + more.length > this.numbers.length) {
      const longer = new Uint32Array(2 * this.numbers.length);
      longer.set(this.numbers);
      this.numbers = longer;
    }
    this.numbers.set(more, this.length);
    this.length += more.length;
  }

  fromEnd(back: number): number | undefined {
    return this.numbers[this.length - back];
  }

  /** Adds one to the number so far from the end. */
  raise(back: number): void {
    this.numbers[this.length - back] = (this.fromEnd(back) ?? 0) + 1;
  }

  /** `added` to every second number. */
  toBytes(added = 0): Uint8Array {
    const bytes = Buffer.allocUnsafe(4 * this.length);
    for (let at = 0; at < this.length; at += 1) {
      const number = (this.numbers[at] ?? 0) + (at % 2) * added;
      bytes.writeUInt32BE(number >>> 0, 4 * at);
    }
    return bytes;
  }
}
