// Which node has a channel's push, by the rows.
import { dialectWords } from '../../base/db/dialect.ts';
import { placeholders, type Sql } from '../../base/db/sql.ts';

/** A row that its node has not renewed for so long is one that it has left. */
export const renewedWithinMs = 30_000;

export interface PushHolder {
  channel_id: number;
  node: string;
  state: 'live' | 'cut';
  /** By the database's clock: for how long nobody else can take it; below 0 where its holder does not renew it. */
  held_ms: number;
  /** Since its last media. */
  silent_ms: number;
}

/** Of those of the channels that have one. */
export async function pushHolders(sql: Sql, channel_ids: readonly number[]): Promise<PushHolder[]> {
  if (channel_ids.length === 0) return [];
  const { clockMs } = dialectWords(sql.dialect);
  return await sql.all<PushHolder>(
    `SELECT channel_id, node, state, held_until - ${clockMs} AS held_ms,
       ${clockMs} - media_at AS silent_ms
     FROM pushes WHERE channel_id IN ${placeholders(1, channel_ids.length, 2)}
       AND state <> 'ended' AND held_until > ${clockMs} - $1`,
    [renewedWithinMs, ...channel_ids],
  );
}
