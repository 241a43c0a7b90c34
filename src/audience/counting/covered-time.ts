// How long a viewer has watched, whichever of their pages played: a union, so two tabs count once.

/** The time `(from, to]`, in epoch milliseconds of the service clock. */
export interface Interval {
  from: number;
  to: number;
}

export function lengthMs(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** Three times what a report reaches back: older time is asked for by nobody. */
const recentMs = 45_000;
/** A viewer who pauses and plays more often than every 0.7 s, for all of `recentMs`, loses what comes late. */
const stretchesMax = 64;

/**
 * The last seconds are kept as stretches, so that a tab whose report comes later may still fill a gap
 * between them. Before that there is only a watermark: all of it is taken as covered, so nothing from
 * there can count twice.
 */
export class CoveredTime {
  /** How far the row is ahead of the service's clock, as where the machine's was set back. */
  private readonly aheadMs: number;
  private watchedMs: number;
  private latest: number;
  /** Whatever lies before is settled. */
  private settledUntil: number;
  /** Rising; no two of them touch. */
  private stretches: Interval[] = [];

  /**
   * From the database only the end of the latest stretch is known. The gaps before it are settled too:
   * what was not written before a crash is lost, and what was written is never counted again. All of it was
   * before `at`, whatever clock it was written by.
   */
  constructor(known: { watch_ms: number; credited_until: number }, at: number) {
    this.aheadMs = Math.max(0, known.credited_until - at);
    this.watchedMs = known.watch_ms;
    this.latest = known.credited_until - this.aheadMs;
    this.settledUntil = this.latest;
  }

  get watch_ms(): number {
    return this.watchedMs;
  }

  /** The end of the latest stretch, as the row has it: there it never goes back. */
  get credited_until(): number {
    return this.latest + this.aheadMs;
  }

  /** An import has brought visits of the same viewer: their time lies before all that is kept. */
  brought(watch_ms: number): void {
    this.watchedMs += watch_ms;
  }

  /** Covers what a session was credited; true where that was news. */
  add(intervals: readonly Interval[], now: number): boolean {
    const beforeMs = this.watchedMs;
    this.settle(now - recentMs);
    for (const { from, to } of intervals) this.cover(Math.max(from, this.settledUntil), to);
    return this.watchedMs > beforeMs;
  }

  private settle(until: number): void {
    if (until <= this.settledUntil) return;
    this.settledUntil = until;
    // One that reaches further is kept whole: it may grow.
    if (this.stretches.some(({ to }) => to <= until))
      this.stretches = this.stretches.filter(({ to }) => to > until);
  }

  private cover(from: number, to: number): void {
    if (to <= from) return;
    const touches = (one: Interval) => one.from <= to && one.to >= from;
    const joined = this.stretches.filter(touches);
    const whole = {
      from: Math.min(from, ...joined.map((one) => one.from)),
      to: Math.max(to, ...joined.map((one) => one.to)),
    };
    this.watchedMs += lengthMs([whole]) - lengthMs(joined);
    this.latest = Math.max(this.latest, to);
    this.stretches = [...this.stretches.filter((one) => !touches(one)), whole].sort(
      (a, b) => a.from - b.from,
    );
    if (this.stretches.length > stretchesMax) this.settle(this.stretches[0]?.to ?? 0);
  }
}
