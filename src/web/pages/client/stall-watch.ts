// Notices a player that should move and has not for long: samples in, a verdict out.

/** What is seen of the player at one moment. */
export interface StallSample {
  /** Of a clock that only rises. */
  nowMs: number;
  position: number;
  /** It is to play, whether it does or not. */
  shouldMove: boolean;
}

/** Longer than a push may be cut and come back: then the same stream goes on, and its last picture may stay. */
export const stallMsMax = 12_000;

export class StallWatch {
  private position = Number.NaN;
  private since = 0;

  /** Takes one more sample. True once for each time that it has stood still for so long. */
  add({ nowMs, position, shouldMove }: StallSample): boolean {
    if (shouldMove && position === this.position) {
      if (nowMs - this.since < stallMsMax) return false;
      this.since = nowMs;
      return true;
    }
    this.position = position;
    this.since = nowMs;
    return false;
  }
}
