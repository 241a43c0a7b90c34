// A whole database at one moment, and a new one that is filled: whole, or not there at all.
import { existsSync } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { backedUp, leftBehind } from './backup-tables.ts';
import { migrate } from './migrate.ts';
import { type Migration, migrations } from './migrations.ts';
import { read, type Sql, type Store, write } from './sql.ts';
import { openSqlite } from './sqlite.ts';
import { lockMigrations, openUnchanged, type StoreSettings, sqliteFile } from './store.ts';
import { tableShapes } from './table-shape.ts';

const busyMs = 30_000;

/**
 * What `work` reads is the database as it was when it began, whatever others write meanwhile. On SQLite the write-ahead
 * log grows until it ends, on PostgreSQL dead rows stay.
 */
export async function atOneMoment<T>(
  settings: StoreSettings,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  if (settings.databaseUrl !== '')
    return await onPostgres(settings, (store) => store.perform(onlyOnce(read, work), undefined));
  const connection = openSqlite(sqliteFile(settings), { readOnly: true, busyMs });
  try {
    connection.exec('BEGIN');
    // With the first read it is that moment's.
    connection.one('SELECT MAX(step) AS step FROM migrations');
    return await work(connection);
  } finally {
    connection.close();
  }
}

/** How large it is about, on the disk. */
export async function databaseBytes(sql: Sql): Promise<number> {
  const text =
    sql.dialect === 'sqlite'
      ? 'SELECT c.page_count * s.page_size AS bytes FROM pragma_page_count c, pragma_page_size s'
      : 'SELECT pg_database_size(current_database()) AS bytes';
  return (await sql.one<{ bytes: number }>(text))?.bytes ?? 0;
}

/** Undefined where there is none yet; otherwise a sentence. */
export async function databaseThere(settings: StoreSettings): Promise<string | undefined> {
  if (settings.databaseUrl === '')
    return existsSync(sqliteFile(settings))
      ? `there is a database in ${settings.dataDir} already`
      : undefined;
  const found = await onPostgres(settings, tableShapes);
  const ours = [...found.keys()].filter((name) => name in backedUp || name in leftBehind);
  return ours.length > 0
    ? 'the database that DATABASE_URL names has tables of Footlight already'
    : undefined;
}

export interface Filling {
  /** The tables are made up to here before they are filled; the other steps follow. */
  step: number;
  fill(sql: Sql): Promise<void>;
  /** The last that is written, on tables that are up to date. */
  end(sql: Sql): Promise<void>;
  /** All is written: what lies beside the database is put in its place just before it is there. */
  place(): Promise<void>;
}

/** There is none yet. Where anything fails there is none either; on SQLite what was begun lies in `folder`. */
export async function newDatabase(
  settings: StoreSettings & { folder: string },
  filling: Filling,
): Promise<void> {
  if (settings.databaseUrl === '') return await newSqlite(settings, filling);
  const whole = async (sql: Sql) => {
    await lockMigrations(sql);
    await made(sql, filling);
    await filling.place();
  };
  await onPostgres(settings, (store) => store.perform(onlyOnce(write, whole), undefined));
}

async function newSqlite(
  settings: StoreSettings & { folder: string },
  filling: Filling,
): Promise<void> {
  const file = sqliteFile({ dataDir: settings.folder });
  await mkdir(settings.folder, { recursive: true, mode: 0o700 });
  const connection = openSqlite(file, { busyMs });
  try {
    // Nobody else has it, and where it fails it is thrown away: no log of writes is needed.
    connection.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN');
    await made(connection, filling);
    connection.exec('COMMIT');
  } finally {
    connection.close();
  }
  await syncPath(file);
  await filling.place();
  await rename(file, sqliteFile(settings));
  await syncPath(dirname(sqliteFile(settings)));
}

async function made(sql: Sql, { step, fill, end }: Filling): Promise<void> {
  const run = (steps: readonly Migration[]) => migrate(sql, (work) => work(sql), steps);
  await run(migrations.slice(0, step));
  await fill(sql);
  await run(migrations);
  await end(sql);
  if (sql.dialect === 'postgres') await countForPlans(sql);
}

/** Until PostgreSQL has looked at them it takes full tables for empty ones, and goes the wrong way to a row. */
async function countForPlans(sql: Sql): Promise<void> {
  for (const table of Object.keys(backedUp)) await sql.run(`ANALYZE "${table}"`);
}

async function onPostgres<T>(
  settings: StoreSettings,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openUnchanged(settings, { operations: [], readOnly: false });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** A transaction that lost against another is tried again, but what was told or taken meanwhile is not there twice. */
function onlyOnce<T>(declare: typeof read, work: (sql: Sql) => Promise<T>) {
  let isBegun = false;
  return declare<undefined, T>('database.copy', async (sql) => {
    if (isBegun) throw new Error('the database has broken the transaction off: try again');
    isBegun = true;
    return await work(sql);
  });
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}
