// `bench report`: what the report of a show costs, however large its channel is, on both engines.
import { join } from 'node:path';
import { showView } from '../src/audience/reports/show-report.ts';
import { type FoundShow, findShow } from '../src/audience/reports/show-report-store.ts';
import { ShowSheets } from '../src/audience/reports/show-sheets.ts';
import type { Dialect, Store } from '../src/base/db/sql.ts';
import { openCommandStore, startServiceStore } from '../src/base/db/store.ts';
import { monotonicMs, Zone } from '../src/base/lib/time.ts';
import { crowdsOf, makePagingData } from '../test/support/paging-data.ts';
import { makeShow } from '../test/support/show-data.ts';
import type { Bench, BenchOrder } from './support/bench.ts';
import { figure, printTable, ratio, rounded } from './support/figures.ts';

interface Sizes {
  /** Sessions of the small and of the large channel. */
  sessions: readonly [number, number];
  /** Viewers of a show that both have, and of one that the large channel has. */
  viewers: readonly [number, number];
  samples: number;
}

export const bench: Bench<Sizes> = {
  sentence:
    'the report of shows of 10,000 and 100,000 viewers in channels of 10,000 and a million sessions; 5 minutes',
  sizes: { sessions: [10_000, 1_000_000], viewers: [10_000, 100_000], samples: 11 },
  smokeSizes: { sessions: [100, 500], viewers: [50, 200], samples: 1 },
  run,
};

/** What the first answer, and one that is narrowed, may take in ms; and the large channel beside the small one. */
const aimMs = 200;
const aimRatio = 1.5;
const account_id = 1;

interface Case {
  channel_id: number;
  sessions: number;
  viewers: number;
  show: number;
  took: Record<Way, number[]>;
  /** The longest that the thread which serves everyone stood still while it was counted. */
  stillMs: number;
}

/** Counted from its rows; as it was kept; a part of it, of a sheet that is in memory. */
type Way = 'counted' | 'kept' | 'narrowed';

async function run({ sizes, folder, startPostgres }: BenchOrder<Sizes>): Promise<object> {
  const postgres = await startPostgres();
  const results: object[] = [];
  try {
    const common = { deadlineMs: 60_000, connectionsMax: 4 };
    for (const settings of [
      { ...common, dataDir: join(folder, 'sqlite'), databaseUrl: '' },
      {
        ...common,
        dataDir: join(folder, 'postgres'),
        databaseUrl: await postgres.emptyDatabase('report'),
      },
    ]) {
      await makePagingData(settings, crowdsOf(sizes.sessions));
      const { store, lock } = await startServiceStore(settings, workerUrl);
      // A service's own connection only reads.
      const writer = await openCommandStore(settings, []);
      try {
        results.push(report(store.dialect, await measured({ store, writer }, sizes), sizes));
      } finally {
        await writer.close();
        await store.close();
        lock.release();
      }
    }
  } finally {
    await postgres.stop();
  }
  return rounded({ samples: sizes.samples, results });
}

const workerUrl = new URL('../src/store-worker.ts', import.meta.url);

interface Stores {
  store: Store;
  writer: Store;
}

async function measured(stores: Stores, { sessions, viewers, samples }: Sizes): Promise<Case[]> {
  const { writer } = stores;
  const [few, many] = viewers;
  const [small, large] = sessions;
  const cases: Case[] = [];
  for (const [channel_id, count, shown, first] of [
    [1, small, few, 1],
    [2, large, few, Math.floor(large / 4)],
    [2, large, many, Math.floor(large / 2)],
  ] as const) {
    const show = await makeShow(writer, { channel_id, viewers: shown, first });
    const took = { counted: [], kept: [], narrowed: [] };
    cases.push({ channel_id, sessions: count, viewers: shown, show, took, stillMs: 0 });
  }
  // Where rows are new, PostgreSQL guesses.
  if (writer.dialect === 'postgres') await writer.run('VACUUM ANALYZE sessions');
  for (let sample = 0; sample < samples; sample++) for (const one of cases) await ask(stores, one);
  return cases;
}

