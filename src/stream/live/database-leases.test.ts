import { describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { startLog } from '../../base/lib/log.ts';
import { DatabaseLeases, type HeldPush } from './database-leases.ts';
import { ChannelTaken } from './push-lease.ts';
import { findPush } from './push-lease-store.ts';

const log = startLog('silent');

/** A node with leases, whose hub is played by the test; it renews when told, by a clock that the test moves. */
function nodeOn(store: Store, node: string) {
  const world = { ms: 0, silentMs: Number.POSITIVE_INFINITY, lost: [] as number[] };
  const hub = new Map<number, HeldPush>();
  const leases = new DatabaseLeases({
    ...{ store, reconnectMs: 10_000, now: Date.now, log, everyMs: 3_600_000 },
    nodes: {
      ...{ node, run: node, others: () => [], steadyMs: () => 1e9, onChanged: () => {} },
      ...{ lately: () => [], tellFlushed: () => {}, drain: async () => {} },
      ...{ seen: () => [], aheadMs: 0 },
      silentMs: () => world.silentMs,
    },
    monotonicMs: () => world.ms,
    look: (channel_id) => hub.get(channel_id),
    onLost: ({ channel_id }) => {
      hub.delete(channel_id);
      world.lost.push(channel_id);
    },
  });
  const publish = async (id: number, stream_key = 'key') => {
    const lease = await leases.claim({ id, stream_key });
    hub.set(id, { state: 'live', silent_ms: 0, lastSequence: undefined, discontinuities: 0 });
    return lease;
  };
  const say = (id: number, said: Partial<HeldPush>) => {
    const known = hub.get(id);
    if (known) hub.set(id, { ...known, ...said });
    return leases.renew();
  };
  return { leases, world, hub, publish, say };
}

async function twoNodes(engine: (typeof engines)[number]) {
  const store = await openTestStore(engine);
  const id = await newChannel(store);
  const a = nodeOn(store, 'a');
  const b = nodeOn(store, 'b');
  b.world.silentMs = 0;
  const close = async () => {
    await Promise.all([a.leases.stop(), b.leases.stop()]);
    await store.close();
  };
  return { store, id, a, b, close };
}

for (const engine of engines) {
  describe(engine.name, () => {
    test('a channel whose holder renews is refused elsewhere', async () => {
      const { id, a, b, close } = await twoNodes(engine);
      await a.publish(id);
      const renews = setInterval(() => a.leases.renew(), 20);
      await expect(b.publish(id)).rejects.toThrow(ChannelTaken);
      clearInterval(renews);
      expect(a.world.lost).toEqual([]);
      expect(a.leases.counts).toMatchObject({ held: 1, granted: 1, refused: 0, lost: 0 });
      expect(b.leases.counts).toMatchObject({ held: 0, granted: 0, refused: 1 });
      await close();
    });

    test('one whose holder stands still is taken after three seconds, and the holder learns it', async () => {
      const { id, a, b, close } = await twoNodes(engine);
      const first = await a.publish(id);
      const taking = b.publish(id);
      // By now it has been seen once, or is about to be.
      await a.leases.claim({ id, stream_key: 'key' });
      const passes = setInterval(() => {
        b.world.ms += 1_000;
      }, 20);
      const second = await taking;
      clearInterval(passes);
      expect(b.world.ms).toBeGreaterThanOrEqual(3_000);
      expect(second).toMatchObject({ push: first.push, epoch: 2 });
      await a.leases.renew();
      expect(a.world.lost).toEqual([id]);
      expect(a.leases.counts).toMatchObject({ held: 0, granted: 1, takenOver: 0, lost: 1 });
      expect(b.leases.counts).toMatchObject({ held: 1, granted: 1, takenOver: 1, lost: 0 });
      await b.leases.renew();
      expect(b.world.lost).toEqual([]);
      await close();
    });

    test('what a holder lets go of in good order goes on at once, right above what it has shown', async () => {
      const { store, id, a, b, close } = await twoNodes(engine);
      const lease = await a.publish(id);
      await a.say(id, { lastSequence: 100 });
      expect((await findPush(store, id))?.sequence_mark).toBe(101);
      a.hub.delete(id);
      await a.leases.letGo(lease, 100);
      const next = await b.publish(id);
      expect(next).toMatchObject({ epoch: 2, sequenceMark: 100 });
      expect(next.before).toMatchObject({ isHandedOver: true });
      // Of one that was only cut nobody knows it as well.
      b.hub.delete(id);
      await b.leases.letGo(next);
      expect((await a.publish(id)).before).toMatchObject({ isHandedOver: false });
      await close();
    });

    test('of a node that is known to be gone it is taken at once', async () => {
      const { id, a, b, close } = await twoNodes(engine);
      await a.publish(id);
      b.world.silentMs = 3_000;
      expect(await b.publish(id)).toMatchObject({ epoch: 2 });
      await close();
    });

    test('a push that was cut goes on elsewhere with what was shown of it', async () => {
      const { store, id, a, b, close } = await twoNodes(engine);
      const { push } = await a.publish(id);
      await a.say(id, { state: 'cut', lastSequence: 500, discontinuities: 3 });
      expect(await findPush(store, id)).toMatchObject({ state: 'cut', sequence_mark: 501 });
      const lease = await b.publish(id);
      expect(lease).toMatchObject({ push, epoch: 2, sequenceMark: 501 });
      expect(lease.before).toMatchObject({ discontinuities: 3, show: undefined });
      // Its window is over there, and somebody else's here.
      const known = { channel_id: id, push, epoch: 1, sequenceMark: 0, before: undefined };
      expect(await a.leases.end(known, 'cut')).toBe(false);
      await a.leases.renew();
      expect(a.world.lost).toEqual([id]);
      await close();
    });

    test('one that another takes just as it is to end is lost', async () => {
      const { id, a, b, close } = await twoNodes(engine);
      const lease = await a.publish(id);
      await a.say(id, { state: 'cut' });
      await b.publish(id);
      expect(await a.leases.end(lease, 'live')).toBe(false);
      expect(a.world.lost).toEqual([id]);
      await close();
    });

    test('its own publisher comes back to the same lease, and another key to a new push', async () => {
      const { id, a, close } = await twoNodes(engine);
      const first = await a.publish(id);
      expect(await a.leases.claim({ id, stream_key: 'key' })).toBe(first);
      await a.say(id, { state: 'cut' });
      expect(await a.publish(id)).toBe(first);
      const other = await a.publish(id, 'another key');
      expect(other.push).not.toBe(first.push);
      expect(other).toMatchObject({ epoch: 2, before: undefined });
      await close();
    });

    test('a push that is over is the next one’s to begin, anywhere', async () => {
      const { store, id, a, b, close } = await twoNodes(engine);
      const lease = await a.publish(id);
      a.hub.delete(id);
      expect(await a.leases.end(lease, 'live')).toBe(true);
      expect(await findPush(store, id)).toMatchObject({ state: 'ended' });
      const next = await b.publish(id);
      expect(next).toMatchObject({ epoch: 2, before: undefined });
      expect(next.push).not.toBe(lease.push);
      await close();
    });

    test('what a node lets go of goes on at once', async () => {
      const { id, a, b, close } = await twoNodes(engine);
      const lease = await a.publish(id);
      await a.leases.letGo(lease);
      expect(await b.publish(id)).toMatchObject({ push: lease.push, epoch: 2 });
      await close();
    });

    test('two that come together on a node get one answer', async () => {
      const { store, id, a, close } = await twoNodes(engine);
      const leases = await Promise.all([1, 2, 3].map(() => a.publish(id)));
      expect(new Set(leases).size).toBe(1);
      expect(await findPush(store, id)).toMatchObject({ epoch: 1 });
      await close();
    });
  });
}

test('a database that is away takes nothing from who has it', async () => {
  const [engine] = engines;
  if (!engine) throw new Error('there is no engine');
  const store = await openTestStore(engine);
  const id = await newChannel(store);
  const line = { isCut: false };
  const perform: Store['perform'] = (operation, input) =>
    line.isCut ? Promise.reject(new Error('away')) : store.perform(operation, input);
  const { leases, world, publish, say } = nodeOn({ ...store, perform }, 'a');
  const lease = await publish(id);
  line.isCut = true;
  await say(id, { lastSequence: 7 });
  expect(await leases.claim({ id, stream_key: 'key' })).toBe(lease);
  line.isCut = false;
  await leases.renew();
  expect(world.lost).toEqual([]);
  expect(await findPush(store, id)).toMatchObject({ sequence_mark: 8, renewals: 2 });
  await leases.stop();
  await store.close();
});
