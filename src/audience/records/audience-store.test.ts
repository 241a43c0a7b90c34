// Writes of the audience on both engines: who goes on with a session, and whose time a flush is.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { bringSessions, expectExactBlocks } from '../../../test/support/past-sessions.ts';
import { oneSpan, watchedUntil } from '../../../test/support/some-show.ts';
import { enterAnew, entry, newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { addMessage } from '../chat/chat-store.ts';
import {
  countShare,
  creditAudience,
  type Entered,
  enterSessions,
  eraseViewer,
  flushRowsMax,
  renameViewer,
} from './audience-store.ts';
import type { SessionRow } from './session.ts';
import { spanText } from './span.ts';
import type { VisitorRow } from './visitor.ts';

const start = Date.UTC(2026, 0, 1);

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    afterAll(() => store.close());
    let channel_id = 0;
    beforeEach(async () => {
      channel_id = await newChannel(store);
    });

    const enter = async (viewer_id: string, at: number) => {
      const [entered] = await enterAnew(store, channel_id, [entry(viewer_id, at)]);
      return entered as Entered;
    };
    const credit = (viewer_id: string, entered: Entered, watch_ms: number) =>
      store.perform(creditAudience, flushOf(channel_id, [{ viewer_id, entered, watch_ms }]));

    describe('a page that comes back', () => {
      const comeBack = async (viewer_id: string, before: Entered, now: number, nick = '') => {
        const { record_id, session_seq } = before;
        const [entered] = await store.perform(enterSessions, {
          channel_id,
          now,
          held_by: 1,
          resumeWithinMs: 30_000,
          entries: [{ ...entry(viewer_id, now), nick, resume: { record_id, session_seq } }],
        });
        return entered;
      };

      test('goes on with its session and what that came to, and is no new visit', async () => {
        const before = await enter('a', start);
        await credit('a', before, 9_000);
        const after = await comeBack('a', before, start + 9_000 + 30_000);
        expect(after).toEqual({
          ...before,
          isResumed: true,
          session: {
            online_ms: 9_000,
            watch_ms: 9_000,
            credited_until: start + 9_000,
            last_seen_at: start + 9_000,
            spans: oneSpan(9_000),
          },
          visitor: { ...before.visitor, credited_until: start + 9_000 },
        });
        expect(await rowsOf<VisitorRow>(store, channel_id, 'visitors')).toMatchObject([
          { visit_times: 1 },
        ]);
        expect(await rowsOf(store, channel_id, 'sessions')).toHaveLength(1);
      });

      test('too late does not enter by it, and nothing is written', async () => {
        const before = await enter('a', start);
        await credit('a', before, 9_000);
        expect(await comeBack('a', before, start + 9_000 + 30_001)).toBeUndefined();
        expect(await rowsOf(store, channel_id, 'sessions')).toHaveLength(1);
        const again = await enter('a', start + 40_000);
        expect(again.isResumed).toBe(false);
        expect(again.record_id).not.toBe(before.record_id);
        expect(await rowsOf<VisitorRow>(store, channel_id, 'visitors')).toMatchObject([
          { visit_times: 2, first_entered_at: start, watch_ms: 9_000 },
        ]);
      });

      test.each([
        [
          'that was seen at the last flush of its node goes on, as that may have died',
          20_000,
          60_000,
          true,
        ],
        ['goes on as long after that flush as a flush and a resume take', 20_000, 110_000, true],
        ['does not go on later', 20_000, 110_001, false],
        ['that had left before that flush is away since then', 24_001, 60_000, false],
      ] as const)('%s', async (_, flushedMs, backMs, goesOn) => {
        const before = await enter('a', start);
        await credit('a', before, 9_000);
        const { record_id, session_seq } = before;
        const come = async (held_by: number) => {
          const now = start + backMs;
          const others = [{ held_by, flushed_until: start + flushedMs, goesOnMs: 90_000 }];
          const entries = [{ ...entry('a', now), resume: { record_id, session_seq } }];
          const given = { channel_id, held_by: 7, now, resumeWithinMs: 30_000, others, entries };
          const [entered] = await store.perform(enterSessions, given);
          return entered?.isResumed ?? false;
        };
        expect(await come(2)).toBe(false);
        expect(await come(1)).toBe(goesOn);
      });

      test('by a link with another name has it from then on', async () => {
        const first = await enter('a', start);
        const before = await enter('a', start);
        expect(await comeBack('a', before, start + 1, 'Ada')).toMatchObject({
          isResumed: true,
          visitor: { nick: 'Ada' },
        });
        const visitors = await rowsOf<VisitorRow>(store, channel_id, 'visitors');
        expect(visitors.map(({ nick, visit_times }) => [nick, visit_times])).toEqual([['Ada', 2]]);
        const sessions = await rowsOf<SessionRow>(store, channel_id, 'sessions');
        expect(sessions.map(({ record_id, nick }) => [record_id, nick])).toEqual([
          [first.record_id, ''],
          [before.record_id, 'Ada'],
        ]);
      });

      test('to a clock that was set back goes on where that may be another node, and else does not', async () => {
        const before = await enter('a', start);
        await credit('a', before, 9_000);
        const seenAt = start + 9_000;
        expect(await comeBack('a', before, seenAt - 30_001)).toBeUndefined();
        expect(await comeBack('a', before, seenAt - 30_000)).toMatchObject({
          isResumed: true,
          session: { online_ms: 9_000, last_seen_at: seenAt },
        });
      });

      test("never goes on with another's session", async () => {
        const others = await enter('a', start);
        await enter('b', start);
        expect(await comeBack('b', others, start + 1)).toBeUndefined();
        const forged = { ...others, record_id: others.record_id + 1_000 };
        expect(await comeBack('a', forged, start + 1)).toBeUndefined();
      });

      test('finds nothing of a viewer who was erased', async () => {
        const before = await enter('a', start);
        await store.perform(eraseViewer, { channel_id, viewer_id: 'a' });
        expect(await comeBack('a', before, start + 1)).toBeUndefined();
        expect(await enter('a', start + 1)).toMatchObject({
          visitor: { credited_until: start + 1, first_entered_at: start + 1 },
        });
      });

      test('together with a copy of itself leaves the session to the first of them', async () => {
        const { record_id, session_seq } = await enter('a', start);
        const again = { ...entry('a', start + 1), resume: { record_id, session_seq } };
        const [first, second] = await store.perform(enterSessions, {
          channel_id,
          now: start + 1,
          held_by: 1,
          resumeWithinMs: 30_000,
          entries: [again, { ...again }],
        });
        expect(first).toMatchObject({ record_id, isResumed: true });
        expect(second).toBeUndefined();
        await expectExactBlocks(store, channel_id);
      });
    });

    test('a viewer who comes back without a name keeps the one they had', async () => {
      await enterAnew(store, channel_id, [{ ...entry('a', start), nick: 'Ada', phone: '555' }]);
      const [again] = await enterAnew(store, channel_id, [
        { ...entry('a', start + 60_000), nick: '', phone: '' },
      ]);
      expect(again?.visitor.nick).toBe('Ada');
      for (const table of ['sessions', 'visitors'] as const)
        expect((await rowsOf<VisitorRow>(store, channel_id, table)).at(-1)).toMatchObject({
          nick: 'Ada',
          phone: '555',
        });
    });

    test('a viewer who comes twice at once is one visitor of two visits, as the last of them was', async () => {
      const [first, second] = await enterAnew(store, channel_id, [
        { ...entry('a', start), device: 'PC', ip: '192.0.2.1' },
        { ...entry('a', start + 5), device: 'iPhone', ip: '192.0.2.2' },
      ]);
      expect(second?.visitor_seq).toBe(first?.visitor_seq as number);
      expect(await rowsOf<VisitorRow>(store, channel_id, 'visitors')).toMatchObject([
        {
          visit_times: 2,
          device: 'iPhone',
          last_ip: '192.0.2.2',
          first_entered_at: start,
          last_seen_at: start + 5,
        },
      ]);
    });

    test('who comes again was not seen earlier for it', async () => {
      await credit('a', await enter('a', start), 60_000);
      await enter('a', start + 10_000);
      const [visitor] = await rowsOf<VisitorRow>(store, channel_id, 'visitors');
      expect(visitor?.last_seen_at).toBe(start + 60_000);
    });

    test('a flush that is written twice, or after a later one, changes nothing', async () => {
      const a = await enter('a', start);
      await credit('a', a, 70_000);
      const rows = async () => [
        await rowsOf(store, channel_id, 'sessions'),
        await rowsOf(store, channel_id, 'visitors'),
      ];
      const before = await rows();
      await credit('a', a, 70_000);
      await credit('a', a, 500);
      expect(await rows()).toEqual(before);
      await expectExactBlocks(store, channel_id);
    });

    test('spans are those of the longest time, though flushes come late or twice', async () => {
      const a = await enter('a', start);
      for (const ms of [10_000, 20_000, 10_000, 20_000, 5_000]) await credit('a', a, ms);
      const [row] = await rowsOf<SessionRow>(store, channel_id, 'sessions');
      expect(row?.watch_ms).toBe(20_000);
      expect(row?.spans).toBe(oneSpan(20_000));
    });

    test('a flush passes over those who were erased and credits the others', async () => {
      const [a, b] = [await enter('a', start), await enter('b', start)];
      await store.perform(eraseViewer, { channel_id, viewer_id: 'a' });
      await store.perform(
        creditAudience,
        flushOf(channel_id, [
          { viewer_id: 'a', entered: a, watch_ms: 70_000 },
          { viewer_id: 'b', entered: b, watch_ms: 70_000 },
        ]),
      );
      for (const table of ['sessions', 'visitors'] as const)
        expect(await rowsOf(store, channel_id, table)).toMatchObject([
          { viewer_id: 'b', watch_ms: 70_000 },
        ]);
      await expectExactBlocks(store, channel_id);
    });

    test("after an import of older sessions nobody gets another's time, and the new numbers are told", async () => {
      const entered = [await enter('a', start + 60_000), await enter('b', start + 61_000)];
      await bringSessions(store, channel_id, [
        { record_id: 1, viewer_id: 'past', entered_at: start, watch_ms: 5_000 },
      ]);
      const rows = entered.map((one, at) => ({
        viewer_id: 'ab'.charAt(at),
        entered: one,
        watch_ms: 10_000 * (at + 1),
      }));
      const flush = flushOf(channel_id, rows);
      const flushed = await store.perform(creditAudience, flush);
      const sessions = await rowsOf<SessionRow>(store, channel_id, 'sessions');
      expect(sessions.map(({ viewer_id, watch_ms }) => [viewer_id, watch_ms])).toEqual([
        ['past', 5_000],
        ['a', 10_000],
        ['b', 20_000],
      ]);
      const places = sessions
        .slice(1)
        .map(({ record_id, viewer_id, seq }) => ({ record_id, viewer_id, seq }));
      expect(flushed.numbering).toBe(1);
      expect(flushed.moved?.sessions).toEqual(places);
      expect(flushed.moved?.visitors.map(({ viewer_id }) => viewer_id)).toEqual(['a', 'b']);
      // A service that took the new numbering for the old numbers would lose time, but give nobody another's.
      await store.perform(creditAudience, { ...flush, numbering: 1 });
      expect(await rowsOf(store, channel_id, 'sessions')).toEqual(sessions);
      await expectExactBlocks(store, channel_id);
    });

    test('of a viewer who was erased and has come again only what the new sessions watched is theirs', async () => {
      const old = await enter('a', start);
      await store.perform(eraseViewer, { channel_id, viewer_id: 'a' });
      const now = await enter('a', start + 100_000);
      const { sessions, visitors, ...flush } = flushOf(channel_id, [
        { viewer_id: 'a', entered: old, watch_ms: 7_000 },
        { viewer_id: 'a', entered: now, watch_ms: 5_000 },
      ]);
      // A service that has not heard of the erasure, and an import between, takes the two for one.
      const [gone, there] = visitors;
      if (!gone || !there) throw new Error('no visitors');
      const intervals = [...gone.intervals, ...there.intervals];
      const [, session] = sessions;
      const spans = spanText(there.intervals.map((one) => ({ show: start, ...one, position: 0 })));
      await store.perform(creditAudience, {
        ...flush,
        sessions: [...sessions.slice(0, 1), ...(session ? [{ ...session, spans }] : [])],
        visitors: [{ ...there, intervals }],
      });
      expect(await rowsOf(store, channel_id, 'visitors')).toMatchObject([{ watch_ms: 5_000 }]);
    });

    test('a flush of more rows than its bound is refused', async () => {
      const entries = Array.from({ length: flushRowsMax }, (_, at) => entry(`v${at}`, start));
      const all = await enterAnew(store, channel_id, entries);
      const rows = all.map((one, at) => ({ viewer_id: `v${at}`, entered: one, watch_ms: 60_000 }));
      const half = flushOf(channel_id, rows.slice(0, flushRowsMax / 2));
      await store.perform(creditAudience, half);
      await expectExactBlocks(store, channel_id);
      const more = flushOf(channel_id, rows.slice(0, flushRowsMax / 2 + 1));
      expect(store.perform(creditAudience, more)).rejects.toThrow('at most 1000');
    });

    test('a new name is that of the visitor and of this session alone; shares are counted', async () => {
      await enter('a', start);
      const { record_id } = await enter('a', start + 1);
      await store.perform(renameViewer, { channel_id, viewer_id: 'a', record_id, nick: 'Ann' });
      await store.perform(countShare, { channel_id, viewer_id: 'a', at: start });
      await store.perform(countShare, { channel_id, viewer_id: 'a', at: start });
      const sessions = await rowsOf<SessionRow>(store, channel_id, 'sessions');
      expect(sessions.map(({ nick }) => nick)).toEqual(['', 'Ann']);
      expect(await rowsOf<VisitorRow>(store, channel_id, 'visitors')).toMatchObject([
        { nick: 'Ann', share_times: 2 },
      ]);
    });
  });
}

