// `bench beats`: beats a second that the store takes, and what a caller's write waits for meanwhile, on both engines.
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { creditAudience, flushRowsMax } from '../src/audience/records/audience-store.ts';
import type { Dialect, Store } from '../src/base/db/sql.ts';
import { type StoreSettings, startServiceStore } from '../src/base/db/store.ts';
import { beat, gather, timedCreate, type Viewer } from './support/beats-crowd.ts';
import { flushAll } from './support/beats-flush.ts';
import { beatsInTurns, type TurnsSizes } from './support/beats-turns.ts';
import type { Bench, BenchOrder } from './support/bench.ts';
import { type Figure, figure, printTable, rounded, shown } from './support/figures.ts';

export interface BeatsSizes extends TurnsSizes {
  /** Everybody beats once in each. */
  rounds: number;
  /** Creates are timed so long before anybody beats. */
  aloneMs: number;
}

export const bench: Bench<BeatsSizes> = {
  sentence:
    'beats of 150,000 viewers a second into the database, and a create meanwhile, on both engines; 5 minutes',
  sizes: {
    viewers: 150_000,
    layouts: [1, 50],
    rounds: 5,
    turns: 18,
    rushEntries: 5_000,
    aloneMs: 3_000,
  },
  smokeSizes: {
    viewers: 1_200,
    layouts: [1, 2],
    rounds: 1,
    turns: 1,
    rushEntries: 600,
    aloneMs: 100,
  },
  comparesCheckouts: true,
  run,
};

/** How often a caller creates a channel while beats are written. */
const createEveryMs = 20;
/** Beats a second; one beat is a session's row and a visitor's. */
const aims: Record<Dialect, number> = { sqlite: 20_000, postgres: 14_000 };

async function run(order: BenchOrder<BeatsSizes>): Promise<object> {
  const { sizes, folder, startPostgres, before } = order;
  const { viewers, rounds, layouts } = sizes;
  const postgres = await startPostgres();
  const results: Result[] = [];
  try {
    if (before !== undefined)
      return rounded({ results: await beatsInTurns({ sizes, folder, before, postgres }) });
    for (const channels of layouts) {
      const dataDir = (engine: Dialect) => join(folder, `${engine}-${channels}`);
      const common = { deadlineMs: 60_000, connectionsMax: 10 };
      const databaseUrl = await postgres.database(`beats_${channels}`);
      for (const settings of [
        { ...common, dataDir: dataDir('sqlite'), databaseUrl: '' },
        { ...common, dataDir: dataDir('postgres'), databaseUrl },
      ])
        results.push(await measured(settings, channels, sizes));
    }
  } finally {
    await postgres.stop();
  }
  report(results, sizes);
  return rounded({ viewers, rounds, load: loadavg()[0], results });
}

interface Result {
  engine: Dialect;
  channels: number;
  /** Ms of one rush of entries. */
  rush: Figure;
  /** A second, of each round. */
  beats: Figure;
  /** Ms of one flush. */
  flush: Percentiles;
  /** Ms of a caller's create while nothing else is written, and while beats are. */
  alone: Percentiles;
  meanwhile: Percentiles;
}

interface Percentiles {
  median: number;
  p99: number;
}

const workerUrl = new URL('../src/store-worker.ts', import.meta.url);

async function measured(
  settings: StoreSettings,
  channels: number,
  sizes: BeatsSizes,
): Promise<Result> {
  const { store, lock } = await startServiceStore(settings, workerUrl);
  try {
    const { viewers, rushMs } = await gather(store, { ...sizes, channels });
    const alone = await creating(store, () => Bun.sleep(sizes.aloneMs));
    const flushMs: number[] = [];
    const beats: number[] = [];
    const meanwhile = await creating(store, async () => {
      for (let round = 0; round < sizes.rounds; round++) {
        beat(viewers);
        const startedAt = performance.now();
        const flushes = { creditAudience, flushRowsMax };
        flushMs.push(...(await flushAll(store, viewers, flushes)));
        beats.push((viewers.length * 1_000) / (performance.now() - startedAt));
      }
    });
    await expectWritten(store, viewers);
    return {
      engine: store.dialect,
      channels,
      rush: figure(rushMs),
      beats: figure(beats),
      flush: percentiles(flushMs),
      alone: percentiles(alone),
      meanwhile: percentiles(meanwhile),
    };
  } finally {
    await store.close();
    lock.release();
  }
}

/** Creates a channel again and again while something is going on. */
async function creating(store: Store, during: () => Promise<unknown>): Promise<number[]> {
  const tookMs: number[] = [];
  const under: Promise<unknown>[] = [];
  const timer = setInterval(() => {
    under.push(timedCreate(store).then((made) => tookMs.push(made.tookMs)));
  }, createEveryMs);
  try {
    await during();
  } finally {
    clearInterval(timer);
    await Promise.all(under);
  }
  return tookMs;
}

/** A rate of writes that are not there would be no rate. */
async function expectWritten(store: Store, viewers: readonly Viewer[]): Promise<void> {
  const wanted = viewers.reduce((sum, { session }) => sum + session.watch_ms, 0);
  for (const table of ['sessions', 'visitors']) {
    const row = await store.one<{ sum: number }>(`SELECT SUM(watch_ms) AS sum FROM ${table}`);
    if (row?.sum !== wanted) throw new Error(`${table} hold ${row?.sum} ms of ${wanted}`);
  }
  const blocks = await store.one<{ n: number }>(
    "SELECT SUM(matching) AS n FROM audience_block WHERE level = 1 AND kind = 'session'",
  );
  if (blocks?.n !== viewers.length)
    throw new Error(`blocks count ${blocks?.n} of ${viewers.length} sessions`);
}

function percentiles(samples: readonly number[]): Percentiles {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
  return { median: at(0.5), p99: at(0.99) };
}

function report(results: readonly Result[], sizes: BeatsSizes): void {
  const { viewers, rounds, rushEntries } = sizes;
  const ms = ({ median, p99 }: Percentiles) => `${median.toFixed(1)} / ${p99.toFixed(1)}`;
  console.log(
    `${viewers} viewers, ${rounds} rounds, flushes of ${flushRowsMax} rows; ms as median / p99`,
  );
  printTable(
    [
      'engine, channels',
      'beats a second',
      'a flush',
      'create alone',
      'create meanwhile',
      `${rushEntries} entries, ms`,
    ],
    results.map(({ engine, channels, beats, flush, alone, meanwhile, rush }) => [
      `${engine}, ${channels}`,
      shown(beats),
      ms(flush),
      ms(alone),
      ms(meanwhile),
      Number.isNaN(rush.median) ? '' : shown(rush),
    ]),
  );
  for (const { engine, channels, beats } of results) {
    const aim = aims[engine];
    console.log(
      `${beats.median >= aim ? 'met   ' : 'MISSED'}  ${engine}, ${channels} channels: ${Math.round(beats.median)} beats a second, aim ${aim}`,
    );
  }
  console.log('');
}
