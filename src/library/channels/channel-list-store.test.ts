// Channels by what they are about now: lists and counts equal a plain filter in memory, on both engines.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { seeded } from '../../../test/support/random.ts';
import { openTestStore } from '../../../test/support/store.ts';
import { migrations } from '../../base/db/migrations.ts';
import type { Store } from '../../base/db/sql.ts';
import { folded, searchTitles } from '../../base/db/title-search.ts';
import { createManager } from '../access/manager-store.ts';
import { listByState, type StateQuery } from './channel-list-store.ts';
import { listStates, type StateColumns, stateOf } from './channel-state.ts';
import { changePage, createChannel, renameChannel } from './channel-store.ts';

const now = Date.UTC(2026, 4, 4, 12);
const hour = 3_600_000;
const words = ['Spring', 'LAUNCH', 'straße', '直播间', '100%', 'a_b', '"x"', 'Ä'];

interface Made extends StateColumns {
  id: number;
  name: string;
  manager_id: number;
}

for (const engine of engines) {
  describe(engine.name, () => {
    let store: Store;
    let manager = 0;
    const made: Made[] = [];

    beforeAll(async () => {
      store = await openTestStore(engine);
      manager = await store.perform(createManager, { account_id: 1, username: 'anna', now });
      const { pick } = seeded(20_261_118);
      for (let n = 0; n < 120; n++) {
        const channel = {
          name: `${pick(words)} ${pick(words)} ${n}`,
          manager_id: pick([0, manager]),
          live: pick([0, 0, 0, 1]),
          start_time: pick([null, now - hour, now, now + 1, now + hour * pick([1, 2, 3])]),
          last_push_stream_at: pick([null, now - hour * pick([1, 2, 3])]),
        };
        made.unshift({ ...channel, id: await add(channel) });
      }
    });
    afterAll(() => store.close());

    const add = async (channel: Omit<Made, 'id'>): Promise<number> => {
      const { row } = await store.perform(createChannel, {
        owner: { account_id: 1, manager_id: 0 },
        name: channel.name,
        manager_id: channel.manager_id,
        page: {
          set: channel.start_time === null ? {} : { start_time: channel.start_time },
          clear: [],
        },
        now,
        idempotency: undefined,
      });
      await store.run('UPDATE channels SET live = $2, last_push_stream_at = $3 WHERE id = $1', [
        row.id,
        channel.live,
        channel.last_push_stream_at,
      ]);
      return row.id;
    };
    const list = (query: Partial<StateQuery>) =>
      store.perform(listByState, {
        owner: { account_id: 1, manager_id: 0 },
        state: 'all',
        q: undefined,
        now,
        limit: 1_000,
        offset: 0,
        ...query,
      });
    const ids = ({ rows }: { rows: readonly { id: number }[] }) => rows.map(({ id }) => id);
    /** The newest first. */
    const wanted = (state: string, seen: (one: Made) => boolean = () => true) =>
      made.filter((one) => (state === 'all' || stateOf(one, now) === state) && seen(one));

    test.each(listStates)('%s are those that are so, in their order and counted', async (state) => {
      const found = await list({ state });
      const order: Record<string, (a: Made, b: Made) => number> = {
        upcoming: (a, b) => (a.start_time ?? 0) - (b.start_time ?? 0),
        past: (a, b) =>
          (b.last_push_stream_at ?? b.start_time ?? 0) -
          (a.last_push_stream_at ?? a.start_time ?? 0),
      };
      const expected = wanted(state).toSorted(order[state]);
      expect(expected.length).toBeGreaterThan(10);
      expect(ids(found)).toEqual(expected.map(({ id }) => id));
      expect(found.total).toBe(expected.length);
      expect(found.counts).toEqual({
        all: made.length,
        on_air: wanted('on_air').length,
        upcoming: wanted('upcoming').length,
        past: wanted('past').length,
      });
    });

    test('a page has its part of the order, and one past the end none, but the total', async () => {
      for (const state of listStates) {
        const all = ids(await list({ state }));
        const page = await list({ state, limit: 7, offset: 7 });
        expect({ ids: ids(page), total: page.total }).toEqual({
          ids: all.slice(7, 14),
          total: all.length,
        });
        const past = await list({ state, offset: 1_000 });
        expect({ ids: ids(past), total: past.total }).toEqual({ ids: [], total: all.length });
      }
    });

    test('a manager sees and counts their own', async () => {
      const owner = { account_id: 1, manager_id: manager };
      for (const state of listStates) {
        const found = await list({ owner, state });
        const own = wanted(state, ({ manager_id }) => manager_id === manager);
        expect(ids(found).toSorted()).toEqual(own.map(({ id }) => id).toSorted());
        expect(found.counts[state]).toBe(own.length);
      }
    });

    test('another account sees nothing', async () => {
      const found = await list({ owner: { account_id: 2, manager_id: 0 }, q: 'a' });
      const counts = { all: 0, on_air: 0, upcoming: 0, past: 0 };
      expect(found).toEqual({ total: 0, rows: [], counts });
    });

    test.each(['spring', 'STRASSE', '直播', '播', '%', '_', '"', 'ä', 'launch 1', 'nowhere'])(
      'part of a name, %j, finds just those that have it, in every state',
      async (q) => {
        for (const state of listStates) {
          const found = await list({ q, state });
          const expected = wanted(state, ({ name }) => folded(name).includes(folded(q)));
          expect(ids(found)).toEqual(expected.map(({ id }) => id));
          expect(found.total).toBe(expected.length);
          expect(ids(await list({ q, state, limit: 2, offset: 1 }))).toEqual(
            expected.slice(1, 3).map(({ id }) => id),
          );
        }
      },
    );

    test.each(['spring', 'STRASSE', '直播间', '100%', 'launch'])(
      'many channels are looked through by the index of names: %j',
      async (title) => {
        const search = {
          from: 'channels c',
          id: 'c.id',
          columns: [['c.account_id', 1]],
          matching: ['c.live = 0'],
          title,
          rows: made.length,
          limit: 5,
          offset: 1,
        } as const;
        const expected = wanted(
          'all',
          ({ name, live }) => live === 0 && folded(name).includes(folded(title)),
        ).map(({ id }) => id);
        const bounds = { scanned: 0, candidates: 1_000, step: 1_000 };
        expect(await searchTitles(store, search, bounds)).toEqual({
          total: expected.length,
          ids: expected.slice(1, 6),
        });
      },
    );

    test('a new name and a new start count from then on', async () => {
      const owner = { account_id: 1, manager_id: 0 };
      const id = await add({
        name: 'before',
        manager_id: 0,
        live: 0,
        start_time: null,
        last_push_stream_at: null,
      });
      await store.perform(renameChannel, { id, owner, name: 'ÄFTER' });
      expect(ids(await list({ q: 'äft' }))).toEqual([id]);
      expect(ids(await list({ q: 'before' }))).toEqual([]);
      const start = (page: { set: object; clear: string[] }) =>
        store.perform(changePage, { id, owner, page: { set: { ...page.set }, clear: page.clear } });
      await start({ set: { start_time: now + 1 }, clear: [] });
      expect(ids(await list({ state: 'upcoming' }))[0]).toBe(id);
      await start({ set: {}, clear: ['start_time'] });
      expect(ids(await list({ state: 'upcoming' }))).not.toContain(id);
      expect(ids(await list({ state: 'past' }))).not.toContain(id);
    });

    test('channels from before names were folded are found too', async () => {
      const fill = migrations.find(({ name }) => name === 'states and names of channels')?.fill;
      await store.run("UPDATE channels SET folded_name = ''");
      expect(ids(await list({ q: 'spring' }))).toEqual([]);
      await fill?.(store);
      const expected = wanted('all', ({ name }) => folded(name).includes('spring'));
      expect(ids(await list({ q: 'spring' }))).toEqual(expected.map(({ id }) => id));
    });
  });
}
