// A load process: the store of one checkout. What it counts is what it costs to write a round of beats.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { StoreSettings } from '../../src/base/db/store.ts';
import { type Flushes, flushAll } from './beats-flush.ts';
import { cpuSeconds } from './process-usage.ts';

export interface BeatsOrder {
  checkout: string;
  settings: StoreSettings;
  crowd: { viewers: number; channels: number; rushEntries: number };
  /** Of the database's server, where it is one. */
  databasePid: number | undefined;
}

/** µs of one beat. */
export interface BeatCost {
  problem?: string;
  wall: number;
  /** Of the program, with all its threads. */
  cpu: number;
  databaseCpu: number;
}

async function serve({ checkout, settings, crowd, databasePid }: BeatsOrder): Promise<void> {
  const of = async (file: string) => await import(join(checkout, file));
  const { startServiceStore }: typeof import('../../src/base/db/store.ts') =
    await of('src/base/db/store.ts');
  const { beat, gather }: typeof import('./beats-crowd.ts') = await of(
    'bench/support/beats-crowd.ts',
  );
  const flushes: Flushes = await of('src/audience/records/audience-store.ts');
  const workerUrl = pathToFileURL(join(checkout, 'src/store-worker.ts'));
  const { store } = await startServiceStore(settings, workerUrl);
  const { viewers } = await gather(store, crowd);
  const databaseSeconds = () =>
    databasePid === undefined ? 0 : cpuSeconds(databasePid, { withChildren: true });
  process.on('message', async (word: 'begin' | 'end') => {
    if (word === 'begin') {
      beat(viewers);
      process.send?.({});
      return;
    }
    const [startedAt, own, database] = [performance.now(), process.cpuUsage(), databaseSeconds()];
    await flushAll(store, viewers, flushes);
    const { user, system } = process.cpuUsage(own);
    process.send?.({
      wall: ((performance.now() - startedAt) * 1_000) / viewers.length,
      cpu: (user + system) / viewers.length,
      databaseCpu: ((databaseSeconds() - database) * 1_000_000) / viewers.length,
    } satisfies BeatCost);
  });
  process.send?.({});
}

await serve(JSON.parse(process.argv[2] ?? ''));
