// A store that is told to end: nobody waits any longer, and until then nothing is different.
import { describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { openTestStore } from '../../../test/support/store.ts';
import { endableStore } from './endable-store.ts';
import { probe } from './probe.ts';

for (const engine of engines) {
  describe(engine.name, () => {
    test('until its end it answers as the store does, with rows and with errors', async () => {
      const store = endableStore(await openTestStore(engine));
      await store.perform(probe, { now: 7 });
      expect(await store.one('SELECT CAST($1 AS BIGINT) AS n', [1])).toEqual({ n: 1 });
      expect(await store.all('SELECT CAST($1 AS BIGINT) AS n', [2])).toEqual([{ n: 2 }]);
      await expect((async () => await store.one('SELECT nothing'))()).rejects.toThrow('nothing');
      expect(store.end()).toBe(0);
    });

    test('its end refuses the calls under way and all that follow', async () => {
      const open = await openTestStore(engine);
      const frozen = Promise.withResolvers<never>();
      const store = endableStore({ ...open, perform: () => frozen.promise });
      const order = { now: 7 };
      const underWay = [store.perform(probe, order), store.perform(probe, order)];
      const refused = Promise.allSettled(underWay);
      expect(store.end()).toBe(2);
      const told = { status: 'rejected', reason: { kind: 'unavailable' } };
      expect(await refused).toMatchObject([told, told]);
      await expect(store.perform(probe, order)).rejects.toThrow('The service is stopping');
      await expect((async () => await store.one('SELECT 1'))()).rejects.toThrow('is stopping');
    });
  });
}