async function ask({ store, writer }: Stores, one: Case): Promise<void> {
  const { channel_id, viewers, took } = one;
  const sheets = new ShowSheets({ store, monotonicMs });
  const find = async () => {
    const show = await store.perform(findShow, { account_id, channel_id, show: one.show });
    if (!show) throw new Error('the show is gone');
    return show;
  };
  const timed = async (way: Way, answer: (show: FoundShow) => Promise<{ uv: number }>) => {
    const startedAt = performance.now();
    const show = await find();
    const { uv } = await answer(show);
    took[way].push(performance.now() - startedAt);
    const isRight = way === 'narrowed' ? uv > 0 && uv < viewers : uv === viewers;
    if (!isRight) throw new Error(`${way}: ${uv} viewers of ${viewers}`);
  };
  const whole = async (show: FoundShow) => {
    const view = showView(show, await sheets.figures(show, account_id), zone);
    JSON.stringify(view);
    return view;
  };
  try {
    await writer.run('DELETE FROM show_figures WHERE channel_id = $1', [channel_id]);
    const stand = standstill();
    await timed('counted', whole);
    one.stillMs = Math.max(one.stillMs, stand.end());
    await timed('kept', whole);
    await timed('narrowed', async (show) => {
      const { figures } = await sheets.count(show, account_id, { place: 'Germany', device: 'Mac' });
      return figures;
    });
  } finally {
    await sheets.stop();
  }
}

const zone = new Zone('UTC');

/** The longest time in which no timer came. */
function standstill() {
  let longestMs = 0;
  let lastAt = performance.now();
  const timer = setInterval(() => {
    const at = performance.now();
    longestMs = Math.max(longestMs, at - lastAt);
    lastAt = at;
  }, 1);
  return {
    end: () => {
      clearInterval(timer);
      return longestMs;
    },
  };
}

function report(dialect: Dialect, cases: readonly Case[], { samples }: Sizes): object {
  const ways: readonly Way[] = ['counted', 'kept', 'narrowed'];
  const lines = cases.map(({ sessions, viewers, took, stillMs }) => ({
    sessions,
    viewers,
    ...(Object.fromEntries(ways.map((way) => [way, figure(took[way]).median])) as Record<
      Way,
      number
    >),
    stillMs,
  }));
  console.log(`${dialect}: median ms of ${samples} interleaved samples`);
  printTable(
    ['viewers of the show', 'sessions of the channel', ...ways, 'standstill'],
    lines.map((line) => [
      line.viewers.toLocaleString('en-US'),
      line.sessions.toLocaleString('en-US'),
      ...ways.map((way) => line[way].toFixed(1)),
      line.stillMs.toFixed(1),
    ]),
  );
  const [small, large, most] = cases;
  const flat = Math.max(
    ...ways.map((way) => ratio(large?.took[way] ?? [], small?.took[way] ?? []).median),
  );
  const slowest = Math.max(
    ...(['kept', 'narrowed'] as const).map((way) => figure(most?.took[way] ?? []).median),
  );
  const verdict = (isMet: boolean, text: string) =>
    console.log(`${isMet ? 'met   ' : 'MISSED'}  ${dialect}: ${text}`);
  const cold = figure(most?.took.counted ?? []).median;
  verdict(
    cold <= aimMs,
    `the largest show, counted for the first time, takes ${cold.toFixed(0)} ms, aim ${aimMs}`,
  );
  verdict(
    slowest <= aimMs,
    `the largest show, kept or narrowed, takes ${slowest.toFixed(0)} ms, aim ${aimMs}`,
  );
  verdict(
    flat <= aimRatio,
    `in the large channel a show takes ${flat.toFixed(2)} of what it takes in the small one, aim ${aimRatio}\n`,
  );
  return { dialect, lines, flat, cold };
}
