// The outbox: written with what it tells of or not at all, in the order of commits, on both engines.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { openTestStore } from '../../../test/support/store.ts';
import { type Sql, write } from '../../base/db/sql.ts';
import { openCommandStore } from '../../base/db/store.ts';
import { eventKinds, eventText, eventTypes, type NewEvent, testKind } from './event.ts';
import { feeds } from './event-feed.ts';
import { eventLimits } from './event-limits.ts';
import { appendEvents, eventCounts, eventsAfter, feedEnds } from './event-store.ts';
import { removeOldEvents } from './event-sweep.ts';
import { testType } from './event-text.ts';

const all = { seq: 0, limit: 10_000 };
const dayMs = 86_400_000;

interface Telling {
  events: NewEvent[];
  fails?: boolean;
}

const tell = write('test.tell', async (sql: Sql, { events, fails }: Telling) => {
  appendEvents(sql, events);
  if (fails) throw new Error('undone');
});

const deleted = (account_id: number, channel_id: number): NewEvent => ({
  type: 'channel.deleted',
  account_id,
  manager_id: 0,
  data: { channel_id, name: `“${channel_id}”\n`, manager_id: 0 },
});

const ended = (account_id: number, session: number): NewEvent => ({
  type: 'audience.session.ended',
  account_id,
  manager_id: 7,
  data: { channel_id: 1, sessions: [session] },
});

describe('the catalogue', () => {
  const kinds = [
    ...eventTypes.map((type) => [type, eventKinds[type]] as const),
    [testType, testKind],
  ];
  test.each(kinds as [string, typeof testKind][])(
    'the example of %s is what it says',
    (_, kind) => {
      expect(kind.data.strict().parse(kind.example)).toEqual(kind.example);
    },
  );
});

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine, [tell]);
    afterAll(() => store.close());

    test('events of an account stand in their order, each feed apart, and numbers are dense', async () => {
      await store.perform(tell, { events: [deleted(11, 1), ended(11, 5), deleted(11, 2)] });
      await store.perform(tell, { events: [deleted(11, 3), deleted(12, 4)] });
      const main = await eventsAfter(store, { account_id: 11, feed: feeds.main, ...all });
      expect(main.map(({ seq, channel_id }) => [seq, channel_id])).toEqual([
        [1, 1],
        [2, 2],
        [3, 3],
      ]);
      const others = await eventsAfter(store, { account_id: 11, feed: feeds.sessions, ...all });
      expect(others).toMatchObject([{ seq: 1, type: 'audience.session.ended', manager_id: 7 }]);
      expect(await eventsAfter(store, { account_id: 12, feed: feeds.main, ...all })).toMatchObject([
        { seq: 1, channel_id: 4 },
      ]);
      const behind = { account_id: 11, feed: feeds.main, seq: 1, limit: 1 };
      expect(await eventsAfter(store, behind)).toMatchObject([{ seq: 2 }]);
      expect(new Set([...main, ...others].map(({ id }) => id)).size).toBe(4);
      expect(main.every(({ id }) => /^evt_[0-9A-Za-z]{22}$/.test(id))).toBe(true);
      const told = JSON.parse(eventText(main[0] as (typeof main)[0]));
      expect(told).toMatchObject({ type: 'channel.deleted', data: deleted(11, 1).data });
      expect(Math.abs(Date.parse(told.timestamp) - Date.now())).toBeLessThan(dayMs);
    });

    test('what is undone has not happened, and takes no number', async () => {
      const undone = store.perform(tell, { events: [deleted(21, 1)], fails: true });
      expect(await undone.catch(String)).toContain('undone');
      expect(await feedEnds(store, { account_id: 21 })).toEqual([]);
      await store.perform(tell, { events: [deleted(21, 2)] });
      const rows = await eventsAfter(store, { account_id: 21, feed: feeds.main, ...all });
      expect(rows).toMatchObject([{ seq: 1, channel_id: 2 }]);
    });

    test('outside of a write nothing can happen', () => {
      expect(() => appendEvents(store, [deleted(1, 1)])).toThrow('outside of a write');
    });

    test('old events go from the first on, and the numbers go on', async () => {
      const many = eventLimits.rowsPerSweep + 5;
      const events = Array.from({ length: many }, (_, at) => deleted(31, at));
      await store.perform(tell, { events });
      const sweep = (days: number) =>
        removeOldEvents({ store, now: () => Date.now() + days * dayMs, eventDays: 3 });
      await sweep(2);
      const ends = { feed: feeds.main, last_seq: many };
      expect(await feedEnds(store, { account_id: 31 })).toEqual([{ ...ends, first_seq: 1 }]);
      await sweep(4);
      const none = await feedEnds(store, { account_id: 31 });
      expect(none).toEqual([{ ...ends, first_seq: many + 1 }]);
      await store.perform(tell, { events: [deleted(31, 1)] });
      const rows = await eventsAfter(store, { account_id: 31, feed: feeds.main, ...all });
      expect(rows).toMatchObject([{ seq: many + 1 }]);
      expect(await eventCounts(store, [31, 32])).toEqual([{ account_id: 31, count: many + 1 }]);
    });
  });
}

test('who follows by number misses none, however many write at once (postgres)', async () => {
  const engine = engines.find(({ name }) => name === 'postgres');
  if (!engine) throw new Error('no PostgreSQL');
  const { DATA_DIR, DATABASE_URL } = await engine.fresh({ mayHaveTables: true });
  const connectionsMax = 12;
  const settings = { dataDir: DATA_DIR, databaseUrl: DATABASE_URL, deadlineMs: 30_000 };
  // Of a service: a command has one connection.
  await (await openCommandStore({ ...settings, connectionsMax: 1 }, [])).close();
  const { startPostgresStore } = await import('../../base/db/postgres.ts');
  const store = startPostgresStore({ url: DATABASE_URL, size: connectionsMax, deadlineMs: 30_000 });
  try {
    const seen: Record<number, number[]> = { 1: [], 2: [] };
    const writers = 6;
    const each = 40;
    let writing = writers;
    const follow = async (account_id: number) => {
      for (let isLast = false; ; ) {
        const so = seen[account_id] as number[];
        const rows = await eventsAfter(store, {
          account_id,
          feed: feeds.main,
          seq: so.at(-1) ?? 0,
          limit: 7,
        });
        so.push(...rows.map(({ seq }) => seq));
        if (rows.length > 0) continue;
        if (isLast) return;
        isLast = writing === 0;
      }
    };
    const writer = async (first: number) => {
      for (let at = 0; at < each; at += 1) {
        // In either order: two that lock both must not wait for each other.
        const [a, b] = at % 2 === 0 ? [1, 2] : [2, 1];
        const events = [deleted(a as number, first), deleted(b as number, first)];
        const fails = at % 5 === 0;
        await store.perform(tell, { events, fails }).catch(() => {});
      }
      writing -= 1;
    };
    await Promise.all([
      ...Array.from({ length: writers }, (_, at) => writer(at)),
      follow(1),
      follow(2),
    ]);
    const dense = Array.from({ length: (writers * each * 4) / 5 }, (_, at) => at + 1);
    expect(seen).toEqual({ 1: dense, 2: dense });
  } finally {
    await store.close();
  }
});
