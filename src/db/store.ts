// Opens the database a setting names, on either engine, with its tables up to date.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from './migrate.ts';
import { type Migration, migrations } from './migrations.ts';
import { type ServiceLock, takeServiceLock } from './service-lock.ts';
import { type AnyOperation, type Operation, type Sql, type Store, write } from './sql.ts';
import { openSqliteStore, startSqliteStore } from './sqlite-store.ts';

export interface StoreSettings {
  /** `postgres://…`, or empty for SQLite in the data folder. */
  databaseUrl: string;
  dataDir: string;
  deadlineMs: number;
  /** Connections to PostgreSQL at most. */
  connectionsMax: number;
}

/** Work that waits for no caller (migrations, imports) may take this long for one statement. */
const unhurriedMs = 6 * 3_600_000;
/** The advisory lock that programs migrating one PostgreSQL database take; any fixed number does. */
const migrationLock = 7_074_719_215;

/** The store of the running service. `lock` is held on a SQLite folder; PostgreSQL takes several nodes. */
export async function startServiceStore(
  settings: StoreSettings,
  workerUrl: URL,
): Promise<{ store: Store; lock: ServiceLock | undefined }> {
  if (settings.databaseUrl !== '') {
    await migrateDatabase(settings);
    return { store: await startPostgres(settings), lock: undefined };
  }
  makeDataDir(settings.dataDir);
  const lock = takeServiceLock(join(settings.dataDir, 'service.lock'));
  if (!lock) {
    throw new Error(
      `another Footlight is running on the data folder ${settings.dataDir}: stop it, or give this one a DATA_DIR of its own`,
    );
  }
  try {
    await migrateDatabase(settings);
    const file = sqliteFile(settings);
    const { deadlineMs } = settings;
    return { store: await startSqliteStore({ file, workerUrl, deadlineMs }), lock };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The store of a command: works on the same data while the service runs. */
export async function openCommandStore(
  settings: StoreSettings,
  operations: readonly AnyOperation[],
): Promise<Store> {
  if (settings.databaseUrl !== '') {
    await migrateDatabase(settings);
    return await startPostgres({ ...settings, deadlineMs: unhurriedMs, connectionsMax: 1 });
  }
  makeDataDir(settings.dataDir);
  await migrateDatabase(settings);
  return openSqliteStore({ file: sqliteFile(settings), operations, deadlineMs: commandBusyMs });
}

/** A command waits this long for the service to finish a write. */
const commandBusyMs = 30_000;

export function sqliteFile(settings: Pick<StoreSettings, 'dataDir'>): string {
  return join(settings.dataDir, 'footlight.db');
}

function makeDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
}

/** `pg` is loaded only where it is used: it would be a tenth of an idle service's memory. */
async function startPostgres({
  databaseUrl,
  connectionsMax,
  deadlineMs,
}: StoreSettings): Promise<Store> {
  const { startPostgresStore } = await import('./postgres.ts');
  return startPostgresStore({ url: databaseUrl, size: connectionsMax, deadlineMs });
}

/**
 * Brings the database up to date, and says how many steps that took. A step is a write like any other, on a
 * store opened for it alone. `steps` are this program's own; a trial of upgrades passes another list.
 */
export async function migrateDatabase(
  settings: StoreSettings,
  steps: readonly Migration[] = migrations,
): Promise<number> {
  const step: Operation<(sql: Sql) => Promise<unknown>, unknown> = write(
    'migrate',
    async (sql, work) => {
      if (sql.dialect === 'postgres')
        await sql.one('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
      return await work(sql);
    },
  );
  const operations = [step as AnyOperation];
  const store =
    settings.databaseUrl === ''
      ? openSqliteStore({ file: sqliteFile(settings), operations, deadlineMs: unhurriedMs })
      : await startPostgres({ ...settings, deadlineMs: unhurriedMs, connectionsMax: 1 });
  try {
    return await migrate((work) => store.perform(step, work) as ReturnType<typeof work>, steps);
  } finally {
    await store.close();
  }
}
