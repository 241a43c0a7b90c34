// Looks for viewers of a channel by name, phone or viewer id, the newest first, a stretch of visitors at a time.
import { dialectWords } from '../../base/db/dialect.ts';
import { read, type Value, where } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { matchingMs } from './block-counts.ts';
import type { SessionRow } from './session.ts';
import type { VisitorRow } from './visitor.ts';

/** Numbers of visitors that one step looks at: on SQLite some ten milliseconds. */
const stepNumbers = 20_000;

export interface SearchStep {
  account_id: number;
  channel_id: number;
  /** What stands in the name, the phone number or the viewer id; letters a to z are the same in both cases. */
  q: string;
  /** Only those who watched a minute. */
  filtered: boolean;
  /** Visitors with lower numbers; undefined for all. */
  before: number | undefined;
  limit: number;
}

export interface FoundVisitors {
  rows: VisitorRow[];
  /** Where the next step begins; undefined behind the last. */
  next: number | undefined;
}

export const searchVisitors = read(
  'audience.search',
  ofAccount,
  async (sql, { channel_id, q, filtered, before, limit }: SearchStep): Promise<FoundVisitors> => {
    const end = before ?? (await visitorsEnd());
    const from = Math.max(0, end - stepNumbers);
    const { contains, asciiLower } = dialectWords(sql.dialect);
    const columns = [asciiLower('nick'), 'phone', asciiLower('viewer_id')].map(contains);
    const sought = q.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    const filter = where([
      ['channel_id = ?', channel_id],
      ['seq >= ?', from],
      ['seq < ?', end],
      filtered ? `watch_ms >= ${matchingMs.visitor}` : undefined,
      [`(${columns.join(' OR ')})`, sought, sought, sought],
    ]);
    const rows = await sql.all<VisitorRow>(
      `SELECT * FROM visitors ${filter.text} ORDER BY seq DESC LIMIT CAST($${filter.next} AS BIGINT)`,
      [...filter.params, limit],
    );
    return { rows, next: from > 0 ? from : undefined };

    async function visitorsEnd(): Promise<number> {
      const audience = await sql.one<{ end: number }>(
        'SELECT next_visitor_seq AS "end" FROM channel_audience WHERE channel_id = $1',
        [channel_id],
      );
      return audience?.end ?? 0;
    }
  },
);

export interface ViewersSessions {
  account_id: number;
  channel_id: number;
  viewer_ids: readonly string[];
  /** Only those that watched a second. */
  filtered: boolean;
  enteredFrom?: number | undefined;
  enteredBefore?: number | undefined;
  /** Of each viewer. */
  limit: number;
}

/** The last sessions of some viewers, the newest first. */
export const sessionsOfViewers = read(
  'audience.sessionsOfViewers',
  ofAccount,
  async (sql, query: ViewersSessions): Promise<SessionRow[]> => {
    const rows: SessionRow[] = [];
    for (const viewer_id of query.viewer_ids) {
      const filter = where([
        ['channel_id = ?', query.channel_id],
        ['viewer_id = ?', viewer_id],
        ['entered_at >= ?', query.enteredFrom],
        ['entered_at < ?', query.enteredBefore],
        query.filtered ? `watch_ms >= ${matchingMs.session}` : undefined,
      ]);
      const params: Value[] = [...filter.params, query.limit];
      rows.push(
        ...(await sql.all<SessionRow>(
          `SELECT * FROM sessions ${filter.text} ORDER BY seq DESC LIMIT CAST($${filter.next} AS BIGINT)`,
          params,
        )),
      );
    }
    return rows.sort((a, b) => b.seq - a.seq);
  },
);
