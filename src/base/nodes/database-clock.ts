// The clock of a node: it goes on by itself and follows the database's slowly, so that all nodes tell the same time.

/**
 * So much of the time that passes it goes faster or slower while it follows. Machines' clocks drift by a hundredth of
 * that; a step of the database's clock is followed over minutes, by all nodes alike, so that they stay together and
 * what is counted meanwhile is off by a hundredth.
 */
const slewing = 0.01;
/** Of so many answers the quickest is believed: it says most exactly when the database looked at its clock. */
const samplesMax = 16;

/** What the database's clock said between two readings of ours. */
export interface ClockSample {
  /** By the clock that only goes on. */
  askedMs: number;
  answeredMs: number;
  databaseAt: number;
}

interface Sample {
  /** The database's time less that of the clock that only goes on, and how far that may be wrong. */
  offsetMs: number;
  doubtMs: number;
}

export class DatabaseClock {
  private readonly monotonicMs: () => number;

  /** What is added to the clock that only goes on: `fromMs` at `sinceMs`, and from then on towards `toMs`. */
  private fromMs: number;
  private toMs: number;
  private sinceMs: number;
  private samples: Sample[] = [];

  /** Until it has heard of the database's it goes on from `startsAt`. */
  constructor({ startsAt, monotonicMs }: { startsAt: number; monotonicMs: () => number }) {
    this.monotonicMs = monotonicMs;
    this.sinceMs = monotonicMs();
    this.fromMs = startsAt - this.sinceMs;
    this.toMs = this.fromMs;
  }

  /** Epoch milliseconds; never less than before. */
  now = (): number => Math.floor(this.monotonicMs() + this.offsetMs());

  /**
   * Goes by what the database said, at once: nothing was counted by it yet. The other nodes may be ahead of the
   * database, whose clock was set back; who comes among them goes by theirs.
   */
  begin(sample: ClockSample, aheadMs: number): void {
    this.samples = [sampleOf(sample)];
    this.lead(this.best.offsetMs + aheadMs);
    this.fromMs = this.toMs;
    this.follow();
  }

  heard(sample: ClockSample): void {
    this.samples = [...this.samples, sampleOf(sample)].slice(-samplesMax);
    this.follow();
  }

  /** How far it is ahead of the database's. */
  get aheadMs(): number {
    return this.samples.length === 0 ? 0 : Math.round(this.offsetMs() - this.best.offsetMs);
  }

  private follow(): void {
    const { offsetMs, doubtMs } = this.best;
    // Less than the doubt is no difference.
    const isOff = Math.abs(offsetMs - this.offsetMs()) > doubtMs;
    this.lead(isOff ? offsetMs : this.offsetMs());
  }

  private lead(toMs: number): void {
    this.fromMs = this.offsetMs();
    this.sinceMs = this.monotonicMs();
    this.toMs = toMs;
  }

  private offsetMs(): number {
    const mostMs = (this.monotonicMs() - this.sinceMs) * slewing;
    const wantedMs = this.toMs - this.fromMs;
    return this.fromMs + Math.max(-mostMs, Math.min(mostMs, wantedMs));
  }

  private get best(): Sample {
    const [first, ...others] = this.samples;
    if (!first) throw new Error('the database has not told its time yet');
    return others.reduce((best, one) => (one.doubtMs <= best.doubtMs ? one : best), first);
  }
}

function sampleOf({ askedMs, answeredMs, databaseAt }: ClockSample): Sample {
  const doubtMs = (answeredMs - askedMs) / 2;
  return { offsetMs: databaseAt - (askedMs + doubtMs), doubtMs };
}
