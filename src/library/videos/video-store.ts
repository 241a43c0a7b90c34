// Videos in the database.
import type { Owner } from '../../base/api/caller.ts';
import { ApiError } from '../../base/api/errors.ts';
import { dialectWords } from '../../base/db/dialect.ts';
import { type Walk, walked } from '../../base/db/index-walk.ts';
import { searchInSteps } from '../../base/db/row-steps.ts';
import {
  type Condition,
  limitFrom,
  placeholders,
  read,
  type Sql,
  type Value,
  where,
  write,
} from '../../base/db/sql.ts';
import { folded, searchTitles } from '../../base/db/title-search.ts';
import { ofAccount, ofOwner } from '../../base/db/whose.ts';
import { visibleManager } from '../access/owner.ts';
import { addToTotal, keptTotal, type TotalKey } from '../access/total-store.ts';
import type { VideoSource } from '../events/event.ts';
import { appendEvents } from '../events/event-store.ts';
import { tellReady } from '../jobs/job-event-store.ts';

export interface VideoRow {
  id: number;
  account_id: number;
  channel_id: number;
  manager_id: number;
  name: string;
  video_url: string;
  video_size: number;
  m3u8: string;
  m3u8_480: string;
  m3u8_720: string;
  m3u8_1080: string;
  duration: number;
  width: number;
  height: number;
  cover_url: string;
  upload_time: number | null;
  start_time: number | null;
  end_time: number | null;
}

/**
 * What a channel's page offers as its recording: the last video that was pushed or imported; one that was uploaded
 * where nothing was ever pushed, as it is then what there is to watch; a clip never.
 */
export const offers = { clip: 0, upload: 1, recording: 2 } as const;

/** Of a `VideoRow`. */
export const videoColumns = `v.id, v.account_id, v.channel_id, v.manager_id, v.name, v.video_url, v.video_size,
  v.m3u8, v.m3u8_480, v.m3u8_720, v.m3u8_1080, v.duration, v.width, v.height, v.cover_url,
  v.upload_time, v.start_time, v.end_time`;

const selectVideos = `SELECT ${videoColumns} FROM videos v`;

/** A manager's token sees the manager's alone. Not by IN: SQLite makes a table of its list, each time. */
const selectOwn = `${selectVideos} WHERE v.id = $1 AND v.account_id = $2
  AND (CAST($3 AS BIGINT) = 0 OR v.manager_id = $3)
  AND v.deleted_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM channels d WHERE d.id = v.channel_id AND d.deleted_at IS NOT NULL)`;

export async function findVideo(sql: Sql, id: number, owner: Owner): Promise<VideoRow> {
  const { account_id, manager_id } = owner;
  const row = await sql.one<VideoRow>(selectOwn, [id, account_id, manager_id]);
  if (!row) throw new ApiError('noVideo');
  return row;
}

/** The account that a video belongs to, for the command line, which acts for any; also one that is deleted. */
export async function accountOfVideo(sql: Sql, id: number): Promise<number> {
  const row = await sql.one<{ account_id: number }>('SELECT account_id FROM videos WHERE id = $1', [
    id,
  ]);
  if (!row) throw new ApiError('noVideo', { message: `No video ${id}` });
  return row.account_id;
}

export interface VideoQuery {
  owner: Owner;
  title: string | undefined;
  act_id: number | undefined;
  manager: number | undefined;
  /** Only those whose files are so. */
  state?: VideoState | undefined;
  limit: number;
  offset: number;
}

interface VideoPage {
  total: number;
  rows: VideoRow[];
}

const nothing: VideoPage = { total: 0, rows: [] };

/** A page of videos, newest first, and how many there are in all. */
export const listVideos = read('videos.list', ofOwner, async (sql, query: VideoQuery) => {
  const asked = askedBy(query);
  if (!asked) return nothing;
  const within = await shownWithin(sql, asked);
  if (within.total === 0) return nothing;
  return isTotalKept(query)
    ? await pageOf(sql, asked, within)
    : await searchVideos(sql, asked, within);
});

