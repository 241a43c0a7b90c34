// Title search on both engines equals a plain filter in memory.
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { engines } from '../../test/support/engines.ts';
import { newChannel, openTestStore, plainVideo } from '../../test/support/store.ts';
import { addVideos, listVideos } from '../videos/video-store.ts';
import { where } from './sql.ts';
import { folded, titleContains } from './title-search.ts';

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

    test.each([
      ['by comparing rows', { scanned: 150, candidates: 0 }],
      ['by the index', { scanned: 0, candidates: 150 }],
      ['by the index, or by comparing rows where it proposes many', { scanned: 0, candidates: 5 }],
    ])('names are found %s', async (_, bounds) => {
      await fc.assert(
        fc.asyncProperty(fc.oneof(word(5), fc.constantFrom(...names)), async (title) => {
          const rows = names.length;
          const filter = where(await titleContains(store, { title, rows }, bounds));
          const found = await store.all<{ name: string }>(
            `SELECT v.name FROM videos v ${filter.text} ORDER BY v.id`,
            filter.params,
          );
          const expected = names.filter((name) => folded(name).includes(folded(title)));
          expect(found.map(({ name }) => name)).toEqual(expected);
        }),
        { numRuns: 200 },
      );
    });

    test('a name longer than what is asked of the index is found', async () => {
      const name = 'A long name "of many words", more than the index is asked for: ÄÖÜ';
      await store.perform(addVideos, {
        account_id: 1,
        videos: [plainVideo({ external_id: 'long', channel_id, name })],
      });
      for (const title of [name, name.slice(7, 50).toUpperCase(), `${name}!`]) {
        const filter = where(await titleContains(store, { title, rows: 1 }, indexed));
        const found = await store.all(`SELECT v.id FROM videos v ${filter.text}`, filter.params);
        expect(found).toHaveLength(title === `${name}!` ? 0 : 1);
      }
    });
  });
}

const indexed = { scanned: 0, candidates: 1_000 };
