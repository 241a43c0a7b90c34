// Reads of many rows pass over an index alone, and so many of them in a statement.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { newChannel, openTestStore, plainVideo } from '../../../test/support/store.ts';
import { tracesOfViewer } from '../../audience/privacy/viewer-data-store.ts';
import { listChannels } from '../../library/channels/channel-store.ts';
import { addVideos, listVideos } from '../../library/videos/video-store.ts';
import { searchInSteps, stepsOf } from './row-steps.ts';
import type { Sql, Value } from './sql.ts';

const owner = { account_id: 1, manager_id: 0 };
const channels = { owner, live: false, manager: undefined, limit: 1, offset: 1 };
const videos = { ...channels, title: undefined, act_id: undefined };

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    const channel_id = await newChannel(store);
    await newChannel(store);
    const added = Array.from({ length: 25 }, (_, at) =>
      plainVideo({ external_id: `${at}`, channel_id, name: `show ${at}` }),
    );
    await store.perform(addVideos, { account_id: 1, videos: added });
    afterAll(() => store.close());

    test.each([
      [10, 3],
      [25, 2],
      [26, 1],
    ])('steps of %d make %d of 25 rows, and each row is in one', async (rowsMax, steps) => {
      const rows = { from: 'videos v', id: 'v.id', columns: [['v.account_id', 1]] } as const;
      expect(await Array.fromAsync(stepsOf(store, rows, rowsMax))).toHaveLength(steps);
      const search = { ...rows, matching: [], limit: 1_000, offset: 0 };
      const { total, ids } = await searchInSteps(store, search, rowsMax);
      expect([total, new Set(ids).size]).toEqual([25, 25]);
      expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    });

    test('a statement that is refused ends the read', async () => {
      let statements = 0;
      const late = new Error('late');
      const one: Sql['one'] = (text, params) => {
        statements += 1;
        if (statements > 3) throw late;
        return store.one(text, params);
      };
      const search = {
        from: 'videos v',
        id: 'v.id',
        columns: [['v.account_id', 1]],
        matching: [],
        limit: 1,
        offset: 0,
      } as const;
      expect(searchInSteps({ ...store, one }, search, 5)).rejects.toBe(late);
      expect(statements).toBeLessThanOrEqual(4);
    });

    if (engine.name === 'sqlite') {
      test.each([
        ['a short title', (sql: Sql) => listVideos.run(sql, { ...videos, title: 'ho' })],
        ['a far page of videos', (sql: Sql) => listVideos.run(sql, videos)],
        ['a far page of channels', (sql: Sql) => listChannels.run(sql, channels)],
        [
          'the channels of a viewer',
          (sql: Sql) => tracesOfViewer.run(sql, { account_id: 1, viewer_id: 'somebody' }),
        ],
      ])('%s: what is passed over lies in an index', async (_, ask) => {
        const plans: string[] = [];
        const explained = async (text: string, params: readonly Value[] = []) => {
          const plan = await store.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, params);
          plans.push(...plan.map(({ detail }) => detail));
        };
        await ask({
          ...store,
          all: async (text, params) => {
            await explained(text, params);
            return await store.all(text, params);
          },
          one: async (text, params) => {
            await explained(text, params);
            return await store.one(text, params);
          },
        });
        // By their ids: the rows that are shown.
        const passed = plans.filter(
          (detail) => /^(SEARCH|SCAN) [a-z]/.test(detail) && !/PRIMARY KEY|json_each/.test(detail),
        );
        expect(passed.length).toBeGreaterThan(0);
        for (const detail of passed) expect(detail).toContain('COVERING INDEX');
      });
    }
  });
}
