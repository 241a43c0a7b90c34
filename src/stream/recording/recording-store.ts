// Recordings in the database: the video each becomes, and the files of it that are served.
import { dialectWords } from '../../base/db/dialect.ts';
import { read, type Sql, write } from '../../base/db/sql.ts';
import { folded } from '../../base/db/title-search.ts';
import { copyKeys } from '../../library/admission/access-key-store.ts';
import { videoThing } from '../../library/admission/admission.ts';
import {
  addCaptions,
  captionsBytes,
  type KeptCaptions,
} from '../../library/captions/captions-store.ts';
import { removeGuests } from '../../library/deletion/deleted-video-store.ts';
import { appendEvents } from '../../library/events/event-store.ts';
import { imageBytes } from '../../library/images/image-store.ts';
import { anyNode, type JobKind } from '../../library/jobs/job.ts';
import { tellIfReady } from '../../library/jobs/job-event-store.ts';
import { addJobs, removeJobs } from '../../library/jobs/job-store.ts';
import {
  countVideo,
  isThere,
  offers,
  type ToldVideo,
  tellMade,
  videoTold,
} from '../../library/videos/video-store.ts';
import type { AskedVideo, NotedStint } from './recording-folder.ts';
import { standingOf } from './stint-store.ts';
import type { KeptPlace, RecordingPlace, Storage } from './stored-recording.ts';
import type { VariantName } from './variants.ts';

export interface FinishedRecording {
  /** Name of its folder. */
  recording: string;
  channel_id: number;
  account_id: number;
  /** Of which show it is, by its beginning, and where in the show's media it begins; null where that is not known. */
  show_at: number | null;
  show_ms: number | null;
  /** What it is called, where somebody asked for it; else by its channel and its start. */
  name?: string;
  /** What somebody asked for; absent where it is of a push. */
  asked?: AskedVideo;
  /** The video of its channel whose own word says who may watch it, too. */
  guarded?: number | undefined;
  /** What it has from the beginning. */
  captions?: readonly KeptCaptions[] | undefined;
  /** As the name shows it. */
  startText: string;
  video_size: number;
  duration: number;
  width: number;
  height: number;
  start_time: number;
  end_time: number;
  /** Variants that the source itself is. */
  sameAsSource: readonly VariantName[];
  jobs: readonly JobKind[];
  /** Whose disk it lies on. */
  node: string;
  /** `spool` where it goes on into the bucket. */
  storage?: Extract<Storage, 'disk' | 'spool' | 'bucket'>;
  /** Where nodes share the recordings of pushes: it must be all this node's own. */
  stint?: NotedStint | undefined;
  now: number;
}

/**
 * The video's id, the same however often it is asked, or why there is none. A channel that is deleted gets its video
 * all the same, to have it when it is brought back.
 */
