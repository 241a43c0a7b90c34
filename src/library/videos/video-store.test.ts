// Kept totals of videos and channels while managers are removed, on both engines.
import { describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { openTestStore, plainVideo } from '../../../test/support/store.ts';
import { type Operation, type Store, write } from '../../base/db/sql.ts';
import { createManager, removeManager } from '../access/manager-store.ts';
import { createChannel } from '../channels/channel-store.ts';
import { addVideos, type ImportedVideo } from './video-store.ts';

for (const engine of engines) {
  describe(engine.name, () => {
    test('a removed manager leaves channels, videos and exact totals', async () => {
      const store = await openTestStore(engine);
      const { manager_id, channel_id } = await managedChannel(store);
      await store.perform(addVideos, { account_id: 1, videos: videos(channel_id, 3) });
      await store.perform(removeManager, { id: manager_id, now: 0 });
      await expectLeft(store, 3);
      await store.close();
    });
  });
}

describe('on PostgreSQL, where writes run side by side', () => {
  const removing: Operation<{ id: number; now: number }, void> = removeManager;

  test('videos that are being added are not missed by the removal of their manager', async () => {
    await besideEachOther(async ({ store, beside, manager_id, channel_id, hold, oneWaits }) => {
      await store.perform(addVideos, { account_id: 1, videos: videos(channel_id, 2) });
      const { opened, release, held } = hold(addVideos);
      const adding = store.perform(held, { account_id: 1, videos: videos(channel_id, 3, 2) });
      await opened;
      const removed = beside.perform(removing, { id: manager_id, now: 0 });
      await oneWaits();
      release();
      await Promise.all([adding, removed]);
      await expectLeft(store, 5);
    });
  });

  test('videos that are added during a removal have no manager', async () => {
    await besideEachOther(async ({ store, beside, manager_id, channel_id, hold, oneWaits }) => {
      const { opened, release, held } = hold(removing);
      const removed = store.perform(held, { id: manager_id, now: 0 });
      await opened;
      const adding = beside.perform(addVideos, { account_id: 1, videos: videos(channel_id, 3) });
      await oneWaits();
      release();
      await Promise.all([adding, removed]);
      await expectLeft(store, 3);
    });
  });
});

interface Scene {
  store: Store;
  beside: Store;
  manager_id: number;
  channel_id: number;
  hold: typeof hold;
  /** Resolves when one of the two waits for a row that the other holds. */
  oneWaits(): Promise<void>;
}

async function besideEachOther(play: (scene: Scene) => Promise<void>): Promise<void> {
  const engine = engines.find(({ name }) => name === 'postgres');
  if (!engine) throw new Error('no PostgreSQL to test on');
  const settings = await engine.fresh();
  const sameDatabase = { ...engine, fresh: async () => settings };
  const store = await openTestStore(sameDatabase);
  const beside = await openTestStore(sameDatabase);
  // The connections of the two are taken by what they do.
  const watching = await openTestStore(sameDatabase);
  const oneWaits = () => untilOneWaits(watching);
  await play({ store, beside, hold, oneWaits, ...(await managedChannel(store)) });
  for (const one of [store, beside, watching]) await one.close();
}

/** The operation with its transaction kept open, all done but the commit, until it is released. */
function hold<Input, Output>(operation: Operation<Input, Output>) {
  const opened = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const held = write(`${operation.name} held`, async (sql, input: Input) => {
    const output = await operation.run(sql, input);
    opened.resolve();
    await released.promise;
    return output;
  });
  return { held, opened: opened.promise, release: released.resolve };
}

async function untilOneWaits(store: Store): Promise<void> {
  const waiting =
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  while (!(await store.one(waiting))) await Bun.sleep(5);
}

async function managedChannel(store: Store): Promise<{ manager_id: number; channel_id: number }> {
  const manager_id = await store.perform(createManager, { account_id: 1, username: 'm', now: 0 });
  const { row } = await store.perform(createChannel, {
    owner: { account_id: 1, manager_id: 0 },
    name: 'channel',
    manager_id,
    page: { set: {}, clear: [] },
    now: 0,
    idempotency: undefined,
  });
  return { manager_id, channel_id: row.id };
}

/** All rows are of no manager, and the totals say so. */
async function expectLeft(store: Store, videoCount: number): Promise<void> {
  for (const [kind, count] of [
    ['channels', 1],
    ['videos', videoCount],
  ] as const) {
    const rows = await store.all<{ manager_id: number; n: number }>(
      `SELECT manager_id, COUNT(*) AS n FROM ${kind} GROUP BY manager_id`,
    );
    expect(rows).toEqual([{ manager_id: 0, n: count }]);
    const totals = await store.all<{ part_id: number; total: number }>(
      "SELECT part_id, total FROM totals WHERE kind = $1 AND part = 'manager' AND total <> 0",
      [kind],
    );
    expect(totals).toEqual([{ part_id: 0, total: count }]);
  }
}

function videos(channel_id: number, count: number, from = 0): ImportedVideo[] {
  return Array.from({ length: count }, (_, at) =>
    plainVideo({ external_id: String(from + at), channel_id }),
  );
}
