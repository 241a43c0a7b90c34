// The queues before the SQLite workers: deadlines of those who wait, readers by account, turns of writes and flushes.
import { afterEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/engines.ts';
import { letOthersWrite } from './give-way.ts';
import { flush, read, type Sql, type Store, write } from './sql.ts';
import { openSqlite } from './sqlite.ts';
import { openSqliteStore, startSqliteStore } from './sqlite-store.ts';
import { serveSqliteWorker } from './sqlite-worker.ts';
import { type OnRefused, ofAccount } from './whose.ts';

/** Shared with a worker: whether it has begun, and whether it may end. */
type Hold = Int32Array<SharedArrayBuffer>;
const [begunAt, overAt] = [0, 1];

interface Held {
  account_id: number;
  hold: Hold;
}

/** Holds its worker's thread, as a long scan or a slow disk does, until it may end. */
async function takeTime(_sql: Sql, { hold }: Held): Promise<string> {
  Atomics.store(hold, begunAt, 1);
  Atomics.wait(hold, overAt, 0);
  return 'served';
}

/** The same, with a statement to follow. */
async function takeTimeTwice(sql: Sql, held: Held): Promise<string> {
  const result = await takeTime(sql, held);
  await sql.all('SELECT 1');
  return result;
}

async function addRow(sql: Sql, { name }: { name: string }): Promise<string> {
  await sql.run('INSERT INTO rows (name) VALUES ($1)', [name]);
  return 'served';
}

const slowRead = read('test.slowRead', ofAccount, takeTime);
const readInSteps = read('test.readInSteps', ofAccount, takeTimeTwice);
const slowWrite = write('test.slowWrite', ofAccount, takeTimeTwice);
const add = write('test.add', addRow);
const addMany = write('test.addMany', async (sql, { count }: { count: number }) => {
  for (let at = 0; at < count; at += 1) await sql.run("INSERT INTO rows (name) VALUES ('of many')");
});
const addLater = flush('test.addLater', addRow);

// This file is the program of the stores' workers too.
if (Bun.isMainThread) tests();
else serveSqliteWorker([slowRead, readInSteps, slowWrite, add, addLater]);

function tests(): void {
  const late = 'The database did not answer in time; try again';
  const behindOwn = 'Your own calls before it took its time; try again when some are answered';
  const stores: Store[] = [];
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });

  const start = async (deadlineMs: number, onRefused?: OnRefused): Promise<Store> =>
    (await startAt(deadlineMs, onRefused)).store;

  const startAt = async (deadlineMs: number, onRefused?: OnRefused) => {
    const file = join(temporaryFolder(), 'test.db');
    const connection = openSqlite(file, { busyMs: 1_000 });
    connection.exec('CREATE TABLE rows (name TEXT NOT NULL) STRICT');
    connection.close();
    const workerUrl = new URL(import.meta.url);
    const store = await startSqliteStore({ file, workerUrl, deadlineMs, onRefused });
    stores.push(store);
    return { file, store };
  };

  const names = async (store: Store) =>
    (await store.all<{ name: string }>('SELECT name FROM rows ORDER BY rowid')).map(
      ({ name }) => name,
    );

  describe('a deadline', () => {
    const deadlineMs = 1_000;

    test('holds for each of many long reads, and the first is served as it ends', async () => {
      const store = await start(deadlineMs);
      const first = await begun(() => held(store, slowRead));
      const others = Array.from({ length: 19 }, () => held(store, slowRead).result);
      expect(await Promise.all(others)).toEqual(Array(19).fill(behindOwn));
      first.end();
      expect(await first.result).toBe('served');
    });

    test('that its own calls used up is counted against their account, any other is not', async () => {
      const refused: string[] = [];
      const store = await start(deadlineMs, (reason, whose) => refused.push(`${reason} ${whose}`));
      // Both readers are taken.
      const run = (account_id: number) => begun(() => held(store, readInSteps, account_id));
      const running = await Promise.all([run(1), run(2)]);
      const behind = held(store, slowRead, 1).result;
      const apart = held(store, slowRead, 3).result;
      expect(await Promise.all([behind, apart])).toEqual([behindOwn, late]);
      for (const { end } of running) end();
      // Each was the first of its account: that it took too long is nothing that came before it.
      expect(await Promise.all(running.map(({ result }) => result))).toEqual([late, late]);
      expect(refused).toEqual(['late account 1']);
    });

    test('ends a read between two statements, and a write never', async () => {
      const store = await start(deadlineMs);
      const run = (operation: typeof slowRead) => begun(() => held(store, operation));
      const calls = await Promise.all([run(readInSteps), run(slowWrite)]);
      await Bun.sleep(deadlineMs + 50);
      for (const { end } of calls) end();
      expect(await Promise.all(calls.map(({ result }) => result))).toEqual([late, 'served']);
    });

    test('refuses a write that waits behind a slow one while that one runs, and never makes it', async () => {
      const store = await start(deadlineMs);
      const running = await begun(() => held(store, slowWrite));
      const askedAt = performance.now();
      const waiting = [
        ending(store.perform(add, { name: 'call' })),
        ending(store.perform(addLater, { name: 'flush' })),
      ];
      expect(await Promise.all(waiting)).toEqual([late, late]);
      expect(performance.now() - askedAt).toBeGreaterThan(deadlineMs - 50);
      running.end();
      expect(await running.result).toBe('served');
      await store.perform(add, { name: 'after' });
      expect(await names(store)).toEqual(['after']);
    });

    test('is looked at before each write of one batch', async () => {
      const store = await start(deadlineMs);
      let tries = 0;
      const batch = await begun(() => {
        const name = `behind ${tries++}`;
        const slow = held(store, slowWrite);
        return { ...slow, name, behind: ending(store.perform(add, { name })) };
      });
      await Bun.sleep(deadlineMs + 50);
      batch.end();
      expect(await Promise.all([batch.result, batch.behind])).toEqual(['served', late]);
      expect(await names(store)).not.toContain(batch.name);
    });

    test('that is far off does not keep a store from closing, and who waits is served', async () => {
      const store = await start(60_000);
      const waiting = [1, 2, 3].map((at) => store.perform(add, { name: `${at}` }));
      stores.splice(0);
      await store.close();
      expect(await Promise.all(waiting)).toEqual(['served', 'served', 'served']);
    });
  });

  test('while a read of one account runs, others are served by the second reader', async () => {
    const store = await start(20_000);
    const first = await begun(() => held(store, slowRead));
    const behind = held(store, slowRead);
    for (const account_id of [2, 3, 2, 3]) {
      const other = await begun(() => held(store, slowRead, account_id));
      other.end();
      expect(await other.result).toBe('served');
    }
    expect(behind.isBegun()).toBe(false);
    for (const { end } of [first, behind]) end();
    expect(await Promise.all([first.result, behind.result])).toEqual(['served', 'served']);
  });

  test('the second reader is not started while descriptors are short, and then is', async () => {
    const file = join(temporaryFolder(), 'test.db');
    openSqlite(file, { busyMs: 1_000 }).close();
    const program = join(import.meta.dir, '../../../test/support/reader-shortage.ts');
    const limited = ['sh', '-c', 'ulimit -n 256 && exec "$@"', 'sh', process.execPath];
    const child = Bun.spawn([...limited, program, file], { stdout: 'pipe' });
    const lines = (await child.stdout.text()).trim().split('\n');
    expect(lines).toEqual([late, 'served', 'the first is served']);
    expect(await child.exited).toBe(0);
  });

  test('a write gets its turn while another program makes many, one after another', async () => {
    const { file, store } = await startAt(20_000);
    const command = openSqliteStore({ file, operations: [addMany], deadlineMs: 20_000 });
    let made = 0;
    let hasWritten = false;
    const addAll = async () => {
      for (; made < 60 && !hasWritten; made += 1) {
        await command.perform(addMany, { count: 5_000 });
        await letOthersWrite(command);
      }
    };
    const added = addAll();
    await store.perform(add, { name: 'call' });
    hasWritten = true;
    expect(made).toBeLessThan(30);
    await added;
    await command.close();
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
    const running = await begun(() => held(store, slowWrite));
    const later = store.perform(addLater, { name: 'flush' });
    const call = store.perform(add, { name: 'call' });
    running.end();
    await Promise.all([running.result, later, call]);
    expect(await names(store)).toEqual(['call', 'flush']);
  });
}

/** A call that takes as long as the test wants. */
function held(store: Store, operation: typeof slowRead, account_id = 1) {
  const hold: Hold = new Int32Array(new SharedArrayBuffer(8));
  const isBegun = () => Atomics.load(hold, begunAt) === 1;
  let isOver = false;
  const result = ending(store.perform(operation, { account_id, hold }));
  return {
    result: result.finally(() => {
      isOver = true;
    }),
    isBegun,
    hasBegun: async () => {
      // A worker announces nothing while it works.
      while (!isBegun() && !isOver) await Bun.sleep(1);
      return isBegun();
    },
    end: () => {
      Atomics.store(hold, overAt, 1);
      Atomics.notify(hold, overAt);
    },
  };
}

/** A call that has begun; one that was late because a starved machine did not run its worker is made anew. */
async function begun<T extends ReturnType<typeof held>>(make: () => T): Promise<T> {
  for (;;) {
    const call = make();
    if (await call.hasBegun()) return call;
  }
}

async function ending(call: Promise<unknown>): Promise<unknown> {
  return await call.catch((error: Error) => error.message);
}