/** The same on the main thread; undefined where it must pass by videos of deleted channels, of which there may be many. */
export async function listNearVideos(sql: Sql, query: VideoQuery): Promise<VideoPage | undefined> {
  const asked = askedBy(query);
  if (!asked) return nothing;
  const within = await shownWithin(sql, asked);
  return within.hides ? undefined : await pageOf(sql, asked, within);
}

/** Undefined where the caller may see none of it. */
function askedBy(query: VideoQuery): Asked | undefined {
  const { owner, manager } = query;
  const ofManager = visibleManager(owner, manager);
  return ofManager === 'none'
    ? undefined
    : { ...query, account_id: owner.account_id, manager: ofManager };
}

/** What is shown of the rows that an index leads to. */
interface Within {
  total: number;
  /** Whether there may be rows of deleted channels among them. */
  hides: boolean;
}

/** A channel's kept total stays while it is deleted, and comes back with it; the others are without it. */
async function shownWithin(sql: Sql, asked: Asked): Promise<Within> {
  const { account_id, act_id } = asked;
  const key = keptBy(asked);
  // One statement: each is a round trip on PostgreSQL.
  const row = await sql.one<{ total: number; hides: number }>(
    `SELECT total, CASE WHEN EXISTS (
       SELECT 1 FROM channels d WHERE d.account_id = $1 AND d.deleted_at IS NOT NULL
       ${act_id === undefined ? '' : 'AND d.id = $4'}) THEN 1 ELSE 0 END AS hides
     FROM totals WHERE account_id = $1 AND kind = $2 AND part = $3 AND part_id = $4`,
    [account_id, key.kind, key.part, key.part_id],
  );
  const hides = row?.hides === 1;
  const isHidden = hides && act_id !== undefined;
  return { total: isHidden ? 0 : (row?.total ?? 0), hides: hides && !isHidden };
}

/** Looked at only where there are any: then each row is held against their list. */
function ofShownChannels({ account_id }: Asked, { hides }: Within): Condition[] {
  if (!hides) return [];
  return [
    [
      'v.channel_id NOT IN (SELECT d.id FROM channels d WHERE d.account_id = ? AND d.deleted_at IS NOT NULL)',
      account_id,
    ],
  ];
}

/** Not deleted by itself. */
export const isThere = 'v.deleted_at IS NULL';

async function pageOf(sql: Sql, asked: Asked, within: Within): Promise<VideoPage> {
  const { limit, offset } = asked;
  const { total } = within;
  if (offset >= total) return { total, rows: [] };
  const { conditions, order } = walked(sql.dialect, walkOf(asked));
  const filter = where([...conditions, isThere, ...ofShownChannels(asked, within)]);
  const rows = await sql.all<VideoRow>(
    `${selectVideos} WHERE v.id IN (
       SELECT v.id FROM videos v ${filter.text} ORDER BY ${order} ${limitFrom(filter.next)}
     ) ORDER BY v.id DESC`,
    [...filter.params, limit, offset],
  );
  return { total, rows };
}

interface Asked extends Omit<VideoQuery, 'owner'> {
  account_id: number;
}

/** Otherwise rows are looked at one by one: for a title, a state, or a manager and a channel at once. */
export function isTotalKept({ owner, title, act_id, manager, state }: VideoQuery): boolean {
  if (title !== undefined || state !== undefined) return false;
  return act_id === undefined || visibleManager(owner, manager) === undefined;
}

