// All rows of a table, read piece by piece and added to another database, on either engine.
import { placeholders, type Sql, type Value } from './sql.ts';
import type { TableShape } from './table-shape.ts';

export type Row = readonly Value[];

const readAtOnce = 500;
/** Of PostgreSQL's statement for many rows: 20 columns are 2,000 parameters, of 65,535 that it takes. */
const addedAtOnce = 100;

/** Values in the order of the columns, rows in the order of the key. */
export async function* rowsOf(
  sql: Sql,
  { name, columns, key }: TableShape,
  { atOnce = readAtOnce, without }: { atOnce?: number; without?: string } = {},
): AsyncGenerator<Row[]> {
  const names = columns.map((column) => column.name);
  const keyAt = key.map((column) => names.indexOf(column));
  const text = (conditions: readonly string[]) =>
    `SELECT ${listed(names)} FROM ${quoted(name)}
     ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''} ORDER BY ${listed(key)} LIMIT ${atOnce}`;
  const kept = without === undefined ? [] : [`NOT (${without})`];
  const first = text(kept);
  const next = text([...kept, `(${listed(key)}) > ${placeholders(1, key.length)}`]);
  let last: Value[] | undefined;
  for (;;) {
    const found = await sql.all<Record<string, Value>>(last ? next : first, last ?? []);
    const rows = found.map((row) => names.map((column) => row[column] ?? null));
    const end = rows.at(-1);
    if (end) yield rows;
    if (!end || rows.length < atOnce) return;
    last = keyAt.map((at) => end[at] ?? null);
  }
}

export async function addRows(
  sql: Sql,
  { name, columns }: TableShape,
  rows: readonly Row[],
): Promise<void> {
  const into = `INSERT INTO ${quoted(name)} (${listed(columns.map((column) => column.name))}) VALUES`;
  const atOnce = sql.dialect === 'sqlite' ? 1 : addedAtOnce;
  const many = `${into} ${placeholders(atOnce, columns.length)}`;
  let at = 0;
  for (; at + atOnce <= rows.length; at += atOnce)
    await sql.run(many, rows.slice(at, at + atOnce).flat());
  // One by one: a text for each number of rows would be as many statements to be kept.
  const one = `${into} ${placeholders(1, columns.length)}`;
  for (; at < rows.length; at++) await sql.run(one, rows[at]);
}

/** Whether rows are refused for what they are, on either engine, and not for what the database can do now. */
export function isContradiction(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  const sqliteCode = typeof errcode === 'number' ? errcode & 0xff : 0;
  if (sqliteCode === constraint || sqliteCode === mismatch) return true;
  // data_exception, integrity_constraint_violation
  return typeof code === 'string' && /^2[23]\w{3}$/.test(code);
}

/** SQLite's. */
const constraint = 19;
const mismatch = 20;

/** Quoted, as some are words of SQL. */
function quoted(name: string): string {
  return `"${name}"`;
}

function listed(names: readonly string[]): string {
  return names.map(quoted).join(', ');
}
