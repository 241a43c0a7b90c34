// One connection to PostgreSQL: what goes in one message, and what a failure in it does to the others.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import pg from 'pg';
import { postgres } from '../../../test/support/engines.ts';
import { startPostgresStore } from './postgres.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { ending, read, type Sql, type Store, write } from './sql.ts';
import { ofAccount } from './whose.ts';

let url = '';
let watcher: pg.Client;
let connection: PostgresConnection;
let store: Store;
beforeAll(async () => {
  url = await (await postgres()).freshDatabase();
  watcher = new pg.Client({ connectionString: url });
  await watcher.connect();
  await watcher.query('CREATE TABLE notes (id BIGINT PRIMARY KEY, text TEXT NOT NULL)');
});
afterAll(() => watcher.end());
beforeEach(async () => {
  await watcher.query('TRUNCATE notes');
  connection = new PostgresConnection({ connectionString: url }, () => {});
  await connection.connect();
  // Two are one for reads.
  store = startPostgresStore({ url, size: 2, deadlineMs: 30_000 });
});
afterEach(() => Promise.all([connection.end(), store.close()]));

/** What each came to: its rows, or the code of its error. */
async function told(calls: readonly Promise<{ rows: unknown[] }>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((one) => (one.status === 'fulfilled' ? one.value.rows : one.reason.code));
}

async function noted(): Promise<number[]> {
  const { rows } = await watcher.query('SELECT id FROM notes ORDER BY id');
  return rows.map(({ id }) => Number(id));
}

test('what is asked for at once is answered in its order, the same statement also twice', async () => {
  const add = 'SELECT CAST($1 AS BIGINT) + 1 AS n, $2 AS t';
  const calls = [connection.query(add, [1, 'a']), connection.query(add, [2, null])];
  expect(await told([...calls, connection.query("SELECT 'x' AS x")])).toEqual([
    [{ n: 2, t: 'a' }],
    [{ n: 3, t: null }],
    [{ x: 'x' }],
  ]);
  expect(await told([connection.query(add, [5, 'b'])])).toEqual([[{ n: 6, t: 'b' }]]);
});

test('behind one that fails none of the same message is run, and those behind it can be asked again', async () => {
  const one = 'SELECT CAST($1 AS BIGINT) AS n';
  const some = [
    connection.query(one, [1]),
    connection.query('SELECT 1 / CAST($1 AS BIGINT) AS n', [0]),
    connection.query("INSERT INTO notes VALUES (1, 'a')"),
  ];
  expect(await told(some)).toEqual([[{ n: 1 }], '22012', '22012']);
  expect(await noted()).toEqual([]);
  const again = [
    connection.query('SELECT 1 / CAST($1 AS BIGINT) AS n', [1]),
    connection.query("INSERT INTO notes VALUES (1, 'a')"),
    connection.query(one, [2]),
  ];
  expect(await told(again)).toEqual([[{ n: 1 }], [], [{ n: 2 }]]);
  expect(await noted()).toEqual([1]);
});

test('a statement that fails each time is not kept at the server each time', async () => {
  for (let n = 0; n < 20; n++)
    expect(await told([connection.query('SELECT nothing FROM notes')])).toEqual(['42703']);
  for (let n = 0; n < 20; n++)
    expect(await told([connection.query('SELECT 1 / $1 AS n', [0])])).toEqual(['22012']);
  const [row] = await told([connection.query('SELECT COUNT(*) AS n FROM pg_prepared_statements')]);
  // The last one is closed with the next message, which this was; it is one of them itself.
  expect(row).toEqual([{ n: 1 }]);
});

test('a statement whose table has changed fails once', async () => {
  const all = 'SELECT * FROM notes';
  await watcher.query("INSERT INTO notes VALUES (1, 'a')");
  expect(await told([connection.query(all)])).toEqual([[{ id: 1, text: 'a' }]]);
  await watcher.query('ALTER TABLE notes ADD COLUMN more TEXT');
  expect(await told([connection.query(all)])).toEqual(['0A000']);
  expect(await told([connection.query(all)])).toEqual([[{ id: 1, text: 'a', more: null }]]);
  await watcher.query('ALTER TABLE notes DROP COLUMN more');
});

test('a number that is not exact fails alone', async () => {
  const [large, next] = await Promise.allSettled([
    connection.query('SELECT CAST(9007199254740993 AS BIGINT) AS n'),
    connection.query('SELECT CAST(9007199254740991 AS BIGINT) AS n'),
  ]);
  expect(large).toMatchObject({ reason: { message: '9007199254740993 is no safe integer' } });
  expect(next).toMatchObject({ value: { rows: [{ n: 9007199254740991 }] } });
});

