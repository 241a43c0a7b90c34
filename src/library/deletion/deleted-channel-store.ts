// Deleting a channel, bringing it back, and which are deleted. One column hides it from everybody; its totals follow.
import type { Owner } from '../../base/api/caller.ts';
import { ApiError } from '../../base/api/errors.ts';
import { dialectWords } from '../../base/db/dialect.ts';
import { limitFrom, read, type Sql, telling, write } from '../../base/db/sql.ts';
import { ofOwner } from '../../base/db/whose.ts';
import { countRows } from '../access/total-store.ts';
import { nodeSilentMsMax } from '../channels/channel-limits.ts';
import {
  type ChannelRow,
  channelTold,
  countChannel,
  findChannel,
  lockChannel,
  tellCreated,
} from '../channels/channel-store.ts';
import { appendEvents } from '../events/event-store.ts';
import { type EndedShow, tellOffline } from '../events/live-events.ts';
import { countVideosOf } from '../videos/video-store.ts';

export interface Deleting {
  id: number;
  owner: Owner;
  /** For how long its push, which was cut, may come back; undefined where that is not known here. */
  awaitedMs?: number | undefined;
  now: number;
}

/** Refused while it is live. A push that has no picture yet finds, with its first one, that the channel is deleted. */
export const deleteChannel = telling(
  { of: ({ id }) => ({ kind: 'channel', id }) },
  write(
    'channels.delete',
    ofOwner,
    async (sql, { id, owner, awaitedMs, now }: Deleting): Promise<ChannelRow> => {
      const row = await lockChannel(sql, id, owner);
      await endLost(sql, row, { awaitedMs, now });
      // Who enters holds this row, and finds the channel deleted when it is their turn.
      await sql.one(
        `SELECT channel_id FROM channel_audience WHERE channel_id = $1 ${dialectWords(sql.dialect).forUpdate}`,
        [id],
      );
      await sql.run('UPDATE channels SET deleted_at = $2 WHERE id = $1', [id, now]);
      await countChannel(sql, row, -1);
      await countVideosOf(sql, row, -1);
      appendEvents(sql, [{ type: 'channel.deleted', ...channelTold(row) }]);
      return row;
    },
  ),
);

/** Throws where the channel is live; what a service that is gone has left as live is over. */
async function endLost(
  sql: Sql,
  channel: ChannelRow,
  { awaitedMs, now }: Pick<Deleting, 'awaitedMs' | 'now'>,
): Promise<void> {
  const { id } = channel;
  const live = await sql.one<{ live_seen_at: number | null }>(
    'SELECT live_seen_at FROM channels WHERE id = $1 AND live = 1',
    [id],
  );
  if (!live) return;
  if ((live.live_seen_at ?? 0) >= now - nodeSilentMsMax)
    throw new ApiError('onAir', { message: whyLive(awaitedMs) });
  const ended = await sql.all<EndedShow>(
    `UPDATE shows SET end_at = $2 WHERE channel_id = $1 AND end_at IS NULL
     RETURNING id, channel_id, begin_at, end_at`,
    [id, live.live_seen_at ?? now],
  );
  await sql.run('UPDATE channels SET live = 0, live_node = NULL WHERE id = $1', [id]);
  tellOffline(sql, channel, ended);
}

function whyLive(awaitedMs: number | undefined): string {
  if (awaitedMs === undefined)
    return 'The channel is on air: end the push first; one that was cut may come back for some seconds';
  const seconds = Math.ceil(awaitedMs / 1_000);
  return `The push was cut and may come back for ${seconds} seconds: delete the channel after that`;
}

export interface Restoring {
  id: number;
  owner: Owner;
  /** For how long a deleted channel is kept. */
  keptMs: number;
  now: number;
}

/** The channel as it was; one that is not deleted stays as it is. */
export const restoreChannel = telling(
  { of: ({ id }) => ({ kind: 'channel', id }) },
  write(
    'channels.restore',
    ofOwner,
    async (sql, { id, owner, keptMs, now }: Restoring): Promise<ChannelRow> => {
      const held = await sql.one<{ deleted_at: number | null; gone_at: number | null }>(
        `SELECT deleted_at, gone_at FROM channels WHERE id = $1 AND account_id = $2
       ${dialectWords(sql.dialect).forUpdate}`,
        [id, owner.account_id],
      );
      if (!held) throw new ApiError('noChannel');
      const { deleted_at, gone_at } = held;
      if (deleted_at === null) return await findChannel(sql, id, owner);
      if (gone_at !== null || deleted_at + keptMs <= now)
        throw new ApiError('noChannel', { message: 'The channel can no longer be restored' });
      await sql.run('UPDATE channels SET deleted_at = NULL WHERE id = $1', [id]);
      const row = await findChannel(sql, id, owner);
      await countChannel(sql, row, 1);
      await countVideosOf(sql, row, 1);
      tellCreated(sql, row, { restored: true });
      return row;
    },
  ),
);

export interface DeletedRow {
  id: number;
  account_id: number;
  name: string;
  deleted_at: number;
  videos: number;
}

export interface DeletedQuery {
  owner: Owner;
  keptMs: number;
  now: number;
  limit: number;
  offset: number;
}

/** Those that can be brought back, the last deleted first, and how many there are. */
export const listDeleted = read(
  'channels.listDeleted',
  ofOwner,
  async (sql, query: DeletedQuery) => {
    const { owner, keptMs, now, limit, offset } = query;
    const deleted = `channels c WHERE c.account_id = $1 AND c.deleted_at IS NOT NULL AND c.deleted_at > $2
    AND c.gone_at IS NULL`;
    const params = [owner.account_id, now - keptMs];
    const total = await countRows(sql, deleted, params);
    const rows = await sql.all<DeletedRow>(
      `SELECT c.id, c.account_id, c.name, c.deleted_at, COALESCE((
       SELECT total FROM totals t WHERE t.account_id = c.account_id AND t.kind = 'videos'
         AND t.part = 'channel' AND t.part_id = c.id), 0) AS videos
     FROM ${deleted} ORDER BY c.deleted_at DESC, c.id DESC ${limitFrom(params.length + 1)}`,
      [...params, limit, offset],
    );
    return { total, rows };
  },
);
