// How far a look for somebody goes, on both engines: over many stretches of visitors, and no further than its bounds.
import { describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { enterAnew, entry, newChannel, openTestStore } from '../../../test/support/store.ts';
import { findSessions, findVisitors, foundMax } from './audience-search.ts';

const begin = Date.UTC(2026, 4, 4, 12, 0, 0);

for (const engine of engines)
  describe(engine.name, () => {
    test('somebody from long ago is found, however many came since', async () => {
      const store = await openTestStore(engine);
      const channel_id = await newChannel(store);
      await enterAnew(store, channel_id, [entry('early bird', begin)]);
      const came = async (count: number) =>
        await store.run('UPDATE channel_audience SET next_visitor_seq = $2 WHERE channel_id = $1', [
          channel_id,
          count,
        ]);
      const search = { account_id: 1, channel_id, q: 'BIRD', filtered: false };
      await came(90_000);
      const found = await findVisitors(store, search);
      expect(found).toMatchObject({ rows: [{ viewer_id: 'early bird' }], isWhole: true });
      // Beyond a million nobody is looked at, and that is said.
      await came(1_200_000);
      expect(await findVisitors(store, search)).toEqual({ rows: [], isWhole: false });
    });

    test('more than are told are not told, and that is said', async () => {
      const store = await openTestStore(engine);
      const channel_id = await newChannel(store);
      const entries = Array.from({ length: foundMax + 5 }, (_, n) => entry(`v${n}`, begin + n));
      await enterAnew(store, channel_id, entries);
      const search = { account_id: 1, channel_id, q: 'v', filtered: false };
      const found = await findVisitors(store, search);
      expect(found.isWhole).toBeFalse();
      expect(found.rows.length).toBe(foundMax);
      expect(found.rows[0]?.viewer_id).toBe(`v${foundMax + 4}`);
      const sessions = await findSessions(store, search);
      expect([sessions.rows.length, sessions.isWhole]).toEqual([foundMax, false]);
    });
  });