test('bytes, more parameters than a short can count, and rows without columns are read', async () => {
  const bytes = new Uint8Array([0, 1, 255]);
  const many = Array.from({ length: 40_000 }, (_, n) => n);
  const list = many.map((n) => `$${n + 1}`).join(', ');
  const [some, count, none] = await told([
    connection.query('SELECT CAST($1 AS BYTEA) AS b', [bytes.subarray(1)]),
    connection.query(`SELECT 40000 IN (${list}) AS found, $40000 AS last`, many),
    connection.query('SELECT FROM generate_series(1, 2)'),
  ]);
  expect(some).toEqual([{ b: Buffer.from([1, 255]) }]);
  expect(count).toEqual([{ found: false, last: 39_999 }]);
  expect(none).toEqual([{}, {}]);
});

const add = async (sql: Sql, id: number) =>
  await sql.run('INSERT INTO notes VALUES ($1, $2)', [id, 'a']);

test('what fails with the commit in the same message leaves nothing, and its caller is told', async () => {
  const twice = ending(
    write('test.twice', async (sql, id: number) => {
      await add(sql, id);
    }),
    async (sql) => {
      await add(sql, 1);
    },
  );
  await store.perform(twice, 2);
  expect(await noted()).toEqual([1, 2]);
  const message = await store.perform(twice, 3).then(
    () => 'done',
    (error: Error) => error.message,
  );
  expect(message).toMatch(/duplicate key/);
  expect(await noted()).toEqual([1, 2]);
  // The connection is good for the next.
  await store.perform(write('test.one', add), 4);
  expect(await noted()).toEqual([1, 2, 4]);
});

test('an operation that passes over an error of a statement is no success', async () => {
  const careless = write('test.careless', async (sql, id: number) => {
    await add(sql, id);
    await add(sql, id).catch(() => {});
  });
  await expect(store.perform(careless, 1)).rejects.toThrow('ended a transaction with ROLLBACK');
  expect(await noted()).toEqual([]);
});

test('a statement behind the commit is an error, never a write of its own', async () => {
  const late = ending(
    write('test.late', async (sql, id: number) => {
      await add(sql, id);
    }),
    async (sql) => {
      await add(sql, 2);
      await add(sql, 3);
    },
  );
  await expect(store.perform(late, 1)).rejects.toThrow('behind the end of its transaction');
  expect(await noted()).not.toContain(3);
});

test('point reads of one account share messages, and one that fails harms no other', async () => {
  const sql = store.for(ofAccount({ account_id: 1 }));
  const calls = Array.from({ length: 60 }, async (_, n) => {
    try {
      const row = await sql.one<{ n: number; message: string }>(
        // A statement's own message began when the transaction did that the server puts around it.
        'SELECT 100 / CAST($1 AS BIGINT) AS n, CAST(transaction_timestamp() AS TEXT) AS message',
        [n % 10],
      );
      return row ?? 'none';
    } catch (error) {
      return (error as Error).message;
    }
  });
  const answers = await Promise.all(calls);
  const rows = answers.filter((one) => typeof one !== 'string');
  expect(answers.filter((one) => one === 'division by zero')).toHaveLength(6);
  expect(rows).toHaveLength(54);
  for (const [n, one] of answers.entries())
    if (typeof one !== 'string') expect(one.n).toBe(Math.trunc(100 / (n % 10)));
  expect(new Set(rows.map(({ message }) => message)).size).toBeLessThan(20);
});

test('while others wait, point reads go one by one', async () => {
  await watcher.query('SELECT pg_advisory_lock(7)');
  const order: string[] = [];
  const ask = async (account_id: number) => {
    await store.for(ofAccount({ account_id })).one('SELECT pg_advisory_xact_lock_shared(7)');
    order.push(`account ${account_id}`);
  };
  const all = [
    ...Array.from({ length: 8 }, () => ask(1)),
    ...Array.from({ length: 4 }, () => ask(2)),
  ];
  await watcher.query('SELECT pg_advisory_unlock_all()');
  await Promise.all(all);
  // They took turns until the second account had no more.
  expect(order.slice(-3)).not.toContain('account 2');
});

test('point reads whose connection is cut are all sent again', async () => {
  const sql = store.for(ofAccount({ account_id: 1 }));
  await sql.one('SELECT 1 AS n');
  await watcher.query('SELECT pg_advisory_lock(8)');
  const calls = Array.from({ length: 10 }, (_, n) =>
    sql.one<{ n: number }>('SELECT CAST($1 AS BIGINT) AS n, pg_advisory_xact_lock_shared(8)', [n]),
  );
  const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()
    AND datname = current_database() AND wait_event = 'advisory'`;
  while ((await watcher.query(cut)).rowCount === 0) await Bun.sleep(5);
  await watcher.query('SELECT pg_advisory_unlock_all()');
  const rows = await Promise.all(calls);
  expect(rows.map((row) => row?.n)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('a read of several statements sees one state, also where they are asked for at once', async () => {
  const both = read('test.both', async (sql, wait: () => Promise<unknown>) => {
    const count = 'SELECT COUNT(*) AS n FROM notes';
    const [first] = await Promise.all([sql.one(count), sql.one('SELECT 1')]);
    await wait();
    return [first, await sql.one(count)];
  });
  const seen = await store.perform(both, () => watcher.query("INSERT INTO notes VALUES (9, 'a')"));
  expect(seen).toEqual([{ n: 0 }, { n: 0 }]);
});
