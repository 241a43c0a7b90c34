// When a channel was on air, as far back as a report can reach.
import type { Interval } from './covered-time.ts';

/** Players lag behind the encoder: what they play this long after its end still counts. */
const lagMs = 10_000;
/** A report reaches back 15 s; what ended longer ago than this is never asked for. */
const reachMs = 60_000;

/** It knows nothing from before `at`, so nothing from before counts. */
export class OnAir {
  /**
   * Rising and apart from each other; the last one has no end yet while the channel is live. Each is at
   * least `lagMs` long, so those within reach are few, however often a push comes and goes.
   */
  private spans: Interval[];

  constructor(isLive: boolean, at: number) {
    this.spans = isLive ? [endlessFrom(at)] : [];
  }

  /** Told at the first playable part of a push and at its end; telling it twice changes nothing. */
  live(isLive: boolean, at: number): void {
    const last = this.spans.at(-1);
    const wasLive = last?.to === Number.POSITIVE_INFINITY;
    if (isLive === wasLive) return;
    if (wasLive) last.to = Math.max(at, last.from) + lagMs;
    // Players have not run dry yet: they go on as if there had been no end.
    else if (last && at <= last.to) last.to = Number.POSITIVE_INFINITY;
    else {
      this.spans = this.spans.filter(({ to }) => to > at - reachMs);
      this.spans.push(endlessFrom(at));
    }
  }

  /** The parts of an interval that were on air, in their order. */
  clip({ from, to }: Interval): readonly Interval[] {
    return this.spans
      .map((span) => ({ from: Math.max(from, span.from), to: Math.min(to, span.to) }))
      .filter((part) => part.to > part.from);
  }
}

function endlessFrom(from: number): Interval {
  return { from, to: Number.POSITIVE_INFINITY };
}
