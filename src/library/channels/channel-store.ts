// Channels in the database.
import type { Owner } from '../../base/api/caller.ts';
import { ApiError, invalidField } from '../../base/api/errors.ts';
import { dialectWords } from '../../base/db/dialect.ts';
import { walked } from '../../base/db/index-walk.ts';
import {
  type Condition,
  limitFrom,
  read,
  type Sql,
  type Store,
  telling,
  where,
  write,
} from '../../base/db/sql.ts';
import { folded } from '../../base/db/title-search.ts';
import { ofAccount, ofOwner } from '../../base/db/whose.ts';
import { randomText } from '../../base/lib/secret.ts';
import { visibleManager } from '../access/owner.ts';
import { addToTotal, countRows, keptTotal } from '../access/total-store.ts';
import { appendEvents } from '../events/event-store.ts';
import { changedFields, changedPage, emptyPage, type PageChange } from './stored-page.ts';

export interface ChannelRow {
  id: number;
  account_id: number;
  manager_id: number;
  /** Null where the channel has no manager. */
  manager_username: string | null;
  name: string;
  page: string;
  stream_key: string;
  play_id: string;
  live: number;
  last_push_stream_at: number | null;
  created_at: number;
}

/** Of a `ChannelRow`. */
export const selectChannels = `SELECT c.id, c.account_id, c.manager_id, m.username AS manager_username, c.name, c.page,
  c.stream_key, c.play_id, c.live, c.last_push_stream_at, c.created_at
  FROM channels c LEFT JOIN managers m ON m.id = c.manager_id`;

/** A manager's token sees the manager's alone. Not by IN: SQLite makes a table of its list, each time. */
const selectOwn = `${selectChannels} WHERE c.id = $1 AND c.account_id = $2
  AND (CAST($3 AS BIGINT) = 0 OR c.manager_id = $3) AND c.deleted_at IS NULL`;

export async function findChannel(sql: Sql, id: number, owner: Owner): Promise<ChannelRow> {
  const { account_id, manager_id } = owner;
  const row = await sql.one<ChannelRow>(selectOwn, [id, account_id, manager_id]);
  if (!row) throw new ApiError('noChannel');
  return row;
}

/** The same for a caller, whose call waits behind its own. */
export async function callersChannel(
  store: Pick<Store, 'for'>,
  id: number,
  caller: Owner,
): Promise<ChannelRow> {
  return await findChannel(store.for(ofAccount(caller)), id, caller);
}

/** Throws where it is not the caller's. One that is deleted still is: its viewers' data is exported and erased. */
export async function checkHeldChannel(
  store: Pick<Store, 'for'>,
  id: number,
  caller: Owner,
): Promise<void> {
  const { account_id, manager_id } = caller;
  const row = await store.for(ofAccount(caller)).one(
    `SELECT id FROM channels WHERE id = $1 AND account_id = $2
     AND (CAST($3 AS BIGINT) = 0 OR manager_id = $3)`,
    [id, account_id, manager_id],
  );
  if (!row) throw new ApiError('noChannel');
}

/** Throws where a channel was deleted while somebody takes all there is of it: nobody gets more. */
export async function checkStillThere(sql: Sql, id: number): Promise<void> {
  const there = await sql.one('SELECT id FROM channels WHERE id = $1 AND deleted_at IS NULL', [id]);
  if (!there) throw new ApiError('noChannel');
}

export interface ChannelQuery {
  owner: Owner;
  live: boolean;
  /** Undefined: of any manager. */
  manager: number | undefined;
  limit: number;
  offset: number;
}

