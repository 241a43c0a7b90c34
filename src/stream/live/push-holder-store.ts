// Which node has a channel's push, by the rows: of a channel, at a play address, how many of a node.
import { dialectWords } from '../../base/db/dialect.ts';
import { placeholders, read, type Sql } from '../../base/db/sql.ts';

/** A row that its node has not renewed for so long is one that it has left. */
const renewedWithinMs = 30_000;

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

/** Where a stream is: which node has the push that a play address shows. */
export interface StreamPlace {
  channel_id: number;
  account_id: number;
  node: string;
}

/**
 * Undefined where nothing is pushed to the channel, or there is no such address. A row that is not renewed counts until
 * it is ended (`lost-pushes.ts`): its push may come back, and a holder without the database still shows it.
 */
export async function streamPlace(sql: Sql, playId: string): Promise<StreamPlace | undefined> {
  return await sql.one<StreamPlace>(
    `SELECT p.channel_id, c.account_id, p.node FROM channels c JOIN pushes p ON p.channel_id = c.id
     WHERE c.play_id = $1 AND c.deleted_at IS NULL AND p.state <> 'ended'`,
    [playId],
  );
}

/** How many a node has. What a channel's own row says is of its show, which stays until another node goes on with it. */
export const pushCountOf = read('pushes.count', async (sql, { node }: { node: string }) => {
  const text = "SELECT COUNT(*) AS n FROM pushes WHERE node = $1 AND state = 'live'";
  return (await sql.one<{ n: number }>(text, [node]))?.n ?? 0;
});
