// `bench paging`: what any page of a channel's audience costs, from 10 thousand to 10 million rows.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AudienceQuery,
  sessionPage,
  visitorPage,
} from '../src/audience/records/audience-page-store.ts';
import type { Dialect, Operation, Store } from '../src/base/db/sql.ts';
import { type StoreSettings, startServiceStore } from '../src/base/db/store.ts';
import {
  type Crowd,
  crowdsOf,
  firstEntryAt,
  isMade,
  makePagingData,
  spanMs,
} from '../test/support/paging-data.ts';
import type { Bench, BenchOrder } from './support/bench.ts';
import { figure, printTable, ratio, rounded } from './support/figures.ts';
import type { BenchPostgres } from './support/postgres.ts';

interface Sizes {
  /** Sessions of each channel, from few to many. */
  sessions: readonly number[];
  samples: number;
  warmUpSamples: number;
}

export const bench: Bench<Sizes> = {
  sentence:
    'pages of 10 thousand, 1 million and 10 million audience rows, on both engines; makes 18 GB once',
  sizes: { sessions: [10_000, 1_000_000, 10_000_000], samples: 101, warmUpSamples: 10 },
  // The smallest blocks are 1,024 rows.
  smokeSizes: { sessions: [100, 500, 2_500], samples: 1, warmUpSamples: 0 },
  keepsFolder: true,
  run,
};

/** The interface's default; larger pages cost more by themselves and would hide the way to them. */
const perPage = 20;
const pages = [1, 100, 10_000, 'last'] as const;
/** The most that the most rows may cost, in costs of the fewest. */
const aim = 3;

type PageOperation = Operation<AudienceQuery, { total: number; rows: unknown[] }>;

interface Question {
  name: string;
  operation: PageOperation;
  query: Pick<AudienceQuery, 'filtered' | 'direction' | 'enteredFrom' | 'enteredBefore'>;
}

const period = {
  enteredFrom: firstEntryAt + spanMs * 0.1,
  enteredBefore: firstEntryAt + spanMs * 0.9,
};

const questions: readonly Question[] = [
  {
    name: 'sessions',
    operation: sessionPage,
    query: { filtered: false, direction: 'desc' },
  },
  {
    name: 'sessions, filtered',
    operation: sessionPage,
    query: { filtered: true, direction: 'desc' },
  },
  {
    name: 'sessions, filtered, period',
    operation: sessionPage,
    query: { filtered: true, direction: 'desc', ...period },
  },
  { name: 'visitors asc', operation: visitorPage, query: { filtered: false, direction: 'asc' } },
  { name: 'visitors desc', operation: visitorPage, query: { filtered: false, direction: 'desc' } },
];

async function run({ sizes, folder, startPostgres }: BenchOrder<Sizes>): Promise<object> {
  const crowds = crowdsOf(sizes.sessions);
  const postgres = await startPostgres();
  const opened: Awaited<ReturnType<typeof startServiceStore>>[] = [];
  try {
    for (const settings of await madeSettings({ folder, postgres, crowds }))
      opened.push(await startServiceStore(settings, workerUrl));
    const cases = (await Promise.all(opened.map(({ store }) => casesOf(store, crowds)))).flat();
    await measure(cases, sizes);
    return rounded({ perPage, samples: sizes.samples, results: report(cases, sizes) });
  } finally {
    for (const { store, lock } of opened) {
      await store.close();
      lock.release();
    }
    await postgres.stop();
  }
}

const workerUrl = new URL('../src/store-worker.ts', import.meta.url);

/** The settings of both engines' databases, filled now where an earlier run has not done it. */
async function madeSettings(given: {
  folder: string;
  postgres: BenchPostgres;
  crowds: readonly Crowd[];
}): Promise<StoreSettings[]> {
  const { folder, postgres, crowds } = given;
  const dataDir = join(folder, 'sqlite');
  const common = { deadlineMs: 60_000, connectionsMax: 1 };
  const sqlite = { ...common, dataDir, databaseUrl: '' };
  if (!(await isMade(sqlite))) {
    rmSync(dataDir, { recursive: true, force: true });
    await timed('SQLite', () => makePagingData(sqlite, crowds));
  }
  const onPostgres = (databaseUrl: string) => ({
    ...common,
    // Of its own: a store that serves holds the lock of its folder.
    dataDir: join(folder, 'beside-postgres'),
    databaseUrl,
  });
  const kept = onPostgres(await postgres.database('paging'));
  if (await isMade(kept)) return [sqlite, kept];
  const made = onPostgres(await postgres.emptyDatabase('paging'));
  await timed('PostgreSQL', () => makePagingData(made, crowds));
  return [sqlite, made];
}

