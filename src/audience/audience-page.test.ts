// Pages and block counts, held against the plain truth after random writes on both engines.
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { engines } from '../../test/support/engines.ts';
import { newChannel, openTestStore } from '../../test/support/store.ts';
import type { Store } from '../db/sql.ts';
import { type AudienceQuery, sessionPage, visitorPage } from './audience-page.ts';
import {
  creditAudience,
  type Entry,
  enterSessions,
  eraseViewer,
  flushRowsMax,
} from './audience-store.ts';
import {
  type AudienceKind,
  audienceTables,
  blockSizes,
  levels,
  matchingMs,
} from './block-counts.ts';
import type { SessionRow } from './session.ts';
import type { VisitorRow } from './visitor.ts';

const runs = 40;
/** Numbers start here, so that few rows cross the borders of blocks of every level. */
const starts = [1, blockSizes[1] - 6, blockSizes[2] - 6, blockSizes[3] - 6];

type Step =
  | { do: 'enter'; viewers: number[]; gapMs: number }
  | { do: 'credit'; kind: AudienceKind; at: number; watchMs: number }
  | { do: 'erase'; viewer: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('enter' as const),
    viewers: fc.array(fc.nat(7), { minLength: 1, maxLength: 6 }),
    gapMs: fc.integer({ min: -5_000, max: 5_000 }),
  }),
  fc.record({
    do: fc.constant('credit' as const),
    kind: fc.constantFrom<AudienceKind>('session', 'visitor'),
    at: fc.nat(60),
    watchMs: fc.constantFrom(0, 500, 999, 1_000, 59_999, 60_000, 200_000),
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
          for (const kind of ['session', 'visitor'] as const) {
            expect(await keptBlocks(store, channel_id, kind)).toEqual(
              recounted(await allRows(store, channel_id, kind), kind),
            );
          }
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
              const asked = { channel_id, filtered, direction, limit };
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
        store.perform(enterSessions, { channel_id, entries: [entry(viewer_id, at)] });
      const [first] = await enter('a', 10_000);
      const [second] = await enter('b', 4_000);
      expect(second?.entered_at).toBe(10_000);
      expect(await store.perform(eraseViewer, { channel_id, viewer_id: 'b' })).toBe(2);
      const [third] = await enter('c', 11_000);
      expect(third?.session_seq).toBeGreaterThan(second?.session_seq ?? 0);
      expect(third?.record_id).toBeGreaterThan(first?.record_id ?? 0);
    });

    test('a flush of more rows than its bound is refused', async () => {
      const channel_id = await newChannel(store);
      const [entered] = await store.perform(enterSessions, {
        channel_id,
        entries: [entry('a', 1_000)],
      });
      const seq = entered?.session_seq ?? 0;
      const credit = { seq, last_seen_at: 2_000, watch_ms: 1_000, credited_until: 2_000 };
      const flush = (rows: number) => {
        const credits = new Array<typeof credit>(rows).fill(credit);
        return store.perform(creditAudience, { channel_id, kind: 'session', credits });
      };
      await flush(flushRowsMax);
      expect(flush(flushRowsMax + 1)).rejects.toThrow();
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
  let entered = 0;
  for (const one of steps) {
    if (one.do === 'enter') {
      now += one.gapMs;
      const entries = one.viewers.map((viewer) => entry(`v${viewer}`, now));
      await store.perform(enterSessions, { channel_id, entries });
      entered += entries.length;
    } else if (one.do === 'credit') {
      const seq = start + (one.at % Math.max(1, entered));
      const credit = {
        seq,
        last_seen_at: now,
        watch_ms: one.watchMs,
        credited_until: now,
        online_ms: one.watchMs,
      };
      await store.perform(creditAudience, { channel_id, kind: one.kind, credits: [credit] });
    } else {
      await store.perform(eraseViewer, { channel_id, viewer_id: `v${one.viewer}` });
    }
  }
  return channel_id;
}

function entry(viewer_id: string, at: number): Entry {
  return {
    viewer_id,
    nick: '',
    addr: '',
    phone: '',
    device: '',
    browser: '',
    origin: '',
    ip: '',
    at,
  };
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

async function keptBlocks(store: Store, channel_id: number, kind: AudienceKind): Promise<string[]> {
  const rows = await store.all<{ level: number; block: number; rows: number; matching: number }>(
    `SELECT level, block, rows, matching FROM audience_block
     WHERE channel_id = $1 AND kind = $2 AND (rows <> 0 OR matching <> 0) ORDER BY level, block`,
    [channel_id, kind],
  );
  return rows.map((row) => `${row.level} ${row.block}: ${row.rows} rows, ${row.matching} matching`);
}

function recounted(rows: { seq: number; watch_ms: number }[], kind: AudienceKind): string[] {
  return levels.flatMap((level) => {
    const blocks = Map.groupBy(rows, ({ seq }) => Math.floor(seq / blockSizes[level]));
    return [...blocks].map(([block, inside]) => {
      const matching = inside.filter(({ watch_ms }) => watch_ms >= matchingMs[kind]).length;
      return `${level} ${block}: ${inside.length} rows, ${matching} matching`;
    });
  });
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
