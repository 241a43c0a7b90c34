// How long the parts of a push are: its first part fixes that (RFC 8216bis 4.4.3.7).

/** Of the first part's length: leaves room for the jitter of later ones. */
const targetPercent = 110;

/** RFC 8216bis 4.4.4.9: of the target; only the last part of a segment may be shorter. */
const shortestPercent = 85;

/** Pictures slower than this do not make sound wait for them. */
const firstPartWithSoundMaxMs = 300;
const firstPartMaxMs = 2_000;

export class PartLength {
  private readonly wantedMs: number;

  /** How long the first part was; undefined before it. */
  private usualMs: number | undefined;

  constructor(wantedMs: number) {
    this.wantedMs = wantedMs;
  }

  /** No part is longer. */
  get targetMs(): number {
    return Math.ceil(((this.usualMs ?? this.wantedMs) * targetPercent) / 100);
  }

  /** Whether it is fixed, at the latest by a first part of this length; false where that would be too short. */
  isFixedBy(lengthMs: number, isMuxed: boolean): boolean {
    if (this.usualMs !== undefined) return true;
    if (lengthMs < this.wantedMs) return false;
    const isUsable = lengthMs <= (isMuxed ? firstPartWithSoundMaxMs : firstPartMaxMs);
    this.usualMs = isUsable ? lengthMs : this.wantedMs;
    return true;
  }

  /** A part was made, of whatever length: from now on parts are as long as this. */
  fix(): number {
    this.usualMs ??= this.wantedMs;
    return this.usualMs;
  }

  /** Whether a part may be so short. */
  isEnough(lengthMs: number): boolean {
    return lengthMs * 100 >= this.targetMs * shortestPercent;
  }
}
