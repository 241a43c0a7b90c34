// Notices a player that should move and has not for long: looks in, a verdict out.

/** What is seen of the player at one moment. */
export interface StallLook {
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

  /** Whether it is stuck; said once for each time that long has passed. */
  look({ nowMs, position, shouldMove }: StallLook): boolean {
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