export const addRecording = write('recordings.add', async (sql, made: FinishedRecording) => {
  const known = await sql.one<{ id: number; storage: Storage }>(
    'SELECT id, storage FROM videos WHERE recording = $1',
    [made.recording],
  );
  if (known && (!made.stint || known.storage === 'spool')) return known.id;
  const standing = await standingIn(sql, made);
  if (known || standing !== 'sole') return standing === 'taken' ? 'taken' : 'shared';
  const channel = await channelOf(sql, made);
  if (!channel) return 'unknown channel';
  if (channel.gone_at !== null) return 'channel gone';
  if (made.name === undefined && channel.auto_save_live_video !== 1) return 'not kept';
  const { account_id, channel_id } = made;
  const name = made.name ?? `${channel.name} ${made.startText}`;
  const row = await sql.one<{ id: number }>(
    `INSERT INTO videos (account_id, channel_id, manager_id, name, folded_name, recording, recording_node, video_size,
       duration, width, height, upload_time, start_time, end_time, show_at, show_ms,
       offered, storage, access, video_url, m3u8, m3u8_480, m3u8_720, m3u8_1080, cover_url)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
       COALESCE((SELECT access FROM videos WHERE id = $19 AND channel_id = $2), ''), '', '', '', '', '', '')
     RETURNING id`,
    [
      account_id,
      channel_id,
      channel.manager_id,
      name,
      folded(name),
      made.recording,
      made.node,
      made.video_size,
      made.duration,
      made.width,
      made.height,
      made.now,
      made.start_time,
      made.end_time,
      made.show_at,
      made.show_ms,
      offers[made.asked ?? 'recording'],
      made.storage ?? 'disk',
      made.guarded ?? 0,
    ],
  );
  const id = row?.id ?? 0;
  if (made.guarded !== undefined)
    await copyKeys(sql, { channel_id, from: videoThing(made.guarded), to: videoThing(id) });
  const source = addressOf(id, 'index.m3u8');
  const same = (variant: VariantName) => (made.sameAsSource.includes(variant) ? source : '');
  await sql.run(
    'UPDATE videos SET video_url = $2, m3u8 = $3, m3u8_480 = $4, m3u8_720 = $5, m3u8_1080 = $6 WHERE id = $1',
    [id, addressOf(id, 'video.mp4'), source, same('480'), same('720'), same('1080')],
  );
  const video = { id, account_id, channel_id, manager_id: channel.manager_id, name };
  for (const captions of made.captions ?? []) await addCaptions(sql, video, captions);
  await countVideo(sql, video, 1);
  const { jobs: kinds, node, now } = made;
  await addJobs(sql, { video_id: id, account_id, kinds, node, now });
  tellMade(sql, video, { source: made.asked ?? 'push', restored: false });
  await tellIfReady(sql, id);
  return id;
});

/** Of a push's: whether others have had it, or have it now. */
async function standingIn(sql: Sql, { stint, channel_id }: FinishedRecording) {
  return stint ? await standingOf(sql, { ...stint, channel_id }) : 'sole';
}

/** A recording's files are addressed as paths of this site; the view makes them whole. */
function addressOf(id: number, file: string): string {
  return `/recordings/${id}/${file}`;
}

/** The channel, which keeps its manager until this transaction ends. */
async function channelOf(sql: Sql, { channel_id, account_id }: FinishedRecording) {
  const channel = await sql.one<{ name: string; manager_id: number; gone_at: number | null }>(
    `SELECT name, manager_id, gone_at FROM channels WHERE id = $1 AND account_id = $2
     ${dialectWords(sql.dialect).forUpdate}`,
    [channel_id, account_id],
  );
  const account = await sql.one<{ auto_save_live_video: number }>(
    'SELECT auto_save_live_video FROM accounts WHERE id = $1',
    [account_id],
  );
  return channel && account && { ...channel, ...account };
}

/** What a job has made, written into its video. */
export const addMade = write(
  'recordings.made',
  async (sql, made: { video_id: number; kind: JobKind; size: number }) => {
    const { video_id, kind, size } = made;
    await sql.run('UPDATE jobs SET size = $3 WHERE video_id = $1 AND kind = $2', [
      video_id,
      kind,
      size,
    ]);
    if (kind === 'mp4') {
      await sql.run('UPDATE videos SET video_size = $2 WHERE id = $1', [video_id, size]);
      return;
    }
    const [column, file] =
      kind === 'cover' ? ['cover_url', 'cover.jpg'] : [`m3u8_${kind}`, `${kind}.m3u8`];
    await sql.run(`UPDATE videos SET ${column} = $2 WHERE id = $1`, [
      video_id,
      addressOf(video_id, file),
    ]);
  },
);

export interface RecordedVideo extends KeptPlace {
  id: number;
  video_size: number;
  duration: number;
  width: number;
  height: number;
  /** Addresses of the playlists of its variants, with blanks between. */
  made: string;
}

const selectRecorded = `SELECT v.id, v.recording, v.recording_node, v.storage, v.video_size, v.duration, v.width,
  v.height, v.m3u8_480 || ' ' || v.m3u8_720 || ' ' || v.m3u8_1080 AS made FROM videos v`;

