import { describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { openCommandStore } from '../../base/db/store.ts';
import { operations } from '../../operations.ts';
import { endLive, keepLive, startLive } from './live-store.ts';
import { streamPlace } from './push-holder-store.ts';
import {
  claimPush,
  findPush,
  type LetGo,
  letGoOfPush,
  type PushClaim,
  type PushRenewal,
  renewPushes,
} from './push-lease-store.ts';

const reconnectMs = 10_000;

function claimOf(channel_id: number, claim: Partial<PushClaim> = {}): PushClaim {
  return {
    ...{
      channel_id,
      node: 'a',
      key_hash: 'key',
      push: `push of ${claim.node ?? 'a'}`,
      reconnectMs,
    },
    ...{ heldEpoch: undefined, silentSince: undefined, now: 0, ...claim },
  };
}

function renewalOf(channel_id: number, renewal: Partial<PushRenewal> = {}): PushRenewal {
  const usual = { epoch: 1, state: 'live', silent_ms: 0, sequence_mark: 0, discontinuities: 0 };
  return { channel_id, ...(usual as Omit<PushRenewal, 'channel_id'>), ...renewal };
}

function letGo(channel_id: number, more: Partial<LetGo> = {}): LetGo {
  return { channel_id, node: 'a', epoch: 1, was: 'live', state: 'cut', ...more };
}

/** The database's clock is set on by so much, for one push. */
async function later(store: Store, channel_id: number, ms: number): Promise<void> {
  await store.run(
    'UPDATE pushes SET held_until = held_until - $2, media_at = media_at - $2 WHERE channel_id = $1',
    [channel_id, ms],
  );
}

async function liveRow(store: Store, id: number) {
  return await store.one('SELECT live, live_node FROM channels WHERE id = $1', [id]);
}

for (const engine of engines) {
  describe(engine.name, () => {
    test('a push that is held is refused to another node, and tells who has it', async () => {
      const store = await openTestStore(engine);
      const id = await newChannel(store);
      const first = await store.perform(claimPush, claimOf(id));
      expect(first).toMatchObject({
        isGranted: true,
        row: { push: 'push of a', epoch: 1, node: 'a', state: 'live', discontinuities: 0 },
        before: undefined,
      });
      // Nobody had it before.
      expect(first.before).toBeUndefined();
      const second = await store.perform(claimPush, claimOf(id, { node: 'b' }));
      expect(second).toMatchObject({ isGranted: false, row: first.row });
      await store.close();
    });

    test('that time has passed frees nothing by itself: the database may have set its clock', async () => {
      const store = await openTestStore(engine);
      const id = await newChannel(store);
      const { row } = await store.perform(claimPush, claimOf(id));
      await store.run('UPDATE pushes SET held_until = 0, media_at = 1000000');
      expect(await store.perform(claimPush, claimOf(id, { node: 'b' }))).toMatchObject({
        isGranted: false,
      });
      // Whoever has watched it stand still says so.
      const { renewals } = row;
      expect(
        await store.perform(claimPush, claimOf(id, { node: 'b', silentSince: renewals - 1 })),
      ).toMatchObject({ isGranted: false });
      expect(
        await store.perform(claimPush, claimOf(id, { node: 'b', silentSince: renewals })),
      ).toMatchObject({ isGranted: true, row: { node: 'b', epoch: 2 } });
      await store.close();
    });

    test('a push that was cut goes on on any node, and is another when its window is over', async () => {
      const store = await openTestStore(engine);
      const id = await newChannel(store);
      await store.perform(claimPush, claimOf(id));
      const cut = renewalOf(id, { state: 'cut', sequence_mark: 77, discontinuities: 2 });
      expect(await store.perform(renewPushes, { node: 'a', pushes: [cut] })).toEqual([id]);
      const taken = await store.perform(claimPush, claimOf(id, { node: 'b' }));
      expect(taken).toMatchObject({
        isGranted: true,
        row: { push: 'push of a', epoch: 2, sequence_mark: 77, discontinuities: 2 },
      });
      expect(await store.perform(letGoOfPush, letGo(id, { node: 'b', epoch: 2 }))).toBe(true);
      await later(store, id, reconnectMs);
      const late = await store.perform(claimPush, claimOf(id, { node: 'c' }));
      expect(late).toMatchObject({ isGranted: true, row: { push: 'push of c', epoch: 3 } });
      await store.close();
    });

    test('a node whose publisher was cut takes its own push back by the same epoch, another run by the next', async () => {
      const store = await openTestStore(engine);
      const id = await newChannel(store);
      await store.perform(claimPush, claimOf(id));
      await store.perform(letGoOfPush, letGo(id));
      const back = await store.perform(claimPush, claimOf(id, { heldEpoch: 1 }));
      expect(back).toMatchObject({ isGranted: true, row: { push: 'push of a', epoch: 1 } });
      const restarted = await store.perform(claimPush, claimOf(id));
      expect(restarted).toMatchObject({ isGranted: true, row: { push: 'push of a', epoch: 2 } });
      await store.close();
    });

    test('a publisher that sends nothing gives way, and so does one with an older key', async () => {
      const store = await openTestStore(engine);
      const id = await newChannel(store);
      await store.perform(claimPush, claimOf(id));
      const pushes = [renewalOf(id, { silent_ms: 1_900 })];
      expect(await store.perform(renewPushes, { node: 'a', pushes })).toEqual([id]);
      const claim = claimOf(id, { node: 'b' });
      expect(await store.perform(claimPush, claim)).toMatchObject({ isGranted: false });
      await store.perform(renewPushes, {
        node: 'a',
        pushes: [renewalOf(id, { silent_ms: 2_001 })],
      });
      expect(await store.perform(claimPush, claim)).toMatchObject({
        isGranted: true,
        row: { push: 'push of a', epoch: 2 },
      });
      const rotated = claimOf(id, { node: 'c', key_hash: 'another' });
      expect(await store.perform(claimPush, rotated)).toMatchObject({
        isGranted: true,
        row: { push: 'push of c', epoch: 3 },
      });
      await store.close();
    });

    test('one that was cut and came back meanwhile is not over', async () => {
      const store = await openTestStore(engine);
      const id = await newChannel(store);
      await store.perform(claimPush, claimOf(id));
      const over = letGo(id, { was: 'cut', state: 'ended' });
      expect(await store.perform(letGoOfPush, over)).toBe(false);
      await store.perform(letGoOfPush, letGo(id));
      expect(await store.perform(letGoOfPush, over)).toBe(true);
      expect(await store.perform(letGoOfPush, over)).toBe(false);
      await store.close();
    });

    test('what a later epoch may have shown is counted on from, also where its holder could not say so', async () => {
      const store = await openTestStore(engine);
      const id = await newChannel(store);
      await store.perform(claimPush, claimOf(id));
      const pushes = [renewalOf(id, { sequence_mark: 100 })];
      await store.perform(renewPushes, { node: 'a', pushes });
      await later(store, id, 5_000);
      const { row } = await store.perform(claimPush, claimOf(id, { node: 'a' }));
      expect(row.sequence_mark).toBeGreaterThanOrEqual(102);
      expect(row.sequence_mark).toBeLessThan(200);
      await store.close();
    });

    test('a stream is where its row says until it is ended, also where its node has not renewed it for long', async () => {
      const store = await openTestStore(engine);
      const id = await newChannel(store);
      const row = await store.one<{ play_id: string }>(
        'SELECT play_id FROM channels WHERE id = $1',
        [id],
      );
      const place = () => streamPlace(store, row?.play_id ?? '');
      expect(await place()).toBeUndefined();
      await store.perform(claimPush, claimOf(id));
      await later(store, id, 600_000);
      expect(await place()).toMatchObject({ channel_id: id, node: 'a' });
      await store.perform(letGoOfPush, letGo(id, { state: 'ended' }));
      expect(await place()).toBeUndefined();
      await store.close();
    });

    test('a show that goes on is the next node’s to keep', async () => {
      const store = await openTestStore(engine);
      const id = await newChannel(store);
      await store.perform(claimPush, claimOf(id));
      const show = {
        channel_id: id,
        begin_at: 1_000,
        end_at: null,
        media_ms: 5,
        anchors: '[[0,900]]',
      };
      const live = { show, startedAt: 500, epoch: 1 };
      await store.perform(startLive, { ...live, node: 'a', now: 1_000 });
      await store.perform(letGoOfPush, letGo(id));
      const { before } = await store.perform(claimPush, claimOf(id, { node: 'b', now: 2_000 }));
      expect(before?.show).toEqual(show);
      const keeps = { shows: [], now: 2_000 };
      await store.perform(keepLive, { node: 'a', ...keeps });
      expect(await liveRow(store, id)).toEqual({ live: 1, live_node: 'b' });
      // What the first says late is old.
      await store.perform(startLive, { ...live, node: 'a', now: 3_000 });
      await store.perform(endLive, { show: { ...show, end_at: 2_500 }, node: 'a', epoch: 1 });
      expect(await liveRow(store, id)).toEqual({ live: 1, live_node: 'b' });
      await store.perform(endLive, { show: { ...show, end_at: 9_000 }, node: 'b', epoch: 2 });
      expect(await liveRow(store, id)).toEqual({ live: 0, live_node: null });
      await store.close();
    });

    test('a renewal names what is still its own; what was taken or ended is missing', async () => {
      const store = await openTestStore(engine);
      const ids = [await newChannel(store), await newChannel(store), await newChannel(store)];
      for (const id of ids) await store.perform(claimPush, claimOf(id));
      const [kept = 0, taken = 0, ended = 0] = ids;
      const { row } = await store.perform(claimPush, claimOf(taken, { node: 'b' }));
      await store.perform(claimPush, claimOf(taken, { node: 'b', silentSince: row.renewals }));
      await store.perform(letGoOfPush, letGo(ended, { state: 'ended' }));
      const pushes = ids.map((id) => renewalOf(id, { sequence_mark: 5 }));
      expect(await store.perform(renewPushes, { node: 'a', pushes })).toEqual([kept]);
      expect(await findPush(store, kept)).toMatchObject({ sequence_mark: 5, state: 'live' });
      expect(await findPush(store, ended)).toMatchObject({ state: 'ended' });
      expect(await store.perform(letGoOfPush, letGo(taken))).toBe(false);
      expect(await store.perform(renewPushes, { node: 'a', pushes: [] })).toEqual([]);
      await store.close();
    });
  });
}

test('of many that take a push at once exactly one gets it, each time by the next epoch', async () => {
  const engine = engines.find(({ name }) => name === 'postgres');
  if (!engine) throw new Error('there is no PostgreSQL');
  const { DATA_DIR, DATABASE_URL } = await engine.fresh({ mayHaveTables: true });
  const store = await openCommandStore(
    { dataDir: DATA_DIR, databaseUrl: DATABASE_URL, deadlineMs: 10_000, connectionsMax: 8 },
    operations,
  );
  const nodes = Array.from('abcdefgh');
  let renewals: number | undefined;
  for (let round = 1; round <= 40; round += 1) {
    const claims = await Promise.all(
      nodes.map((node) =>
        store.perform(claimPush, claimOf(1, { node: `${node}${round}`, silentSince: renewals })),
      ),
    );
    const granted = claims.filter(({ isGranted }) => isGranted);
    expect(granted).toHaveLength(1);
    expect(granted[0]?.row.epoch).toBe(round);
    renewals = granted[0]?.row.renewals;
  }
  await store.close();
});
