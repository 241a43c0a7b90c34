// Batches: any text arrives as it is, on both engines, and nothing is asked for no rows.
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { engines } from '../../../test/support/engines.ts';
import { openTestStore } from '../../../test/support/store.ts';
import { batchStatement } from './batch.ts';
import { write } from './sql.ts';

const columns = { prefix: 'text', name: 'text', value: 'text' } as const;

const add = batchStatement(
  columns,
  ({ prefix, name, value }, from) => `
    INSERT INTO secrets (name, value) SELECT ${prefix} || ${name}, ${value} ${from()}`,
);

const change = batchStatement(
  columns,
  ({ prefix, name, value }, from) => `
    UPDATE secrets SET value = ${value} ${from()} WHERE secrets.name = ${prefix} || ${name}`,
);

const find = batchStatement(
  { prefix: 'text', name: 'text' },
  ({ prefix, name }, from) => `
    SELECT secrets.value ${from('secrets')} WHERE secrets.name = ${prefix} || ${name}`,
);

type Row = Parameters<typeof add.run>[1][number];

const addAll = write('test.addAll', (sql, rows: Row[]) => add.run(sql, rows));
const changeAll = write('test.changeAll', (sql, rows: Row[]) => change.run(sql, rows));

const awkward = [
  '',
  'NULL',
  '"',
  '\\',
  '\\"',
  '{}',
  '{"a",b}',
  ',',
  "'",
  'a\nb\tc',
  '中文 🎉',
  '$1',
];

for (const engine of engines) {
  describe(engine.name, async () => {
    const store = await openTestStore(engine, [addAll, changeAll]);
    afterAll(() => store.close());
    let prefixes = 0;
    const newPrefix = () => `batch ${prefixes++} `;

    test('every row is added, changed and found with its own text', async () => {
      const text = fc.oneof(fc.constantFrom(...awkward), fc.string({ unit: 'grapheme' }));
      const printable = text.map((value) => value.replaceAll('\0', ''));
      await fc.assert(
        fc.asyncProperty(fc.uniqueArray(printable, { maxLength: 20 }), async (texts) => {
          const prefix = newPrefix();
          const rows = texts.map((value) => ({ prefix, name: value, value }));
          expect(await store.perform(addAll, rows)).toBe(rows.length);
          const found = async () => {
            const all = await find.all<{ value: string }>(store, rows);
            return all.map(({ value }) => value).sort();
          };
          expect(await found()).toEqual([...texts].sort());
          const changed = rows.map((row) => ({ ...row, value: `${row.value}!` }));
          expect(await store.perform(changeAll, changed)).toBe(rows.length);
          expect(await found()).toEqual(texts.map((value) => `${value}!`).sort());
        }),
        { numRuns: 40, examples: [[awkward], [[]]] },
      );
    });

    test('a row that is not there changes nothing, and does not keep the others from it', async () => {
      const prefix = newPrefix();
      await store.perform(addAll, [{ prefix, name: 'a', value: '1' }]);
      const rows = ['z', 'a', 'b'].map((name) => ({ prefix, name, value: '2' }));
      expect(await store.perform(changeAll, rows)).toBe(1);
      expect(await find.all<{ value: string }>(store, rows)).toEqual([{ value: '2' }]);
    });

    test('an error in one row leaves none of them', async () => {
      const prefix = newPrefix();
      const rows = ['a', 'b', 'a'].map((name) => ({ prefix, name, value: '' }));
      expect(store.perform(addAll, rows)).rejects.toThrow();
      expect(await find.all(store, rows)).toEqual([]);
    });
  });
}
