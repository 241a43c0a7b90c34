// The outbox in the database: events that writes have brought about, read in their order, swept.
import type { Owner } from '../../base/api/caller.ts';
import { dialectWords } from '../../base/db/dialect.ts';
import { type Sql, where, write } from '../../base/db/sql.ts';
import type { EventRow, NewEvent } from './event.ts';
import { type Feed, feedOf } from './event-feed.ts';
import { eventLimits } from './event-limits.ts';

/**
 * Part of a write: its transaction takes the events along, as the last of it, and without it there are none. They stand
 * in the order in which they are given.
 */
export function appendEvents(sql: Sql, events: readonly NewEvent[]): void {
  for (const { type, account_id, manager_id, data } of events) {
    if (!sql.happened) throw new Error(`${type} happened outside of a write`);
    const { channel_id } = data;
    const text = JSON.stringify(data);
    sql.happened({ account_id, feed: feedOf(type), type, channel_id, manager_id, data: text });
  }
}

/** Whether it is the caller's to see; one that is deleted still is. */
export async function isOwnChannel(sql: Sql, id: number, owner: Owner): Promise<boolean> {
  const row = await sql.one(
    `SELECT id FROM channels WHERE id = $1 AND account_id = $2
     AND (CAST($3 AS BIGINT) = 0 OR manager_id = $3)`,
    [id, owner.account_id, owner.manager_id],
  );
  return row !== undefined;
}

export interface EventQuery {
  account_id: number;
  feed: Feed;
  /** Those behind it. */
  seq: number;
  limit: number;
}

const columns = 'account_id, feed, seq, id, type, channel_id, manager_id, at, data';

/** The next ones, in their order; whoever has seen one can have missed none before it. */
export async function eventsAfter(sql: Sql, query: EventQuery): Promise<EventRow[]> {
  const { account_id, feed, seq, limit } = query;
  return await sql.all<EventRow>(
    `SELECT ${columns} FROM events WHERE account_id = $1 AND feed = $2 AND seq > $3
     ORDER BY seq LIMIT CAST($4 AS BIGINT)`,
    [account_id, feed, seq, limit],
  );
}

/** Of a feed: the first number that is kept, and the last that was given; 0 where there was none. */
export interface FeedEnds {
  feed: Feed;
  /** One more than the last where none is kept. */
  first_seq: number;
  last_seq: number;
}

/** Of the feeds of an account that have had anything. */
export async function feedEnds(
  sql: Sql,
  { account_id }: { account_id: number },
): Promise<FeedEnds[]> {
  return await sql.all<FeedEnds>(
    `SELECT f.feed, f.last_seq, COALESCE((
       SELECT MIN(e.seq) FROM events e WHERE e.account_id = f.account_id AND e.feed = f.feed
     ), f.last_seq + 1) AS first_seq
     FROM event_feeds f WHERE f.account_id = $1 ORDER BY f.feed`,
    [account_id],
  );
}

/** How many events each of the accounts has had: another number, and there are new ones. */
export async function eventCounts(
  sql: Sql,
  account_ids: readonly number[],
): Promise<{ account_id: number; count: number }[]> {
  const { listed } = dialectWords(sql.dialect);
  const filter = where([[`account_id IN (${listed})`, JSON.stringify(account_ids)]]);
  return await sql.all(
    `SELECT account_id, SUM(last_seq) AS count FROM event_feeds ${filter.text} GROUP BY account_id`,
    filter.params,
  );
}

export interface EventSweep {
  /** The feed that the last step was of. */
  after: Pick<EventRow, 'account_id' | 'feed'>;
  before: number;
}

/** Removes some events from before a moment; the feed to go on after, or undefined where none is left. */
export const sweepEvents = write(
  'events.sweep',
  async (sql, { after, before }: EventSweep): Promise<EventSweep['after'] | undefined> => {
    const next = await sql.one<EventSweep['after']>(
      `SELECT account_id, feed FROM event_feeds WHERE (account_id, feed) > ($1, $2)
       ORDER BY account_id, feed LIMIT 1`,
      [after.account_id, after.feed],
    );
    if (!next) return undefined;
    const { account_id, feed } = next;
    // The oldest stand first; whatever clocks say, none goes before another that is older.
    const rows = await sql.all<{ seq: number; at: number }>(
      `SELECT seq, at FROM events WHERE account_id = $1 AND feed = $2
       ORDER BY seq LIMIT CAST($3 AS BIGINT)`,
      [account_id, feed, eventLimits.rowsPerSweep],
    );
    const young = rows.findIndex(({ at }) => at >= before);
    const old = young < 0 ? rows : rows.slice(0, young);
    await sql.run('DELETE FROM events WHERE account_id = $1 AND feed = $2 AND seq <= $3', [
      account_id,
      feed,
      old.at(-1)?.seq ?? 0,
    ]);
    return old.length < eventLimits.rowsPerSweep ? next : after;
  },
);
