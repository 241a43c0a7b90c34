// How far apart media comes to the player: parts a fraction of a second, whole segments some seconds.

/** Rarer are not the rhythm of a stream but its end. */
const gapMsMax = 5_000;
/** The last ones say how it is now. */
const gapsJudged = 8;
/** Looked at more seldom, as by a timer that the browser slows down, it is not seen when media comes. */
const lookMsMax = 250;
/** Of them, so many are no longer: what jitters has no one distance. */
const share = 0.75;
/** A trough lies in any time that is a little longer. */
const extra = 1.15;

export class LiveRhythm {
  private gapsMs: number[] = [];
  private last: { atMs: number; endMs: number } | undefined;
  private lookedAt = Number.NEGATIVE_INFINITY;

  /** Within so long media usually comes; 0 while nothing is known. */
  get ms(): number {
    if (this.gapsMs.length === 0) return 0;
    const sorted = [...this.gapsMs].sort((a, b) => a - b);
    return (sorted[Math.floor((sorted.length - 1) * share)] ?? 0) * extra;
  }

  /** `endMs`: where what is loaded ends. */
  add(nowMs: number, endMs: number): void {
    const last = nowMs - this.lookedAt > lookMsMax ? undefined : this.last;
    this.lookedAt = nowMs;
    if (last && endMs === last.endMs) return;
    this.last = { atMs: nowMs, endMs };
    // Less than before: it was sought elsewhere, or thrown away.
    if (!last || endMs < last.endMs) return;
    const gapMs = nowMs - last.atMs;
    if (gapMs <= gapMsMax) this.gapsMs = [...this.gapsMs, gapMs].slice(-gapsJudged);
  }
}
