// Reads on in an account's events: what a caller may see of the next ones, and what is not kept any more.
import { holds, type Owner, type Scope } from '../../base/api/caller.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { type EventRow, type EventType, eventKinds, eventTypes } from './event.ts';
import { allFeeds, type Feed, feedOf } from './event-feed.ts';
import type { Missing, Position } from './event-position.ts';
import { eventsAfter, feedEnds } from './event-store.ts';

/** What somebody wants to see, of what they may. */
export interface EventFilter {
  owner: Owner;
  types: ReadonlySet<EventType>;
  channel: number | undefined;
}

export interface ReadEvents {
  /** Those that the filter leaves, in their order, each feed by itself. */
  rows: { row: EventRow; position: Position }[];
  missing: Missing[];
  /** Behind all that was read. */
  position: Position;
  /** Whether there was anything to read. */
  isNews: boolean;
}

/** The types that these scopes let somebody read. */
export function readableTypes(scopes: readonly string[]): EventType[] {
  return eventTypes.filter((type) => holds(scopes, scopeOf(type)));
}

export function scopeOf(type: EventType): Scope {
  return eventKinds[type].scope;
}

/** Where the feeds end now; where they begin, with `fromFirst`. */
export async function endPosition(
  store: Pick<Store, 'for'>,
  owner: Owner,
  { fromFirst = false } = {},
): Promise<Position> {
  const ends = await feedEnds(store.for(ofAccount(owner)), owner);
  const at = (feed: Feed) => {
    const found = ends.find((end) => end.feed === feed);
    return (fromFirst ? found && found.first_seq - 1 : found?.last_seq) ?? 0;
  };
  return { 0: at(0), 1: at(1) };
}

/**
 * What of a place is no more: what stood behind it was removed. A place ahead of the feed is of a database that was
 * restored since: nobody can tell what was missed, so all that is kept comes again.
 */
export async function checkedPosition(
  store: Pick<Store, 'for'>,
  { owner, types }: EventFilter,
  given: Position,
): Promise<{ position: Position; missing: Missing[] }> {
  const wanted = feedsOf(types);
  const ends = await feedEnds(store.for(ofAccount(owner)), owner);
  const position = { ...given };
  const missing: Missing[] = [];
  for (const feed of allFeeds) {
    const { first_seq, last_seq } = ends.find((end) => end.feed === feed) ?? {
      first_seq: 1,
      last_seq: 0,
    };
    if (given[feed] <= last_seq && given[feed] >= first_seq - 1) continue;
    const isAhead = given[feed] > last_seq;
    position[feed] = first_seq - 1;
    if (wanted.has(feed))
      missing.push({ feed, from: isAhead ? 1 : given[feed] + 1, to: first_seq - 1 });
  }
  return { position, missing };
}

function feedsOf(types: ReadonlySet<EventType>): ReadonlySet<Feed> {
  return new Set(Array.from(types, feedOf));
}

/** The next of each feed that has what is wanted. */
export async function readOn(
  store: Pick<Store, 'for'>,
  filter: EventFilter,
  { position, limit }: { position: Position; limit: number },
): Promise<ReadEvents> {
  const { owner, types, channel } = filter;
  const { account_id, manager_id } = owner;
  const isWanted = (row: EventRow) =>
    types.has(row.type) &&
    (channel === undefined || row.channel_id === channel) &&
    (manager_id === 0 || row.manager_id === manager_id);
  const at = { ...position };
  const read: ReadEvents = { rows: [], missing: [], position: at, isNews: false };
  for (const feed of feedsOf(types)) {
    const sql = store.for(ofAccount(owner));
    const rows = await eventsAfter(sql, { account_id, feed, seq: at[feed], limit });
    for (const row of rows) {
      // Numbers are dense: who is slower than events are kept has lost some.
      if (row.seq > at[feed] + 1) read.missing.push({ feed, from: at[feed] + 1, to: row.seq - 1 });
      at[feed] = row.seq;
      if (isWanted(row)) read.rows.push({ row, position: { ...at } });
    }
    read.isNews ||= rows.length > 0;
  }
  return read;
}
