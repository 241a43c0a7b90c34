// Removes what there is of channels whose time is over, in steps short enough for the writer's other callers.
import { dialectWords } from '../../base/db/dialect.ts';
import { type Condition, flush, read, type Sql, where } from '../../base/db/sql.ts';
import { removeTotal } from '../access/total-store.ts';
import { addressMarks } from '../channels/channel-marks.ts';
import { videosOfChannel } from '../videos/video-store.ts';

/** Asked first: nearly always there is none, and the writer is not asked for that. */
export async function isAnyDue(sql: Sql, { before }: { before: number }): Promise<boolean> {
  const row = await sql.one(
    `SELECT id FROM channels WHERE deleted_at IS NOT NULL AND deleted_at <= $1 AND gone_at IS NULL LIMIT 1`,
    [before],
  );
  return row !== undefined;
}

/** From then on none of them can be brought back: so nothing is ever missing in a channel that is shown. */
export const letChannelsGo = flush(
  'deletion.letGo',
  async (sql, { before, now }: { before: number; now: number }): Promise<void> => {
    await sql.run(
      `UPDATE channels SET gone_at = $2
       WHERE deleted_at IS NOT NULL AND deleted_at <= $1 AND gone_at IS NULL`,
      [before, now],
    );
  },
);

export interface GoneChannel {
  id: number;
  account_id: number;
  gone_at: number;
}

export const goneChannels = read(
  'deletion.gone',
  async (sql, { after, limit }: { after: number; limit: number }): Promise<GoneChannel[]> =>
    await sql.all<GoneChannel>(
      `SELECT id, account_id, gone_at FROM channels
       WHERE deleted_at IS NOT NULL AND gone_at IS NOT NULL AND id > $1
       ORDER BY id LIMIT CAST($2 AS BIGINT)`,
      [after, limit],
    ),
);

type OneChannel = Pick<GoneChannel, 'id' | 'account_id'>;

/** Tables whose rows are a channel's, and by which column an index leads to a few of them. */
export const channelTables = {
  sessions: 'seq',
  visitors: 'seq',
  chat_messages: 'id',
  chat_silences: 'viewer_id',
  audience_block: 'block',
  shares: 'shared_at',
  show_figures: 'show_at',
  long_before: 'show_at',
  shows: 'id',
  images: 'id',
  uploads: 'id',
  video_captions: 'video_id',
  videos: 'id',
  access_keys: 'key',
  registrations: 'viewer_id',
  pushes: 'channel_id',
} as const;

type ChannelTable = keyof typeof channelTables;

/** Which rows of a table are the channel's; videos are found by the index of their account. */
function rowsOf(table: ChannelTable, { id, account_id }: OneChannel, more: Condition[] = []) {
  const ofAccount: Condition = table === 'videos' ? ['account_id = ?', account_id] : undefined;
  const { text, params } = where([['channel_id = ?', id], ofAccount, ...more]);
  return { rows: `${table} ${text}`, params };
}

const tables = Object.keys(channelTables) as ChannelTable[];

/** Whether there is anything of it beside its own row. */
export const hasChannelRows = read(
  'deletion.hasRows',
  async (sql, channel: OneChannel): Promise<boolean> => {
    for (const table of tables) {
      const { rows, params } = rowsOf(table, channel);
      if (await sql.one(`SELECT 1 AS one FROM ${rows} LIMIT 1`, params)) return true;
    }
    return false;
  },
);

/** Rows of one step: a few milliseconds of the writer. */
export const removedAtOnce = 250;
/** Each may be megabytes, of which the writer visits every page. */
const largeRemovedAtOnce = 4;
const largeTables: readonly ChannelTable[] = ['images', 'video_captions'];

/** Whether there may be more that it can remove: recordings go with their files, where those lie. */
export const removeChannelRows = flush(
  'deletion.removeRows',
  async (sql, channel: OneChannel): Promise<boolean> => {
    for (const table of tables) {
      const key = channelTables[table];
      const unrecorded = table === 'videos' ? ['recording IS NULL'] : [];
      const { rows, params } = rowsOf(table, channel, unrecorded);
      const atOnce = largeTables.includes(table) ? largeRemovedAtOnce : removedAtOnce;
      const some = `SELECT ${key} FROM ${rows} ORDER BY ${key} LIMIT ${atOnce}`;
      const removed = await sql.run(`DELETE FROM ${rows} AND ${key} IN (${some})`, params);
      if (removed >= atOnce) return true;
    }
    return false;
  },
);

/** The bare row, once; false while there is anything else of the channel. */
export const removeChannel = flush(
  'deletion.remove',
  async (sql, { id }: { id: number }): Promise<boolean> => {
    const channel = await sql.one<OneChannel>(
      `SELECT id, account_id FROM channels WHERE id = $1 AND gone_at IS NOT NULL
       ${dialectWords(sql.dialect).forUpdate}`,
      [id],
    );
    if (!channel || (await hasChannelRows.run(sql, channel))) return false;
    await sql.run('DELETE FROM channel_audience WHERE channel_id = $1', [id]);
    const { place, numbering } = addressMarks(id);
    await sql.run('DELETE FROM marks WHERE name IN ($1, $2)', [place, numbering]);
    await removeTotal(sql, videosOfChannel(channel));
    return (await sql.run('DELETE FROM channels WHERE id = $1', [id])) === 1;
  },
);
