// The bounded checkout of PostgreSQL connections: what closing, waiting and bad addresses do to it.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import pg from 'pg';
import { postgres } from '../../../test/support/engines.ts';
import { startPostgresStore } from './postgres.ts';
import { read } from './sql.ts';
import { type OnRefused, ofAccount, ofNetwork, service } from './whose.ts';

const sleep = read('test.sleep', async (sql, { seconds }: { seconds: number }) => {
  await sql.one('SELECT pg_sleep($1)', [seconds]);
});

/** Ends when nobody else holds the lock of its account. */
const wait = read('test.wait', ofAccount, async (sql, { account_id }: { account_id: number }) => {
  await sql.one('SELECT pg_advisory_xact_lock_shared($1)', [account_id]);
});

test.each(['postgres://user:a#b@localhost/db', 'postgres://localhost:99999/db'])(
  'an address that cannot be read (%j) is refused, and the store still closes',
  async (url) => {
    const store = startPostgresStore({ url, size: 2, deadlineMs: 60_000 });
    expect(await refusal(store.one('SELECT 1'))).toBe('The database cannot be reached');
    await store.close();
  },
);

describe('the checkout', () => {
  let url = '';
  let watcher: pg.Client;
  beforeAll(async () => {
    url = await (await postgres()).freshDatabase();
    watcher = new pg.Client({ connectionString: url });
    await watcher.connect();
  });
  afterAll(() => watcher.end());

  /** Backends of this database that a store opened. */
  const backends = async (): Promise<{ pid: number }[]> => {
    const { rows } = await watcher.query(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'footlight' ORDER BY pid",
    );
    return rows;
  };
  /** The server shows a connection that was closed a moment ago for a little longer. */
  const untilNoBackends = async () => {
    const lateAt = performance.now() + 30_000;
    while ((await backends()).length > 0) {
      if (performance.now() > lateAt) throw new Error('a connection is still open');
      await Bun.sleep(10);
    }
  };

  /** That wait for a lock. */
  const queries = async (): Promise<number> => {
    const { rows } = await watcher.query(
      `SELECT COUNT(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return Number(rows[0].n);
  };
  const untilQueries = async (count: number) => {
    while ((await queries()) < count) await Bun.sleep(10);
  };

  test('who waits when the store closes is refused at once, who is served is waited for', async () => {
    const store = startPostgresStore({ url, size: 1, deadlineMs: 60_000 });
    await watcher.query('SELECT pg_advisory_lock(1)');
    const ends: string[] = [];
    const served = store.perform(wait, { account_id: 1 }).then(() => ends.push('served'));
    const waiting = [1, 2, 3].map(() => refusal(store.one('SELECT 1')));
    await untilQueries(1);
    const closing = store.close();
    expect(await Promise.all(waiting)).toEqual(Array(3).fill('The database has been closed'));
    expect(ends).toEqual([]);
    await watcher.query('SELECT pg_advisory_unlock_all()');
    await Promise.all([served, closing, store.close()]);
    await untilNoBackends();
    await Bun.sleep(100);
    expect(await backends()).toEqual([]);
  });

  test('a closed store opens no connection', async () => {
    const store = startPostgresStore({ url, size: 2, deadlineMs: 60_000 });
    await store.one('SELECT 1');
    await store.close();
    expect(await refusal(store.one('SELECT 1'))).toBe('The database has been closed');
    expect(await refusal(store.perform(sleep, { seconds: 0 }))).toBe(
      'The database has been closed',
    );
    await untilNoBackends();
  });

  test('no connection is opened for who has given up', async () => {
    const store = startPostgresStore({ url, size: 1, deadlineMs: 2_000 });
    await store.one('SELECT 1');
    const [first] = await backends();
    const late = 'The database did not answer in time; try again';
    // The first holds the only connection until its deadline, which then is dropped; the others have left by then.
    const told = Promise.all([1, 2, 3].map(() => refusal(store.perform(sleep, { seconds: 4 }))));
    expect(await told).toEqual([late, late, late]);
    await Bun.sleep(700);
    expect((await backends()).filter(({ pid }) => pid !== first?.pid)).toEqual([]);
    await store.one('SELECT 1');
    await store.close();
  });

  test('a call whose own account used up its time is counted against it, any other is not', async () => {
    const refused: string[] = [];
    const onRefused: OnRefused = (reason, whose) => refused.push(`${reason} ${whose}`);
    const store = startPostgresStore({ url, size: 2, deadlineMs: 1_000, onRefused });
    await watcher.query('SELECT pg_advisory_lock(1), pg_advisory_lock(2)');
    const told = [1, 1, 2].map((account_id) => refusal(store.perform(wait, { account_id })));
    expect(await Promise.all(told)).toEqual([
      'The database did not answer in time; try again',
      'Your own calls before it took its time; try again when some are answered',
      'The database did not answer in time; try again',
    ]);
    expect(refused).toEqual(['late account 1']);
    await watcher.query('SELECT pg_advisory_unlock_all()');
    await store.close();
  });

  /** Ends when nobody else holds the lock; `as` makes it another read. */
  const lockedRead = (as: number) =>
    ['SELECT pg_advisory_xact_lock_shared(1), $1 AS n', [as]] as const;

  test('point reads of a network wait behind its own, those of others and of the service do not', async () => {
    // Ten are five for reads.
    const store = startPostgresStore({ url, size: 10, deadlineMs: 30_000 });
    await watcher.query('SELECT pg_advisory_lock(1)');
    let served = 0;
    const strangers = Array.from({ length: 100 }, async () => {
      await store.for(ofNetwork('192.0.2.1')).one(...lockedRead(0));
      served += 1;
    });
    await untilQueries(2);
    for (const whose of [ofAccount({ account_id: 1 }), service])
      expect(await refusal(store.for(whose).one('SELECT 1'))).toBe('served');
    // Half of four.
    expect(await queries()).toBe(2);
    const other = store.for(ofNetwork('192.0.2.2')).one('SELECT 1');
    await watcher.query('SELECT pg_advisory_unlock_all()');
    await other;
    // Those of one message are served together.
    expect(served).toBeLessThan(50);
    await Promise.all(strangers);
    await store.close();
  });

  test('a point read that waited behind those of its network is counted against it, any other is not', async () => {
    const refused: string[] = [];
    const onRefused: OnRefused = (reason, whose) => refused.push(`${reason} ${whose}`);
    const store = startPostgresStore({ url, size: 2, deadlineMs: 1_000, onRefused });
    await watcher.query('SELECT pg_advisory_lock(1)');
    const told = [1, 1, 1, 2].map((at) =>
      refusal(store.for(ofNetwork(`192.0.2.${at}`)).one(...lockedRead(0))),
    );
    const late = 'The database did not answer in time; try again';
    const own = 'Your own calls before it took its time; try again when some are answered';
    // One runs, and before the second nobody waits.
    expect(await Promise.all(told)).toEqual([late, late, own, late]);
    expect(refused).toEqual(['late 192.0.2.1']);
    await watcher.query('SELECT pg_advisory_unlock_all()');
    await store.close();
  });

  test('point reads that go together are not behind each other: the time of a frozen database is nobody’s', async () => {
    const refused: string[] = [];
    const onRefused: OnRefused = (reason, whose) => refused.push(`${reason} ${whose}`);
    const store = startPostgresStore({ url, size: 10, deadlineMs: 1_000, onRefused });
    await watcher.query('SELECT pg_advisory_lock(1)');
    const sql = store.for(ofAccount({ account_id: 1 }));
    await sql.one('SELECT 1');
    const told = [1, 2, 3].map((n) => refusal(sql.one(...lockedRead(n))));
    const late = 'The database did not answer in time; try again';
    expect(await Promise.all(told)).toEqual([late, late, late]);
    expect(refused).toEqual([]);
    await watcher.query('SELECT pg_advisory_unlock_all()');
    await store.close();
  });

  test('however many networks ask, they take turns with an account as if they were one', async () => {
    const store = startPostgresStore({ url, size: 10, deadlineMs: 30_000 });
    await watcher.query('SELECT pg_advisory_lock(1), pg_advisory_lock(2)');
    const order: string[] = [];
    const read = async (whose: string, lock: 1 | 2) => {
      await store.for(whose).one(`SELECT pg_advisory_xact_lock_shared(${lock})`);
      order.push(whose);
    };
    const all = Array.from({ length: 200 }, (_, at) => read(ofNetwork(`192.0.2.${at}`), 1));
    await untilQueries(2);
    // Two of four for strangers, half of what is left for the account.
    const account = ofAccount({ account_id: 1 });
    const own = Array.from({ length: 12 }, () => read(account, 2));
    await untilQueries(3);
    expect(await refusal(store.for(ofAccount({ account_id: 2 })).one('SELECT 1'))).toBe('served');
    // Which reads the server ends first is its own affair: here those of the networks wait for those of the account.
    await watcher.query('SELECT pg_advisory_unlock(2)');
    await Promise.all(own);
    expect(order).toEqual(Array(12).fill(account));
    await watcher.query('SELECT pg_advisory_unlock_all()');
    await Promise.all(all);
    await store.close();
  });

  test('reads of one account that take long leave connections to others, and one to the service', async () => {
    // Ten are five for reads.
    const store = startPostgresStore({ url, size: 10, deadlineMs: 30_000 });
    await watcher.query('SELECT pg_advisory_lock(1), pg_advisory_lock(2)');
    const slow = [1, 2].flatMap((account_id) =>
      Array.from({ length: 20 }, () => refusal(store.perform(wait, { account_id }))),
    );
    expect(await refusal(store.perform(wait, { account_id: 3 }))).toBe('served');
    expect(await refusal(store.one('SELECT 1'))).toBe('served');
    // Half of four, and half of what that leaves.
    await untilQueries(3);
    expect(await refusal(store.perform(wait, { account_id: 3 }))).toBe('served');
    expect(await queries()).toBe(3);
    await watcher.query('SELECT pg_advisory_unlock_all()');
    expect(await Promise.all(slow)).toEqual(Array(40).fill('served'));
    await store.close();
  });
});

async function refusal(call: unknown): Promise<string> {
  try {
    await call;
    return 'served';
  } catch (error) {
    return (error as Error).message;
  }
}
