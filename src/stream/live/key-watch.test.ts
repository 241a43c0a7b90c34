// Publishers whose key was changed are found, whether or not they are live yet.
import { afterEach, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import { startLog } from '../../base/lib/log.ts';
import { rotateKey } from '../../library/channels/channel-store.ts';
import { deleteChannel } from '../../library/deletion/deleted-channel-store.ts';
import { channelDeleted, Hub, keyChanged } from './hub.ts';
import { startKeyWatch } from './key-watch.ts';
import { channelOfKey } from './live-store.ts';
import { SoleLeases } from './push-lease.ts';
import { PushPace } from './push-pace.ts';

const log = startLog('silent');
const open: { stop(): void }[] = [];

afterEach(() => {
  for (const one of open.splice(0)) one.stop();
});

for (const engine of engines)
  test(`on ${engine.name} a changed key cuts its publisher, also one that sent nothing yet, and nobody else`, async () => {
    const store = await openTestStore(engine);
    const nothing = { track: () => {}, packet: () => {}, resumed: () => {}, ended: () => {} };
    const leases = new SoleLeases();
    const hub = new Hub({
      reconnectMs: 1_000,
      leases,
      now: Date.now,
      monotonicMs: () => performance.now(),
      pushPace: new PushPace({
        perMinute: 1_000,
        accountPerMinute: 1_000,
        refusals: { note: () => {} },
      }),
      openReader: () => nothing,
      log,
    });
    const publish = async () => {
      const id = await newChannel(store);
      const row = await store.one<{ stream_key: string }>(
        'SELECT stream_key FROM channels WHERE id = $1',
        [id],
      );
      const channel = await channelOfKey(store, row?.stream_key ?? '');
      if (!channel) throw new Error('no channel');
      const aborted = Promise.withResolvers<string>();
      hub.publish(channel, leases.take(channel), aborted.resolve);
      return { channel, aborted: aborted.promise };
    };
    const cut = await publish();
    const left = await publish();
    const shown = new Set([left.channel.play_id, 'of no channel']);
    const forgotten = Promise.withResolvers<string>();
    const addresses = {
      get playIds() {
        return [...shown];
      },
      forget: (playId: string) => {
        shown.delete(playId);
        forgotten.resolve(playId);
      },
    };
    open.push(startKeyWatch({ store, hub, addresses, log }), hub);
    const owner = { account_id: 1, manager_id: 0 };
    const { stream_key } = await store.perform(rotateKey, { id: cut.channel.id, owner });
    expect(await cut.aborted).toBe(keyChanged);
    expect(hub.streams.map(({ channel }) => channel.id)).toEqual([left.channel.id]);
    expect(await forgotten.promise).toBe('of no channel');
    expect([...shown]).toEqual([left.channel.play_id]);
    // Who comes with the new key is not taken for a return of the old one.
    const renewed = { ...left.channel, stream_key: 'another' };
    hub.publish(renewed, leases.take(renewed), () => {});
    expect(await left.aborted).toBe(keyChanged);
    expect(stream_key).not.toBe(cut.channel.stream_key);
    expect(hub.streams.map(({ channel }) => channel.stream_key)).toEqual(['another']);
    const deleted = await publish();
    await store.perform(deleteChannel, { id: deleted.channel.id, owner, now: Date.now() });
    expect(await deleted.aborted).toBe(channelDeleted);
    await store.close();
  });
