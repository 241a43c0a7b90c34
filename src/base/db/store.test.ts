// Bringing a database up to date beside another program that holds its lock.
import { describe, expect, test } from 'bun:test';
import { DatabaseSync } from 'node:sqlite';
import { type Engine, engines } from '../../../test/support/engines.ts';
import { onDatabase } from '../../../test/support/postgres.ts';
import { type Migration, migrations } from './migrations.ts';
import type { Dialect } from './sql.ts';
import { migrateDatabase, openCommandStore, type StoreSettings, sqliteFile } from './store.ts';

for (const engine of engines) {
  describe(engine.name, () => {
    test('a database that is up to date is opened beside a held lock', async () => {
      const settings = await upToDate(engine);
      await besideLock(settings, async () => {
        // Whoever waits for the lock waits in vain here.
        const store = await openCommandStore(settings, []);
        expect(await store.all('SELECT id FROM tokens')).toEqual([]);
        await store.close();
      });
    });

    test('a step that is missing waits for the lock, but not for ever, and says so', async () => {
      const settings = await upToDate(engine);
      const steps = [...migrations, oneMore(() => 'CREATE TABLE one_more (n INTEGER)')];
      await besideLock(settings, async () => {
        const askedAt = performance.now();
        await expect(migrateDatabase(settings, steps, 1_000)).rejects.toThrow(
          'another program has held the database for 1 s',
        );
        expect(performance.now() - askedAt).toBeGreaterThan(900);
      });
      expect(await migrateDatabase(settings, steps, 1_000)).toBe(1);
      expect(await migrateDatabase(settings, steps, 1_000)).toBe(0);
    });

    test('a step may run for longer than the lock is waited for', async () => {
      const settings = await upToDate(engine);
      const steps = [...migrations, oneMore((dialect) => longStatement[dialect])];
      const askedAt = performance.now();
      expect(await migrateDatabase({ ...settings, deadlineMs: 100 }, steps, 100)).toBe(1);
      expect(performance.now() - askedAt).toBeGreaterThan(200);
    });
  });
}

const longStatement: Record<Dialect, string> = {
  sqlite: `CREATE TABLE counted AS
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000000)
    SELECT COUNT(*) AS n FROM numbers`,
  postgres: 'CREATE TABLE counted AS SELECT 1 AS n FROM pg_sleep(0.5)',
};

function oneMore(statement: (dialect: Dialect) => string): Migration {
  return { name: 'one more', statements: (_words, dialect) => [statement(dialect)] };
}

async function upToDate(engine: Engine): Promise<StoreSettings> {
  const { DATA_DIR, DATABASE_URL } = await engine.fresh();
  const settings = {
    dataDir: DATA_DIR,
    databaseUrl: DATABASE_URL,
    deadlineMs: 10_000,
    connectionsMax: 1,
  };
  await migrateDatabase(settings);
  return settings;
}

/** Runs `work` while another program is inside a write on SQLite, inside a migration on PostgreSQL. */
async function besideLock(settings: StoreSettings, work: () => Promise<void>): Promise<void> {
  if (settings.databaseUrl !== '') {
    await onDatabase(settings.databaseUrl, async (client) => {
      await client.query('BEGIN; SELECT pg_advisory_xact_lock(7074719215)');
      await work();
    });
    return;
  }
  const db = new DatabaseSync(sqliteFile(settings));
  db.exec('BEGIN IMMEDIATE');
  try {
    await work();
  } finally {
    db.close();
  }
}
