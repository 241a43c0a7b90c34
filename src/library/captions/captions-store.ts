// Captions of videos in the database, text and all: every service on it shows them, and they go with their video.
import type { Owner } from '../../base/api/caller.ts';
import { ApiError } from '../../base/api/errors.ts';
import { dialectWords } from '../../base/db/dialect.ts';
import { read, type Soon, type Sql, telling, write } from '../../base/db/sql.ts';
import { ofAccount, ofNetwork, ofOwner } from '../../base/db/whose.ts';
import { findVideo, isThere, type VideoRow } from '../videos/video-store.ts';
import type { CaptionsRow } from './captions.ts';
import { captionsLimits } from './captions-limits.ts';

/** Captions as they are kept. */
export interface KeptCaptions extends CaptionsRow {
  /** WebVTT that was read and written by us. */
  text: string;
}

/** Captions of one video, or the video for which they are to be. */
interface OfVideo {
  video_id: number;
  owner: Owner;
}

interface SetOrder extends OfVideo {
  made: KeptCaptions;
}

interface OneOrder extends OfVideo {
  language: string;
}

const { languagesMax } = captionsLimits;

/** Takes the place of those in the same language. */
export const setCaptions = telling(
  { told: (_, { made }) => ({ name: made.language }) },
  write(
    'captions.set',
    ofOwner,
    async (sql, { video_id, owner, made }: SetOrder): Promise<void> => {
      const video = await findVideo(sql, video_id, owner);
      await sql.one(`SELECT id FROM videos WHERE id = $1 ${dialectWords(sql.dialect).forUpdate}`, [
        video_id,
      ]);
      await removeOne(sql, { video_id, language: made.language });
      if ((await captionsOf(sql, video_id)).length >= languagesMax)
        throw new ApiError('noPermission', {
          message: `A video may have captions in ${languagesMax} languages`,
        });
      await addCaptions(sql, video, made);
    },
  ),
);

export const removeCaptions = telling(
  { told: (_, { language }) => ({ name: language }) },
  write(
    'captions.remove',
    ofOwner,
    async (sql, { video_id, owner, language }: OneOrder): Promise<void> => {
      await findVideo(sql, video_id, owner);
      if ((await removeOne(sql, { video_id, language })) === 0) throw new ApiError('noCaptions');
    },
  ),
);

function removeOne(
  sql: Sql,
  { video_id, language }: { video_id: number; language: string },
): Soon<number> {
  return sql.run('DELETE FROM video_captions WHERE video_id = $1 AND language = $2', [
    video_id,
    language,
  ]);
}

/** Of a video that has none in that language. */
export async function addCaptions(
  sql: Sql,
  { id, account_id, channel_id }: Pick<VideoRow, 'id' | 'account_id' | 'channel_id'>,
  { language, label, cues, bytes, text }: KeptCaptions,
): Promise<void> {
  await sql.run(
    `INSERT INTO video_captions (video_id, language, account_id, channel_id, label, cues, bytes, tag, text)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [id, language, account_id, channel_id, label, cues, bytes, tagOf(text), text],
  );
}

/** The same text has the same, so whoever has it need not load it again. */
function tagOf(text: string): string {
  return Bun.hash(text).toString(36);
}

/** What those of an account take; an index has their lengths. */
export async function captionsBytes(
  sql: Sql,
  { account_id }: { account_id: number },
): Promise<number> {
  const row = await sql.one<{ bytes: number }>(
    'SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) AS bytes FROM video_captions WHERE account_id = $1',
    [account_id],
  );
  return row?.bytes ?? 0;
}

/** By their languages. */
export async function captionsOf(sql: Sql, video_id: number): Promise<CaptionsRow[]> {
  return await sql.all<CaptionsRow>(
    'SELECT language, label, cues, bytes FROM video_captions WHERE video_id = $1 ORDER BY language',
    [video_id],
  );
}

/** Off the main thread: each may be megabytes. */
export const captionsTextOf = read(
  'captions.textOf',
  ofOwner,
  async (sql, { video_id, owner, language }: OneOrder): Promise<string> => {
    await findVideo(sql, video_id, owner);
    const row = await sql.one<{ text: string }>(
      'SELECT text FROM video_captions WHERE video_id = $1 AND language = $2',
      [video_id, language],
    );
    if (!row) throw new ApiError('noCaptions');
    return row.text;
  },
);

/** All of a video, with their texts: a clip of it takes them along. */
export const keptCaptionsOf = read(
  'captions.keptOf',
  ofAccount,
  async (sql, { video_id }: { account_id: number; video_id: number }): Promise<KeptCaptions[]> =>
    await sql.all<KeptCaptions>(
      'SELECT language, label, cues, bytes, text FROM video_captions WHERE video_id = $1 ORDER BY language',
      [video_id],
    ),
);

interface OneOfVideo {
  video_id: number;
  language: string;
}

/** For whoever may watch: what says which text it is. None of a video that is deleted, or whose channel is. */
export async function findCaptions(
  sql: Sql,
  { video_id, language }: OneOfVideo,
): Promise<{ tag: string } | undefined> {
  return await sql.one<{ tag: string }>(
    `SELECT t.tag FROM video_captions t JOIN videos v ON v.id = t.video_id
     LEFT JOIN channels c ON c.id = v.channel_id
     WHERE t.video_id = $1 AND t.language = $2 AND ${isThere} AND c.deleted_at IS NULL`,
    [video_id, language],
  );
}

/** That text, off the main thread; undefined where another has taken its place. */
export const readCaptions = read(
  'captions.text',
  ({ address }: OneOfVideo & { tag: string; address: string }) => ofNetwork(address),
  async (sql, { video_id, language, tag }): Promise<string | undefined> => {
    const row = await sql.one<{ text: string }>(
      'SELECT text FROM video_captions WHERE video_id = $1 AND language = $2 AND tag = $3',
      [video_id, language, tag],
    );
    return row?.text;
  },
);