/** A page of channels, newest first, and how many there are in all. */
export const listChannels = read('channels.list', ofOwner, async (sql, query: ChannelQuery) => {
  const { owner, live, manager, limit, offset } = query;
  const { account_id } = owner;
  const ofManager = visibleManager(owner, manager);
  if (ofManager === 'none') return { total: 0, rows: [] };
  const account = ['c.account_id', account_id] as const;
  // Written out, so that the index of the live ones serves it; those few are looked at for their manager.
  const ofLive: Condition[] = ['c.live = 1', ['c.manager_id = ?', ofManager]];
  const columns = live ? [account] : [account, ['c.manager_id', ofManager] as const];
  const { conditions, order } = walked(sql.dialect, { id: 'c.id', columns });
  const filter = where([...conditions, 'c.deleted_at IS NULL', ...(live ? ofLive : [])]);
  const [total, rows] = await Promise.all([
    live
      ? countRows(sql, `channels c ${filter.text}`, filter.params)
      : keptTotal(sql, { account_id, kind: 'channels', ...partOf(ofManager) }),
    sql.all<ChannelRow>(
      // The ids alone lie in an index: a far page does not visit the rows before it.
      `${selectChannels} WHERE c.id IN (
         SELECT c.id FROM channels c ${filter.text} ORDER BY ${order} ${limitFrom(filter.next)}
       ) ORDER BY c.id DESC`,
      [...filter.params, limit, offset],
    ),
  ]);
  return { total, rows };
});

/** How many a caller sees. */
export async function keptChannels(sql: Sql, owner: Owner): Promise<number> {
  const { account_id, manager_id } = owner;
  const part = partOf(manager_id === 0 ? undefined : manager_id);
  return await keptTotal(sql, { account_id, kind: 'channels', ...part });
}

export interface ChannelOrder {
  owner: Owner;
  name: string;
  manager_id: number;
  page: PageChange;
  now: number;
  /** How many the account may have; without it there is no bound. */
  channelsMax?: number;
  /** A second create with the same key gives the first one's channel. */
  idempotency: { key: string; request_hash: string } | undefined;
}

const streamKeyBits = 160;
const playIdBits = 128;
/** How long a second create with the same key is known for one. */
const idempotencyMs = 24 * 3_600_000;

export const createChannel = telling(
  {
    made: ({ row: { id, name } }) => ({ kind: 'channel', id, name }),
    changed: ({ replayed }) => !replayed,
  },
  write('channels.create', ofOwner, async (sql, order: ChannelOrder) => {
    const { owner, name, manager_id, page, now, channelsMax, idempotency } = order;
    const { account_id } = owner;
    const manager = manager_id === 0 ? undefined : await lockManager(sql, account_id, manager_id);
    const earlier = idempotency && (await claimKey(sql, owner, idempotency, now));
    if (earlier !== undefined)
      return { row: await madeEarlier(sql, earlier, owner), replayed: true };
    // Counted before it is made: whoever creates at the same time waits here, so none is one too many. All of it is
    // asked for at once; what is one too many is undone.
    const [total, deleted, made] = await Promise.all([
      countChannel(sql, { account_id, manager_id }, 1),
      channelsMax === undefined ? 0 : countDeleted(sql, account_id),
      addChannel(sql, { account_id, manager_id, name, page: changedPage(emptyPage, page), now }),
    ]);
    const row = { ...made, manager_username: manager?.username ?? null };
    if (channelsMax !== undefined) checkRoomFor({ total, deleted, channelsMax });
    if (idempotency) {
      await sql.run(
        'UPDATE idempotency_keys SET channel_id = $4 WHERE account_id = $1 AND manager_id = $2 AND key = $3',
        [account_id, owner.manager_id, idempotency.key, row.id],
      );
    }
    tellCreated(sql, row, { restored: false });
    return { row, replayed: false };
  }),
);

async function addChannel(
  sql: Sql,
  given: Pick<ChannelRow, 'account_id' | 'manager_id' | 'name' | 'page'> & { now: number },
): Promise<Omit<ChannelRow, 'manager_username'>> {
  const { account_id, manager_id, name, page, now } = given;
  const row = await sql.one<Omit<ChannelRow, 'manager_username'>>(
    `INSERT INTO channels (account_id, manager_id, name, folded_name, page, stream_key, play_id, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     RETURNING id, account_id, manager_id, name, page, stream_key, play_id, live, last_push_stream_at, created_at`,
    [
      account_id,
      manager_id,
      name,
      folded(name),
      page,
      randomText(streamKeyBits),
      randomText(playIdBits),
      now,
    ],
  );
  if (!row) throw new Error('a channel that was added is not there');
  return row;
}

