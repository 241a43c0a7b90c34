// A program: one account's read holds SQLite's reader, no descriptor is left, and another account asks; then there are some.
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { read } from '../../src/base/db/sql.ts';
import { startSqliteStore } from '../../src/base/db/sqlite-store.ts';
import { serveSqliteWorker } from '../../src/base/db/sqlite-worker.ts';
import { ofAccount } from '../../src/base/db/whose.ts';

interface Held {
  account_id: number;
  hold: Int32Array<SharedArrayBuffer>;
}

const slow = read('test.slow', ofAccount, async (_, { hold }: Held) => {
  Atomics.wait(hold, 0, 0);
  return 'the first is served';
});
const quick = read('test.quick', ofAccount, async (sql, _: { account_id: number }) => {
  await sql.one('SELECT 1');
  return 'served';
});

// It is the program of the workers too.
if (Bun.isMainThread) await run(process.argv[2] ?? '');
else serveSqliteWorker([slow, quick]);

async function run(file: string): Promise<void> {
  const workerUrl = new URL(import.meta.url);
  const store = await startSqliteStore({ file, workerUrl, deadlineMs: 2_000 });
  const other = async () =>
    await store.perform(quick, { account_id: 2 }).catch((error: Error) => error.message);
  const hold = new Int32Array(new SharedArrayBuffer(4));
  const first = store.perform(slow, { account_id: 1, hold });
  const taken = takeAll();
  console.log(await other());
  for (const descriptor of taken) closeSync(descriptor);
  // On a busy machine the second reader may take longer to start than one of them waits.
  while ((await other()) !== 'served');
  console.log('served');
  Atomics.store(hold, 0, 1);
  Atomics.notify(hold, 0);
  console.log(await first);
  await store.close();
}

function takeAll(): number[] {
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync(devNull, 'r'));
  } catch {
    return taken;
  }
}
