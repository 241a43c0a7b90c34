// Record ids: each is given once, and no channel waits for another's.
import { describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { enterAnew, entry, newChannel, openTestStore } from '../../../test/support/store.ts';
import { write } from '../../base/db/sql.ts';
import { type Entry, enterSessions } from './audience-store.ts';

const held: { opened?: () => void; released?: Promise<void> } = {};

/** Viewers enter, and their transaction stays open until it is released. */
const enterSlowly = write(
  'test.enterSlowly',
  async (sql, input: { channel_id: number; entries: Entry[] }) => {
    const entered = await enterSessions.run(sql, {
      ...input,
      held_by: 1,
      now: 0,
      resumeWithinMs: 0,
    });
    held.opened?.();
    await held.released;
    return entered;
  },
);

for (const engine of engines) {
  describe(engine.name, () => {
    test('ids rise within a transaction, and none is given twice', async () => {
      const store = await openTestStore(engine, [enterSlowly]);
      const ids: number[] = [];
      for (const count of [3, 1, 40]) {
        const channel_id = await newChannel(store);
        const entered = await enterAnew(store, channel_id, entries(count));
        ids.push(...entered.map(({ record_id }) => record_id));
      }
      expect(ids).toEqual(Array.from({ length: 44 }, (_, at) => at + 1));
      await store.close();
    });
  });
}

test('on PostgreSQL a channel does not wait for the transaction of another', async () => {
  const engine = engines.find(({ name }) => name === 'postgres');
  if (!engine) throw new Error('no PostgreSQL to test on');
  const settings = await engine.fresh();
  const sameDatabase = { ...engine, fresh: async () => settings };
  const store = await openTestStore(sameDatabase);
  const beside = await openTestStore(sameDatabase);
  const [slow, quick] = [await newChannel(store), await newChannel(store)];
  const opened = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  held.opened = opened.resolve;
  held.released = released.promise;
  const entering = store.perform(enterSlowly, { channel_id: slow, entries: entries(2) });
  await opened.promise;
  // The other is not released before: who waits for it waits until the database's deadline, and fails.
  const done = await enterAnew(beside, quick, entries(2));
  released.resolve();
  expect(done).toHaveLength(2);
  const ids = [...(await entering), ...done].map((one) => one?.record_id);
  expect(new Set(ids).size).toBe(4);
  await store.close();
  await beside.close();
});

function entries(count: number): Entry[] {
  return Array.from({ length: count }, (_, at) => entry(`v${at}`, 1_000));
}
