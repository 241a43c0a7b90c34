// The stores of several nodes on one PostgreSQL, each with its own connections.
import { join } from 'node:path';
import type { Store } from '../../src/base/db/sql.ts';
import { startServiceStore } from '../../src/base/db/store.ts';

const workerUrl = new URL('../../src/store-worker.ts', import.meta.url);

export async function withNodeStores<T>(
  given: { databaseUrl: string; folder: string; nodes: number },
  use: (stores: readonly Store[]) => Promise<T>,
): Promise<T> {
  const { databaseUrl, folder, nodes } = given;
  const stores: Store[] = [];
  const ends: (() => Promise<void>)[] = [];
  try {
    for (let node = 1; node <= nodes; node += 1) {
      const dataDir = join(folder, String(node));
      const settings = { dataDir, databaseUrl, deadlineMs: 600_000, connectionsMax: 10 };
      const { store, lock } = await startServiceStore(settings, workerUrl);
      stores.push(store);
      ends.push(async () => {
        await store.close();
        lock.release();
      });
    }
    return await use(stores);
  } finally {
    for (const end of ends) await end();
  }
}