/** Anyone who has its address may watch a video, unless it or its channel is deleted. */
export async function findRecording(sql: Sql, id: number): Promise<RecordedVideo | undefined> {
  return await sql.one<RecordedVideo>(
    `${selectRecorded} LEFT JOIN channels c ON c.id = v.channel_id
     WHERE v.id = $1 AND v.recording IS NOT NULL AND ${isThere} AND c.deleted_at IS NULL`,
    [id],
  );
}

/** For its jobs, which go on while it or its channel is deleted: it may be brought back. */
export async function findKeptRecording(sql: Sql, id: number): Promise<RecordedVideo | undefined> {
  return await sql.one<RecordedVideo>(
    `${selectRecorded} WHERE v.id = $1 AND v.recording IS NOT NULL`,
    [id],
  );
}

/** Where it lies now, by its name; undefined where it is no video, or is deleted. */
export async function placeOfRecording(
  sql: Sql,
  recording: string,
): Promise<KeptPlace | undefined> {
  return await sql.one<KeptPlace>(
    `SELECT v.recording, v.storage, v.recording_node FROM videos v WHERE v.recording = $1 AND ${isThere}`,
    [recording],
  );
}

/** The videos of a show that begin in its media before that, in their order: what of it was recorded before. */
export async function recordingsBefore(
  sql: Sql,
  { channel_id, show_at, beforeMs }: { channel_id: number; show_at: number; beforeMs: number },
): Promise<KeptPlace[]> {
  return await sql.all<KeptPlace>(
    `SELECT v.recording, v.storage, v.recording_node FROM videos v
     WHERE v.channel_id = $1 AND v.show_at = $2 AND v.show_ms < $3 AND v.recording IS NOT NULL AND ${isThere}
     ORDER BY v.show_ms, v.id`,
    [channel_id, show_at, beforeMs],
  );
}

export async function isKnown(sql: Sql, recording: string): Promise<boolean> {
  return (await sql.one('SELECT id FROM videos WHERE recording = $1', [recording])) !== undefined;
}

/** Those whose folder may still lie on a disk though it is not needed: all of it is in the bucket. */
export async function isInBucket(sql: Sql, recording: string): Promise<boolean> {
  const found = await sql.one<{ storage: Storage }>(
    'SELECT storage FROM videos WHERE recording = $1',
    [recording],
  );
  return found?.storage === 'bucket' || found?.storage === 'leaving';
}

export async function hasBucketRecordings(sql: Sql): Promise<boolean> {
  const found = await sql.one('SELECT id FROM videos WHERE recording_node = $1 LIMIT 1', [anyNode]);
  return found !== undefined;
}

/** Its video, where it is one. */
export async function videoOfRecording(sql: Sql, recording: string): Promise<number | undefined> {
  const found = await sql.one<{ id: number }>('SELECT id FROM videos WHERE recording = $1', [
    recording,
  ]);
  return found?.id;
}

export interface AccountBytes {
  /** What the account's videos on the node's disk, or on any, and in the bucket were pushed as. */
  videos: number;
  /** Its pictures and captions, which lie in the database. */
  kept: number;
}

export const accountBytes = read(
  'recordings.bytes',
  async (
    sql,
    { account_id, node }: { account_id: number; node: string | undefined },
  ): Promise<AccountBytes> => {
    const row = await sql.one<{ bytes: number }>(
      `SELECT CAST(COALESCE(SUM(video_size), 0) AS BIGINT) AS bytes FROM videos
       WHERE account_id = $1 AND recording IS NOT NULL
         AND (CAST($2 AS TEXT) IS NULL OR recording_node IN ($2, '${anyNode}'))`,
      [account_id, node ?? null],
    );
    const kept = await Promise.all([
      imageBytes(sql, { account_id }),
      captionsBytes(sql, { account_id }),
    ]);
    return { videos: row?.bytes ?? 0, kept: kept[0] + kept[1] };
  },
);

export interface RemovedRecording extends RecordingPlace {
  id: number;
}

/** Of those that are due, so many are looked at: of these accounts take turns. */
const dueAtOnce = 10_000;

