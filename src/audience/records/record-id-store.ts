// Record ids of sessions: small, rising, unique in the whole service; clients keep them in 32 bits.
import type { Dialect, Sql } from '../../base/db/sql.ts';

/**
 * `count` ids that are now taken, rising. PostgreSQL gives them from a sequence, for which no transaction
 * of another channel or node waits; SQLite, with its one writer, keeps a mark.
 */
export async function takeRecordIds(sql: Sql, count: number): Promise<number[]> {
  if (sql.dialect === 'postgres') {
    const rows = await sql.all<{ id: number }>(
      "SELECT nextval('record_ids') AS id FROM generate_series(1, CAST($1 AS BIGINT))",
      [count],
    );
    return rows.map(({ id }) => id);
  }
  const first = (await moveMark(sql, count)) - count + 1;
  return Array.from({ length: count }, (_, at) => first + at);
}

/** SQL for the id of a row that one INSERT adds; `place` counts its new rows from 1. `markTaken` follows. */
export function nextRecordId(dialect: Dialect, place: string): string {
  return dialect === 'postgres'
    ? "nextval('record_ids')"
    : `COALESCE((SELECT value FROM marks WHERE name = 'record_id'), 0) + ${place}`;
}

/** Ends an INSERT that used `nextRecordId` for `count` rows. */
export async function markTaken(sql: Sql, count: number): Promise<void> {
  if (sql.dialect === 'sqlite') await moveMark(sql, count);
}

/** The last id taken so far. */
async function moveMark(sql: Sql, count: number): Promise<number> {
  const row = await sql.one<{ value: number }>(
    `INSERT INTO marks (name, value) VALUES ('record_id', $1)
     ON CONFLICT (name) DO UPDATE SET value = marks.value + excluded.value RETURNING value`,
    [count],
  );
  return row?.value ?? count;
}
