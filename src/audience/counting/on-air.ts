// When a channel was on air, as far back as a report can reach, and what it showed.
import type { Show } from '../../stream/live/show.ts';
import type { Span } from '../records/span.ts';
import type { Interval } from '../records/stretches.ts';

/** Players lag behind the encoder: what they play this long after its end still counts. */
const lagMs = 10_000;
/** A report reaches back 15 s, and is said again for 90; what ended longer ago than this is never asked for. */
const reachMs = 120_000;

/** Of a push that comes and goes all the time the last ones are known. */
const showsMax = 14;

/** It knows nothing from before `at`, so nothing from before counts. */
export class OnAir {
  /**
   * Rising and apart from each other; the last one has no end yet while the channel is live. Each is at
   * least `lagMs` long, so those within reach are few, however often a push comes and goes.
   */
  private times: Interval[] = [];
  /** Those of the times above, and until when their last pictures may be seen. */
  private shows: { show: Show; until: number }[] = [];

  constructor(show: Show | undefined, at: number) {
    this.live(show, at);
  }

  /** Told at the first playable part of a show, and with none at its end; telling it twice changes nothing. */
  live(show: Show | undefined, at: number): void {
    const last = this.times.at(-1);
    const wasLive = last?.to === Number.POSITIVE_INFINITY;
    const lastShow = this.shows.at(-1);
    if (!show && wasLive) {
      last.to = Math.max(at, last.from) + lagMs;
      if (lastShow) lastShow.until = last.to;
    }
    if (!show || lastShow?.show === show) return;
    this.shows = this.shows.filter(({ until }) => until > at - reachMs).slice(1 - showsMax);
    this.shows.push({ show, until: Number.POSITIVE_INFINITY });
    if (wasLive) return;
    // Players have not run dry yet: they go on as if there had been no end.
    if (last && at <= last.to) last.to = Number.POSITIVE_INFINITY;
    else {
      this.times = this.times.filter(({ to }) => to > at - reachMs);
      this.times.push({ from: at, to: Number.POSITIVE_INFINITY });
    }
  }

  /**
   * The parts of an interval that were on air, in their order, with what was shown: a player that played
   * until `to` showed the picture of the date `shownAt` then. Of one that does not say, that of `to` itself.
   */
  clip({ from, to }: Interval, shownAt = to): readonly Span[] {
    return this.times
      .map((time) => ({ from: Math.max(from, time.from), to: Math.min(to, time.to) }))
      .filter((part) => part.to > part.from)
      .flatMap((part) => this.shownIn(part, shownAt - (to - part.to)));
  }

  /** Where one show follows another, each has what was seen of it. */
  private shownIn({ from, to }: Interval, shownAt: number): Span[] {
    const seen = this.shows.filter(({ until }) => until > from).map((one) => one.show);
    const spans: Span[] = [];
    let end = to;
    for (const [later, show] of seen.toReversed().entries()) {
      const isFirst = later === seen.length - 1;
      const begun = Math.max(show.begin, show.firstDate + to - shownAt);
      const start = isFirst ? from : Math.min(end, Math.max(from, begun));
      if (start === end) continue;
      const position = Math.round(show.positionAt(shownAt - (to - end)) - (end - start));
      spans.unshift({ show: show.begin, from: start, to: end, position: Math.max(0, position) });
      end = start;
    }
    return spans;
  }
}
