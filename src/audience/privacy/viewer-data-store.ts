// Every place where the database has something of a viewer: found, read and erased.
import { within } from '../../base/db/index-walk.ts';
import { stepsOf } from '../../base/db/row-steps.ts';
import { read, type Store, type Value, where, write } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { eraseViewer } from '../records/audience-store.ts';

/** A viewer as an account knows them; in one channel, or in all that the account has. */
export interface ViewerQuery {
  account_id: number;
  viewer_id: string;
  channel_id?: number | undefined;
}

/** Tables with a viewer's rows, and what orders the rows of one viewer in a channel for good. */
export const viewerTables = {
  visitors: 'viewer_id',
  sessions: 'record_id',
  chat_messages: 'id',
  chat_silences: 'kind',
  shares: 'shared_at',
} as const;
export type ViewerTable = keyof typeof viewerTables;

/** Channels that have anything of a viewer. */
export const channelsOfViewer = read(
  'privacy.channelsOfViewer',
  ofAccount,
  async (sql, { account_id, viewer_id, channel_id }: ViewerQuery): Promise<number[]> => {
    const channels = {
      from: 'channels c',
      id: 'c.id',
      columns: [['c.account_id', account_id]],
    } as const;
    const steps =
      channel_id === undefined
        ? stepsOf(sql, channels)
        : [{ from: channel_id, before: channel_id + 1 }];
    const found: number[] = [];
    for await (const range of steps) {
      const filter = where(within(channels, range));
      const hasRows = Object.keys(viewerTables).map(
        (table) =>
          `EXISTS (SELECT 1 FROM ${table} t WHERE t.channel_id = c.id AND t.viewer_id = $${filter.next})`,
      );
      const rows = await sql.all<{ id: number }>(
        `SELECT c.id FROM channels c ${filter.text} AND (${hasRows.join(' OR ')})`,
        [...filter.params, viewer_id],
      );
      found.push(...rows.map(({ id }) => id));
    }
    return found.sort((a, b) => a - b);
  },
);

export type ViewerRow = Record<string, Value>;

/** A viewer's rows of one table in one channel, whole, those that follow a key. */
export const rowsOfViewer = read(
  'privacy.rowsOfViewer',
  ofAccount,
  async (
    sql,
    input: {
      account_id: number;
      channel_id: number;
      viewer_id: string;
      table: ViewerTable;
      after: Value | undefined;
      limit: number;
    },
  ): Promise<ViewerRow[]> => {
    const { table } = input;
    const key = viewerTables[table];
    const filter = where([
      ['channel_id = ?', input.channel_id],
      ['viewer_id = ?', input.viewer_id],
      [`${key} > ?`, input.after],
    ]);
    return await sql.all<ViewerRow>(
      `SELECT * FROM ${table} ${filter.text} ORDER BY ${key} LIMIT CAST($${filter.next} AS BIGINT)`,
      [...filter.params, input.limit],
    );
  },
);

/** What was erased in a channel. */
export interface ErasedViewer {
  channel_id: number;
  /** Sessions and the visitor. */
  records: number;
  message_ids: number[];
  silences: number;
}

/** Channel by channel, each in a transaction of its own: one that breaks off may simply be asked for again. */
export async function eraseViewerEverywhere(
  store: Store,
  query: ViewerQuery,
): Promise<ErasedViewer[]> {
  const erased: ErasedViewer[] = [];
  for (const channel_id of await store.perform(channelsOfViewer, query))
    erased.push(await store.perform(eraseViewerData, { ...query, channel_id }));
  return erased;
}

export const eraseViewerData = write(
  'privacy.eraseViewer',
  ofAccount,
  async (
    sql,
    input: { account_id: number; channel_id: number; viewer_id: string },
  ): Promise<ErasedViewer> => {
    const { channel_id, viewer_id } = input;
    const records = await eraseViewer.run(sql, input);
    const messages = await sql.all<{ id: number }>(
      'DELETE FROM chat_messages WHERE channel_id = $1 AND viewer_id = $2 RETURNING id',
      [channel_id, viewer_id],
    );
    await sql.run('DELETE FROM shares WHERE channel_id = $1 AND viewer_id = $2', [
      channel_id,
      viewer_id,
    ]);
    const silences = await sql.run(
      'DELETE FROM chat_silences WHERE channel_id = $1 AND viewer_id = $2',
      [channel_id, viewer_id],
    );
    return { channel_id, records, message_ids: messages.map(({ id }) => id), silences };
  },
);
