// What an account's recordings take, by channel, its pictures and its captions: an index holds every size, so none is looked at.
import { limitFrom, read } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { captionsBytes } from '../captions/captions-store.ts';
import { imageBytes } from '../images/image-store.ts';

export interface StorageQuery {
  account_id: number;
  limit: number;
  offset: number;
}

export interface ChannelUse {
  channel_id: number;
  /** Null where the channel is gone. */
  name: string | null;
  /** 1 where it is deleted and its recordings are not removed yet. */
  deleted: number;
  videos: number;
  bytes: number;
}

export interface StorageUse {
  /** Channels with recordings. */
  total: number;
  videos: number;
  bytes: number;
  /** What has come of files that are being uploaded, as last noted. */
  uploadedBytes: number;
  /** Of pictures of pages. */
  imageBytes: number;
  /** Of captions of videos. */
  captionsBytes: number;
  rows: ChannelUse[];
}

const sized = 'FROM videos WHERE account_id = $1 AND recording_node IS NOT NULL';

/** Channels, the one that takes most first. */
export const storageUse = read(
  'account.storage',
  ofAccount,
  async (sql, { account_id, limit, offset }: StorageQuery): Promise<StorageUse> => {
    const all = await sql.one<{ total: number; videos: number; bytes: number }>(
      `SELECT COUNT(DISTINCT channel_id) AS total, COUNT(*) AS videos,
         CAST(COALESCE(SUM(video_size), 0) AS BIGINT) AS bytes ${sized}`,
      [account_id],
    );
    const rows = await sql.all<ChannelUse>(
      `SELECT u.channel_id, c.name, CASE WHEN c.deleted_at IS NULL AND c.id IS NOT NULL THEN 0 ELSE 1 END AS deleted,
         u.videos, u.bytes FROM (
         SELECT channel_id, COUNT(*) AS videos, CAST(SUM(video_size) AS BIGINT) AS bytes ${sized}
         GROUP BY channel_id ORDER BY bytes DESC, channel_id ${limitFrom(2)}
       ) u LEFT JOIN channels c ON c.id = u.channel_id ORDER BY u.bytes DESC, u.channel_id`,
      [account_id, limit, offset],
    );
    const uploads = await sql.one<{ bytes: number }>(
      `SELECT CAST(COALESCE(SUM(came), 0) AS BIGINT) AS bytes FROM uploads
       WHERE account_id = $1 AND state IN ('coming', 'reading')`,
      [account_id],
    );
    return {
      ...{ total: 0, videos: 0, bytes: 0, ...all },
      uploadedBytes: uploads?.bytes ?? 0,
      imageBytes: await imageBytes(sql, { account_id }),
      captionsBytes: await captionsBytes(sql, { account_id }),
      rows,
    };
  },
);
