// Accounts take turns at the database, on both engines: who asks waits behind its own calls.
import { afterEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Engine, engines } from '../../../test/support/engines.ts';
import { flush, read, type Store, write } from './sql.ts';
import { serveSqliteWorker } from './sqlite-worker.ts';
import { startServiceStore } from './store.ts';
import { ofAccount } from './whose.ts';

interface Call {
  account_id: number;
  number: number;
}

const prepare = write('test.prepare', async (sql, _: object) => {
  await sql.run('CREATE TABLE calls (at BIGINT, account_id BIGINT, number BIGINT)');
});
const empty = write('test.empty', async (sql, _: object) => {
  await sql.run('DELETE FROM calls');
});
const ask = read('test.ask', ofAccount, async (sql, call: Call) => {
  await sql.one('SELECT COUNT(*) AS n FROM calls');
  return call;
});
/** Some milliseconds' work. */
const askMuch = read('test.askMuch', ofAccount, async (sql, call: Call) => {
  await sql.one(
    'WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 30000) SELECT COUNT(*) AS n FROM numbers',
  );
  return call;
});
const add = write('test.add', ofAccount, async (sql, call: Call) => {
  await sql.run(
    'INSERT INTO calls SELECT COUNT(*), CAST($1 AS BIGINT), CAST($2 AS BIGINT) FROM calls',
    [call.account_id, call.number],
  );
});
const addLater = flush('test.addLater', ofAccount, add.run);

/** One that is under way, and one of each account. */
const soon = 4;

// This file is the program of SQLite's workers too.
if (Bun.isMainThread) for (const engine of engines) describe(engine.name, () => tests(engine));
else serveSqliteWorker([prepare, empty, ask, askMuch, add, addLater]);

function tests(engine: Engine): void {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  /** One connection for reads and one for writes, as SQLite has workers; `refused` are those that may not wait. */
  const start = async () => {
    const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl } = await engine.fresh();
    const refused: string[] = [];
    const { store, lock } = await startServiceStore(
      {
        dataDir,
        databaseUrl,
        deadlineMs: 300_000,
        connectionsMax: 2,
        onRefused: (reason, whose) => refused.push(`${reason} ${whose}`),
      },
      new URL(import.meta.url),
    );
    closing.push(async () => {
      await store.close();
      lock.release();
    });
    await store.perform(prepare, {});
    return { store, refused };
  };

  const made = async (store: Store) =>
    await store.all<Call>('SELECT account_id, number FROM calls ORDER BY at');

  test("a read is answered before the rest of another account's that came first", async () => {
    const { store } = await start();
    const answered: number[] = [];
    const asked = [...Array<number>(50).fill(1), 2, 3].map(async (account_id, number) => {
      await store.perform(askMuch, { account_id, number });
      answered.push(account_id);
    });
    await Promise.all(asked);
    // Reads have two workers, and a busy machine may let the one with theirs wait for a while.
    expect(new Set(answered.slice(0, answered.length / 2))).toEqual(new Set([1, 2, 3]));
    expect(answered).toHaveLength(52);
  });

  // Writes are made many together; each flush waits for the disk.
  test.each([
    ['write', add, 150],
    ['flush', addLater, 20],
  ])("a %s is made before the rest of another account's that came first", async (...given) => {
    const [, operation, count] = given;
    const { store } = await start();
    const accounts = [...Array<number>(count).fill(1), 2, 3];
    await Promise.all(
      accounts.map((account_id, number) => store.perform(operation, { account_id, number })),
    );
    const rows = await made(store);
    const first = rows.slice(0, soon).map(({ account_id }) => account_id);
    expect(new Set(first)).toEqual(new Set([1, 2, 3]));
    expect(rows).toHaveLength(count + 2);
  });

  test("an account's own writes are made in the order in which they came", async () => {
    const { store } = await start();
    const order = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 150 });
    await fc.assert(
      fc.asyncProperty(order, async (accounts) => {
        await store.perform(empty, {});
        await Promise.all(
          accounts.map((account_id, number) => store.perform(add, { account_id, number })),
        );
        const rows = await made(store);
        expect(rows).toHaveLength(accounts.length);
        for (const own of Map.groupBy(rows, ({ account_id }) => account_id).values()) {
          const numbers = own.map(({ number }) => number);
          expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
        }
      }),
      { numRuns: 20 },
    );
  });

  test('of the calls that wait one account has half, and another still gets in', async () => {
    const { store, refused } = await start();
    const told = new Map<string, number>();
    const asking = (account_id: number, count: number) =>
      Array.from({ length: count }, async (_, number) => {
        try {
          await store.perform(ask, { account_id, number });
        } catch (error) {
          const { message } = error as Error;
          told.set(message, (told.get(message) ?? 0) + 1);
        }
      });
    const crowd = asking(1, 5_010);
    const [others] = asking(2, 1);
    await others;
    expect(refused.length).toBeGreaterThanOrEqual(9);
    expect(new Set(refused)).toEqual(new Set(['share account 1']));
    const sentence =
      'Too many of your calls wait for the database; try again when some are answered';
    expect(told).toEqual(new Map([[sentence, refused.length]]));
    for (const close of closing.splice(0)) await close();
    await Promise.all(crowd);
  });
}
