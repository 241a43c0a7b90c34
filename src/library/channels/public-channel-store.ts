// The channels that the front page lists, of every account: those whose page says that they are public.
import type { Sql } from '../../base/db/sql.ts';

export interface PublicChannel {
  id: number;
  name: string;
  /** As it is stored; `page.ts` reads it. */
  page: string;
  last_push_stream_at: number | null;
}

export interface PublicList {
  on_air: PublicChannel[];
  upcoming: PublicChannel[];
  past: PublicChannel[];
}

/** Each list follows an index and ends at `limit`. On air the newest first, then the soonest, then the latest. */
export async function listPublic(
  sql: Sql,
  { now, limit }: { now: number; limit: number },
): Promise<PublicList> {
  const listed = (rest: string, params: number[]) =>
    sql.all<PublicChannel>(
      `SELECT id, name, page, last_push_stream_at FROM channels
       WHERE public = 1 AND deleted_at IS NULL AND ${rest} LIMIT CAST($1 AS BIGINT)`,
      params,
    );
  return {
    on_air: await listed('live = 1 ORDER BY last_push_stream_at DESC, id DESC', [limit]),
    upcoming: await listed('live = 0 AND start_time > $2 ORDER BY start_time, id', [limit, now]),
    // Not IS NOT NULL: of that SQLite would not follow the index, and sort all that ever were.
    past: await listed(
      `live = 0 AND (start_time IS NULL OR start_time <= $2)
         AND COALESCE(last_push_stream_at, start_time) > 0
       ORDER BY COALESCE(last_push_stream_at, start_time) DESC, id DESC`,
      [limit, now],
    ),
  };
}
