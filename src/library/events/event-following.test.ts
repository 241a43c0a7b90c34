// Those who follow events read a few at a time, however many they are and however fast they take what is read.
import { afterAll, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { openTestStore } from '../../../test/support/store.ts';
import { type AnyOperation, type Sql, write } from '../../base/db/sql.ts';
import { startLog } from '../../base/lib/log.ts';
import type { EventType } from './event.ts';
import { EventFollowing, eventReads } from './event-following.ts';
import { eventLimits } from './event-limits.ts';
import { appendEvents } from './event-store.ts';
import { EventWatch } from './event-watch.ts';

const tell = write('test.tell', async (sql: Sql, count: number) =>
  appendEvents(
    sql,
    Array.from({ length: count }, () => ({
      type: 'channel.deleted' as const,
      account_id: 1,
      manager_id: 0,
      data: { channel_id: 1, name: 'one', manager_id: 0 },
    })),
  ),
);

const [sqlite] = engines;
if (sqlite?.name !== 'sqlite') throw new Error('SQLite answers in the same turn, and is the case');
const store = await openTestStore(sqlite, [tell] as AnyOperation[]);
afterAll(() => store.close());

const pages = 6;
const filter = {
  owner: { account_id: 1, manager_id: 0 },
  types: new Set<EventType>(['channel.deleted']),
  channel: undefined,
};

test('of all who follow, few read in one turn, and all come to the end', async () => {
  await store.perform(tell, pages * eventLimits.rowsPerRead);
  const turns = countedTurns();
  const counted: Pick<typeof store, 'for'> = {
    for: (whose) => {
      turns.note();
      return store.for(whose);
    },
  };
  const options = { store: counted, watch: new EventWatch({ log }), reads: eventReads() };
  const begin = { 0: 0, 1: 0 };
  const many = await Promise.all(
    Array.from({ length: 20 }, () => EventFollowing.open(options, filter, begin)),
  );
  turns.reset();
  const seen = await Promise.all(many.map(async (one) => await pagesOf(one)));
  expect(seen).toEqual(many.map(() => pages));
  expect(turns.most()).toBeGreaterThan(0);
  expect(turns.most()).toBeLessThanOrEqual(eventLimits.readsAtOnce);
  turns.stop();
});

test('who leaves while it waits for its turn ends, and holds up nobody', async () => {
  const options = { store, watch: new EventWatch({ log }), reads: eventReads() };
  const many = await Promise.all(
    Array.from({ length: 20 }, () => EventFollowing.open(options, filter, { 0: 0, 1: 0 })),
  );
  const [first, ...others] = many.map((one) => one.next(Number.POSITIVE_INFINITY));
  for (const one of many.slice(1)) one.end();
  expect((await first)?.rows.length).toBe(eventLimits.rowsPerRead);
  const left = await Promise.all(others);
  expect(left.slice(eventLimits.readsAtOnce)).toEqual(
    left.slice(eventLimits.readsAtOnce).map(() => undefined),
  );
  expect(await pagesOf(many[0] as EventFollowing)).toBe(pages - 1);
});

test('while it waits for its turn it says in time that there is nothing, and loses nothing by it', async () => {
  const options = { store, watch: new EventWatch({ log }), reads: eventReads() };
  const following = await EventFollowing.open(options, filter, { 0: 0, 1: 0 });
  const others = Promise.withResolvers<void>();
  const held = Array.from({ length: eventLimits.readsAtOnce }, (_, at) =>
    options.reads.run({ whose: `account ${at + 2}` }, () => others.promise),
  );
  const nothing = await following.next(1);
  expect(nothing).toMatchObject({ rows: [], position: { 0: 0, 1: 0 } });
  others.resolve();
  await Promise.all(held);
  expect((await following.next(Number.POSITIVE_INFINITY))?.rows.length).toBe(
    eventLimits.rowsPerRead,
  );
  expect(await pagesOf(following)).toBe(pages - 1);
});

test('an end that comes while it reads ends it', async () => {
  const options = { store, watch: new EventWatch({ log }), reads: eventReads() };
  const following = await EventFollowing.open(options, filter, undefined);
  const next = following.next(Number.POSITIVE_INFINITY);
  following.end();
  expect(await next).toBeUndefined();
});

const log = startLog('silent');

/** How many reads it takes to the end. */
async function pagesOf(following: EventFollowing): Promise<number> {
  for (let pages = 0; ; pages += 1) {
    const { rows } = await following.read();
    if (rows.length === 0) return pages;
  }
}

/** The most notes between two turns of the event loop. */
function countedTurns() {
  let count = 0;
  let most = 0;
  let timer = setImmediate(function turn() {
    count = 0;
    timer = setImmediate(turn);
  });
  return {
    note: () => {
      count += 1;
      most = Math.max(most, count);
    },
    most: () => most,
    reset: () => {
      count = 0;
      most = 0;
    },
    stop: () => clearImmediate(timer),
  };
}
