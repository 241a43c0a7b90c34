// Refusals and allowed networks as the command line and the service exchange them, on both engines.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { openTestStore } from '../../../test/support/store.ts';
import { startLog } from '../lib/log.ts';
import { allowNetwork, disallowNetwork, listNetworks } from './network-store.ts';
import { startPeers } from './peers.ts';
import { keepRefusals, listRefusals } from './refusal-store.ts';
import { Refusals } from './refusals.ts';

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    afterAll(() => store.close());

    const refusal = (who: string, last_at: number) => ({
      kind: 'rtmp',
      reason: 'full',
      sentence: 'all are taken',
      who,
      count: 3,
      first_at: 1_000,
      last_at,
    });

    test('each service shows its own refusals, as they are now', async () => {
      const crowd = Array.from({ length: 250 }, (_, n) => refusal(`192.0.2.${n}`, 5_000));
      await store.perform(keepRefusals, { node: 'a', refusals: crowd });
      await store.perform(keepRefusals, { node: 'b', refusals: [refusal('late', 9_000)] });
      const shown = await store.perform(listRefusals, { from: 5_000 });
      expect(shown).toHaveLength(251);
      expect(shown[0]).toEqual(refusal('late', 9_000));
      await store.perform(keepRefusals, { node: 'a', refusals: [] });
      expect(await store.perform(listRefusals, { from: 5_000 })).toHaveLength(1);
      expect(await store.perform(listRefusals, { from: 9_001 })).toEqual([]);
    });

    test('a network is allowed until it is removed', async () => {
      const network = '192.0.2.0/24';
      await store.perform(allowNetwork, { network, note: 'a school', created_at: 7 });
      const peers = await startPeers({ store, node: 'c', ...quiet() });
      // The first look was begun by the start; to stop waits for it.
      await peers.stop();
      expect(peers.isAllowed('192.0.2.77')).toBe(true);
      expect(peers.isAllowed('192.0.3.1')).toBe(false);
      expect(peers.isAllowed('2001:db8:0:0::/64')).toBe(false);
      expect(await store.perform(listNetworks, {})).toEqual([
        { network, note: 'a school', created_at: 7 },
      ]);
      expect(await store.perform(disallowNetwork, { network })).toBe(true);
      expect(await store.perform(disallowNetwork, { network })).toBe(false);
    });

    test('an allowed IPv6 network is known by the names that are counted', async () => {
      const network = '2001:db8::/32';
      await store.perform(allowNetwork, { network, note: '', created_at: 7 });
      const peers = await startPeers({ store, node: 'd', ...quiet() });
      await peers.stop();
      expect(peers.isAllowed('2001:db8:0:0::/64')).toBe(true);
      expect(peers.isAllowed('2001:db9:0:0::/64')).toBe(false);
    });

    test('an allowed IPv6 address stands for the network that it is counted with', async () => {
      await store.perform(allowNetwork, { network: '2001:db7::5', note: '', created_at: 7 });
      const peers = await startPeers({ store, node: 'e', ...quiet() });
      await peers.stop();
      expect(peers.isAllowed('2001:db7:0:0::/64')).toBe(true);
      expect(peers.isAllowed('2001:db7:0:1::/64')).toBe(false);
      expect(peers.isAllowed('192.0.2.1')).toBe(false);
    });
  });
}

/** Nothing was refused yet, and nothing is logged. */
function quiet() {
  const given = { now: () => 0, log: startLog('silent') };
  return { ...given, refusals: new Refusals(given) };
}
