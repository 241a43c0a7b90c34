// How long to wait before the next try: longer with each failure, and never the same for everybody.

interface Bounds {
  waitMsMin: number;
  /** The longest wait after one failure; it doubles with each further one. */
  firstMsMax: number;
  waitMsMax: number;
  /** After going well for so long the failures before are forgotten. */
  settledMs: number;
}

export class BackOff {
  private readonly bounds: Bounds;
  private readonly random: () => number;

  private failures = 0;
  private beganAt: number | undefined;

  constructor(bounds: Bounds, random: () => number = Math.random) {
    this.bounds = bounds;
    this.random = random;
  }

  get triesFailed(): number {
    return this.failures;
  }

  /** A try has gone well so far. */
  began(nowMs: number): void {
    this.beganAt = nowMs;
  }

  /** A try is over: how long to wait before the next. */
  failed(nowMs: number): number {
    const { waitMsMin, firstMsMax, waitMsMax, settledMs } = this.bounds;
    const isSettled = this.beganAt !== undefined && nowMs - this.beganAt >= settledMs;
    this.failures = isSettled ? 1 : this.failures + 1;
    this.beganAt = undefined;
    // Pages that lost the same service at the same moment come back spread over the whole of the wait.
    const longestMs = Math.min(waitMsMax, firstMsMax * 2 ** (this.failures - 1));
    return waitMsMin + this.random() * (longestMs - waitMsMin);
  }

  forget(): void {
    this.failures = 0;
    this.beganAt = undefined;
  }
}
