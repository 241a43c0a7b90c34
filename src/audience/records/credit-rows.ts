// The rows of a flush: what they have come to, and where they are after an import has numbered them anew.

/** What a row has come to. */
export interface VisitorCredit {
  /** Its number, by the numbering that the flush names. */
  seq: number;
  viewer_id: string;
  last_seen_at: number;
  watch_ms: number;
  credited_until: number;
}

export interface SessionCredit extends VisitorCredit {
  record_id: number;
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
  /** With what they had before the flush: an import adds to it. */
  visitors: { viewer_id: string; seq: number; first_entered_at: number; watch_ms: number }[];
}

/** The same credits under their new numbers. */
export function renumbered({ channel_id, sessions, visitors }: Credits, moved: Moved): Credits {
  const sessionSeqs = new Map(moved.sessions.map(({ record_id, seq }) => [record_id, seq]));
  const visitorSeqs = new Map(moved.visitors.map(({ viewer_id, seq }) => [viewer_id, seq]));
  return {
    channel_id,
    sessions: sessions.flatMap((one) => withSeq(one, sessionSeqs.get(one.record_id))),
    visitors: visitors.flatMap((one) => withSeq(one, visitorSeqs.get(one.viewer_id))),
  };
}

function withSeq<Credit extends VisitorCredit>(credit: Credit, seq: number | undefined): Credit[] {
  return seq === undefined ? [] : [{ ...credit, seq }];
}
