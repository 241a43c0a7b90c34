// Which pushes a node ends that nobody has come back to, and which it leaves alone.
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { startLog } from '../../base/lib/log.ts';
import { LostPushes } from './lost-pushes.ts';
import { claimPush, findPush, holdMs } from './push-lease-store.ts';

const reconnectMs = 10_000;
let store: Store;
let id: number;

beforeAll(async () => {
  const [engine] = engines;
  if (!engine) throw new Error('no engine');
  store = await openTestStore(engine);
});
afterAll(() => store.close());
/** A push of the node `holder` whose window is over by the database's clock. */
beforeEach(async () => {
  id = await newChannel(store);
  await store.perform(claimPush, {
    ...{ channel_id: id, node: 'holder', key_hash: 'key', push: `push-${id}`, reconnectMs, now: 0 },
    ...{ heldEpoch: undefined, silentSince: undefined },
  });
  await store.run('UPDATE pushes SET held_until = held_until - 60000, media_at = media_at - 60000');
});

/** What a node knows, and whether it has ended the push after two looks that are `betweenMs` apart. */
async function isEnded(
  known: Partial<{
    node: string;
    silentMs: number;
    steadyMs: number;
    isLinked: boolean;
    isOnAir: boolean;
    betweenMs: number;
    between(): Promise<unknown>;
  }> = {},
): Promise<boolean> {
  const { silentMs = Infinity, steadyMs = Infinity, betweenMs = holdMs } = known;
  let nowMs = 0;
  const ended: number[] = [];
  const lost = new LostPushes({
    store,
    nodes: {
      ...{ node: known.node ?? 'this', run: 'run', others: () => [], onChanged: () => {} },
      ...{ silentMs: () => silentMs, steadyMs: () => steadyMs, lately: () => [] },
      ...{ tellFlushed: () => {}, drain: async () => {}, seen: () => [], aheadMs: 0 },
    },
    links: { linked: known.isLinked ? ['holder'] : [] },
    reconnectMs,
    monotonicMs: () => nowMs,
    isOnAir: () => known.isOnAir ?? false,
    onEnded: () => ended.push(nowMs),
    log: startLog('silent'),
  });
  await lost.round();
  nowMs += betweenMs;
  await known.between?.();
  await lost.round();
  const row = await findPush(store, id);
  expect(ended.length > 0).toBe(row?.state === 'ended');
  return row?.state === 'ended';
}

test('a push whose holder is gone is ended', async () => {
  expect(await isEnded()).toBe(true);
});

test('one that its holder has let go of is ended, though that is there', async () => {
  expect(await isEnded({ silentMs: 0, isLinked: true })).toBe(true);
});

test('not while the holder is linked: the database alone does not hear it', async () => {
  expect(await isEnded({ isLinked: true })).toBe(false);
});

test('not before this node has had the database for hold and window', async () => {
  expect(await isEnded({ steadyMs: reconnectMs + holdMs - 1 })).toBe(false);
  expect(await isEnded({ steadyMs: reconnectMs + holdMs })).toBe(true);
});

test('not before it stood still by this node’s own clock', async () => {
  expect(await isEnded({ betweenMs: holdMs - 1 })).toBe(false);
  const renewed = () => store.run('UPDATE pushes SET renewals = renewals + 1');
  expect(await isEnded({ between: async () => await renewed() })).toBe(false);
});

test('of its own only what an earlier run had', async () => {
  expect(await isEnded({ node: 'holder', isOnAir: true })).toBe(false);
  expect(await isEnded({ node: 'holder' })).toBe(true);
});
