// Deleting a video by itself, bringing it back, and which are deleted. One column hides it; its totals follow.
import type { Owner } from '../../base/api/caller.ts';
import { ApiError } from '../../base/api/errors.ts';
import { dialectWords } from '../../base/db/dialect.ts';
import { flush, limitFrom, read, type Sql, write } from '../../base/db/sql.ts';
import { ofOwner } from '../../base/db/whose.ts';
import { countRows } from '../access/total-store.ts';
import { appendEvents } from '../events/event-store.ts';
import { tellIfReady } from '../jobs/job-event-store.ts';
import {
  countVideo,
  findVideo,
  sourceOf,
  tellMade,
  type VideoRow,
  videoTold,
} from '../videos/video-store.ts';
import type { DeletedQuery, Restoring } from './deleted-channel-store.ts';

export const deleteVideo = write(
  'videos.delete',
  ofOwner,
  async (sql, { id, owner, now }: { id: number; owner: Owner; now: number }): Promise<VideoRow> => {
    await lockChannelOf(sql, id);
    const row = await findVideo(sql, id, owner);
    await sql.run('UPDATE videos SET deleted_at = $2 WHERE id = $1', [id, now]);
    await countVideo(sql, row, -1);
    const { data, ...whose } = videoTold(row);
    appendEvents(sql, [{ type: 'video.deleted', ...whose, data: { ...data, reason: 'deleted' } }]);
    return row;
  },
);

/** The video as it was; one that is not deleted stays as it is. */
export const restoreVideo = write(
  'videos.restore',
  ofOwner,
  async (sql, { id, owner, keptMs, now }: Restoring): Promise<VideoRow> => {
    await lockChannelOf(sql, id);
    const held = await sql.one<{ deleted_at: number | null; gone_at: number | null }>(
      `SELECT deleted_at, gone_at FROM videos WHERE id = $1 AND account_id = $2
       AND (CAST($3 AS BIGINT) = 0 OR manager_id = $3)`,
      [id, owner.account_id, owner.manager_id],
    );
    if (!held) throw new ApiError('noVideo');
    const { deleted_at, gone_at } = held;
    if (deleted_at === null) return await findVideo(sql, id, owner);
    if (gone_at !== null || deleted_at + keptMs <= now)
      throw new ApiError('noVideo', { message: 'The video can no longer be restored' });
    await sql.run('UPDATE videos SET deleted_at = NULL WHERE id = $1', [id]);
    // Where its channel is deleted it is not found, and stays deleted.
    const row = await findVideo(sql, id, owner);
    await countVideo(sql, row, 1);
    tellMade(sql, row, { source: await sourceOf(sql, id), restored: true });
    await tellIfReady(sql, id);
    return row;
  },
);

/** The channel first, as for every change of its totals; whoever holds it is alone with its videos. */
async function lockChannelOf(sql: Sql, id: number): Promise<void> {
  await sql.one(
    `SELECT id FROM channels WHERE id = (SELECT channel_id FROM videos WHERE id = $1)
     ${dialectWords(sql.dialect).forUpdate}`,
    [id],
  );
  await sql.one(`SELECT id FROM videos WHERE id = $1 ${dialectWords(sql.dialect).forUpdate}`, [id]);
}

export interface DeletedVideoRow {
  id: number;
  channel_id: number;
  /** Null where the channel is gone. */
  channel_name: string | null;
  name: string;
  deleted_at: number;
}

/** Those that can be brought back, the last deleted first, and how many there are. */
export const listDeletedVideos = read(
  'videos.listDeleted',
  ofOwner,
  async (sql, { owner, keptMs, now, limit, offset }: DeletedQuery) => {
    const deleted = `videos v WHERE v.account_id = $1 AND v.deleted_at IS NOT NULL AND v.deleted_at > $2
      AND v.gone_at IS NULL AND (CAST($3 AS BIGINT) = 0 OR v.manager_id = $3)
      AND NOT EXISTS (SELECT 1 FROM channels d WHERE d.id = v.channel_id AND d.deleted_at IS NOT NULL)`;
    const params = [owner.account_id, now - keptMs, owner.manager_id];
    const total = await countRows(sql, deleted, params);
    const rows = await sql.all<DeletedVideoRow>(
      `SELECT v.id, v.channel_id, (SELECT name FROM channels WHERE id = v.channel_id) AS channel_name,
         v.name, v.deleted_at FROM ${deleted}
       ORDER BY v.deleted_at DESC, v.id DESC ${limitFrom(params.length + 1)}`,
      [...params, limit, offset],
    );
    return { total, rows };
  },
);

/** Asked first: nearly always there is none, and the writer is not asked for that. */
export async function isAnyVideoDue(sql: Sql, { before }: { before: number }): Promise<boolean> {
  const row = await sql.one(
    'SELECT id FROM videos WHERE deleted_at IS NOT NULL AND deleted_at <= $1 AND gone_at IS NULL LIMIT 1',
    [before],
  );
  return row !== undefined;
}

/** From then on none of them can be brought back. */
export const letVideosGo = flush(
  'deletion.letVideosGo',
  async (sql, { before, now }: { before: number; now: number }): Promise<void> => {
    await sql.run(
      `UPDATE videos SET gone_at = $2
       WHERE deleted_at IS NOT NULL AND deleted_at <= $1 AND gone_at IS NULL`,
      [before, now],
    );
  },
);

/**
 * Those that are gone and have no files of ours; recordings go with theirs, each by the service on whose disk they lie
 * (`stream/recording/video-retention.ts`).
 */
export const goneWithoutFiles = read(
  'deletion.goneWithoutFiles',
  async (sql, { limit }: { limit: number }): Promise<{ id: number }[]> =>
    await sql.all<{ id: number }>(
      `SELECT id FROM videos WHERE deleted_at IS NOT NULL AND gone_at IS NOT NULL AND recording IS NULL
       ORDER BY deleted_at, id LIMIT CAST($1 AS BIGINT)`,
      [limit],
    ),
);

/** The bare row, behind those whom it let in. */
export const removeGoneVideo = flush(
  'deletion.removeVideo',
  async (sql, { id }: { id: number }): Promise<void> => {
    await removeGuests(sql, { id });
    await sql.run(
      'DELETE FROM videos WHERE id = $1 AND gone_at IS NOT NULL AND recording IS NULL',
      [id],
    );
  },
);

/** Of one step: a few milliseconds of the writer. */
export const guestsAtOnce = 250;

export const removeSomeGuests = flush('deletion.removeGuests', removeGuests);

/**
 * Whether there may be more whom a video let in by a word of its own. It is a part of the write that removes the video,
 * too: until then somebody can still register.
 */
export async function removeGuests(sql: Sql, { id }: { id: number }): Promise<boolean> {
  for (const { table, key, order } of guestTables) {
    const ofChannel = 'channel_id = (SELECT channel_id FROM videos WHERE id = $1)';
    const some = `SELECT ${key} FROM ${table} WHERE ${ofChannel} AND thing = $2
      ORDER BY ${order} LIMIT ${guestsAtOnce}`;
    const removed = await sql.run(
      `DELETE FROM ${table} WHERE ${ofChannel} AND thing = $2 AND ${key} IN (${some})`,
      [id, `v${id}`],
    );
    if (removed >= guestsAtOnce) return true;
  }
  return false;
}

/** By which column each row is found, and in which order an index leads to a few. */
const guestTables = [
  { table: 'access_keys', key: 'key', order: 'key' },
  { table: 'registrations', key: 'id', order: 'registered_at, id' },
] as const;
