// Whose turn it is at a channel's audience, where several services write it.
import { afterAll, expect, test } from 'bun:test';
import { postgres } from '../../../test/support/engines.ts';
import { until } from '../../../test/support/live-channel.ts';
import { enterAnew, entry, newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Turn } from '../../base/db/dialect.ts';
import { startPostgresStore } from '../../base/db/postgres.ts';
import { type Store, write } from '../../base/db/sql.ts';
import { lockAudience } from './channel-audience-store.ts';

const stores: Store[] = [];
afterAll(() => Promise.all(stores.map((store) => store.close())));

test('on PostgreSQL a flush is alone or shares, and passes nobody who waits to be alone', async () => {
  const url = await (await postgres()).freshDatabase();
  const fresh = async () => ({ DATA_DIR: '', DATABASE_URL: url });
  const watcher = await openTestStore({ name: 'postgres', fresh });
  const store = startPostgresStore({ url, size: 8, deadlineMs: 60_000 });
  stores.push(watcher, store);
  const channel_id = await newChannel(watcher);
  await enterAnew(watcher, channel_id, [entry('v', 0)]);
  const told: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const hold = write(
    'test.hold',
    async (sql, { name, how }: { channel_id: number; name: string; how: Turn }) => {
      const { is_alone } = await lockAudience(sql, channel_id, how);
      told.push(`${name} ${is_alone === 1 ? 'alone' : 'shared'}`);
      await ends.get(name)?.promise;
    },
  );
  const take = (name: string, how: Turn) => {
    ends.set(name, Promise.withResolvers());
    return store.perform(hold, { channel_id, name, how });
  };
  const untilWaiting = (count: number) =>
    until(
      async () => {
        const row = await watcher.one<{ n: number }>(
          `SELECT COUNT(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        );
        return row?.n === count;
      },
      { withinMs: 30_000, otherwise: `${count} never waited: ${told}` },
    );
  const untilTold = (count: number) =>
    until(() => told.length === count, { withinMs: 30_000, otherwise: `only ${told} came` });

  const all = [take('first', 'shared')];
  await untilTold(1);
  all.push(take('second', 'shared'), take('third', 'shared'));
  await untilWaiting(2);
  ends.get('first')?.resolve();
  await untilTold(3);
  all.push(take('entry', 'alone'));
  await untilWaiting(1);
  all.push(take('late', 'shared'));
  await untilWaiting(2);
  for (const name of ['second', 'third']) ends.get(name)?.resolve();
  await untilTold(4);
  ends.get('entry')?.resolve();
  await untilTold(5);
  ends.get('late')?.resolve();
  await Promise.all(all);
  expect([told[0], ...told.slice(1, 3).sort(), ...told.slice(3)]).toEqual([
    'first alone',
    'second shared',
    'third shared',
    'entry alone',
    'late shared',
  ]);
});