/** What events say of a channel. */
type ToldChannel = Pick<ChannelRow, 'id' | 'account_id' | 'manager_id' | 'name'>;

/** Whose an event of a channel is, and what each says. */
export function channelTold({ id, account_id, manager_id, name }: ToldChannel) {
  return { account_id, manager_id, data: { channel_id: id, name, manager_id } };
}

/** Part of the write that makes it, or brings it back. */
export function tellCreated(sql: Sql, row: ToldChannel, { restored }: { restored: boolean }): void {
  const { data, ...whose } = channelTold(row);
  appendEvents(sql, [{ type: 'channel.created', ...whose, data: { ...data, restored } }]);
}

/** Part of the write that changes it; where nothing is another than before there is nothing to tell. */
function tellUpdated(sql: Sql, row: ToldChannel, changed: string[]): void {
  if (changed.length === 0) return;
  const { data, ...whose } = channelTold(row);
  appendEvents(sql, [{ type: 'channel.updated', ...whose, data: { ...data, changed } }]);
}

/**
 * Those that are deleted have their places until they are gone: so each can be brought back, and nobody fills the
 * database by making and deleting.
 */
async function countDeleted(sql: Sql, account_id: number): Promise<number> {
  return await countRows(
    sql,
    'channels WHERE account_id = $1 AND deleted_at IS NOT NULL AND gone_at IS NULL',
    [account_id],
  );
}

function checkRoomFor(given: { total: number; deleted: number; channelsMax: number }): void {
  const { total, deleted, channelsMax } = given;
  if (total + deleted <= channelsMax) return;
  const which = deleted > 0 ? ` (${deleted} of them deleted, and not gone yet)` : '';
  throw new ApiError('noPermission', {
    message: `This account has its ${channelsMax} channels${which}, and may have no more`,
  });
}

/** What a create with the same key has made. */
async function madeEarlier(sql: Sql, id: number, owner: Owner): Promise<ChannelRow> {
  const isThere = await sql.one('SELECT id FROM channels WHERE id = $1 AND deleted_at IS NULL', [
    id,
  ]);
  if (!isThere)
    throw new ApiError('noChannel', {
      message: 'The channel that was made with this Idempotency-Key is deleted',
    });
  return await findChannel(sql, id, owner);
}

/** Counts a channel that came (or, with -1, went) in every total it belongs to; how many the account has then. */
export async function countChannel(
  sql: Sql,
  { account_id, manager_id }: Pick<ChannelRow, 'account_id' | 'manager_id'>,
  more: 1 | -1,
): Promise<number> {
  const counted = { account_id, kind: 'channels' } as const;
  const [total] = await Promise.all([
    addToTotal(sql, { ...counted, ...partOf(undefined) }, more),
    addToTotal(sql, { ...counted, ...partOf(manager_id) }, more),
  ]);
  return total;
}

export const renameChannel = write(
  'channels.rename',
  ofOwner,
  async (sql, input: { id: number; owner: Owner; name: string }) => {
    const row = await lockChannel(sql, input.id, input.owner);
    const { name } = input;
    await sql.run('UPDATE channels SET name = $2, folded_name = $3 WHERE id = $1', [
      row.id,
      name,
      folded(name),
    ]);
    tellUpdated(sql, { ...row, name }, name === row.name ? [] : ['name']);
    return { ...row, name };
  },
);

