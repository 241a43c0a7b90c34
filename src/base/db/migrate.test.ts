import { expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { openTestStore } from '../../../test/support/store.ts';
import { migrate, NewerDatabase } from './migrate.ts';
import { type Migration, migrations } from './migrations.ts';

const added: Migration = {
  name: 'a table more',
  expands: true,
  statements: ({ int, table }) => [`CREATE TABLE more (id ${int} PRIMARY KEY) ${table}`],
};
const taken: Migration = {
  name: 'a table less',
  expands: false,
  statements: () => ['DROP TABLE more'],
};

for (const engine of engines)
  test(`on ${engine.name} a program works beside newer steps that only add, and refuses one that takes`, async () => {
    const store = await openTestStore(engine);
    const upTo = (steps: readonly Migration[]) => migrate(store, (work) => work(store), steps);
    expect(await upTo([...migrations, added])).toBe(1);
    expect(await upTo(migrations)).toBe(0);
    expect(await upTo([...migrations, added, taken])).toBe(1);
    await expect(upTo([...migrations, added])).rejects.toThrow(NewerDatabase);
    await expect(upTo(migrations)).rejects.toThrow(NewerDatabase);
    await store.close();
  });
