// The highest id that a database has ever given out, by table: what is gone must not give its number to another.
import type { Sql } from './sql.ts';
import type { TableShape } from './table-shape.ts';

/** What numbers watch records on either engine; no table's. */
const recordIds = 'record_ids';

/** 0 where none was given out. Asked behind the rows, it is at least as high as any of them. */
export async function lastIds(
  sql: Sql,
  shapes: Iterable<TableShape>,
): Promise<Record<string, number>> {
  const ids: Record<string, number> = {};
  for (const { name, hasIds } of shapes) if (hasIds) ids[name] = await lastOfTable(sql, name);
  ids[recordIds] = await lastRecordId(sql);
  return ids;
}

async function lastOfTable(sql: Sql, table: string): Promise<number> {
  const text =
    sql.dialect === 'sqlite'
      ? 'SELECT seq AS id FROM sqlite_sequence WHERE name = $1'
      : `SELECT pg_sequence_last_value(CAST(${sequenceOf} AS regclass)) AS id`;
  return (await sql.one<{ id: number | null }>(text, [table]))?.id ?? 0;
}

async function lastRecordId(sql: Sql): Promise<number> {
  const text =
    sql.dialect === 'sqlite'
      ? "SELECT value AS id FROM marks WHERE name = 'record_id'"
      : `SELECT pg_sequence_last_value('${recordIds}') AS id`;
  return (await sql.one<{ id: number | null }>(text))?.id ?? 0;
}

/** The next ones are higher. Rows are there already. */
export async function goOnBehind(sql: Sql, ids: Readonly<Record<string, number>>): Promise<void> {
  for (const [name, id] of Object.entries(ids)) {
    if (id === 0) continue;
    if (name === recordIds) await setRecordId(sql, id);
    else await setOfTable(sql, name, id);
  }
}

async function setOfTable(sql: Sql, table: string, id: number): Promise<void> {
  if (sql.dialect === 'postgres') {
    await sql.one(`SELECT setval(CAST(${sequenceOf} AS regclass), CAST($2 AS BIGINT))`, [
      table,
      id,
    ]);
    return;
  }
  const text = 'UPDATE sqlite_sequence SET seq = MAX(seq, $2) WHERE name = $1';
  if ((await sql.run(text, [table, id])) === 0)
    await sql.run('INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)', [table, id]);
}

async function setRecordId(sql: Sql, id: number): Promise<void> {
  if (sql.dialect === 'postgres') await sql.one(`SELECT setval('${recordIds}', $1)`, [id]);
  else await sql.run("INSERT INTO marks (name, value) VALUES ('record_id', $1)", [id]);
}

/** Of the table `$1`. */
const sequenceOf = "pg_get_serial_sequence(CAST($1 AS TEXT), 'id')";
