// Imported sessions, held against sums made in plain code, on both engines.
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { engines } from '../../../test/support/engines.ts';
import { oneSpan, watchedUntil } from '../../../test/support/some-show.ts';
import { enterAnew, entry, newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { ndjsonLines } from '../../base/lib/ndjson.ts';
import { duration, Zone } from '../../base/lib/time.ts';
import { sessionPage, visitorPage } from './audience-page-store.ts';
import { creditAudience } from './audience-store.ts';
import { recountBlocks } from './block-count-store.ts';
import { importSessions } from './session-import.ts';

const zone = new Zone('UTC');
const start = Date.UTC(2026, 0, 1);

const firstPage = {
  account_id: 1,
  filtered: false,
  direction: 'asc',
  limit: 100,
  offset: 0,
} as const;

interface Seen {
  id: number;
  viewer: string;
  enteredAt: number;
  onlineMs: number;
  watchMs: number;
}

/** A few viewers in a few hours: sessions of one viewer often overlap, often share an instant. */
const seen: fc.Arbitrary<Seen[]> = fc
  .array(
    fc.record({
      viewer: fc.constantFrom('a', 'b', 'c'),
      second: fc.integer({ min: 0, max: 600 }).map((n) => n * 10),
      online: fc.integer({ min: 0, max: 900 }),
      share: fc.constantFrom(0, 0.5, 1),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .map((list) =>
    list.map(({ viewer, second, online, share }, at) => ({
      id: at + 1,
      viewer,
      enteredAt: start + second * 1000,
      onlineMs: online * 1000,
      watchMs: Math.floor(online * share) * 1000,
    })),
  );

for (const engine of engines) {
  describe(engine.name, async () => {
    const settings = await engine.fresh();
    const sameDatabase = { ...engine, fresh: async () => settings };
    const store = await openTestStore(sameDatabase);
    const beside = await openTestStore(sameDatabase);
    afterAll(async () => {
      await store.close();
      await beside.close();
    });

    test('however the lines are split and ordered, records, visitors and blocks come out the same', async () => {
      const parts = fc.record({
        list: seen,
        cuts: fc.array(fc.nat(30), { maxLength: 3 }),
        seed: fc.nat(),
        mergeRows: fc.constantFrom(2, 3, 7, 5_000),
      });
      await fc.assert(
        fc.asyncProperty(parts, async ({ list, cuts, seed, mergeRows }) => {
          const channel_id = await newChannel(store);
          const shuffled = shuffle(list, seed);
          const edges = [
            0,
            ...cuts.map((cut) => cut % list.length).sort((a, b) => a - b),
            list.length,
          ];
          for (let at = 1; at < edges.length; at++) {
            await bring(store, channel_id, shuffled.slice(edges[at - 1], edges[at]), mergeRows);
          }
          await expectTruth(store, channel_id, list);
          const again = await bring(store, channel_id, shuffled, mergeRows);
          expect(again.report).toEqual({
            lines: list.length,
            added: 0,
            known: list.length,
            bad: 0,
          });
          await expectTruth(store, channel_id, list);
        }),
        { numRuns: 25 },
      );
    });

    test('lines older than live sessions go before them, and the live ones keep what they are', async () => {
      const channel_id = await newChannel(store);
      const at = start + 3_600_000;
      const live = { ...entry('a', at), nick: 'A', device: 'PC' };
      const [entered] = await enterAnew(store, channel_id, [live]);
      const { session_seq = 0, visitor_seq = 0, record_id = 0 } = entered ?? {};
      const seen = { last_seen_at: at + 60_000, watch_ms: 50_000, credited_until: at + 60_000 };
      const sums = { viewer_id: 'a', ...seen };
      await store.perform(creditAudience, {
        channel_id,
        numbering: 0,
        sessions: [
          { ...sums, seq: session_seq, record_id, online_ms: 60_000, spans: oneSpan(50_000) },
        ],
        visitors: [{ viewer_id: 'a', seq: visitor_seq, ...watchedUntil(at + 60_000, 50_000) }],
      });
      await bring(store, channel_id, [
        { id: 1, viewer: 'b', enteredAt: start, onlineMs: 5_000, watchMs: 4_000 },
        { id: 2, viewer: 'a', enteredAt: start + 1_000, onlineMs: 20_000, watchMs: 20_000 },
      ]);
      const question = {
        account_id: 1,
        channel_id,
        filtered: false,
        direction: 'asc',
        limit: 10,
        offset: 0,
      } as const;
      const sessions = (await store.perform(sessionPage, question)).rows;
      expect(sessions.map(({ viewer_id, watch_ms }) => [viewer_id, watch_ms])).toEqual([
        ['b', 4_000],
        ['a', 20_000],
        ['a', 50_000],
      ]);
      expect(sessions[2]?.record_id).toBe(record_id);
      const visitors = (await store.perform(visitorPage, question)).rows;
      expect(
        visitors.map(({ viewer_id, watch_ms, visit_times, device }) => [
          viewer_id,
          watch_ms,
          visit_times,
          device,
        ]),
      ).toEqual([
        ['b', 4_000, 1, 'device 1'],
        ['a', 70_000, 2, 'PC'],
      ]);
      const filtered = await store.perform(visitorPage, { ...question, filtered: true });
      expect(filtered.rows.map(({ viewer_id }) => viewer_id)).toEqual(['a']);
    });

    test('a viewer who enters between two transactions of an import keeps their place in the order', async () => {
      const channel_id = await newChannel(store);
      const list = everyTenSeconds(6);
      const lateAt = start + 3_600_000;
      const busy = interrupted(store, 2, async () => {
        await enterAnew(store, channel_id, [entry('late', lateAt)]);
      });
      const { report } = await bring(busy, channel_id, list, 2);
      expect(report).toEqual({ lines: 6, added: 6, known: 0, bad: 0 });
      const { rows } = await store.perform(sessionPage, { ...firstPage, channel_id });
      expect(rows.map(({ viewer_id }) => viewer_id)).toEqual([
        ...list.map(({ viewer }) => viewer),
        'late',
      ]);
      await expectKeptBlocks(store, channel_id);
    });

    test('two imports into one channel at once leave one order of entry', async () => {
      const list = everyTenSeconds(12);
      const even = list.filter((_, at) => at % 2 === 0);
      const odd = list.filter((_, at) => at % 2 === 1);
      for (const turn of [1, 2, 3]) {
        const channel_id = await newChannel(store);
        const busy = interrupted(store, turn, async () => {
          const { report } = await bring(beside, channel_id, odd, 2);
          expect(report).toEqual({ lines: 6, added: 6, known: 0, bad: 0 });
        });
        const { report } = await bring(busy, channel_id, even, 2);
        expect(report).toEqual({ lines: 6, added: 6, known: 0, bad: 0 });
        await expectTruth(store, channel_id, list);
      }
    });

    test('one file imported twice at once adds each record once', async () => {
      const list = everyTenSeconds(6);
      for (const turn of [1, 2, 3]) {
        const channel_id = await newChannel(store);
        const before = 2 * (turn - 1);
        const busy = interrupted(store, turn, async () => {
          const { report } = await bring(beside, channel_id, list, 5_000);
          expect(report).toEqual({ lines: 6, added: 6 - before, known: before, bad: 0 });
        });
        const { report } = await bring(busy, channel_id, list, 2);
        expect(report).toEqual({ lines: 6, added: before, known: 6 - before, bad: 0 });
        await expectTruth(store, channel_id, list);
      }
    });

    test('numbering anew takes record ids for the new records only', async () => {
      const channel_id = await newChannel(store);
      const list = everyTenSeconds(6);
      const enter = async () => {
        const [entered] = await enterAnew(store, channel_id, [entry('z', start + 3_600_000)]);
        return entered?.record_id ?? 0;
      };
      await bring(store, channel_id, list.slice(2));
      const before = await enter();
      await bring(store, channel_id, list.slice(0, 2));
      const { rows } = await store.perform(sessionPage, { ...firstPage, channel_id });
      expect(rows.map(({ record_id }) => record_id - before)).toEqual([1, 2, -4, -3, -2, -1, 0]);
      expect(await enter()).toBe(before + 3);
    });

    test('lines older than the last entry are refused while the channel is live', async () => {
      const channel_id = await newChannel(store);
      const list = everyTenSeconds(4);
      await bring(store, channel_id, list.slice(2));
      await store.run('UPDATE channels SET live = 1 WHERE id = $1', [channel_id]);
      expect(bring(store, channel_id, list.slice(0, 2))).rejects.toThrow(
        `Channel ${channel_id} is live: lines older than its last entry are imported off air`,
      );
      await expectTruth(store, channel_id, list.slice(2));
      const again = await bring(store, channel_id, list.slice(2));
      expect(again.report).toEqual({ lines: 2, added: 0, known: 2, bad: 0 });
      await store.run('UPDATE channels SET live = 0 WHERE id = $1', [channel_id]);
      await bring(store, channel_id, list.slice(0, 2));
      await expectTruth(store, channel_id, list);
    });

    test('bad lines are named by number and the good ones are kept', async () => {
      const channel_id = await newChannel(store);
      const good = line({ id: 1, viewer: 'a', enteredAt: start, onlineMs: 9_000, watchMs: 2_000 });
      const { report, bad } = await bringText(
        store,
        channel_id,
        [
          good,
          'no json',
          '[1]',
          '',
          JSON.stringify({ ...JSON.parse(good), record_id: 2, watch_time: '00:00:99' }),
          JSON.stringify({ ...JSON.parse(good), record_id: 3, watch_time: '00:01:00' }),
          JSON.stringify({
            ...JSON.parse(good),
            record_id: 4,
            first_login_time: '2026-02-30 10:00',
          }),
          JSON.stringify({ ...JSON.parse(good), record_id: 5, user_id: null }),
          JSON.stringify({ ...JSON.parse(good), record_id: 6, online_time: '05:00:00' }),
          JSON.stringify({ ...JSON.parse(good), record_id: 7, nick: 'x'.repeat(70_000) }),
          good,
          JSON.stringify({
            record_id: 'own-8',
            user_id: 'b',
            first_login_time: '2026-01-01 00:05',
            watch_time: '00:00:07',
          }),
        ].join('\n'),
      );
      expect(report).toEqual({ lines: 11, added: 2, known: 1, bad: 8 });
      expect(bad.map(([number]) => number)).toEqual([2, 3, 5, 6, 7, 8, 9, 10]);
      expect(bad[2]?.[1]).toBe('watch_time must be a time of the form HH:MM:SS (got "00:00:99")');
      expect(bad[5]?.[1]).toBe('user_id must be given');
    });
  });
}

async function expectTruth(store: Store, channel_id: number, list: Seen[]): Promise<void> {
  const question = { ...firstPage, channel_id };
  const sessions = (await store.perform(sessionPage, question)).rows;
  expect(sessions.map(({ entered_at }) => entered_at)).toEqual(
    list.map(({ enteredAt }) => enteredAt).sort((a, b) => a - b),
  );
  expect(sessions.map(({ external_id }) => Number(external_id)).sort((a, b) => a - b)).toEqual(
    list.map(({ id }) => id),
  );
  for (const { external_id, device, nick } of sessions) {
    expect([device, nick]).toEqual([`device ${external_id}`, `nick ${external_id}`]);
  }
  const recordIds = sessions.map(({ record_id }) => record_id);
  expect(new Set(recordIds).size).toBe(recordIds.length);
  const visitors = (await store.perform(visitorPage, question)).rows;
  for (const { viewer_id, device, nick } of visitors) {
    const last = sessions.findLast((session) => session.viewer_id === viewer_id);
    expect([viewer_id, device, nick]).toEqual([viewer_id, last?.device ?? '', last?.nick ?? '']);
  }
  const found = visitors.map((row) => [
    row.viewer_id,
    row.visit_times,
    row.watch_ms,
    row.first_entered_at,
    row.last_seen_at,
  ]);
  expect(found.sort()).toEqual(expectedVisitors(list).sort());
  const firsts = visitors.map(({ first_entered_at }) => first_entered_at);
  expect(firsts).toEqual([...firsts].sort((a, b) => a - b));
  await expectKeptBlocks(store, channel_id);
}

async function expectKeptBlocks(store: Store, channel_id: number): Promise<void> {
  const kept = await blocks(store, channel_id);
  await recountBlocks(store, { channel_id, kind: 'session', fromSeq: 0 });
  await recountBlocks(store, { channel_id, kind: 'visitor', fromSeq: 0 });
  expect(kept).toEqual(await blocks(store, channel_id));
}

/** Sessions that overlap count together, never more than the time they cover. */
function expectedVisitors(list: Seen[]): (string | number)[][] {
  return [...Map.groupBy(list, ({ viewer }) => viewer)].map(([viewer, own]) => {
    const sorted = own.toSorted((a, b) => a.enteredAt - b.enteredAt);
    let watch = 0;
    let cluster = { from: 0, until: -1, sum: 0 };
    const close = () => {
      watch += Math.min(cluster.sum, cluster.until - cluster.from);
    };
    for (const { enteredAt, onlineMs, watchMs } of sorted) {
      const until = enteredAt + onlineMs;
      if (enteredAt < cluster.until) {
        cluster = {
          from: cluster.from,
          until: Math.max(cluster.until, until),
          sum: cluster.sum + watchMs,
        };
      } else {
        if (cluster.until >= 0) close();
        cluster = { from: enteredAt, until, sum: watchMs };
      }
    }
    close();
    const last = Math.max(...own.map(({ enteredAt, onlineMs }) => enteredAt + onlineMs));
    return [viewer, own.length, watch, sorted[0]?.enteredAt ?? 0, last];
  });
}

async function blocks(store: Store, channel_id: number): Promise<unknown[]> {
  return await store.all(
    `SELECT kind, level, block, rows, matching FROM audience_block WHERE channel_id = $1 AND rows <> 0
     ORDER BY kind, level, block`,
    [channel_id],
  );
}

function bring(store: Store, channel_id: number, list: Seen[], mergeRows = 5_000) {
  return bringText(store, channel_id, list.map(line).join('\n'), mergeRows);
}

async function bringText(store: Store, channel_id: number, text: string, mergeRows = 5_000) {
  const bad: [number, string][] = [];
  const report = await importSessions(store, {
    channel_id,
    zone,
    now: Number.POSITIVE_INFINITY,
    mergeRows,
    batches: ndjsonLines(new Blob([text]).stream()),
    onBad: (number, problem) => bad.push([number, problem]),
    onProgress: () => {},
  });
  return { report, bad };
}

function line({ id, viewer, enteredAt, onlineMs, watchMs }: Seen): string {
  return JSON.stringify({
    record_id: id,
    user_id: viewer,
    online_time: duration(onlineMs),
    watch_time: duration(watchMs),
    first_login_time: zone.dateTime(enteredAt),
    last_online_time: zone.dateMinute(enteredAt + onlineMs),
    device: `device ${id}`,
    nick: `nick ${id}`,
  });
}

/** The store of an import that is interrupted before its transaction of the given turn, counted from 1. */
function interrupted(store: Store, turn: number, meanwhile: () => Promise<void>): Store {
  let turns = 0;
  return {
    ...store,
    perform: async (operation, input) => {
      turns += 1;
      if (turns === turn) await meanwhile();
      return await store.perform(operation, input);
    },
  };
}

function everyTenSeconds(count: number): Seen[] {
  return Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    viewer: `v${at % 4}`,
    enteredAt: start + at * 10_000,
    onlineMs: 25_000,
    watchMs: 20_000,
  }));
}

function shuffle<T>(list: T[], seed: number): T[] {
  let state = seed + 1;
  return list
    .map((value) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return { value, key: state };
    })
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value);
}
