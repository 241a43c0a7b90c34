// Opens the database a setting names, on either engine, with its tables up to date.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AbsentDatabase, doneSteps, OlderDatabase } from './database-state.ts';
import { checkNotNewer, migrate } from './migrate.ts';
import { type Migration, migrations } from './migrations.ts';
import type { OnAppended } from './outbox.ts';
import { type ServiceLock, takeServiceLock } from './service-lock.ts';
import { type AnyOperation, type Operation, type Sql, type Store, write } from './sql.ts';
import { isBusy } from './sqlite.ts';
import { openSqliteStore, startSqliteStore } from './sqlite-store.ts';
import type { OnRefused } from './whose.ts';

export interface StoreSettings {
  /** `postgres://…`, or empty for SQLite in the data folder. */
  databaseUrl: string;
  dataDir: string;
  deadlineMs: number;
  /** Connections to PostgreSQL at most. */
  connectionsMax: number;
  /** Told of calls that may not even wait. */
  onRefused?: OnRefused | undefined;
  /** Told of what this program has appended to outboxes; what another has, it learns by looking. */
  onAppended?: OnAppended | undefined;
}

/** Work that waits for no caller (migrations, imports) may take this long for one statement. */
const unhurriedMs = 6 * 3_600_000;
/** The advisory lock that programs migrating one PostgreSQL database take; any fixed number does. */
const migrationLock = 7_074_719_215;

/** The store of the running service. `lock` is held on the data folder: recordings lie there with either engine. */
export async function startServiceStore(
  settings: StoreSettings,
  workerUrl: URL,
): Promise<{ store: Store; lock: ServiceLock }> {
  makeDataDir(settings.dataDir);
  const lock = takeServiceLock(join(settings.dataDir, 'service.lock'));
  if (!lock) {
    throw new Error(
      `another Footlight is running on the data folder ${settings.dataDir}: stop it, or give this one a DATA_DIR of its own`,
    );
  }
  try {
    await migrateDatabase(settings);
    const { databaseUrl, deadlineMs, onRefused, onAppended } = settings;
    const file = sqliteFile(settings);
    const store =
      databaseUrl === ''
        ? await startSqliteStore({ file, workerUrl, deadlineMs, onRefused, onAppended })
        : await startPostgres(settings);
    return { store, lock };
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
    return await startPostgres(unhurried(settings, commandBusyMs));
  }
  makeDataDir(settings.dataDir);
  await migrateDatabase(settings);
  return openSqliteStore({ file: sqliteFile(settings), operations, deadlineMs: commandBusyMs });
}

/**
 * The store of a command that reads: it makes no folder, no database and no table. `notes` where a row of the audit log
 * goes along with what is read.
 */
export async function openReadingStore(
  settings: StoreSettings,
  operations: readonly AnyOperation[],
  { notes = false }: { notes?: boolean } = {},
): Promise<Store> {
  const store = await openUnchanged(settings, { operations, readOnly: !notes });
  try {
    const done = await doneSteps(store);
    if (done === 0 && settings.databaseUrl !== '')
      throw new AbsentDatabase(
        'the database that DATABASE_URL names has no tables of Footlight: start the service, or set DATABASE_URL',
      );
    if (done < migrations.length) throw new OlderDatabase(done, migrations.length);
    await checkNotNewer(store, { done, known: migrations.length });
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** As it stands, of whatever version it is; throws where there is none. */
export async function openUnchanged(
  settings: StoreSettings,
  { operations, readOnly }: { operations: readonly AnyOperation[]; readOnly: boolean },
): Promise<Store> {
  if (settings.databaseUrl !== '') return await startPostgres(unhurried(settings, commandBusyMs));
  const file = sqliteFile(settings);
  if (!existsSync(file))
    throw new AbsentDatabase(
      `there is no database in ${settings.dataDir}: start the service, or set DATA_DIR to where its data lies`,
    );
  return openSqliteStore({ file, operations, deadlineMs: commandBusyMs, readOnly });
}

/** A command waits this long for the service to finish a write; a start, for another program's migration. */
const commandBusyMs = 30_000;

export function sqliteFile(settings: Pick<StoreSettings, 'dataDir'>): string {
  return join(settings.dataDir, 'footlight.db');
}

function makeDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
}

/** `pg` is loaded only where it is used: it would be a tenth of an idle service's memory. */
async function startPostgres(settings: StoreSettings & { lockWithinMs?: number }): Promise<Store> {
  const { databaseUrl: url, connectionsMax: size, deadlineMs, lockWithinMs } = settings;
  const { onRefused, onAppended } = settings;
  const { startPostgresStore } = await import('./postgres.ts');
  return startPostgresStore({
    url,
    size,
    deadlineMs,
    onRefused,
    onAppended,
    ...(lockWithinMs !== undefined && { lockWithinMs }),
  });
}

/**
 * Brings the database up to date, and says how many steps that took. A step is a write like any other, on a
 * store opened for it alone; it may run for hours, but waits only `lockWithinMs` for another program's lock.
 * `steps` are this program's own; a trial of upgrades passes another list.
 */
export async function migrateDatabase(
  settings: StoreSettings,
  steps: readonly Migration[] = migrations,
  lockWithinMs = commandBusyMs,
): Promise<number> {
  const step: Operation<(sql: Sql) => Promise<unknown>, unknown> = write(
    'migrate',
    async (sql, work) => {
      await lockMigrations(sql);
      return await work(sql);
    },
  );
  let store: Store | undefined;
  try {
    // On SQLite the deadline is for the lock alone: nothing stops a step once it runs.
    const opened =
      settings.databaseUrl === ''
        ? openSqliteStore({
            file: sqliteFile(settings),
            operations: [step as AnyOperation],
            deadlineMs: lockWithinMs,
          })
        : await startPostgres(unhurried(settings, lockWithinMs));
    store = opened;
    const exclusively = <T>(work: (sql: Sql) => Promise<T>) =>
      opened.perform(step, work) as Promise<T>;
    return await migrate(opened, exclusively, steps);
  } catch (error) {
    if (!isLockHeld(error)) throw error;
    throw new Error(
      `another program has held the database for ${lockWithinMs / 1000} s, and its tables must be brought up to date first: end that program, or try again when it is done`,
      { cause: error },
    );
  } finally {
    await store?.close();
  }
}

/** No other program makes tables until the transaction is over; SQLite has one writer. */
export async function lockMigrations(sql: Sql): Promise<void> {
  if (sql.dialect === 'postgres')
    await sql.one('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
}

/** One connection whose statements may run long, but do not wait long for another's lock. */
function unhurried(settings: StoreSettings, lockWithinMs: number) {
  return { ...settings, deadlineMs: unhurriedMs, connectionsMax: 1, lockWithinMs };
}

/** PostgreSQL's lock_not_available. */
const lockNotAvailable = '55P03';

/** Whether another program's lock is the reason, on either engine. */
function isLockHeld(error: unknown): boolean {
  const { cause } = error as { cause?: unknown };
  if (isBusy(error) || (cause !== undefined && isBusy(cause))) return true;
  return (cause as { code?: unknown } | undefined)?.code === lockNotAvailable;
}