/** Changes the named fields of a page and leaves the others as they are, also under concurrent changes. */
export const changePage = write(
  'channels.changePage',
  ofOwner,
  async (sql, input: { id: number; owner: Owner; page: PageChange }) => {
    const row = await lockChannel(sql, input.id, input.owner);
    const page = changedPage(row.page, input.page);
    await sql.run('UPDATE channels SET page = $2 WHERE id = $1', [row.id, page]);
    tellUpdated(sql, row, changedFields(row.page, page));
    return { ...row, page };
  },
);

/** A new publish key, at once; whoever publishes with the old one is cut within seconds. */
export const rotateKey = telling(
  { of: ({ id }) => ({ kind: 'channel', id }) },
  write('channels.rotateKey', ofOwner, async (sql, input: { id: number; owner: Owner }) => {
    const row = await lockChannel(sql, input.id, input.owner);
    const stream_key = randomText(streamKeyBits);
    await sql.run('UPDATE channels SET stream_key = $2 WHERE id = $1', [row.id, stream_key]);
    tellUpdated(sql, row, ['publish_key']);
    return { ...row, stream_key };
  }),
);

/** The account that a channel belongs to, for the command line, which acts for any. */
export async function accountOfChannel(
  sql: Sql,
  id: number,
  { mayBeDeleted = false }: { mayBeDeleted?: boolean } = {},
): Promise<number> {
  const row = await sql.one<{ account_id: number; deleted_at: number | null }>(
    'SELECT account_id, deleted_at FROM channels WHERE id = $1',
    [id],
  );
  if (!row || (row.deleted_at !== null && !mayBeDeleted))
    throw new ApiError('noChannel', { message: `No channel ${id}` });
  return row.account_id;
}

/** The channel, which nobody else changes or deletes until this transaction ends. */
export async function lockChannel(sql: Sql, id: number, owner: Owner): Promise<ChannelRow> {
  await sql.one(
    `SELECT id FROM channels WHERE id = $1 AND account_id = $2 ${dialectWords(sql.dialect).forUpdate}`,
    [id, owner.account_id],
  );
  return await findChannel(sql, id, owner);
}

/** Throws where the account has no such manager; until this transaction ends nobody removes it. */
async function lockManager(
  sql: Sql,
  account_id: number,
  id: number,
): Promise<{ username: string }> {
  const manager = await sql.one<{ username: string }>(
    `SELECT username FROM managers WHERE id = $1 AND account_id = $2 ${dialectWords(sql.dialect).forUpdate}`,
    [id, account_id],
  );
  if (!manager) throw new ApiError('noUser', { message: `No such manager: ${id}` });
  return manager;
}

/** The channel an earlier create with this key made, or undefined where this is the first. */
async function claimKey(
  sql: Sql,
  owner: Owner,
  { key, request_hash }: { key: string; request_hash: string },
  now: number,
): Promise<number | undefined> {
  const { account_id, manager_id } = owner;
  await sql.run('DELETE FROM idempotency_keys WHERE created_at <= $1', [now - idempotencyMs]);
  const claimed = await sql.run(
    `INSERT INTO idempotency_keys (account_id, manager_id, key, request_hash, channel_id, created_at)
     VALUES ($1, $2, $3, $4, 0, $5) ON CONFLICT (account_id, manager_id, key) DO NOTHING`,
    [account_id, manager_id, key, request_hash, now],
  );
  if (claimed === 1) return undefined;
  const earlier = await sql.one<{ request_hash: string; channel_id: number }>(
    `SELECT request_hash, channel_id FROM idempotency_keys
     WHERE account_id = $1 AND manager_id = $2 AND key = $3`,
    [account_id, manager_id, key],
  );
  if (earlier?.request_hash === request_hash) return earlier.channel_id;
  throw invalidField(
    'Idempotency-Key',
    'Idempotency-Key was used for another create within 24 hours',
  );
}

function partOf(manager: number | undefined) {
  return manager === undefined
    ? ({ part: 'account', part_id: 0 } as const)
    : ({ part: 'manager', part_id: manager } as const);
}
