// Whether the viewer's network is too slow for what is played: samples of the player in, a verdict out.

/** What is seen of the player at one moment. */
export interface LineSample {
  /** Of a clock that only rises. */
  nowMs: number;
  /** It is to play, and has nothing to show. */
  isStarved: boolean;
  /** How long the line takes to bring a second of what is played, in seconds; undefined while nothing was loaded. */
  load: number | undefined;
}

/** Once is a hiccup: this often in the window, or for this long, it is how things are. */
const stallsMin = 2;
const starvedMsMin = 8_000;
const windowMs = 30_000;
/** Less than this nobody minds, and a live player that is too near to the edge does it by itself. */
const stallMsMin = 500;
/** The line brings less than is played, or so little more that nothing is left for a hiccup. */
const loadMin = 0.9;
/** So long without a stall: it is over. */
const calmMs = 12_000;

interface Stall {
  fromMs: number;
  toMs: number;
}

export class LineWatch {
  private stalls: Stall[] = [];
  private isStalled = false;
  private isSlow = false;

  /** Takes one more sample, some times a second. True while the line is too slow. */
  add({ nowMs, isStarved, load }: LineSample): boolean {
    this.noteStall(nowMs, isStarved);
    this.stalls = this.stalls.filter(({ toMs }) => nowMs - toMs < windowMs);
    const long = this.stalls.filter(({ fromMs, toMs }) => toMs - fromMs >= stallMsMin);
    const starvedMs = long.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
    const isOften = long.length >= stallsMin || starvedMs >= starvedMsMin;
    // Where parts come late and are here in no time, it is the encoder or the service that is slow.
    if (isOften && isStarved && load !== undefined && load >= loadMin) this.isSlow = true;
    if (nowMs - (long.at(-1)?.toMs ?? Number.NEGATIVE_INFINITY) >= calmMs) this.isSlow = false;
    return this.isSlow;
  }

  /** Another stream is played, or none: what was of the one before is past. */
  forget(): void {
    this.stalls = [];
    this.isStalled = false;
    this.isSlow = false;
  }

  private noteStall(nowMs: number, isStarved: boolean): void {
    const last = this.stalls.at(-1);
    if (isStarved && this.isStalled && last) last.toMs = nowMs;
    else if (isStarved) this.stalls.push({ fromMs: nowMs, toMs: nowMs });
    this.isStalled = isStarved;
  }
}
