// The list of what is backed up holds for every table and every sequence that there is, on both engines.
import { expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { openTestStore } from '../../../test/support/store.ts';
import { backedUp, leftBehind } from './backup-tables.ts';
import { lastIds } from './last-ids.ts';
import { tableShapes } from './table-shape.ts';

test('every table is backed up or left behind, and both engines have the same', async () => {
  const [sqlite, postgres] = await Promise.all(
    engines.map(async (engine) => {
      const store = await openTestStore(engine);
      const shapes = await tableShapes(store);
      const ids = await lastIds(store, shapes.values());
      const sequences =
        engine.name === 'postgres'
          ? await store.all(
              'SELECT sequencename FROM pg_sequences WHERE schemaname = current_schema()',
            )
          : [];
      await store.close();
      return { shapes, ids, sequences };
    }),
  );
  const known = [...Object.keys(backedUp), ...Object.keys(leftBehind)].sort();
  expect([...(sqlite?.shapes.keys() ?? [])].sort()).toEqual(known);
  // Columns are written and read by their place.
  const inOrder = (one: typeof sqlite) => Object.fromEntries(one?.shapes ?? []);
  expect(inOrder(postgres)).toEqual(inOrder(sqlite));
  // A row is found by its key alone.
  expect([...(sqlite?.shapes.values() ?? [])].filter(({ key }) => key.length === 0)).toEqual([]);
  expect(postgres?.ids).toEqual(sqlite?.ids as Record<string, number>);
  expect(postgres?.sequences.length).toBe(Object.keys(sqlite?.ids ?? {}).length);
});
