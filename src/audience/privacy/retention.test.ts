// What is forgotten and what is not, held against the plain truth, on both engines.
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { engines } from '../../../test/support/engines.ts';
import {
  bringSessions,
  expectExactBlocks,
  type PastSession,
} from '../../../test/support/past-sessions.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Sql, Store } from '../../base/db/sql.ts';
import { startLog } from '../../base/lib/log.ts';
import { countRegistrations, register } from '../../library/admission/registration-store.ts';
import { hasOldRegistrations, removeOldSessions, stepRows } from './record-retention-store.ts';
import { forgetOld, type RetentionOptions, startRetention } from './retention.ts';
import { truncatedAddress } from './truncated-address.ts';

const dayMs = 86_400_000;
const now = Date.UTC(2026, 5, 1);
const log = startLog('silent');

/** Sessions of a few viewers over forty days; some last for days. */
const past: fc.Arbitrary<PastSession[]> = fc
  .array(
    fc.record({
      viewer_id: fc.constantFrom('a', 'b', 'c', 'd'),
      hoursAgo: fc.integer({ min: 1, max: 40 * 24 }),
      onlineHours: fc.constantFrom(0, 1, 30, 100),
      ip: fc.constantFrom('', '203.0.113.9', '2001:db8:1:2::3', 'no address'),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((list) =>
    list.map(({ viewer_id, hoursAgo, onlineHours, ip }, at) => {
      const online_ms = Math.min(hoursAgo, onlineHours) * 3_600_000;
      const entered_at = now - hoursAgo * 3_600_000;
      return { record_id: at + 1, viewer_id, entered_at, online_ms, watch_ms: online_ms, ip };
    }),
  );

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    afterAll(() => store.close());
    const sweep = (days: Partial<RetentionOptions>) => forgetOld(options(store, days));
    /** A channel in a store where nothing of the others is too old any more. */
    const cleanChannel = async () => {
      await sweep({ audienceRetentionDays: 1, ipRetentionDays: 1 });
      return await newChannel(store);
    };

    test('sessions that are over and old go, visitors with their last one, and the counts stay exact', async () => {
      await fc.assert(
        fc.asyncProperty(past, fc.integer({ min: 1, max: 45 }), async (list, days) => {
          const channel_id = await newChannel(store);
          await bringSessions(store, channel_id, list);
          const before = now - days * dayMs;
          await sweep({ audienceRetentionDays: days });
          const left = list.filter(
            ({ entered_at, online_ms = 0 }) => entered_at + online_ms >= before,
          );
          expect(await recordsOf(store, channel_id)).toEqual({
            sessions: left.map(({ record_id }) => String(record_id)).sort(),
            visitors: [...new Set(left.map(({ viewer_id }) => viewer_id))].sort(),
          });
          await expectExactBlocks(store, channel_id);
          expect(await sweep({ audienceRetentionDays: days })).toBe(0);
        }),
        { numRuns: 20 },
      );
    });

    test('a session that lasts, or has just ended, stays however long ago it began', async () => {
      const channel_id = await newChannel(store);
      const entered_at = now - 10 * dayMs;
      await bringSessions(store, channel_id, [
        { record_id: 'over', viewer_id: 'a', entered_at, online_ms: 3_600_000 },
        { record_id: 'lasts', viewer_id: 'b', entered_at, online_ms: 10 * dayMs },
      ]);
      await sweep({ audienceRetentionDays: 2 });
      expect(await recordsOf(store, channel_id)).toEqual({ sessions: ['lasts'], visitors: ['b'] });
    });

    test('many are removed in steps', async () => {
      const channel_id = await cleanChannel();
      const list = Array.from({ length: 2 * stepRows + 10 }, (_, at) => ({
        record_id: at,
        viewer_id: `v${at % 300}`,
        entered_at: now - 9 * dayMs + at * 1_000,
        watch_ms: (at % 3) * 60_000,
      }));
      await bringSessions(store, channel_id, list);
      expect(await sweep({ audienceRetentionDays: 1 })).toBe(3);
      expect(await recordsOf(store, channel_id)).toEqual({ sessions: [], visitors: [] });
      await expectExactBlocks(store, channel_id);
    });

    test('old addresses are truncated, also of visitors who have not come since', async () => {
      await fc.assert(
        fc.asyncProperty(past, fc.integer({ min: 1, max: 45 }), async (list, days) => {
          const channel_id = await newChannel(store);
          await bringSessions(store, channel_id, list);
          await sweep({ ipRetentionDays: days });
          await expectAddresses(store, channel_id, now - days * dayMs);
        }),
        { numRuns: 20 },
      );
    });

    test('lines that an import puts before the others lose their addresses too', async () => {
      const channel_id = await cleanChannel();
      const session = (record_id: number, daysAgo: number) => ({
        record_id,
        viewer_id: `v${record_id}`,
        entered_at: now - daysAgo * dayMs,
        ip: '203.0.113.9',
      });
      await bringSessions(store, channel_id, [session(1, 10), session(2, 1)]);
      expect(await sweep({ ipRetentionDays: 5 })).toBe(1);
      expect(await sweep({ ipRetentionDays: 5 })).toBe(0);
      await bringSessions(store, channel_id, [session(3, 20), session(4, 3)]);
      expect(await sweep({ ipRetentionDays: 5 })).toBe(1);
      await expectAddresses(store, channel_id, now - 5 * dayMs);
    });

    test('many addresses are truncated in steps, none twice', async () => {
      const channel_id = await cleanChannel();
      const list = Array.from({ length: stepRows + 1 }, (_, at) => ({
        record_id: at,
        viewer_id: `v${at}`,
        entered_at: now - 9 * dayMs + at * 1_000,
        ip: `10.1.${at % 200}.${at % 256}`,
      }));
      await bringSessions(store, channel_id, list);
      expect(await sweep({ ipRetentionDays: 1 })).toBe(2);
      await expectAddresses(store, channel_id, now - dayMs);
      expect(await sweep({ ipRetentionDays: 1 })).toBe(0);
    });

    test('old messages go, and mutes that ended long ago; bans for ever stay', async () => {
      const channel_id = await newChannel(store);
      await bringSessions(store, channel_id, [
        { record_id: 1, viewer_id: 'a', entered_at: now - 3 * dayMs },
      ]);
      for (const [id, daysAgo] of [
        [1, 9],
        [2, 5],
        [3, 1],
      ] as const)
        await addMessage(store, channel_id, id, now - daysAgo * dayMs);
      await addSilence(store, channel_id, 'ended', now - 9 * dayMs);
      await addSilence(store, channel_id, 'ended lately', now - dayMs);
      await addSilence(store, channel_id, 'for ever', null);
      await sweep({ audienceRetentionDays: 5 });
      const messages = await store.all<{ id: number }>(
        'SELECT id FROM chat_messages WHERE channel_id = $1 ORDER BY id',
        [channel_id],
      );
      // Five days to the millisecond is not older than five days.
      expect(messages.map(({ id }) => id)).toEqual([2, 3]);
      const silences = await store.all<{ viewer_id: string }>(
        'SELECT viewer_id FROM chat_silences WHERE channel_id = $1 ORDER BY viewer_id',
        [channel_id],
      );
      expect(silences.map(({ viewer_id }) => viewer_id)).toEqual(['ended lately', 'for ever']);
    });

    test('old registrations go, also of a channel that nobody has entered, in steps', async () => {
      const channel_id = await cleanChannel();
      const thing = `c${channel_id}` as const;
      for (let at = 0; at < stepRows + 5; at += 1)
        await store.perform(register, {
          ...{ channel_id, thing, viewer_id: `v${at}`, id: `r${at}`, names: ['name'] },
          ...{ answers: { name: 'Ada' }, now: now - (at < 3 ? 1 : 2) * dayMs },
        });
      const left = () => countRegistrations(store, { channel_id, thing });
      await sweep({ audienceRetentionDays: 2 });
      expect(await left()).toBe(stepRows + 5);
      await sweep({ audienceRetentionDays: 1 });
      expect(await left()).toBe(3);
    });

    test('whether there are old ones an index says, however many there are', async () => {
      const channel_id = await newChannel(store);
      const looked: string[] = [];
      const all: Sql['all'] = async (text, params) => {
        const explain = engine.name === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
        // PostgreSQL goes through a table that is as small as here.
        if (engine.name === 'postgres') await store.run('SET enable_seqscan = off');
        looked.push(JSON.stringify(await store.all(`${explain} ${text}`, params)));
        return await store.all(text, params);
      };
      const { dialect } = store;
      const sql = { dialect, all, one: store.one.bind(store), run: store.run.bind(store) };
      await hasOldRegistrations(sql, { channel_id, before: now });
      expect(looked).toHaveLength(1);
      expect(looked[0]).toContain('registrations_by_age');
      expect(looked[0]).not.toMatch(/TEMP B-TREE|Sort/);
    });

    test('0 keeps everything for ever', async () => {
      const channel_id = await newChannel(store);
      await bringSessions(store, channel_id, [
        { record_id: 1, viewer_id: 'a', entered_at: 0, ip: '203.0.113.9' },
      ]);
      expect(await sweep({})).toBe(0);
      expect(await addressesOf(store, channel_id)).toEqual(['203.0.113.9']);
    });

    test('it sweeps at the start, and stops between two steps', async () => {
      const channel_id = await cleanChannel();
      const list = Array.from({ length: 4 * stepRows }, (_, at) => ({
        record_id: at,
        viewer_id: `v${at}`,
        entered_at: now - 9 * dayMs + at * 1_000,
      }));
      await bringSessions(store, channel_id, list);
      const firstStep = Promise.withResolvers<void>();
      const watched: Store = {
        ...store,
        perform: async (operation, input) => {
          const output = await store.perform(operation, input);
          if (operation.name === removeOldSessions.name) firstStep.resolve();
          return output;
        },
      };
      const retention = startRetention(options(watched, { audienceRetentionDays: 1 }));
      await firstStep.promise;
      await retention.stop();
      const { sessions } = await recordsOf(store, channel_id);
      expect(sessions.length).toBeGreaterThan(0);
      expect(sessions.length).toBeLessThan(4 * stepRows);
      await expectExactBlocks(store, channel_id);
      await sweep({ audienceRetentionDays: 1 });
      expect((await recordsOf(store, channel_id)).sessions).toEqual([]);
    });
  });
}

