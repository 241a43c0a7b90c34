// When a recording of several nodes becomes a video, and what is waited for no longer.
import { afterEach, describe, expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { engines, temporaryFolder } from '../../../test/support/engines.ts';
import { until } from '../../../test/support/live-channel.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { startLog } from '../../base/lib/log.ts';
import { Zone } from '../../base/lib/time.ts';
import { claimPush } from '../live/push-lease-store.ts';
import { recordingFolder } from './recording-folder.ts';
import { SharedRecordings } from './shared-recordings.ts';
import { beginStint } from './stint-store.ts';

const started: SharedRecordings[] = [];
afterEach(async () => {
  for (const one of started.splice(0)) await one.stop();
});

/** A node that sees the other, with a disk of its own. */
function start(store: Store, node: 'a' | 'b'): string {
  const dataDir = temporaryFolder();
  const other = {
    node: node === 'a' ? 'b' : 'a',
    run: 'run',
    link_url: '',
    version: '',
    isDraining: false,
  };
  started.push(
    new SharedRecordings({
      ...{ dataDir, store, everyMs: 20, log: startLog('silent'), zone: new Zone('UTC') },
      bucket: { put: async () => {} },
      nodes: { node, others: () => [other], silentMs: () => 0 },
      links: { linked: [other.node] },
      now: () => 0,
      monotonicMs: () => performance.now(),
      onVideo: () => {},
    }),
  );
  return dataDir;
}

/** A push that is over, with a stint of each node of which nothing was carried. */
async function endedPush(store: Store): Promise<void> {
  const channel_id = await newChannel(store);
  await store.perform(claimPush, {
    ...{ channel_id, node: 'b', key_hash: 'key', push: 'push', reconnectMs: 0, now: 0 },
    ...{ heldEpoch: undefined, silentSince: undefined },
  });
  for (const [at, node] of ['a', 'b'].entries())
    await store.perform(beginStint, {
      ...{ recording: 'push', push: 'push', epoch: at + 1, channel_id, account_id: 1, node },
      ...{ pushed_ms: 0, show_at: null },
    });
  await store.run("UPDATE pushes SET state = 'ended'");
}

for (const engine of engines)
  describe(engine.name, () => {
    const left = (store: Store) =>
      store.all('SELECT node, carried FROM recording_stints ORDER BY node');

    test('two nodes that lost their disks do not wait for each other', async () => {
      const store = await openTestStore(engine);
      await endedPush(store);
      for (const node of ['a', 'b'] as const) start(store, node);
      await until(async () => (await left(store)).length === 0, {
        withinMs: 10_000,
        otherwise: 'what nobody carries is waited for',
      });
      for (const one of started.splice(0)) await one.stop();
      await store.close();
    });

    test('what lies on a disk is waited for', async () => {
      const store = await openTestStore(engine);
      await endedPush(store);
      mkdirSync(recordingFolder(start(store, 'a'), 'push'), { recursive: true });
      start(store, 'b');
      const isTold = async () => JSON.stringify(await left(store)).includes('"b","carried":1');
      await until(isTold, { withinMs: 10_000, otherwise: 'b does not tell of its disk' });
      expect(await left(store)).toEqual([
        { node: 'a', carried: 0 },
        { node: 'b', carried: 1 },
      ]);
      for (const one of started.splice(0)) await one.stop();
      await store.close();
    });
  });
