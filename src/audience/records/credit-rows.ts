// The rows of a flush: what they have come to, and where they are after an import has numbered them anew.
import { readSpans } from './span.ts';
import { common, type Interval, united } from './stretches.ts';

interface Credit {
  /** Its number, by the numbering that the flush names. */
  seq: number;
  viewer_id: string;
  last_seen_at: number;
}

/** What a visitor has watched of late, by the pages of one service: others may bring more of the same time. */
export interface VisitorCredit extends Credit {
  /** All that its row may lack; what it has already adds nothing. */
  intervals: readonly Interval[];
  /** Nobody brings what was watched before any more: it may be forgotten when that was. */
  settle_until: number;
}

/** What a session has come to: one service has it at a time, so its sums are whole. */
export interface SessionCredit extends Credit {
  record_id: number;
  watch_ms: number;
  credited_until: number;
  online_ms: number;
  /** Their lengths come to `watch_ms`. A row that has none keeps none. */
  spans: string;
}

export interface Credits {
  channel_id: number;
  sessions: readonly SessionCredit[];
  visitors: readonly VisitorCredit[];
}

/** Where rows are now; one that was erased is not named. */
export interface Moved {
  sessions: { record_id: number; viewer_id: string; seq: number }[];
  visitors: { viewer_id: string; seq: number; first_entered_at: number }[];
}

/**
 * The same credits under their new numbers. Where a viewer was erased and has come again, and whoever flushes takes
 * the two for one, the new visitor gets what the sessions watched that are there.
 */
export function renumbered({ channel_id, sessions, visitors }: Credits, moved: Moved): Credits {
  const sessionSeqs = new Map(moved.sessions.map(({ record_id, seq }) => [record_id, seq]));
  const visitorSeqs = new Map(moved.visitors.map(({ viewer_id, seq }) => [viewer_id, seq]));
  const there = sessions.flatMap((one) => withSeq(one, sessionSeqs.get(one.record_id)));
  const left = new Set(sessions.filter((one) => !sessionSeqs.has(one.record_id)).map(viewerOf));
  return {
    channel_id,
    sessions: there,
    visitors: visitors.flatMap((visitor) => {
      const { viewer_id, intervals } = visitor;
      const own = there.filter((one) => left.has(viewer_id) && one.viewer_id === viewer_id);
      const watched = united(own.flatMap(({ spans }) => readSpans(spans)));
      const kept = left.has(viewer_id) ? common(intervals, watched) : intervals;
      return withSeq({ ...visitor, intervals: kept }, visitorSeqs.get(viewer_id));
    }),
  };
}

function viewerOf({ viewer_id }: Credit): string {
  return viewer_id;
}

function withSeq<One extends Credit>(credit: One, seq: number | undefined): One[] {
  return seq === undefined ? [] : [{ ...credit, seq }];
}