/** These channels have none. */
const noShows = { freeze: () => Promise.reject(new Error('a show was to be frozen')) };

function options(store: Store, days: Partial<RetentionOptions>): RetentionOptions {
  return {
    store,
    log,
    now: () => now,
    sheets: noShows,
    audienceRetentionDays: 0,
    ipRetentionDays: 0,
    ...days,
  };
}

async function recordsOf(store: Store, channel_id: number) {
  const sessions = await store.all<{ external_id: string }>(
    'SELECT external_id FROM sessions WHERE channel_id = $1',
    [channel_id],
  );
  const visitors = await store.all<{ viewer_id: string }>(
    'SELECT viewer_id FROM visitors WHERE channel_id = $1',
    [channel_id],
  );
  return {
    sessions: sessions.map(({ external_id }) => external_id).sort(),
    visitors: visitors.map(({ viewer_id }) => viewer_id).sort(),
  };
}

/** Every session that entered before is truncated, no other is; a visitor is as their last session is. */
async function expectAddresses(store: Store, channel_id: number, before: number): Promise<void> {
  const sessions = await store.all<{ viewer_id: string; entered_at: number; ip: string }>(
    'SELECT viewer_id, entered_at, ip FROM sessions WHERE channel_id = $1 ORDER BY seq',
    [channel_id],
  );
  const whole = ['', '203.0.113.9', '2001:db8:1:2::3', 'no address'];
  for (const { entered_at, ip } of sessions) {
    if (entered_at < before) expect(ip).toBe(truncatedAddress(ip));
    else expect(whole.some((one) => one === ip)).toBeTrue();
  }
  const last = new Map(sessions.map(({ viewer_id, ip }) => [viewer_id, ip]));
  const visitors = await store.all<{ viewer_id: string; last_ip: string }>(
    'SELECT viewer_id, last_ip FROM visitors WHERE channel_id = $1',
    [channel_id],
  );
  expect(new Map(visitors.map(({ viewer_id, last_ip }) => [viewer_id, last_ip]))).toEqual(last);
}

async function addressesOf(store: Store, channel_id: number): Promise<string[]> {
  const rows = await store.all<{ ip: string }>('SELECT ip FROM sessions WHERE channel_id = $1', [
    channel_id,
  ]);
  return rows.map(({ ip }) => ip);
}

async function addMessage(store: Store, channel_id: number, id: number, sent_at: number) {
  await store.run(
    `INSERT INTO chat_messages (channel_id, id, viewer_id, nick, text, sent_at)
     VALUES ($1, $2, 'a', '', 'hello', $3)`,
    [channel_id, id, sent_at],
  );
}

async function addSilence(
  store: Store,
  channel_id: number,
  viewer_id: string,
  until: number | null,
) {
  await store.run(
    `INSERT INTO chat_silences (channel_id, viewer_id, kind, until, created_at)
     VALUES ($1, $2, 'mute', $3, 0)`,
    [channel_id, viewer_id, until],
  );
}
