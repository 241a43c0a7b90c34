// One watch session's sums: how long it was online and how long it watched, by the service's clock alone.
import { readSpans, type Span } from '../records/span.ts';
import { lengthMs } from '../records/stretches.ts';
import type { OnAir } from './on-air.ts';
import { WatchedSpans } from './watched-spans.ts';

/** As the session's row has them. */
export interface SessionSums {
  online_ms: number;
  watch_ms: number;
  credited_until: number;
  last_seen_at: number;
  /** What was watched when, as `spanText` writes it; their lengths come to `watch_ms`. Null in rows from before there were any. */
  spans: string | null;
}

/** What a page says: how long it has played since its last report, and the date of the picture that it showed at the end of it. */
export interface PlayedReport {
  played_ms: number;
  shown_at?: number | undefined;
}

/** A page that says nothing for longer is gone: three beats. */
export const silenceMs = 30_000;
/** A report earns no more: a beat, and half of one for a slow network. */
const reportMsMax = 15_000;
/** A page that beats is heard within this; a close after longer came when it was long gone. */
const closeMsMax = 15_000;

/**
 * A page says how long it has played since its last report; the clock of the service says how long that
 * can have been, and when. Played time counts only where time online counts too. So a session's watching is
 * never longer than its being online, and that never longer than the wall's time, whatever a page says.
 *
 * A time before the last one known adds nothing. Only rows are known by other clocks: where one is ahead of
 * ours, because the machine's was set back while the service was down, counting begins now all the same, and
 * the times that are shown stay ahead by as much. So a row's times never go back, and hold its time online.
 */
export class WatchSession {
  /** How far the row is ahead of the service's clock. */
  private readonly aheadMs: number;
  private onlineMs: number;
  private watchedMs: number;
  /** Of that, what its row has. */
  private writtenMs: number;
  private creditedUntil: number;
  private lastSeenAt: number;
  private readonly spans: WatchedSpans;
  /** A row from before there were spans keeps none. */
  private readonly hasSpans: boolean;
  private isConnected = true;
  /** The last message, or the beginning of the connection. */
  private heardAt: number;
  /** The watermark: only later time can still count as watched. */
  private reportedAt: number;
  /** When it last said that it has played; it says at once, or with the next beat, that it does not. */
  private playedAt = Number.NEGATIVE_INFINITY;

  /** `known` is what the row has: of a new session its time of entering, of a resumed one its sums. */
  constructor(known: SessionSums, at: number) {
    this.aheadMs = Math.max(0, known.last_seen_at - at);
    this.onlineMs = known.online_ms;
    this.watchedMs = known.watch_ms;
    this.writtenMs = known.watch_ms;
    this.creditedUntil = known.credited_until - this.aheadMs;
    this.lastSeenAt = at;
    this.spans = new WatchedSpans(readSpans(known.spans ?? ''));
    this.hasSpans = known.spans !== null;
    this.heardAt = at;
    this.reportedAt = at;
  }

  get watch_ms(): number {
    return this.watchedMs;
  }

  /** What it watched that its row does not have: of which show, by its beginning, and when. */
  get unwritten(): Pick<Span, 'show' | 'from' | 'to'>[] {
    return this.spans.last(this.watchedMs - this.writtenMs);
  }

  /** Its row has what it had watched by then. */
  wrote(watch_ms: number): void {
    this.writtenMs = Math.max(this.writtenMs, watch_ms);
  }

  /** As far as its last report tells: one that has stopped may be taken for playing until its next. */
  isPlayingAt(at: number): boolean {
    return this.isConnected && at - this.playedAt <= reportMsMax;
  }

  get sums(): SessionSums {
    return {
      online_ms: this.onlineMs,
      watch_ms: this.watchedMs,
      credited_until: this.creditedUntil + this.aheadMs,
      last_seen_at: this.lastSeenAt + this.aheadMs,
      spans: this.hasSpans ? this.spans.text : null,
    };
  }

  /** Any message: it shows that the page was there since the one before. */
  heard(at: number): void {
    if (!this.isConnected || at < this.heardAt) return;
    // The sweep has not come yet, but it was a silence: it counts as a gap, whoever is first to notice.
    if (at - this.heardAt > silenceMs) this.begin(at);
    this.countOnline(at);
    this.heardAt = at;
  }

  /**
   * Gives what counts of a report. The last of the time since the report before is taken as the played one: a page
   * reports as soon as it stops.
   */
  report(at: number, { played_ms, shown_at }: PlayedReport, onAir: OnAir): readonly Span[] {
    if (!this.isConnected || at < this.heardAt) return [];
    this.heard(at);
    this.playedAt = played_ms > 0 ? at : Number.NEGATIVE_INFINITY;
    const creditMs = Math.floor(Math.min(at - this.reportedAt, played_ms, reportMsMax));
    this.reportedAt = Math.max(at, this.reportedAt);
    // Nothing is left of it where that is below 0 or not a number.
    const credits = onAir.clip({ from: at - creditMs, to: at }, shown_at);
    this.watchedMs += lengthMs(credits);
    // By our own clock, as the show's times are.
    for (const credit of credits) this.spans.add(credit);
    this.creditedUntil = credits.at(-1)?.to ?? this.creditedUntil;
    return credits;
  }

  /** The connection is gone. A silent one is counted up to its last message. */
  closed(at: number, how: 'closed' | 'silent'): void {
    if (!this.isConnected) return;
    if (how === 'closed' && at - this.heardAt <= closeMsMax) this.countOnline(at);
    this.isConnected = false;
  }

  /** Another connection goes on with it. The gap is left out; one that was still open is closed by this. */
  resumed(at: number): void {
    this.closed(at, 'closed');
    this.begin(at);
  }

  private countOnline(at: number): void {
    this.onlineMs += Math.max(0, at - this.lastSeenAt);
    this.lastSeenAt = Math.max(at, this.lastSeenAt);
  }

  private begin(at: number): void {
    this.isConnected = true;
    this.heardAt = at;
    this.lastSeenAt = Math.max(at, this.lastSeenAt);
    this.reportedAt = this.lastSeenAt;
  }
}
