// An account's channels by what they are about now and by their names, with how many there are of each.
import type { Owner } from '../../base/api/caller.ts';
import { dialectWords } from '../../base/db/dialect.ts';
import { type Condition, limitFrom, read, type Sql, where } from '../../base/db/sql.ts';
import { searchTitles } from '../../base/db/title-search.ts';
import { ofOwner } from '../../base/db/whose.ts';
import { countRows } from '../access/total-store.ts';
import type { ListState } from './channel-state.ts';
import { type ChannelRow, keptChannels, listChannels, selectChannels } from './channel-store.ts';

export interface StateQuery {
  owner: Owner;
  state: ListState;
  /** Part of the name. */
  q: string | undefined;
  now: number;
  limit: number;
  offset: number;
}

export type StateCounts = Record<ListState, number>;

/** When a channel was last on air, or was to be; an index has it. */
const latest = 'COALESCE(c.last_push_stream_at, c.start_time)';

/** What each state means of a row, as `stateOf` says it. */
function conditionsOf(now: number): Record<ListState | 'new', Condition[]> {
  return {
    all: [],
    new: ['c.live = 0', 'c.start_time IS NULL', 'c.last_push_stream_at IS NULL'],
    on_air: ['c.live = 1'],
    upcoming: ['c.live = 0', ['c.start_time > ?', now]],
    past: [
      'c.live = 0',
      ['(c.start_time IS NULL OR c.start_time <= ?)', now],
      `${latest} IS NOT NULL`,
    ],
  };
}

/**
 * A page of channels: the soonest start first of those to come, the latest first of those that were, and else the
 * newest; where a name is looked for, the newest in any case.
 */
export const listByState = read(
  'channels.listByState',
  ofOwner,
  async (
    sql,
    query: StateQuery,
  ): Promise<{ total: number; rows: ChannelRow[]; counts: StateCounts }> => {
    const counts = await countStates(sql, query);
    const { state, q } = query;
    if (q !== undefined) return { ...(await searchByName(sql, query)), counts };
    if (state === 'all' || state === 'on_air') {
      const live = state === 'on_air';
      return { ...(await listChannels.run(sql, { ...query, live, manager: undefined })), counts };
    }
    return { total: counts[state], rows: await pageOf(sql, { ...query, state }), counts };
  },
);

/** An index leads to those of each state but the past ones, which are most: these are what is left. */
async function countStates(sql: Sql, { owner, now }: StateQuery): Promise<StateCounts> {
  const states = conditionsOf(now);
  const counted = async (state: ListState | 'new') => {
    const filter = where([...ofOwnerConditions(owner), ...states[state]]);
    return await countRows(sql, `channels c ${filter.text}`, filter.params);
  };
  const all = await keptChannels(sql, owner);
  const on_air = await counted('on_air');
  const upcoming = await counted('upcoming');
  const past = all - on_air - upcoming - (await counted('new'));
  // One may go on air between two of these.
  return { all, on_air, upcoming, past: Math.max(0, past) };
}

const orders = {
  upcoming: 'c.start_time, c.id DESC',
  past: `${latest} DESC, c.id DESC`,
};

async function pageOf(
  sql: Sql,
  { owner, state, now, limit, offset }: StateQuery & { state: keyof typeof orders },
): Promise<ChannelRow[]> {
  const filter = where([...ofOwnerConditions(owner), ...conditionsOf(now)[state]]);
  const found = await sql.all<{ id: number }>(
    `SELECT c.id FROM channels c ${filter.text} ORDER BY ${orders[state]} ${limitFrom(filter.next)}`,
    [...filter.params, limit, offset],
  );
  const ids = found.map(({ id }) => id);
  const byId = new Map((await rowsOf(sql, ids)).map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

async function searchByName(sql: Sql, query: StateQuery) {
  const { owner, state, q = '', now, limit, offset } = query;
  const { total, ids } = await searchTitles(sql, {
    from: 'channels c',
    id: 'c.id',
    columns: [
      ['c.account_id', owner.account_id],
      ['c.manager_id', owner.manager_id === 0 ? undefined : owner.manager_id],
    ],
    matching: ['c.deleted_at IS NULL', ...conditionsOf(now)[state]],
    title: q,
    rows: await keptChannels(sql, owner),
    limit,
    offset,
  });
  return { total, rows: await rowsOf(sql, ids) };
}

/** The newest first. */
async function rowsOf(sql: Sql, ids: readonly number[]): Promise<ChannelRow[]> {
  const filter = where([[`c.id IN (${dialectWords(sql.dialect).listed})`, JSON.stringify(ids)]]);
  return await sql.all<ChannelRow>(
    `${selectChannels} ${filter.text} ORDER BY c.id DESC`,
    filter.params,
  );
}

function ofOwnerConditions({ account_id, manager_id }: Owner): Condition[] {
  return [
    ['c.account_id = ?', account_id],
    ['c.manager_id = ?', manager_id === 0 ? undefined : manager_id],
    'c.deleted_at IS NULL',
  ];
}
