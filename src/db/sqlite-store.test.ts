// The queues before the SQLite workers: deadlines of those who wait, and turns of writes and flushes.
import { afterEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/engines.ts';
import { flush, read, type Sql, type Store, write } from './sql.ts';
import { openSqlite } from './sqlite.ts';
import { startSqliteStore } from './sqlite-store.ts';
import { serveSqliteWorker } from './sqlite-worker.ts';

/** Holds its worker's thread as a long scan or a slow disk does. */
async function takeTime(_sql: Sql, { ms }: { ms: number }): Promise<string> {
  Bun.sleepSync(ms);
  return 'served';
}

async function addRow(sql: Sql, { name }: { name: string }): Promise<string> {
  await sql.run('INSERT INTO rows (name) VALUES ($1)', [name]);
  return 'served';
}

const slowRead = read('test.slowRead', takeTime);
const slowWrite = write('test.slowWrite', takeTime);
const add = write('test.add', addRow);
const addLater = flush('test.addLater', addRow);

// This file is the program of the stores' workers too.
if (Bun.isMainThread) tests();
else serveSqliteWorker([slowRead, slowWrite, add, addLater]);

function tests(): void {
  const late = 'The database did not answer in time; try again';
  const stores: Store[] = [];
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });

  const start = async (deadlineMs: number): Promise<Store> => {
    const file = join(temporaryFolder(), 'test.db');
    const connection = openSqlite(file, { busyMs: 1_000 });
    connection.exec('CREATE TABLE rows (name TEXT NOT NULL) STRICT');
    connection.close();
    const workerUrl = new URL(import.meta.url);
    const store = await startSqliteStore({ file, workerUrl, deadlineMs });
    stores.push(store);
    return store;
  };

  const names = async (store: Store) =>
    (await store.all<{ name: string }>('SELECT name FROM rows ORDER BY rowid')).map(
      ({ name }) => name,
    );

  describe('a deadline', () => {
    test('holds for each of many long reads, and the first are served as they end', async () => {
      const store = await start(250);
      const ended = await Promise.all(
        Array.from({ length: 20 }, () => timed(store.perform(slowRead, { ms: 100 }))),
      );
      expect(ended[0]?.result).toBe('served');
      expect(ended[0]?.tookMs).toBeLessThan(1_000);
      expect(ended.filter(({ result }) => result === 'served').length).toBeLessThanOrEqual(3);
      const refused = ended.filter(({ result }) => result === late);
      expect(refused.length).toBeGreaterThanOrEqual(17);
      for (const { tookMs } of refused) expect(tookMs).toBeLessThan(1_000);
    });

    test('refuses a write that waits behind a slow one while that one runs, and never makes it', async () => {
      const store = await start(200);
      const running = timed(store.perform(slowWrite, { ms: 1_500 }));
      await Bun.sleep(20);
      const waiting = [
        timed(store.perform(add, { name: 'call' })),
        timed(store.perform(addLater, { name: 'flush' })),
      ];
      for (const { result, tookMs } of await Promise.all(waiting)) {
        expect(result).toBe(late);
        expect(tookMs).toBeGreaterThan(150);
        expect(tookMs).toBeLessThan(1_000);
      }
      expect(await running).toMatchObject({ result: 'served' });
      await store.perform(add, { name: 'after' });
      expect(await names(store)).toEqual(['after']);
    });

    test('is looked at before each write of one batch', async () => {
      const store = await start(200);
      const [slow, add1] = await Promise.all([
        timed(store.perform(slowWrite, { ms: 400 })),
        timed(store.perform(add, { name: 'behind' })),
      ]);
      expect([slow.result, add1.result]).toEqual(['served', late]);
      expect(await names(store)).toEqual([]);
    });

    test('that is far off does not keep a store from closing, and who waits is served', async () => {
      const store = await start(60_000);
      const waiting = [1, 2, 3].map((at) => store.perform(add, { name: `${at}` }));
      stores.splice(0);
      await store.close();
      expect(await Promise.all(waiting)).toEqual(['served', 'served', 'served']);
    });
  });

  test('a flush gets its turn among writes that never pause', async () => {
    const store = await start(20_000);
    let made = 0;
    let isFlushed = false;
    const madeMax = 400;
    // Two groups: one waits whenever the other is out, so that the line of calls is never empty.
    const keepWriting = async () => {
      while (!isFlushed && made < madeMax) {
        await store.perform(add, { name: 'call' });
        made += 1;
      }
    };
    const first = keepWriting();
    await Promise.resolve();
    await Promise.resolve();
    const second = keepWriting();
    const flushed = store.perform(addLater, { name: 'flush' }).then(() => {
      isFlushed = true;
    });
    await Promise.all([first, second, flushed]);
    expect(made).toBeLessThan(40);
  });

  test('a flush lets the writes go first that wait with it', async () => {
    const store = await start(20_000);
    const running = store.perform(slowWrite, { ms: 50 });
    await Bun.sleep(10);
    const later = store.perform(addLater, { name: 'flush' });
    await Promise.all([running, later, store.perform(add, { name: 'call' })]);
    expect(await names(store)).toEqual(['call', 'flush']);
  });
}

async function timed(call: Promise<unknown>): Promise<{ result: unknown; tookMs: number }> {
  const startedAt = performance.now();
  const result = await call.catch((error: Error) => error.message);
  return { result, tookMs: performance.now() - startedAt };
}