async function timed(engine: string, make: () => Promise<void>): Promise<void> {
  console.log(`making the rows on ${engine}; they are kept for the next run`);
  const startedAt = performance.now();
  await make();
  console.log(`made in ${Math.round((performance.now() - startedAt) / 1_000)} s\n`);
}

/** One page of one question on one engine, asked of every channel. */
interface Case {
  store: Store;
  question: Question;
  page: (typeof pages)[number];
  sides: { crowd: Crowd; offset: number; ms: number[] }[];
}

async function casesOf(store: Store, crowds: readonly Crowd[]): Promise<Case[]> {
  const cases: Case[] = [];
  for (const question of questions) {
    const lastPages = new Map<Crowd, number>();
    for (const crowd of crowds) {
      const { total } = await ask(store, question, crowd, 0);
      // The last full one: all sides then read the same number of rows.
      lastPages.set(crowd, Math.floor(total / perPage));
    }
    for (const page of pages) {
      const sides = crowds.map((crowd) => {
        const last = lastPages.get(crowd) ?? 1;
        // A page that a small channel does not have is compared with its last one.
        const number = page === 'last' ? last : Math.min(page, last);
        return { crowd, offset: (number - 1) * perPage, ms: [] };
      });
      cases.push({ store, question, page, sides });
    }
  }
  return cases;
}

/** Every case in turn, over and over: what disturbs the machine for a while disturbs all of them. */
async function measure(cases: readonly Case[], { samples, warmUpSamples }: Sizes): Promise<void> {
  for (let sample = -warmUpSamples; sample < samples; sample++) {
    for (const { store, question, sides } of cases) {
      for (const { crowd, offset, ms } of sides) {
        const startedAt = performance.now();
        const { rows } = await ask(store, question, crowd, offset);
        const tookMs = performance.now() - startedAt;
        if (rows.length !== perPage)
          throw new Error(
            `${question.name}: ${rows.length} rows at ${offset} of ${crowd.sessions}`,
          );
        if (sample >= 0) ms.push(tookMs);
      }
    }
  }
}

function ask(store: Store, { operation, query }: Question, { channel_id }: Crowd, offset: number) {
  return store.perform(operation, {
    ...query,
    account_id: 1,
    channel_id,
    limit: perPage,
    offset,
  });
}

function report(cases: readonly Case[], { sessions, samples }: Sizes) {
  const results: unknown[] = [];
  for (const [dialect, ofEngine] of Map.groupBy(cases, ({ store }): Dialect => store.dialect)) {
    const lines = ofEngine.map(({ question, page, sides }) => {
      const small = sides[0]?.ms ?? [];
      const large = sides.at(-1)?.ms ?? [];
      const medians = sides.map(({ ms }) => figure(ms).median);
      return { question: question.name, page, medians, ratio: ratio(large, small).median };
    });
    console.log(`${dialect}: median ms of ${samples} interleaved samples, ${perPage} rows a page`);
    printTable(
      [
        'question',
        'page',
        ...sessions.map((count) => count.toLocaleString('en-US')),
        'most : fewest',
      ],
      lines.map(({ question, page, medians, ratio }) => [
        question,
        page.toLocaleString('en-US'),
        ...medians.map((ms) => ms.toFixed(2)),
        ratio.toFixed(2),
      ]),
    );
    const worst = Math.max(...lines.map(({ ratio }) => ratio));
    console.log(
      `${worst <= aim ? 'met   ' : 'MISSED'}  ${dialect}: the most rows cost up to ${worst.toFixed(2)} times the fewest, aim ${aim}\n`,
    );
    results.push({ dialect, worst, lines });
  }
  return results;
}
