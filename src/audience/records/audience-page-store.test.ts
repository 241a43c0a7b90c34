// Pages and block counts, held against the plain truth after random writes on both engines.
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { engines } from '../../../test/support/engines.ts';
import { expectExactBlocks } from '../../../test/support/past-sessions.ts';
import { watchedUntil } from '../../../test/support/some-show.ts';
import { enterAnew, entry, newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { type AudienceQuery, sessionPage, visitorPage } from './audience-page-store.ts';
import { creditAudience, type Entered, eraseViewer } from './audience-store.ts';
import { type AudienceKind, audienceTables, blockSizes, matchingMs } from './block-counts.ts';
import type { SessionRow } from './session.ts';
import type { VisitorRow } from './visitor.ts';

const runs = 40;
/** Numbers start here, so that few rows cross the borders of blocks of every level. */
const starts = [1, blockSizes[1] - 6, blockSizes[2] - 6, blockSizes[3] - 6];

type Step =
  | { do: 'enter'; viewers: number[]; gapMs: number }
  | { do: 'credit'; at: number; watchMs: number; visitorMs: number }
  | { do: 'erase'; viewer: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('enter' as const),
    viewers: fc.array(fc.nat(7), { minLength: 1, maxLength: 6 }),
    gapMs: fc.integer({ min: -5_000, max: 5_000 }),
  }),
  fc.record({
    do: fc.constant('credit' as const),
    at: fc.nat(60),
    watchMs: fc.constantFrom(0, 500, 999, 1_000, 59_999, 60_000, 200_000),
    visitorMs: fc.constantFrom(0, 1_000, 59_999, 60_000, 200_000),
  }),
  fc.record({ do: fc.constant('erase' as const), viewer: fc.nat(7) }),
);

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    afterAll(() => store.close());

    const history = fc.record({
      start: fc.constantFrom(...starts),
      steps: fc.array(step, { minLength: 1, maxLength: 25 }),
    });

    test('block counts equal a recount after any interleaving of writes', async () => {
      await fc.assert(
        fc.asyncProperty(history, async ({ start, steps }) => {
          const channel_id = await write(store, start, steps);
          await expectExactBlocks(store, channel_id);
        }),
        { numRuns: runs },
      );
    });

    test('the pages of any size, filter, period and direction together are the whole ordered set', async () => {
      const question = fc.record({
        limit: fc.integer({ min: 1, max: 9 }),
        filtered: fc.boolean(),
        direction: fc.constantFrom<'asc' | 'desc'>('asc', 'desc'),
        from: fc.option(fc.nat(60_000), { nil: undefined }),
        length: fc.option(fc.nat(60_000), { nil: undefined }),
      });
      await fc.assert(
        fc.asyncProperty(
          history,
          fc.array(question, { minLength: 3, maxLength: 3 }),
          async (past, questions) => {
            const channel_id = await write(store, past.start, past.steps);
            for (const { limit, filtered, direction, from, length } of questions) {
              const asked = { account_id: 1, channel_id, filtered, direction, limit };
              const before = length === undefined ? undefined : (from ?? 0) + length;
              const period = { enteredFrom: from, enteredBefore: before };
              const sessions = (await allRows<SessionRow>(store, channel_id, 'session')).filter(
                (row) =>
                  (from === undefined || row.entered_at >= from) &&
                  (before === undefined || row.entered_at < before),
              );
              const visitors = await allRows<VisitorRow>(store, channel_id, 'visitor');
              expect(
                await union(
                  (page) => store.perform(sessionPage, { ...asked, ...period, ...page }),
                  limit,
                ),
              ).toEqual(shown(sessions, 'session', asked));
              expect(
                await union((page) => store.perform(visitorPage, { ...asked, ...page }), limit),
              ).toEqual(shown(visitors, 'visitor', asked));
            }
          },
        ),
        { numRuns: runs },
      );
    });

    test('entries keep their order when the clock goes back, and numbers are never used twice', async () => {
      const channel_id = await newChannel(store);
      const enter = (viewer_id: string, at: number) =>
        enterAnew(store, channel_id, [entry(viewer_id, at)]);
      const [first] = await enter('a', 10_000);
      const [second] = await enter('b', 4_000);
      expect(second?.entered_at).toBe(10_000);
      expect(await store.perform(eraseViewer, { channel_id, viewer_id: 'b' })).toBe(2);
      const [third] = await enter('c', 11_000);
      expect(third?.session_seq).toBeGreaterThan(second?.session_seq ?? 0);
      expect(third?.record_id).toBeGreaterThan(first?.record_id ?? 0);
    });
  });
}

async function write(store: Store, start: number, steps: Step[]): Promise<number> {
  const channel_id = await newChannel(store);
  await store.run(
    `INSERT INTO channel_audience (channel_id, next_session_seq, next_visitor_seq, last_entry_at, numbering)
     VALUES ($1, $2, $3, 0, 0)`,
    [channel_id, start, start],
  );
  let now = 10_000;
  const entered: (Entered & { viewer_id: string })[] = [];
  for (const one of steps) {
    if (one.do === 'enter') {
      now += one.gapMs;
      const entries = one.viewers.map((viewer) => entry(`v${viewer}`, now));
      const places = await enterAnew(store, channel_id, entries);
      for (const [at, place] of places.entries())
        entered.push({ ...place, viewer_id: entries[at]?.viewer_id ?? '' });
    } else if (one.do === 'credit') {
      const place = entered[one.at % Math.max(1, entered.length)];
      if (!place) continue;
      const { session_seq, visitor_seq, viewer_id, record_id, numbering } = place;
      const seen = { viewer_id, last_seen_at: now, credited_until: now };
      const sums = { watch_ms: one.watchMs, online_ms: one.watchMs };
      await store.perform(creditAudience, {
        channel_id,
        numbering,
        sessions: [{ ...seen, ...sums, seq: session_seq, record_id, spans: '' }],
        visitors: [{ viewer_id, seq: visitor_seq, ...watchedUntil(now, one.visitorMs) }],
      });
    } else {
      await store.perform(eraseViewer, { channel_id, viewer_id: `v${one.viewer}` });
    }
  }
  return channel_id;
}

async function allRows<Row extends { seq: number; watch_ms: number }>(
  store: Store,
  channel_id: number,
  kind: AudienceKind,
): Promise<Row[]> {
  return await store.all<Row>(
    `SELECT * FROM ${audienceTables[kind]} WHERE channel_id = $1 ORDER BY seq`,
    [channel_id],
  );
}

/** Every page's rows in turn; each page must tell the same total, and the one past the end be empty. */
async function union<Row extends { seq: number }>(
  read: (page: Pick<AudienceQuery, 'offset'>) => Promise<{ total: number; rows: Row[] }>,
  limit: number,
) {
  const seqs: number[] = [];
  for (let offset = 0; ; offset += limit) {
    const { total, rows } = await read({ offset });
    seqs.push(...rows.map(({ seq }) => seq));
    if (offset >= total) return { total, seqs };
  }
}

function shown(
  rows: { seq: number; watch_ms: number }[],
  kind: AudienceKind,
  { filtered, direction }: Pick<AudienceQuery, 'filtered' | 'direction'>,
) {
  const seqs = rows
    .filter(({ watch_ms }) => !filtered || watch_ms >= matchingMs[kind])
    .map(({ seq }) => seq);
  return { total: seqs.length, seqs: direction === 'asc' ? seqs : seqs.reverse() };
}
