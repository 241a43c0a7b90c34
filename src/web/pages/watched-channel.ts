// What the pages ask the database: a channel as its viewers see it, and a video with its channel's looks.
import { ApiError } from '../../base/api/errors.ts';
import { walked } from '../../base/db/index-walk.ts';
import { type Sql, where } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import { type PageValues, pageTable } from '../../library/channels/page.ts';
import type { VideoRow } from '../../library/videos/video-store.ts';

export interface WatchedChannel {
  id: number;
  account_id: number;
  name: string;
  page: string;
  play_id: string;
  live: number;
  chat: number;
  last_push_stream_at: number | null;
  /** The account's, for watch links. */
  viewer_secret: string;
}

export async function findWatchedChannel(sql: Sql, id: number): Promise<WatchedChannel> {
  const row = await sql.one<WatchedChannel>(
    `SELECT c.id, c.account_id, c.name, c.page, c.play_id, c.live, c.chat, c.last_push_stream_at, a.viewer_secret
     FROM channels c JOIN accounts a ON a.id = c.account_id WHERE c.id = $1`,
    [id],
  );
  if (!row) throw new ApiError('noChannel');
  return row;
}

export async function lastVideo(
  sql: Sql,
  { id, account_id }: WatchedChannel,
): Promise<{ id: number; m3u8: string } | undefined> {
  const columns = [
    ['v.account_id', account_id],
    ['v.channel_id', id],
  ] as const;
  const { conditions, order } = walked(sql.dialect, { id: 'v.id', columns });
  const { text, params } = where(conditions);
  return await sql.one(
    `SELECT v.id, v.m3u8 FROM videos v ${text} ORDER BY ${order} LIMIT 1`,
    params,
  );
}

/** Without a channel where that is gone: the name and page are then null. */
export type ShownVideo = VideoRow & { channel_name: string | null; page: string | null };

export async function findShownVideo(sql: Sql, id: number): Promise<ShownVideo> {
  const row = await sql.one<ShownVideo>(
    `SELECT v.id, v.account_id, v.channel_id, v.manager_id, v.name, v.video_url, v.video_size, v.m3u8, v.m3u8_480,
       v.m3u8_720, v.m3u8_1080, v.duration, v.width, v.height, v.cover_url, v.upload_time, v.start_time, v.end_time,
       c.name AS channel_name, c.page
     FROM videos v LEFT JOIN channels c ON c.id = v.channel_id AND c.account_id = v.account_id WHERE v.id = $1`,
    [id],
  );
  if (!row) throw new ApiError('noVideo');
  return row;
}

/** The page settings with their real values: instants as instants, unset ones by their default. */
export type ChannelLook = PageValues;

/** Reads a stored page; a field that is not set has what the interface's table says. */
export function channelLooks(zone: Zone): (stored: string) => ChannelLook {
  const unset = Object.fromEntries(
    Object.entries(pageTable(zone)).map(([name, field]) => [name, field.unset]),
  );
  return (stored) => ({ ...unset, ...JSON.parse(stored) }) as ChannelLook;
}