test('PostgreSQL finds the rows of a channel that its statistics do not know', async () => {
  const engine = engines.find(({ name }) => name === 'postgres');
  if (!engine) throw new Error('no PostgreSQL to test on');
  const store = await openTestStore(engine);
  const channel_id = await newChannel(store);
  const crowdOf = async (from: number, count: number) => {
    const viewers = Array.from({ length: count }, (_, at) => `v${from + at}`);
    const entries = viewers.map((viewer_id) => entry(viewer_id, start));
    const entered = await enterAnew(store, channel_id, entries);
    return entered.map((one, at) => ({
      viewer_id: `v${from + at}`,
      entered: one,
      watch_ms: 70_000,
    }));
  };
  // So often that the plans are kept which are good for ten rows.
  const few = flushOf(channel_id, await crowdOf(0, 10));
  for (let turn = 0; turn < 10; turn++) await store.perform(creditAudience, few);
  const enteringAt = performance.now();
  const many = await crowdOf(10, 8_000);
  const startedAt = performance.now();
  for (let from = 0; from < 2_000; from += 500)
    await store.perform(creditAudience, flushOf(channel_id, many.slice(from, from + 500)));
  // Looked up, a quarter of the rows takes less than it took all to enter; compared with all others, fifty times that.
  expect(performance.now() - startedAt).toBeLessThan(5 * (startedAt - enteringAt));
  await store.close();
});

