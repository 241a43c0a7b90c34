// Lists of videos: any page of any question.
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { engines } from '../../../test/support/engines.ts';
import { newChannel, openTestStore, plainVideo } from '../../../test/support/store.ts';
import { addVideos, isTotalKept, listVideos, type VideoQuery } from './video-store.ts';

const owner = { account_id: 1, manager_id: 0 };
const everything: VideoQuery = {
  owner,
  title: undefined,
  act_id: undefined,
  manager: undefined,
  limit: 20,
  offset: 0,
};

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    const channels = [await newChannel(store), await newChannel(store)];
    const videos = Array.from({ length: 60 }, (_, at) =>
      plainVideo({ external_id: `${at}`, channel_id: channels[at % 2] ?? 0, name: `show ${at}` }),
    );
    await store.perform(addVideos, { account_id: 1, videos });
    // A channel's manager may have changed since.
    await store.run('UPDATE videos SET manager_id = 7 WHERE id % 3 = 0');
    afterAll(() => store.close());

    test('videos of a manager and a channel are found page by page, and counted', async () => {
      const all = await store.all<{ id: number; channel_id: number; manager_id: number }>(
        'SELECT id, channel_id, manager_id FROM videos ORDER BY id DESC',
      );
      const query = fc.record({
        act_id: fc.constantFrom(...channels, 999),
        manager: fc.constantFrom(0, 7, 8),
        title: fc.constantFrom(undefined, 'sh', 'show'),
        limit: fc.integer({ min: 1, max: 30 }),
        offset: fc.integer({ min: 0, max: 30 }),
      });
      await fc.assert(
        fc.asyncProperty(query, async ({ act_id, manager, title, limit, offset }) => {
          const given = { ...everything, act_id, manager, title, limit, offset };
          const { total, rows } = await store.perform(listVideos, given);
          const wanted = all.filter(
            (row) => row.channel_id === act_id && row.manager_id === manager,
          );
          expect(total).toBe(wanted.length);
          expect(rows.map(({ id }) => id)).toEqual(
            wanted.slice(offset, offset + limit).map(({ id }) => id),
          );
        }),
      );
    });
  });
}

test.each([
  [{}, true],
  [{ act_id: 1 }, true],
  [{ manager: 1 }, true],
  [{ act_id: 1, manager: 1 }, false],
  [{ act_id: 1, owner: { account_id: 1, manager_id: 5 } }, false],
  [{ owner: { account_id: 1, manager_id: 5 } }, true],
  [{ title: 'a' }, false],
] as [Partial<VideoQuery>, boolean][])(
  'of %j a total is kept, so that no rows are counted on the thread that serves everyone: %j',
  (asked, expected) => {
    expect(isTotalKept({ ...everything, ...asked })).toBe(expected);
  },
);
