import { describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { claimPush } from '../live/push-lease-store.ts';
import { StreamPlaces } from './stream-places.ts';

for (const engine of engines) {
  describe(engine.name, () => {
    test('a crowd asks once, a flood a few at once, and that nothing is there holds for a second', async () => {
      const store = await openTestStore(engine);
      const channel_id = await newChannel(store);
      const sql = 'SELECT play_id FROM channels WHERE id = $1';
      const playId = (await store.one<{ play_id: string }>(sql, [channel_id]))?.play_id ?? '';
      const time = { ms: 0, asked: 0, atOnce: 0, most: 0 };
      const counted: Store = Object.create(store, {
        for: {
          value: () => ({
            dialect: store.dialect,
            one: async (...asked: Parameters<Store['one']>) => {
              time.asked += 1;
              time.atOnce += 1;
              time.most = Math.max(time.most, time.atOnce);
              const found = await store.one(...asked);
              time.atOnce -= 1;
              return found;
            },
          }),
        },
      });
      const places = new StreamPlaces({ store: counted, monotonicMs: () => time.ms });
      const many = <T>(ask: (at: number) => Promise<T>) =>
        Promise.all(Array.from({ length: 50 }, (_, at) => ask(at)));
      expect(new Set(await many(() => places.find(playId, '192.0.2.1')))).toEqual(
        new Set([undefined]),
      );
      expect(time.asked).toBe(1);
      const claim = { channel_id, node: 'a', key_hash: 'k', push: 'p', now: 5_000 };
      const more = { reconnectMs: 10_000, heldEpoch: undefined, silentSince: undefined };
      await store.perform(claimPush, { ...claim, ...more });
      time.ms += 999;
      expect(await places.find(playId, '192.0.2.1')).toBeUndefined();
      expect(time.asked).toBe(1);
      time.ms += 1;
      expect(await places.find(playId, '192.0.2.1')).toEqual({
        ...{ channel_id, account_id: 1, node: 'a' },
      });
      // One network has half of the places.
      await many((at) => places.find(`nothing ${at}`, '192.0.2.1'));
      expect(time.most).toBe(2);
      await store.close();
    });
  });
}