/** A search row by row: one index leads to the rows, and the rest is compared. */
async function searchVideos(sql: Sql, asked: Asked, within: Within): Promise<VideoPage> {
  const { title, act_id, manager, state, limit, offset } = asked;
  const search = {
    ...walkOf(asked),
    from: 'videos v',
    matching: [
      ...(act_id === undefined ? [] : [['v.manager_id = ?', manager] as const]),
      ...(state === undefined ? [] : [inState[state]]),
      isThere,
      ...ofShownChannels(asked, within),
    ],
    limit,
    offset,
  } as const;
  const { total, ids } =
    title === undefined
      ? await searchInSteps(sql, search)
      : await searchTitles(sql, { ...search, title, rows: within.total });
  const filter = where([[`v.id IN (${dialectWords(sql.dialect).listed})`, JSON.stringify(ids)]]);
  const rows = await sql.all<VideoRow>(
    `${selectVideos} ${filter.text} ORDER BY v.id DESC`,
    filter.params,
  );
  return { total, rows };
}

const jobsIn = (states: string) =>
  `EXISTS (SELECT 1 FROM jobs j WHERE j.video_id = v.id AND j.state IN (${states}))`;

export type VideoState = keyof typeof inState;

/** By the jobs of a video; each leads to a few rows of an index. */
const inState = {
  failed: jobsIn("'failed'"),
  working: `${jobsIn("'waiting', 'running'")} AND NOT ${jobsIn("'failed'")}`,
  ready: `NOT ${jobsIn("'waiting', 'running', 'failed'")}`,
} as const;

/** What an index leads to. */
function walkOf({ account_id, act_id, manager }: Asked): Walk {
  const part =
    act_id === undefined
      ? (['v.manager_id', manager] as const)
      : (['v.channel_id', act_id] as const);
  return { id: 'v.id', columns: [['v.account_id', account_id], part] };
}

/**
 * Counts a video that was added (or, with -1, removed) in every total it belongs to: of a deleted channel, in that of
 * the channel alone. The transaction holds the channel's row.
 */
export async function countVideo(
  sql: Sql,
  {
    account_id,
    manager_id,
    channel_id,
  }: Pick<VideoRow, 'account_id' | 'manager_id' | 'channel_id'>,
  more: 1 | -1,
): Promise<void> {
  const deleted = await sql.one(
    'SELECT id FROM channels WHERE id = $1 AND deleted_at IS NOT NULL',
    [channel_id],
  );
  if (!deleted) await addToShown(sql, { account_id, manager_id }, more);
  await addToTotal(sql, videosOfChannel({ account_id, id: channel_id }), more);
}

/** A channel's videos count again where it is brought back, and with -1 no more where it is deleted. */
export async function countVideosOf(
  sql: Sql,
  channel: { id: number; account_id: number; manager_id: number },
  sign: 1 | -1,
): Promise<void> {
  const { id, account_id } = channel;
  const count = await keptTotal(sql, videosOfChannel({ account_id, id }));
  await addToShown(sql, channel, sign * count);
}

/** Where the number of a channel's videos is kept, also while it is deleted. */
export function videosOfChannel({ account_id, id }: { account_id: number; id: number }): TotalKey {
  return { account_id, kind: 'videos', part: 'channel', part_id: id };
}

async function addToShown(
  sql: Sql,
  { account_id, manager_id }: Pick<VideoRow, 'account_id' | 'manager_id'>,
  more: number,
): Promise<void> {
  const counted = { account_id, kind: 'videos' } as const;
  await addToTotal(sql, { ...counted, part: 'account', part_id: 0 }, more);
  await addToTotal(sql, { ...counted, part: 'manager', part_id: manager_id }, more);
}

/** The total of the same rows. */
function keptBy({ account_id, act_id, manager }: Asked): TotalKey {
  const base = { account_id, kind: 'videos' } as const;
  if (act_id !== undefined) return videosOfChannel({ account_id, id: act_id });
  if (manager !== undefined) return { ...base, part: 'manager', part_id: manager };
  return { ...base, part: 'account', part_id: 0 };
}

/** A video of another platform, with the id it has there. */
export type ImportedVideo = Omit<VideoRow, 'id' | 'account_id' | 'manager_id'> & {
  external_id: string;
};

