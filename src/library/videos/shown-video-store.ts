// Videos as pages show them: one with its channel's page settings, and the one that a channel's page offers.
import { ApiError } from '../../base/api/errors.ts';
import { walked } from '../../base/db/index-walk.ts';
import { type Sql, where } from '../../base/db/sql.ts';
import { isThere, offers, type VideoRow, videoColumns } from './video-store.ts';

/** Without a channel where that is gone: what is the channel's is then null. */
export type ShownVideo = VideoRow & {
  channel_name: string | null;
  page: string | null;
  /** Who may watch, as it is stored. */
  own: string;
  of_channel: string | null;
};

export async function findShownVideo(sql: Sql, id: number): Promise<ShownVideo> {
  const row = await sql.one<ShownVideo>(
    `SELECT ${videoColumns}, c.name AS channel_name, c.page, v.access AS own, c.access AS of_channel
     FROM videos v LEFT JOIN channels c ON c.id = v.channel_id AND c.account_id = v.account_id
     WHERE v.id = $1 AND ${isThere} AND c.deleted_at IS NULL`,
    [id],
  );
  if (!row) throw new ApiError('noVideo');
  return row;
}

export interface OfferedVideo {
  id: number;
  m3u8: string;
  /** Who may watch it, as it is stored; empty: whoever may watch the channel. */
  access: string;
  /** In pixels; 0 where that is not known. */
  width: number;
  height: number;
}

/** What the channel's page offers to whoever comes while nothing is on. */
export async function lastVideo(
  sql: Sql,
  channel: { id: number; account_id: number; last_push_stream_at: number | null },
): Promise<OfferedVideo | undefined> {
  const recording = await lastOffered(sql, channel, offers.recording);
  if (recording || channel.last_push_stream_at !== null) return recording;
  return await lastOffered(sql, channel, offers.upload);
}

async function lastOffered(
  sql: Sql,
  { id, account_id }: { id: number; account_id: number },
  offered: number,
): Promise<OfferedVideo | undefined> {
  const columns = [
    ['v.account_id', account_id],
    ['v.channel_id', id],
    ['v.offered', offered],
  ] as const;
  const { conditions, order } = walked(sql.dialect, { id: 'v.id', columns });
  const { text, params } = where([...conditions, isThere]);
  return await sql.one(
    `SELECT v.id, v.m3u8, v.access, v.width, v.height FROM videos v ${text} ORDER BY ${order} LIMIT 1`,
    params,
  );
}
