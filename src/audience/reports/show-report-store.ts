// Reads of a show's report: the show, its videos, and what its sessions come to.
import { read, type Sql } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { readSpans } from '../records/span.ts';
import { type ShowFigures, type ShowSession, showFigures } from './show-figures.ts';

export interface CountedShow extends ShowFigures {
  id: number;
  begin_at: number;
  /** Null while it is on. */
  end_at: number | null;
  /** Their ids, in the order of what they show. */
  videos: number[];
  /** Time that was watched while it was on, of sessions that do not say when: imported ones, and those from before this was kept. */
  unplaced: { sessions: number; watch_ms: number };
}

export interface ShowQuery {
  /** Whose channel it is. */
  account_id: number;
  channel_id: number;
  /** Undefined: the latest. */
  show: number | undefined;
}

/** Undefined where there is no such show. */
export const countShow = read(
  'reports.show',
  ofAccount,
  async (sql, query: ShowQuery): Promise<CountedShow | undefined> => {
    const show = await findShow(sql, query);
    if (!show) return undefined;
    const { id, begin_at, end_at } = show;
    const videos = await sql.all<{ id: number }>(
      'SELECT id FROM videos WHERE channel_id = $1 AND show_at = $2 ORDER BY show_ms, id',
      [query.channel_id, begin_at],
    );
    const { sessions, unplaced } = await sessionsOf(sql, query.channel_id, show);
    const figures = showFigures(begin_at, sessions);
    return { id, begin_at, end_at, videos: videos.map((video) => video.id), unplaced, ...figures };
  },
);

interface FoundShow {
  id: number;
  begin_at: number;
  end_at: number | null;
  first_entry_at: number;
}

async function findShow(sql: Sql, { channel_id, show }: ShowQuery): Promise<FoundShow | undefined> {
  const columns = 'id, begin_at, end_at, first_entry_at';
  return show === undefined
    ? await sql.one(
        `SELECT ${columns} FROM shows WHERE channel_id = $1 ORDER BY begin_at DESC LIMIT 1`,
        [channel_id],
      )
    : await sql.one(`SELECT ${columns} FROM shows WHERE channel_id = $1 AND id = $2`, [
        channel_id,
        show,
      ]);
}

/** Rows that are read at once: a read may be given up between two runs. */
const runRows = 5_000;
/** Players lag: who enters so long after the end may still have watched the last of it. */
const lateEntryMs = 60_000;

async function sessionsOf(sql: Sql, channel_id: number, show: FoundShow) {
  const { begin_at, first_entry_at, end_at } = show;
  const lastEntry = end_at === null ? Number.MAX_SAFE_INTEGER : end_at + lateEntryMs;
  const sessions: ShowSession[] = [];
  const unplaced = { sessions: 0, watch_ms: 0 };
  let after = { entered_at: first_entry_at - 1, seq: 0 };
  for (;;) {
    const rows = await sql.all<EnteredSession>(
      `SELECT entered_at, seq, viewer_id, watch_ms, spans FROM sessions
       WHERE channel_id = $1 AND (entered_at, seq) > ($2, $3) AND entered_at <= $4
       ORDER BY entered_at, seq LIMIT CAST($5 AS BIGINT)`,
      [channel_id, after.entered_at, after.seq, lastEntry, runRows],
    );
    for (const row of rows) {
      if (row.spans !== null) sessions.push(showSession(row, row.spans, begin_at));
      else if (row.entered_at >= begin_at && row.watch_ms > 0) {
        unplaced.sessions += 1;
        unplaced.watch_ms += row.watch_ms;
      }
    }
    const last = rows.at(-1);
    if (!last || rows.length < runRows) return { sessions, unplaced };
    after = last;
  }
}

interface EnteredSession {
  entered_at: number;
  seq: number;
  viewer_id: string;
  watch_ms: number;
  spans: string | null;
}

function showSession({ viewer_id }: EnteredSession, spans: string, show: number): ShowSession {
  return { viewer_id, spans: readSpans(spans).filter((span) => span.show === show) };
}
