// Title search on both engines equals a plain filter in memory.
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { engines } from '../../../test/support/engines.ts';
import { newChannel, openTestStore, plainVideo } from '../../../test/support/store.ts';
import { addVideos, listVideos } from '../../library/videos/video-store.ts';
import { folded, searchTitles, type TitleBounds } from './title-search.ts';

/** Few letters, so that names and searches often meet; with what each engine could take for its own syntax. */
const letters = [
  'a',
  'B',
  'b',
  'Ä',
  'ä',
  '直',
  '播',
  '间',
  '%',
  '_',
  '\\',
  '"',
  "'",
  '*',
  ' ',
  '-',
  'ß',
  'Σ',
  'ς',
  's',
  'İ',
  '😀',
  '\u0301',
];
const word = (maxLength: number) =>
  fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength }).map((list) => list.join(''));

test.each([
  ['Straße', 'STRASSE'],
  ['ΟΔΟΣ', 'οδος'],
  ['ÄÖ', 'äö'],
])('%j and %j are one when folded', (one, other) => {
  expect(folded(one)).toBe(folded(other));
});

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine);
    const channel_id = await newChannel(store);
    const names = fc.sample(word(12), { numRuns: 150, seed: 7 });
    await store.perform(addVideos, {
      account_id: 1,
      videos: names.map((name, at) => plainVideo({ external_id: String(at), channel_id, name })),
    });
    afterAll(() => store.close());

    test('any title finds just the names that contain it, in any case', async () => {
      await fc.assert(
        fc.asyncProperty(word(5), async (title) => {
          const query = {
            owner: { account_id: 1, manager_id: 0 },
            title,
            act_id: undefined,
            manager: undefined,
          };
          const { total, rows } = await store.perform(listVideos, {
            ...query,
            limit: 1_000,
            offset: 0,
          });
          const expected = names.filter((name) => folded(name).includes(folded(title))).reverse();
          expect(rows.map(({ name }) => name)).toEqual(expected);
          expect(total).toBe(expected.length);
        }),
        { numRuns: 200 },
      );
    });

    /** A page of the account's videos by title, and the same by a plain filter. */
    const found = async (
      title: string,
      {
        bounds,
        limit = 1_000,
        offset = 0,
      }: { bounds: TitleBounds; limit?: number; offset?: number },
    ) => {
      const all = await store.all<{ id: number; folded_name: string }>(
        'SELECT id, folded_name FROM videos ORDER BY id DESC',
      );
      const ids = all
        .filter(({ folded_name }) => folded_name.includes(folded(title)))
        .map(({ id }) => id);
      const search = {
        from: 'videos v',
        id: 'v.id',
        columns: [['v.account_id', 1]],
        matching: [],
        title,
        rows: all.length,
        limit,
        offset,
      } as const;
      return {
        answered: await searchTitles(store, search, bounds),
        expected: { total: ids.length, ids: ids.slice(offset, offset + limit) },
      };
    };

    test.each([
      ['by comparing rows', { scanned: 1_000, candidates: 0, step: 7 }],
      ['by the index', { scanned: 0, candidates: 1_000, step: 1_000 }],
      [
        'by the index, or by comparing rows where it proposes many',
        { scanned: 0, candidates: 5, step: 20 },
      ],
    ])('any page of the names is found %s', async (_, bounds) => {
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(word(5), fc.constantFrom(...names)),
          fc.integer({ min: 1, max: 30 }),
          fc.integer({ min: 0, max: 40 }),
          async (title, limit, offset) => {
            const { answered, expected } = await found(title, { bounds, limit, offset });
            expect(answered).toEqual(expected);
          },
        ),
        { numRuns: 200 },
      );
    });

    test('a name longer than what is asked of the index is found', async () => {
      const name = 'A long name "of many words", more than the index is asked for: ÄÖÜ';
      await store.perform(addVideos, {
        account_id: 1,
        videos: [plainVideo({ external_id: 'long', channel_id, name })],
      });
      const bounds = { scanned: 0, candidates: 1_000, step: 1_000 };
      for (const title of [name, name.slice(7, 50).toUpperCase(), `${name}!`]) {
        const { answered, expected } = await found(title, { bounds });
        expect(answered).toEqual(expected);
        expect(answered.total).toBe(title === `${name}!` ? 0 : 1);
      }
    });
  });
}