const columns = [
  'channel_id',
  'name',
  'video_url',
  'video_size',
  'm3u8',
  'm3u8_480',
  'm3u8_720',
  'm3u8_1080',
  'duration',
  'width',
  'height',
  'cover_url',
  'upload_time',
  'start_time',
  'end_time',
  'external_id',
] as const satisfies (keyof ImportedVideo)[];

/** Adds videos whose external id is new to the account; how many were. A video has its channel's manager. */
export const addVideos = write(
  'videos.add',
  ofAccount,
  async (sql, input: { account_id: number; videos: ImportedVideo[] }): Promise<number> => {
    const { account_id, videos } = input;
    const managers = await lockManagers(sql, account_id, videos);
    const lost = videos.find(({ channel_id }) => !managers.has(channel_id));
    if (lost)
      throw new ApiError('noChannel', { message: `No channel ${lost.channel_id} in the account` });
    const params: Value[] = videos.flatMap((video) => [
      account_id,
      managers.get(video.channel_id) ?? 0,
      folded(video.name),
      ...columns.map((column) => video[column]),
    ]);
    const added = await sql.all<ToldVideo>(
      `INSERT INTO videos (account_id, manager_id, folded_name, ${columns.join(', ')})
       VALUES ${placeholders(videos.length, columns.length + 3)}
       ON CONFLICT (account_id, external_id) WHERE external_id IS NOT NULL DO NOTHING
       RETURNING id, account_id, manager_id, channel_id, name`,
      params,
    );
    for (const video of added) {
      await countVideo(sql, video, 1);
      tellMade(sql, video, { source: 'import', restored: false });
      // Its files are elsewhere, and all that there will be.
      tellReady(sql, video.id, video);
    }
    return added.length;
  },
);

/** What events say of a video. */
export type ToldVideo = Pick<VideoRow, 'id' | 'account_id' | 'manager_id' | 'channel_id' | 'name'>;

/** Whose an event of a video is, and what each says. */
export function videoTold({ id, account_id, manager_id, channel_id, name }: ToldVideo) {
  return { account_id, manager_id, data: { video_id: id, channel_id, name } };
}

/** Part of the write that makes it, or brings it back. */
export function tellMade(
  sql: Sql,
  video: ToldVideo,
  made: { source: VideoSource; restored: boolean },
): void {
  const { data, ...whose } = videoTold(video);
  appendEvents(sql, [{ type: 'video.created', ...whose, data: { ...data, ...made } }]);
}

/** What a video was made of, as its row tells. */
export async function sourceOf(sql: Sql, id: number): Promise<VideoSource> {
  const row = await sql.one<{ offered: number; recording: string | null }>(
    'SELECT offered, recording FROM videos WHERE id = $1',
    [id],
  );
  if (!row || row.recording === null) return 'import';
  if (row.offered === offers.recording) return 'push';
  return row.offered === offers.clip ? 'clip' : 'upload';
}

/** The manager of each video's channel, which stays its manager until this transaction ends. */
async function lockManagers(
  sql: Sql,
  account_id: number,
  videos: readonly ImportedVideo[],
): Promise<Map<number, number>> {
  const ids = [...new Set(videos.map(({ channel_id }) => channel_id))];
  const rows = await sql.all<{ id: number; manager_id: number }>(
    `SELECT id, manager_id FROM channels WHERE account_id = $1 AND id IN ${placeholders(1, ids.length, 2)}
     AND deleted_at IS NULL ORDER BY id ${dialectWords(sql.dialect).forUpdate}`,
    [account_id, ...ids],
  );
  return new Map(rows.map(({ id, manager_id }) => [id, manager_id]));
}

/** The account's channels and the manager each has. */
export async function managersOfChannels(
  sql: Sql,
  account_id: number,
): Promise<Map<number, number>> {
  const rows = await sql.all<{ id: number; manager_id: number }>(
    'SELECT id, manager_id FROM channels WHERE account_id = $1 AND deleted_at IS NULL',
    [account_id],
  );
  return new Map(rows.map(({ id, manager_id }) => [id, manager_id]));
}
