// The outbox: what a write has brought about, in the order of commits, written as the last of its transaction.
import { randomText } from '../lib/secret.ts';
import { batchStatement } from './batch.ts';
import type { OutboxEntry, Sql } from './sql.ts';

/** Told after a commit: whose outboxes have more than before. */
export type OnAppended = (account_ids: readonly number[]) => void;

/** What runs inside a write: it takes what happens into `entries`, of which nothing is written yet. */
export function withOutbox(sql: Sql, entries: OutboxEntry[]): Sql {
  const { dialect, all, one, run } = sql;
  return { dialect, all, one, run, happened: (entry) => void entries.push(entry) };
}

/** An id says nothing: after a restored backup the numbers come again, and no id may. */
const idBits = 128;

/**
 * Each feed's numbers come from one row, which is locked until the commit: so numbers are dense, and who sees one has
 * seen all that are lower. This row is the last lock that a transaction takes, of several in their order; whoever holds
 * it waits for nobody, and no two wait for each other. The numbers are added by the database, so nothing is waited for
 * in between: on PostgreSQL all of it goes in one message with the commit.
 */
export async function appendOutbox(
  sql: Sql,
  entries: readonly OutboxEntry[],
): Promise<readonly number[]> {
  if (entries.length === 0) return [];
  const at = Date.now();
  const byFeed = [...Map.groupBy(entries, ({ account_id, feed }) => `${account_id} ${feed}`)]
    .map(([, some]) => some)
    .sort(([a], [b]) => order(a as OutboxEntry, b as OutboxEntry));
  const taking = byFeed.map((some) => takeNumbers(sql, some[0] as OutboxEntry, some.length));
  const rows = byFeed.flatMap((some) =>
    some.map((entry, n) => ({ ...entry, behind: some.length - 1 - n, id: newId(), at })),
  );
  await Promise.all([...taking, addEvents.run(sql, rows)]);
  return [...new Set(rows.map(({ account_id }) => account_id))];
}

function order(a: OutboxEntry, b: OutboxEntry): number {
  return a.account_id - b.account_id || a.feed - b.feed;
}

function newId(): string {
  return `evt_${randomText(idBits)}`;
}

async function takeNumbers(
  sql: Sql,
  { account_id, feed }: OutboxEntry,
  count: number,
): Promise<void> {
  await sql.run(
    `INSERT INTO event_feeds (account_id, feed, last_seq) VALUES ($1, $2, $3)
     ON CONFLICT (account_id, feed) DO UPDATE SET last_seq = event_feeds.last_seq + excluded.last_seq`,
    [account_id, feed, count],
  );
}

/** `behind`: how many of the same feed come behind it. */
const addEvents = batchStatement(
  {
    account_id: 'int',
    feed: 'int',
    behind: 'int',
    id: 'text',
    type: 'text',
    channel_id: 'int',
    manager_id: 'int',
    at: 'int',
    data: 'text',
  },
  ({ account_id, feed, behind, ...others }, from) => `
    INSERT INTO events (account_id, feed, seq, ${Object.keys(others).join(', ')})
    SELECT ${account_id}, ${feed},
      (SELECT f.last_seq FROM event_feeds f WHERE f.account_id = ${account_id} AND f.feed = ${feed}) - ${behind},
      ${Object.values(others).join(', ')} ${from()}`,
);
