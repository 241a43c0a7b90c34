// A channel as its viewers see it, for the pages that are served and for the rooms of those that are open.
import { ApiError } from '../../base/api/errors.ts';
import type { Sql } from '../../base/db/sql.ts';
import type { PlaceLanguage } from '../access/account-store.ts';

export interface WatchedChannel {
  id: number;
  account_id: number;
  name: string;
  /** As it is stored; `page.ts` reads it. */
  page: string;
  play_id: string;
  live: number;
  chat: number;
  /** Who may watch, as it is stored. */
  access: string;
  last_push_stream_at: number | null;
  /** Of the last push, in pixels; 0 where there was none. */
  picture_width: number;
  picture_height: number;
  /** The account's, for watch links. */
  viewer_secret: string;
}

export async function findWatchedChannel(sql: Sql, id: number): Promise<WatchedChannel> {
  const row = await watchedChannel(sql, id);
  if (!row) throw new ApiError('noChannel');
  return row;
}

/** Undefined where there is no such channel. */
export async function watchedChannel(sql: Sql, id: number): Promise<WatchedChannel | undefined> {
  return await sql.one<WatchedChannel>(
    `SELECT c.id, c.account_id, c.name, c.page, c.play_id, c.live, c.chat, c.access, c.last_push_stream_at,
       c.picture_width, c.picture_height, a.viewer_secret
     FROM channels c JOIN accounts a ON a.id = c.account_id WHERE c.id = $1 AND c.deleted_at IS NULL`,
    [id],
  );
}

/** What a room follows of it while people watch. */
export interface FollowedChannel extends Pick<WatchedChannel, 'name' | 'page'> {
  /** The account's. */
  place_language: PlaceLanguage;
}

/** The little of it that its owner may change meanwhile. */
export async function watchedPage(sql: Sql, id: number): Promise<FollowedChannel | undefined> {
  return await sql.one<FollowedChannel>(
    `SELECT c.name, c.page, a.place_language FROM channels c JOIN accounts a ON a.id = c.account_id
     WHERE c.id = $1 AND c.deleted_at IS NULL`,
    [id],
  );
}