test('on PostgreSQL no two writes of an audience wait for each other', async () => {
  const engine = engines.find(({ name }) => name === 'postgres');
  if (!engine) throw new Error('no PostgreSQL to test on');
  const settings = await engine.fresh();
  const open = () => openTestStore({ ...engine, fresh: async () => settings });
  const services = [await open(), await open(), await open(), await open()];
  const store = services[0] as Store;
  const viewers = Array.from({ length: 40 }, (_, at) => `v${at}`);
  const channels = [await newChannel(store), await newChannel(store)];
  const crowds = new Map<number, { viewer_id: string; entered: Entered; watch_ms: number }[]>();
  for (const channel_id of channels) {
    const all = await enterAnew(
      store,
      channel_id,
      viewers.map((viewer_id) => entry(viewer_id, start)),
    );
    const rows = all.map((entered, at) => ({ viewer_id: `v${at}`, entered, watch_ms: 70_000 }));
    crowds.set(channel_id, rows);
  }
  const writes = services.flatMap((service, turn) =>
    channels.flatMap((channel_id) => {
      const rows = crowds.get(channel_id) ?? [];
      const ordered = turn % 2 === 0 ? rows : rows.toReversed();
      const viewer_id = `v${turn}`;
      const record_id = rows[turn]?.entered.record_id ?? 0;
      return [
        service.perform(creditAudience, flushOf(channel_id, ordered)),
        enterAnew(
          service,
          channel_id,
          [...viewers].reverse().map((id) => entry(id, start)),
        ),
        service.perform(renameViewer, { channel_id, viewer_id, record_id, nick: 'new' }),
        service.perform(countShare, { channel_id, viewer_id, at: start }),
        service.perform(addMessage, { channel_id, viewer_id, nick: '', text: 'hi', at: start }),
        service.perform(creditAudience, flushOf(channel_id, ordered)),
      ];
    }),
  );
  await Promise.all(writes);
  for (const channel_id of channels) await expectExactBlocks(store, channel_id);
  // The store begins a transaction again that lost against another: only the server knows.
  const row = await store.one<{ deadlocks: number }>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  expect(row?.deadlocks).toBe(0);
  for (const service of services) await service.close();
});

/** What viewers have come to who have watched and been online for so long since they entered. */
function flushOf(
  channel_id: number,
  rows: readonly { viewer_id: string; entered: Entered; watch_ms: number }[],
) {
  const credits = rows.map(({ viewer_id, entered, watch_ms }) => {
    const at = entered.entered_at + watch_ms;
    const sums = { viewer_id, watch_ms, last_seen_at: at, credited_until: at };
    const { record_id } = entered;
    return {
      session: {
        ...sums,
        seq: entered.session_seq,
        record_id,
        online_ms: watch_ms,
        spans: oneSpan(watch_ms),
      },
      visitor: { viewer_id, seq: entered.visitor_seq, ...watchedUntil(at, watch_ms) },
    };
  });
  return {
    channel_id,
    numbering: rows[0]?.entered.numbering ?? 0,
    sessions: credits.map(({ session }) => session),
    visitors: credits.map(({ visitor }) => visitor),
  };
}

async function rowsOf<Row>(
  store: Store,
  channel_id: number,
  table: 'sessions' | 'visitors',
): Promise<Row[]> {
  return await store.all<Row>(`SELECT * FROM ${table} WHERE channel_id = $1 ORDER BY seq`, [
    channel_id,
  ]);
}
