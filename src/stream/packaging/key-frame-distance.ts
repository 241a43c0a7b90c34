// Measures how far apart a push's key frames are, and tells once when it is too far.

/** Without any key frame for this long we no longer wait to hear how long it was. */
const overdueMs = 12_000;

export class KeyFrameDistance {
  private readonly wantedMs: number;
  private readonly onTooLong: (distanceMs: number) => void;

  private lastKeyMs: number | undefined;
  private isTold = false;

  constructor(options: { wantedMs: number; onTooLong: (distanceMs: number) => void }) {
    this.wantedMs = options.wantedMs;
    this.onTooLong = options.onTooLong;
  }

  picture({ atMs, isKey }: { atMs: number; isKey: boolean }): void {
    const distanceMs = atMs - (this.lastKeyMs ?? atMs);
    if (isKey || this.lastKeyMs === undefined) this.lastKeyMs = atMs;
    const isTooLong = distanceMs > this.wantedMs && (isKey || distanceMs > overdueMs);
    if (!isTooLong || this.isTold) return;
    this.isTold = true;
    this.onTooLong(distanceMs);
  }

  /** Pictures stayed away: the next key frame has no distance. */
  interrupt(): void {
    this.lastKeyMs = undefined;
  }
}
