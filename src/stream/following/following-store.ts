// Where a stream is: which node has the push that a play address shows.
import { dialectWords } from '../../base/db/dialect.ts';
import type { Sql } from '../../base/db/sql.ts';
import { renewedWithinMs } from '../live/push-holder-store.ts';

export interface StreamPlace {
  channel_id: number;
  account_id: number;
  node: string;
}

/** Undefined where nothing is pushed to the channel, or there is no such address. */
export async function streamPlace(sql: Sql, playId: string): Promise<StreamPlace | undefined> {
  return await sql.one<StreamPlace>(
    `SELECT p.channel_id, c.account_id, p.node FROM channels c JOIN pushes p ON p.channel_id = c.id
     WHERE c.play_id = $1 AND c.deleted_at IS NULL AND p.state <> 'ended'
       AND p.held_until > ${dialectWords(sql.dialect).clockMs} - $2`,
    [playId, renewedWithinMs],
  );
}
