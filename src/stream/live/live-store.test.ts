import { describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { rotateKey } from '../../library/channels/channel-store.ts';
import { deleteChannel, restoreChannel } from '../../library/deletion/deleted-channel-store.ts';
import {
  channelOfKey,
  endLive,
  keepLive,
  lostAddresses,
  lostKeys,
  startLive,
} from './live-store.ts';
import type { LiveChannel } from './live-stream.ts';
import { claimPush, letGoOfPush } from './push-lease-store.ts';
import type { ShowRow } from './show-store.ts';

const owner = { account_id: 1, manager_id: 0 };

for (const engine of engines) {
  describe(engine.name, () => {
    test('a key finds its channel, and nothing else does', async () => {
      const store = await openTestStore(engine);
      const id = await newChannel(store);
      const { stream_key, play_id } = await rowOf(store, id);
      expect(await channelOfKey(store, stream_key)).toEqual({
        id,
        account_id: 1,
        stream_key,
        play_id,
        auto_save_live_video: 1,
        live_ladder: 0,
      });
      for (const other of ['', play_id, `${stream_key} `, stream_key.slice(1), '%'])
        expect(await channelOfKey(store, other)).toBeUndefined();
      await store.close();
    });

    test('keys that were changed and channels that are deleted or gone are told', async () => {
      const store = await openTestStore(engine);
      const channels: LiveChannel[] = [];
      for (let n = 0; n < 3; n++) {
        const { stream_key } = await rowOf(store, await newChannel(store));
        const channel = await channelOfKey(store, stream_key);
        if (channel) channels.push(channel);
      }
      const [first, second, third] = channels.map(({ id }) => id) as [number, number, number];
      expect(await lostKeys(store, [])).toEqual({ changed: [], deleted: [] });
      const playIds = channels.map(({ play_id }) => play_id);
      expect(await lostKeys(store, channels)).toEqual({ changed: [], deleted: [] });
      expect(await lostAddresses(store, playIds)).toEqual([]);
      await store.perform(rotateKey, { id: second, owner });
      expect(await lostKeys(store, channels)).toEqual({ changed: [second], deleted: [] });
      await store.run('DELETE FROM channels WHERE id = $1', [third]);
      expect(await lostKeys(store, channels)).toEqual({ changed: [second], deleted: [third] });
      await store.perform(deleteChannel, { id: first, owner, now: 0 });
      expect(await lostKeys(store, channels)).toEqual({
        changed: [second],
        deleted: [first, third],
      });
      expect(await lostAddresses(store, playIds)).toEqual([playIds[0], playIds[2]] as string[]);
      expect(await lostKeys(store, channels.slice(1, 2))).toEqual({
        changed: [second],
        deleted: [],
      });
      expect(await lostAddresses(store, [])).toEqual([]);
      await store.close();
    });

    test('a deleted channel does not become live, and is neither kept nor found live', async () => {
      const store = await openTestStore(engine);
      const id = await newChannel(store);
      const { stream_key } = await rowOf(store, id);
      await store.perform(deleteChannel, { id, owner, now: 4_000 });
      expect(await channelOfKey(store, stream_key)).toBeUndefined();
      const show = { ...ended(id, 'a', 0), end_at: null };
      const claim = { show, node: 'a', startedAt: 4_000, now: 5_000 };
      expect(await store.perform(startLive, claim)).toBe(false);
      await store.perform(keepLive, { node: 'a', shows: [show], now: 5_100 });
      expect(await rowOf(store, id)).toMatchObject({ live: 0, last_push_stream_at: null });
      expect(await store.all('SELECT id FROM shows')).toEqual([]);
      await store.perform(restoreChannel, { id, owner, keptMs: 10_000, now: 6_000 });
      expect(await store.perform(startLive, claim)).toBe(true);
      expect(await rowOf(store, id)).toMatchObject({ live: 1 });
      await store.close();
    });

    test('a channel is live from the start of its push to the end of it', async () => {
      const store = await openTestStore(engine);
      const id = await newChannel(store);
      await start(store, id, 'a', 5_000);
      expect(await rowOf(store, id)).toMatchObject({
        live: 1,
        live_node: 'a',
        last_push_stream_at: 4_000,
      });
      await store.perform(endLive, { show: ended(id, 'a', 5_500), node: 'a' });
      expect(await rowOf(store, id)).toMatchObject({
        live: 0,
        live_node: null,
        last_push_stream_at: 4_000,
      });
      await store.close();
    });

    test('the late end of one node leaves the push that another has', async () => {
      const store = await openTestStore(engine);
      const id = await newChannel(store);
      await start(store, id, 'a', 5_000);
      await start(store, id, 'b', 6_000);
      await store.perform(endLive, { show: ended(id, 'a', 5_500), node: 'a' });
      await store.perform(keepLive, { node: 'a', shows: [], now: 6_000 });
      // It believes that it still has the push, and does not take it back.
      await store.perform(keepLive, { node: 'a', shows: [shown(id, 'a')], now: 6_000 });
      expect(await rowOf(store, id)).toMatchObject({ live: 1, live_node: 'b' });
      await store.close();
    });

    test('a push that is on its way to another node stays live, until somebody ends it', async () => {
      const store = await openTestStore(engine);
      const id = await newChannel(store);
      await start(store, id, 'a', 5_000);
      const claim = { ...{ channel_id: id, node: 'a', key_hash: 'k', push: 'p' }, now: 5_000 };
      const more = { reconnectMs: 10_000, heldEpoch: undefined, silentSince: undefined };
      await store.perform(claimPush, { ...claim, ...more });
      const own = { ...{ channel_id: id, node: 'a', epoch: 1 }, was: 'live' } as const;
      await store.perform(letGoOfPush, { ...own, state: 'cut' });
      // Its node goes on without it, is started anew, or is not heard of any more.
      const kept = { shows: [], isShared: true };
      await store.perform(keepLive, { node: 'a', ...kept, now: 6_000 });
      await store.perform(keepLive, { node: 'b', ...kept, now: 60_000 });
      expect(await rowOf(store, id)).toMatchObject({ live: 1, live_node: 'a' });
      await store.perform(letGoOfPush, { ...own, state: 'ended' });
      await store.perform(keepLive, { node: 'a', ...kept, now: 6_000 });
      expect(await rowOf(store, id)).toMatchObject({ live: 0 });
      await store.close();
    });

    test('a node that starts anew clears what it had, and no one else’s', async () => {
      const store = await openTestStore(engine);
      const mine = await newChannel(store);
      const other = await newChannel(store);
      const never = await newChannel(store);
      await start(store, mine, 'a', 1_000);
      await start(store, other, 'b', 1_000);
      await store.perform(keepLive, { node: 'a', shows: [], now: 2_000 });
      expect(await liveIds(store)).toEqual([other]);
      expect((await rowOf(store, never)).live).toBe(0);
      await store.close();
    });

    test('a node that is silent for 15 s is gone, and not a moment earlier', async () => {
      const store = await openTestStore(engine);
      const mine = await newChannel(store);
      const other = await newChannel(store);
      await start(store, mine, 'a', 1_000);
      await start(store, other, 'b', 1_000);
      await store.perform(keepLive, { node: 'a', shows: [shown(mine, 'a')], now: 16_000 });
      expect(await liveIds(store)).toEqual([mine, other]);
      await store.perform(keepLive, { node: 'a', shows: [shown(mine, 'a')], now: 16_001 });
      expect(await liveIds(store)).toEqual([mine]);
      await store.close();
    });

    test('a node that was thought gone has its channels back when it speaks again', async () => {
      const store = await openTestStore(engine);
      const id = await newChannel(store);
      await start(store, id, 'b', 1_000);
      // After a database that was away for both, whoever comes first must not silence the other for good.
      await store.perform(keepLive, { node: 'a', shows: [], now: 60_000 });
      expect(await liveIds(store)).toEqual([]);
      await store.perform(keepLive, { node: 'b', shows: [shown(id, 'b')], now: 60_001 });
      expect(await rowOf(store, id)).toMatchObject({
        live: 1,
        live_node: 'b',
        live_seen_at: 60_001,
        last_push_stream_at: 0,
      });
      await store.close();
    });
  });
}

interface Row {
  stream_key: string;
  play_id: string;
  live: number;
  live_node: string | null;
  live_seen_at: number | null;
  last_push_stream_at: number | null;
}

async function rowOf(store: Store, id: number): Promise<Row> {
  const row = await store.one<Row>(
    `SELECT stream_key, play_id, live, live_node, live_seen_at, last_push_stream_at
     FROM channels WHERE id = $1`,
    [id],
  );
  if (!row) throw new Error(`no channel ${id}`);
  return row;
}

async function start(store: Store, channel_id: number, node: string, now: number): Promise<void> {
  await store.perform(startLive, {
    show: shown(channel_id, node),
    node,
    startedAt: now - 1_000,
    now,
  });
}

/** The show that a node has on. */
function shown(channel_id: number, node: string): ShowRow {
  const begin_at = node.charCodeAt(0);
  return { channel_id, begin_at, end_at: null, media_ms: 0, anchors: '[]' };
}

function ended(channel_id: number, node: string, end_at: number): ShowRow {
  return { ...shown(channel_id, node), end_at };
}

async function liveIds(store: Store): Promise<number[]> {
  const rows = await store.all<{ id: number }>(
    'SELECT id FROM channels WHERE live = 1 ORDER BY id',
  );
  return rows.map(({ id }) => id);
}