/** The first of what is due, an account's one and then the next's, so that a large library holds up no other. */
function inTurns(due: string): string {
  return `SELECT id, recording, storage FROM (
      SELECT d.*, ROW_NUMBER() OVER (PARTITION BY account_id ORDER BY place, id) AS turn
      FROM (${due} LIMIT ${dueAtOnce}) d) t
    ORDER BY turn, place, id`;
}

/** Recordings on the node's disk whose videos are older than they may become, oldest first. */
export const oldRecordings = read(
  'recordings.old',
  async (sql, { node, before, limit }: { node: string; before: number; limit: number }) =>
    await sql.all<RemovedRecording>(
      `${inTurns(`SELECT id, recording, storage, account_id, upload_time AS place FROM videos
         WHERE recording_node = $1 AND upload_time < $2 ORDER BY upload_time`)}
       LIMIT CAST($3 AS BIGINT)`,
      [node, before, limit],
    ),
);

/** Recordings on the node's disk whose channels are gone. */
export const goneRecordings = read(
  'recordings.gone',
  async (sql, { node, limit }: { node: string; limit: number }) =>
    await sql.all<RemovedRecording>(
      `${inTurns(`SELECT v.id, v.recording, v.storage, v.account_id, c.deleted_at AS place FROM channels c
         JOIN videos v ON v.account_id = c.account_id AND v.channel_id = c.id
         WHERE c.deleted_at IS NOT NULL AND c.gone_at IS NOT NULL AND v.recording_node = $1
         ORDER BY c.deleted_at, c.id, v.id`)}
       LIMIT CAST($2 AS BIGINT)`,
      [node, limit],
    ),
);

/** Recordings on the node's disk whose videos were deleted by themselves and are gone. */
export const goneVideos = read(
  'recordings.goneVideos',
  async (sql, { node, limit }: { node: string; limit: number }) =>
    await sql.all<RemovedRecording>(
      `${inTurns(`SELECT v.id, v.recording, v.storage, v.account_id, v.deleted_at AS place FROM videos v
         WHERE v.deleted_at IS NOT NULL AND v.gone_at IS NOT NULL AND v.recording_node = $1
         ORDER BY v.deleted_at, v.id`)}
       LIMIT CAST($2 AS BIGINT)`,
      [node, limit],
    ),
);

/** Gives up what was to be made of it; false while something is being made, for which the files are needed. */
export const withdrawJobs = write(
  'recordings.withdrawJobs',
  async (sql, { video_id, now }: { video_id: number; now: number }): Promise<boolean> => {
    await removeJobs(sql, { video_id, exceptRunningAt: now });
    return !(await sql.one('SELECT id FROM jobs WHERE video_id = $1 LIMIT 1', [video_id]));
  },
);

/** Whether it was there: where several nodes remove it, one of them has. */
export const removeRecording = write(
  'recordings.remove',
  async (sql, { id }: { id: number }): Promise<boolean> => {
    // The channel first, as for every change of its totals.
    const channel = await sql.one<{ deleted_at: number | null }>(
      `SELECT deleted_at FROM channels WHERE id = (SELECT channel_id FROM videos WHERE id = $1)
     ${dialectWords(sql.dialect).forUpdate}`,
      [id],
    );
    await removeGuests(sql, { id });
    const row = await sql.one<ToldVideo & { deleted_at: number | null; recording: string }>(
      `DELETE FROM videos WHERE id = $1 AND recording IS NOT NULL
     RETURNING id, account_id, channel_id, manager_id, name, deleted_at, recording`,
      [id],
    );
    if (!row) return false;
    await sql.run('DELETE FROM recorded_objects WHERE recording = $1', [row.recording]);
    // One that was deleted is counted no more.
    if (row.deleted_at === null) await countVideo(sql, row, -1);
    await removeJobs(sql, { video_id: id });
    // Nor is it told again that it is deleted; one of a deleted channel went with that.
    if (row.deleted_at !== null || channel?.deleted_at !== null) return true;
    const { data, ...whose } = videoTold(row);
    appendEvents(sql, [
      { type: 'video.deleted', ...whose, data: { ...data, reason: 'retention' } },
    ]);
    return true;
  },
);
