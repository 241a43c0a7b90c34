// `bench import`: sessions a second that the import command brings, on both engines, from file to last commit.
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { AnyOperation } from '../src/base/db/sql.ts';
import { openCommandStore, type StoreSettings } from '../src/base/db/store.ts';
import { duration, Zone } from '../src/base/lib/time.ts';
import { createFirstAccount } from '../src/library/access/account-store.ts';
import { createChannel } from '../src/library/channels/channel-store.ts';
import type { Bench, BenchOrder } from './support/bench.ts';
import { type Figure, figure, printTable, rounded, shown } from './support/figures.ts';

interface Sizes {
  lines: number;
  rounds: number;
}

export const bench: Bench<Sizes> = {
  sentence: 'sessions a second that the import command brings, on both engines; 3 minutes',
  sizes: { lines: 100_000, rounds: 3 },
  smokeSizes: { lines: 1_500, rounds: 1 },
  run,
};

/** Sessions a second on SQLite. */
const aim = 20_000;

async function run({ sizes, folder, startPostgres }: BenchOrder<Sizes>): Promise<object> {
  const { lines, rounds } = sizes;
  const file = join(folder, 'sessions.ndjson');
  await writeLines(file, lines);
  const postgres = await startPostgres();
  const rates: Record<string, number[]> = { sqlite: [], postgres: [] };
  try {
    for (let n = 0; n < rounds; n++) {
      const dataDir = join(folder, `data-${n}`);
      rates['sqlite']?.push(await importRate({ file, lines }, { dataDir, databaseUrl: '' }));
      const databaseUrl = await postgres.database(`import_${n}`);
      rates['postgres']?.push(await importRate({ file, lines }, { dataDir, databaseUrl }));
    }
  } finally {
    await postgres.stop();
  }
  const figures = Object.entries(rates).map(([name, list]): [string, Figure] => [
    name,
    figure(list),
  ]);
  printTable(
    ['engine', 'sessions a second'],
    figures.map(([name, one]) => [name, shown(one)]),
  );
  const reached = figures[0]?.[1].median ?? 0;
  console.log(
    `${reached >= aim ? 'met   ' : 'MISSED'}  SQLite: ${Math.round(reached)} a second, aim ${aim}\n`,
  );
  return rounded({ lines, rounds, results: Object.fromEntries(figures) });
}

/** The whole command: reading, checking, staging, sorting, adding; into an empty channel. */
async function importRate(
  { file, lines }: { file: string; lines: number },
  place: Pick<StoreSettings, 'dataDir' | 'databaseUrl'>,
): Promise<number> {
  const channel = await makeChannel({ ...place, deadlineMs: 60_000, connectionsMax: 1 });
  const program = join(import.meta.dir, '../src/cli/footlight.ts');
  const words = ['import', 'sessions', '--channel', String(channel), file];
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATA_DIR: place.dataDir,
    DATABASE_URL: place.databaseUrl,
  };
  const startedAt = performance.now();
  const child = Bun.spawn([process.execPath, program, ...words], {
    env,
    stdout: 'pipe',
    stderr: 'ignore',
  });
  const report = JSON.parse(await new Response(child.stdout).text());
  const seconds = (performance.now() - startedAt) / 1000;
  if (report.added !== lines) throw new Error(`the import added ${report.added} of ${lines} lines`);
  return lines / seconds;
}

async function makeChannel(settings: StoreSettings): Promise<number> {
  const operations = [createFirstAccount, createChannel] as unknown as AnyOperation[];
  const store = await openCommandStore(settings, operations);
  try {
    await store.perform(createFirstAccount, { now: 0 });
    const owner = { account_id: 1, manager_id: 0 };
    const order = { owner, name: 'imported', manager_id: 0, page: { set: {}, clear: [] }, now: 0 };
    const { row } = await store.perform(createChannel, { ...order, idempotency: undefined });
    return row.id;
  } finally {
    await store.close();
  }
}

/** A month of sessions in no order; a viewer comes three times on the average, a third never watch. */
async function writeLines(file: string, lines: number): Promise<void> {
  const zone = new Zone('UTC');
  const stream = createWriteStream(file);
  for (let n = 0; n < lines; n++) {
    const entered = Date.UTC(2026, 0, 1) + spread(n, 30 * 86_400) * 1000;
    const online = spread(n * 7, 3_600);
    const record = {
      record_id: n + 1,
      user_id: `u-${spread(n * 13, lines / 3)}`,
      nick: `Viewer ${n % 1_000}`,
      addr: '广东省深圳市',
      online_time: duration(online * 1000),
      watch_time: duration(n % 3 === 0 ? 0 : Math.floor(online * 0.8) * 1000),
      phone: '',
      first_login_time: zone.dateMinute(entered),
      last_online_time: zone.dateMinute(entered + online * 1000),
      device: n % 2 === 0 ? 'PC' : 'iPhone',
      browser: n % 2 === 0 ? 'Chrome' : 'WeChat',
      origin: 'example.com',
    };
    if (!stream.write(`${JSON.stringify(record)}\n`)) {
      await new Promise<void>((resolve) => stream.once('drain', resolve));
    }
  }
  await new Promise<void>((resolve) => stream.end(() => resolve()));
}

/** A number below `bound` that looks random and is the same in each run. */
function spread(n: number, bound: number): number {
  return Math.floor((((n + 1) * 2_654_435_761) % 4_294_967_296) * (bound / 4_294_967_296));
}
