// Every place where the database has something of a viewer: found, read and erased.
import { batchStatement } from '../../base/db/batch.ts';
import { within } from '../../base/db/index-walk.ts';
import { stepsOf } from '../../base/db/row-steps.ts';
import { read, type Sql, type Store, type Value, where, write } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { keyOfListed } from '../../library/admission/access-code.ts';
import type { Admitted } from '../../library/admission/admission.ts';
import { endErased } from '../../library/admission/admission-store.ts';
import { holderOfRegistration } from '../../library/admission/pass.ts';
import { registrationsOfViewer } from '../../library/admission/registration-store.ts';
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
  registrations: 'thing',
} as const;
export type ViewerTable = keyof typeof viewerTables;

/** Lists of who may watch name a viewer as whoever wrote them did. */
export const listTable = 'access_keys';

/** Where there is something of a viewer. */
export interface ViewerTraces {
  channels: number[];
  /** As what lists of who may watch may have them: by their id, and by the phone numbers that links have named. */
  listed: string[];
}

export const tracesOfViewer = read(
  'privacy.tracesOfViewer',
  ofAccount,
  async (sql, query: ViewerQuery): Promise<ViewerTraces> => {
    const { viewer_id } = query;
    const hasRows = Object.keys(viewerTables).map(
      (table) => (next: number) =>
        `EXISTS (SELECT 1 FROM ${table} t WHERE t.channel_id = c.id AND t.viewer_id = $${next})`,
    );
    const known = await channelsWith(sql, query, { has: hasRows, of: viewer_id });
    const names = new Set([viewer_id]);
    for (const channel_id of known)
      for (const phone of await phonesOf(sql, { channel_id, viewer_id })) names.add(phone);
    const listed = [...names].map(keyOfListed);
    const channels = new Set(known);
    for (const key of listed)
      for (const id of await channelsWith(sql, query, { has: [isListed], of: key }))
        channels.add(id);
    return { channels: [...channels].sort((a, b) => a - b), listed };
  },
);

const isListed = (next: number) =>
  `EXISTS (SELECT 1 FROM access_keys k WHERE k.channel_id = c.id AND k.key = $${next})`;

/** Those of the account for which any of it holds, each of one text. */
async function channelsWith(
  sql: Sql,
  { account_id, channel_id }: Pick<ViewerQuery, 'account_id' | 'channel_id'>,
  { has, of }: { has: readonly ((next: number) => string)[]; of: string },
): Promise<number[]> {
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
    const conditions = has.map((condition) => condition(filter.next));
    const rows = await sql.all<{ id: number }>(
      `SELECT c.id FROM channels c ${filter.text} AND (${conditions.join(' OR ')})`,
      [...filter.params, of],
    );
    found.push(...rows.map(({ id }) => id));
  }
  return found;
}

async function phonesOf(
  sql: Sql,
  { channel_id, viewer_id }: { channel_id: number; viewer_id: string },
): Promise<string[]> {
  const rows = await sql.all<{ phone: string }>(
    `SELECT phone FROM visitors WHERE channel_id = $1 AND viewer_id = $2 AND phone <> ''
     UNION SELECT phone FROM sessions WHERE channel_id = $1 AND viewer_id = $2 AND phone <> ''`,
    [channel_id, viewer_id],
  );
  return rows.map(({ phone }) => phone);
}

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

/** Where lists of who may watch a channel or its videos have them, whole. */
export const listedRowsOfViewer = read(
  'privacy.listedRowsOfViewer',
  ofAccount,
  async (
    sql,
    input: { account_id: number; channel_id: number; listed: readonly string[] },
  ): Promise<ViewerRow[]> => {
    const rows = await listedRows.all<ViewerRow & { thing: Admitted; key: string }>(
      sql,
      placesOf(input),
    );
    const placeOf = ({ key, thing }: { key: string; thing: string }) => `${key} ${thing}`;
    return rows.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  },
);

const listedRows = batchStatement(
  { channel_id: 'int', key: 'text' },
  ({ channel_id, key }, from) => `SELECT access_keys.* ${from('access_keys')}
    WHERE access_keys.channel_id = ${channel_id} AND access_keys.key = ${key}`,
);

function placesOf({ channel_id, listed }: { channel_id: number; listed: readonly string[] }) {
  return listed.map((key) => ({ channel_id, key }));
}

/** What was erased in a channel. */
export interface ErasedViewer {
  channel_id: number;
  /** Sessions and the visitor. */
  records: number;
  message_ids: number[];
  silences: number;
  /** Forms that were filled in. */
  registrations: number;
  /** Lists of who may watch that had them. */
  lists: number;
}

/** Channel by channel, each in a transaction of its own: one that breaks off may simply be asked for again. */
export async function eraseViewerEverywhere(
  store: Store,
  query: ViewerQuery & { now: number },
): Promise<ErasedViewer[]> {
  const erased: ErasedViewer[] = [];
  const { channels, listed } = await store.perform(tracesOfViewer, query);
  for (const channel_id of channels)
    erased.push(await store.perform(eraseViewerData, { ...query, channel_id, listed }));
  return erased;
}

export const eraseViewerData = write(
  'privacy.eraseViewer',
  ofAccount,
  async (
    sql,
    input: {
      account_id: number;
      channel_id: number;
      viewer_id: string;
      listed: readonly string[];
      now: number;
    },
  ): Promise<ErasedViewer> => {
    const { channel_id, viewer_id, now } = input;
    const entries = await listedRows.all<{ thing: Admitted; key: string }>(sql, placesOf(input));
    for (const { thing, key } of entries) await endErased(sql, { thing, holders: [key], now });
    for (const { thing, id } of await registrationsOfViewer(sql, input))
      await endErased(sql, { thing, holders: [holderOfRegistration(id)], now });
    const lists = await removeListedRows.run(sql, placesOf(input));
    const registrations = await sql.run(
      'DELETE FROM registrations WHERE channel_id = $1 AND viewer_id = $2',
      [channel_id, viewer_id],
    );
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
    const message_ids = messages.map(({ id }) => id);
    return { channel_id, records, message_ids, silences, registrations, lists };
  },
);

const removeListedRows = batchStatement(
  { channel_id: 'int', key: 'text' },
  ({ channel_id, key }, from) => `DELETE FROM access_keys
    WHERE (channel_id, key) IN (SELECT ${channel_id}, ${key} ${from()})`,
);
