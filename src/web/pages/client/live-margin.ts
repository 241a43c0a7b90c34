// How much media a player must keep in front: as much as the line has lately been late, and some for itself.

/** A quiet line and a quick machine need this; at 80 Chromium's sound runs dry. */
export const marginMsMin = 150;
/** Beyond this a stall now and then is better than being late. */
export const marginMsMax = 1_500;
/** Where whole segments come a viewer is late anyway: up to what is usually between two of them, or this. */
export const segmentMarginMsMax = 2_500;

/** How long what the line did is remembered. */
const memoryMs = 30_000;
/** Media that was missing for longer, and longer than usual, did not jitter: its source was gone, and no margin would have helped. */
const lateMsMax = 1_000;

/** The player itself needs this to go on: more after it stalled or nearly did. */
const guardMsMin = 100;
const guardMsMax = 500;
const guardStepMs = 50;
/** Less than this in front was nearly a stall. */
const closeCallMs = 70;
/** The guard stays for this long after trouble, then shrinks. */
const calmMs = 20_000;
const guardShrinkMsPerSecond = 2;

/** The margin grows at once and shrinks slowly. */
const shrinkMsPerSecond = 10;

export interface MarginSample {
  nowMs: number;
  /** Where the media that is loaded ends. */
  endMs: number;
  aheadMs: number;
  isStarved: boolean;
  /** Media usually comes this far apart. */
  usualGapMs: number;
}

export class LiveMargin {
  private margin = marginMsMin;
  private guardMs = guardMsMin;
  private troubleAt = Number.NEGATIVE_INFINITY;
  private isTrouble = false;
  private last: { nowMs: number; endMs: number } | undefined;
  /** For each arrival: how late it was, by a clock of unknown zero. */
  private arrivals: { nowMs: number; lateMs: number }[] = [];

  get ms(): number {
    return this.margin;
  }

  add(sample: MarginSample): void {
    const { nowMs, endMs } = sample;
    const last = this.last ?? sample;
    this.last = { nowMs, endMs };
    if (endMs > last.endMs) this.arrived(sample, nowMs - last.endMs);
    this.guard(sample, nowMs - last.nowMs);
    const mostMs = Math.max(marginMsMax, Math.min(segmentMarginMsMax, sample.usualGapMs));
    const wantedMs = Math.min(mostMs, Math.max(marginMsMin, this.guardMs + this.spreadMs()));
    const leastMs = this.margin - ((nowMs - last.nowMs) / 1000) * shrinkMsPerSecond;
    this.margin = Math.max(wantedMs, leastMs);
  }

  /** A seek has changed what is loaded: the next arrival says nothing of the line. */
  forgetEnd(): void {
    this.last = undefined;
  }

  private arrived({ nowMs, usualGapMs }: MarginSample, lateMs: number): void {
    const usualMs = median(this.arrivals);
    const isGap =
      usualMs !== undefined && Math.abs(lateMs - usualMs) > Math.max(lateMsMax, usualGapMs);
    if (isGap) this.arrivals = [];
    else this.arrivals.push({ nowMs, lateMs });
    this.arrivals = this.arrivals.filter((one) => nowMs - one.nowMs <= memoryMs);
  }

  private guard({ nowMs, aheadMs, isStarved }: MarginSample, passedMs: number): void {
    const isTrouble = isStarved || aheadMs < closeCallMs;
    if (isTrouble && !this.isTrouble) {
      this.guardMs = Math.min(guardMsMax, this.guardMs + guardStepMs);
      this.troubleAt = nowMs;
    }
    this.isTrouble = isTrouble;
    if (nowMs - this.troubleAt < calmMs) return;
    const lessMs = (passedMs / 1000) * guardShrinkMsPerSecond;
    this.guardMs = Math.max(guardMsMin, this.guardMs - lessMs);
  }

  /** How much later than usual the latest was. */
  private spreadMs(): number {
    const usualMs = median(this.arrivals);
    if (usualMs === undefined) return 0;
    return Math.max(...this.arrivals.map(({ lateMs }) => lateMs)) - usualMs;
  }
}

function median(arrivals: readonly { lateMs: number }[]): number | undefined {
  const sorted = arrivals.map(({ lateMs }) => lateMs).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
