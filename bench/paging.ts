// `bench paging`: what any page of a channel's audience costs, from 10 thousand to 10 million rows.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type AudienceQuery, sessionPage, visitorPage } from '../src/audience/audience-page.ts';
import type { Dialect, Operation, Store } from '../src/db/sql.ts';
import { type StoreSettings, startServiceStore } from '../src/db/store.ts';
import { onDatabase } from '../test/support/postgres.ts';
import { figure, printTable, ratio, rounded } from './support/figures.ts';
import {
  channelOf,
  firstEntryAt,
  isMade,
  makePagingData,
  type Size,
  sizes,
  spanMs,
} from './support/paging-data.ts';
import { type BenchPostgres, startBenchPostgres } from './support/postgres.ts';

/** The interface's default; larger pages cost more by themselves and would hide the way to them. */
const perPage = 20;
const pages = [1, 100, 10_000, 'last'] as const;
const samples = 101;
const warmUpSamples = 10;
/** The most that 10 million rows may cost, in costs of 10 thousand. */
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

export async function run(): Promise<unknown> {
  const folder = join(import.meta.dir, '.data/paging');
  mkdirSync(folder, { recursive: true });
  const postgres = await startBenchPostgres(join(folder, 'postgres'));
  const opened: Awaited<ReturnType<typeof startServiceStore>>[] = [];
  try {
    for (const settings of await madeSettings(folder, postgres))
      opened.push(await startServiceStore(settings, workerUrl));
    const cases = (await Promise.all(opened.map(({ store }) => casesOf(store)))).flat();
    await measure(cases);
    return rounded({ perPage, samples, results: report(cases) });
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
async function madeSettings(folder: string, postgres: BenchPostgres): Promise<StoreSettings[]> {
  const dataDir = join(folder, 'sqlite');
  const common = { deadlineMs: 60_000, connectionsMax: 1 };
  const sqlite = { ...common, dataDir, databaseUrl: '' };
  if (!(await isMade(sqlite))) {
    rmSync(dataDir, { recursive: true, force: true });
    await timed('SQLite', () => makePagingData(sqlite));
  }
  const onPostgres = async () => ({
    ...common,
    // Of its own: a store that serves holds the lock of its folder.
    dataDir: join(folder, 'beside-postgres'),
    databaseUrl: await postgres.database('paging'),
  });
  if (!(await isMade(await onPostgres()))) {
    await onDatabase(await postgres.database('postgres'), (client) =>
      client.query('DROP DATABASE paging'),
    );
    const empty = await onPostgres();
    await timed('PostgreSQL', () => makePagingData(empty));
  }
  return [sqlite, await onPostgres()];
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
  sides: { size: Size; offset: number; ms: number[] }[];
}

async function casesOf(store: Store): Promise<Case[]> {
  const cases: Case[] = [];
  for (const question of questions) {
    const lastPages = new Map<Size, number>();
    for (const size of sizes) {
      const { total } = await ask(store, question, size, 0);
      // The last full one: all sides then read the same number of rows.
      lastPages.set(size, Math.floor(total / perPage));
    }
    for (const page of pages) {
      const sides = sizes.map((size) => {
        const last = lastPages.get(size) ?? 1;
        // A page that a small channel does not have is compared with its last one.
        const number = page === 'last' ? last : Math.min(page, last);
        return { size, offset: (number - 1) * perPage, ms: [] };
      });
      cases.push({ store, question, page, sides });
    }
  }
  return cases;
}

/** Every case in turn, over and over: what disturbs the machine for a while disturbs all of them. */
async function measure(cases: readonly Case[]): Promise<void> {
  for (let sample = -warmUpSamples; sample < samples; sample++) {
    for (const { store, question, sides } of cases) {
      for (const { size, offset, ms } of sides) {
        const startedAt = performance.now();
        const { rows } = await ask(store, question, size, offset);
        const tookMs = performance.now() - startedAt;
        if (rows.length !== perPage)
          throw new Error(`${question.name}: ${rows.length} rows at ${offset} of ${size}`);
        if (sample >= 0) ms.push(tookMs);
      }
    }
  }
}

function ask(store: Store, { operation, query }: Question, size: Size, offset: number) {
  return store.perform(operation, {
    ...query,
    channel_id: channelOf[size],
    limit: perPage,
    offset,
  });
}

function report(cases: readonly Case[]) {
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
      ['question', 'page', ...sizes.map((size) => size.toLocaleString('en-US')), '10M : 10k'],
      lines.map(({ question, page, medians, ratio }) => [
        question,
        page.toLocaleString('en-US'),
        ...medians.map((ms) => ms.toFixed(2)),
        ratio.toFixed(2),
      ]),
    );
    const worst = Math.max(...lines.map(({ ratio }) => ratio));
    console.log(
      `${worst <= aim ? 'met   ' : 'MISSED'}  ${dialect}: 10 million rows cost up to ${worst.toFixed(2)} times 10 thousand, aim ${aim}\n`,
    );
    results.push({ dialect, worst, lines });
  }
  return results;
}
