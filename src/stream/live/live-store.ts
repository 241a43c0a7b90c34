// What the database knows of live channels: their rows follow the hub.
import { flush, placeholders, type Sql, write } from '../../base/db/sql.ts';
import type { LiveChannel } from './live-stream.ts';

export async function channelOfKey(sql: Sql, key: string): Promise<LiveChannel | undefined> {
  return await sql.one<LiveChannel>(
    `SELECT c.id, c.account_id, c.stream_key, c.play_id, a.auto_save_live_video
     FROM channels c JOIN accounts a ON a.id = c.account_id WHERE c.stream_key = $1`,
    [key],
  );
}

/** Those of the channels whose publish key is another now, or that are gone. */
export async function changedKeys(sql: Sql, channels: readonly LiveChannel[]): Promise<number[]> {
  if (channels.length === 0) return [];
  const rows = await sql.all<{ id: number; stream_key: string }>(
    `SELECT id, stream_key FROM channels WHERE id IN ${placeholders(1, channels.length)}`,
    channels.map(({ id }) => id),
  );
  const keys = new Map(rows.map(({ id, stream_key }) => [id, stream_key]));
  return channels.filter(({ id, stream_key }) => keys.get(id) !== stream_key).map(({ id }) => id);
}

export interface LiveClaim {
  channel_id: number;
  /** Which service has the push. */
  node: string;
  /** Start of the push. */
  startedAt: number;
  now: number;
}

export const startLive = write('live.start', async (sql, claim: LiveClaim) => {
  await sql.run(
    `UPDATE channels SET live = 1, live_node = $2, live_seen_at = $3, last_push_stream_at = $4 WHERE id = $1`,
    [claim.channel_id, claim.node, claim.now, claim.startedAt],
  );
});

export const endLive = write(
  'live.end',
  async (sql, claim: { channel_id: number; node: string }) => {
    await sql.run(
      'UPDATE channels SET live = 0, live_node = NULL WHERE id = $1 AND live_node = $2',
      [claim.channel_id, claim.node],
    );
  },
);

/** A channel that a node had live when it was last heard of. */
export interface WasLive {
  channel_id: number;
  startedAt: number;
  seenAt: number;
}

/** What the node had live, for a service that was killed and starts again. */
export async function liveOf(sql: Sql, node: string): Promise<WasLive[]> {
  return await sql.all<WasLive>(
    `SELECT id AS channel_id, last_push_stream_at AS "startedAt", live_seen_at AS "seenAt"
     FROM channels WHERE live = 1 AND live_node = $1 ORDER BY id`,
    [node],
  );
}

/** A node that says nothing for so long is gone, and so are its pushes. */
const silentMsMax = 15_000;

/**
 * Says again what this node has live, also where others thought it gone; whatever it or a node that is gone
 * no longer has is not live.
 */
export const keepLive = flush(
  'live.keep',
  async (sql, input: { node: string; ids: number[]; now: number }) => {
    const { node, ids, now } = input;
    if (ids.length > 0) {
      await sql.run(
        `UPDATE channels SET live = 1, live_node = $2, live_seen_at = $1
         WHERE (live = 0 OR live_node = $2) AND id IN ${placeholders(1, ids.length, 3)}`,
        [now, node, ...ids],
      );
    }
    const others = ids.length > 0 ? `AND id NOT IN ${placeholders(1, ids.length, 3)}` : '';
    await sql.run(
      `UPDATE channels SET live = 0, live_node = NULL
       WHERE live = 1 AND ((live_node = $1 ${others}) OR live_seen_at < $2 OR live_node IS NULL)`,
      [node, now - silentMsMax, ...ids],
    );
  },
);
