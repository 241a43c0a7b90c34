// What a checkup asks a database: its version, its clock, and how long a commit takes. Nothing in it is changed.
import type { Sql } from './sql.ts';

export async function databaseVersion(sql: Sql): Promise<string> {
  const text =
    sql.dialect === 'sqlite'
      ? 'SELECT sqlite_version() AS version'
      : "SELECT current_setting('server_version') AS version";
  return (await sql.one<{ version: string }>(text))?.version ?? '';
}

/** Epoch milliseconds; undefined where it is this machine's own. */
export async function databaseClock(sql: Sql): Promise<number | undefined> {
  if (sql.dialect === 'sqlite') return undefined;
  const row = await sql.one<{ at: number }>(
    'SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS at',
  );
  return row?.at;
}

/**
 * A transaction that writes a word to the log of writes and to no table: its commit waits for the disk as any does. Of
 * SQLite false, as nothing can be written without a change: its commits are as fast as the disk syncs.
 */
export async function commitNothing(sql: Sql): Promise<boolean> {
  if (sql.dialect === 'sqlite') return false;
  await sql.one("SELECT pg_logical_emit_message(true, 'footlight', 'checkup') AS at");
  return true;
}
