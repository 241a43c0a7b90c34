// One statement for many rows: PostgreSQL takes them all at once, SQLite one by one.
import type { Dialect, Sql, Value } from './sql.ts';

type Columns = Readonly<Record<string, 'int' | 'text'>>;

/** What a statement is given of each row: of `{ seq: 'int', viewer_id: 'text' }` `{ seq: number; viewer_id: string }`. */
type RowOf<Each extends Columns> = {
  readonly [Name in keyof Each]: Each[Name] extends 'int' ? number : string;
};

/** A `BatchStatement<{ seq: number }>` is run for rows such as `[{ seq: 1 }, { seq: 2 }]`. */
export interface BatchStatement<Row> {
  /** How many rows it changed. */
  run(sql: Sql, rows: readonly Row[]): Promise<number>;
  /** What it found for all rows; `all<{ watch_ms: number }>(sql, rows)` says what each row that is found holds. */
  all<Found>(sql: Sql, rows: readonly Row[]): Promise<Found[]>;
  /**
   * The rows for which it changed nothing, of an `UPDATE` that changes one at most for each; `isAlone` where nobody else
   * changes such rows meanwhile.
   */
  misses<Given extends Row>(
    sql: Sql,
    rows: readonly Given[],
    how: { isAlone: boolean },
  ): Promise<Given[]>;
}

/** Begins the tables that a statement reads. */
export interface BatchFrom {
  (...tables: string[]): string;
  /**
   * The same for an `UPDATE` of a table, whose key has these names in what is given, too. PostgreSQL takes the locks of
   * all its rows first, in the order of the key: two that change the same rows wait, and never for each other. That is a
   * sixth of what the `UPDATE` costs; who is alone does without.
   */
  locking(table: string, ...key: string[]): string;
}

/**
 * The text is written once and names every column that is given: `given.seq` in it stands for the row's `seq`,
 * and `from()` begins the tables that the statement reads. Of
 *
 *     batchStatement(
 *       { seq: 'int' },
 *       (given, from) => `SELECT v.watch_ms ${from('visitors v')} WHERE v.seq = ${given.seq}`,
 *     )
 *
 * which is a `BatchStatement<{ seq: number }>`, SQLite runs the first for each row, PostgreSQL the second once:
 *
 *     SELECT v.watch_ms FROM visitors v WHERE v.seq = $1
 *     SELECT v.watch_ms FROM unnest(CAST($1 AS BIGINT[])) AS given (seq), visitors v WHERE v.seq = given.seq
 *
 * PostgreSQL gets the rows as a table, made of one array a column: one round trip for any number of them. What
 * all rows share, a channel, is a column too. Of a channel that is compared with a parameter it would guess
 * how many rows there are, and a new one is not in its statistics: it took it for empty and compared each row
 * that was given with each that was there, for a minute.
 *
 * Of one row PostgreSQL gets the values themselves, with their types. What it plans for arrays depends on how many
 * there are, so it plans it anew each time: for one event of the outbox 300 µs instead of 100.
 *
 * SQLite lies in this process, and there a prepared statement run for each row costs half of what it costs to
 * take a list of rows apart.
 */
export function batchStatement<const Each extends Columns>(
  each: Each,
  text: (given: Record<keyof Each & string, string>, from: BatchFrom) => string,
): BatchStatement<RowOf<Each>> {
  const names: (keyof Each & string)[] = Object.keys(each);
  const givenNames = sqlOf(names, (name) => `given.${name}`);
  const oneText: Record<Dialect, string> = {
    sqlite: text(
      sqlOf(names, (_, at) => `$${at + 1}`),
      fromTables,
    ),
    postgres: text(
      sqlOf(names, (name, at) => `CAST($${at + 1} AS ${types[each[name] as 'int' | 'text']})`),
      fromTables,
    ),
  };
  const manyText = text(givenNames, postgresFrom(unnested(each, names)));
  const numbered = unnested(each, [...names, 'nth']);
  const hitText = (how: { isAlone: boolean }) =>
    `${text(givenNames, postgresFrom(numbered, how))} RETURNING given.nth`;
  const hitTexts = { alone: hitText({ isAlone: true }), shared: hitText({ isAlone: false }) };
  const arraysOf = (rows: readonly RowOf<Each>[]) =>
    names.map((name) => arrayText(rows.map((row) => row[name])));
  /** What is to be called. */
  const calls = (dialect: Dialect, rows: readonly RowOf<Each>[]): [string, Value[]][] => {
    if (dialect === 'sqlite' || rows.length <= 1)
      return rows.map((row) => [oneText[dialect], names.map((name) => row[name])]);
    return [[manyText, arraysOf(rows)]];
  };
  return {
    run: async (sql, rows) => {
      let changed = 0;
      for (const [text, params] of calls(sql.dialect, rows)) changed += await sql.run(text, params);
      return changed;
    },
    all: async <Found>(sql: Sql, rows: readonly RowOf<Each>[]) => {
      const found: Found[] = [];
      for (const [text, params] of calls(sql.dialect, rows))
        found.push(...(await sql.all<Found>(text, params)));
      return found;
    },
    misses: async <Given extends RowOf<Each>>(
      sql: Sql,
      rows: readonly Given[],
      { isAlone }: { isAlone: boolean },
    ) => {
      if (rows.length === 0) return [];
      if (sql.dialect === 'sqlite') {
        const missed: Given[] = [];
        for (const [at, [text, params]] of calls('sqlite', rows).entries())
          if ((await sql.run(text, params)) === 0) missed.push(rows[at] as Given);
        return missed;
      }
      const text = hitTexts[isAlone ? 'alone' : 'shared'];
      const hits = await sql.all<{ nth: number }>(text, arraysOf(rows));
      if (hits.length === rows.length) return [];
      const hit = new Set(hits.map(({ nth }) => nth));
      return rows.filter((_, at) => !hit.has(at + 1));
    },
  };
}

const fromTables: BatchFrom = Object.assign(
  (...tables: string[]) => (tables.length > 0 ? `FROM ${tables.join(', ')}` : ''),
  { locking: () => '' },
);

function postgresFrom(given: string, { isAlone } = { isAlone: false }): BatchFrom {
  const from = (...tables: string[]) => `FROM ${[given, ...tables].join(', ')}`;
  return Object.assign(from, {
    locking: (table: string, ...key: string[]) => {
      if (isAlone) return from();
      const isRow = key.map((name) => `locked.${name} = given.${name}`).join(' AND ');
      const order = key.map((name) => `locked.${name}`).join(', ');
      return `FROM (SELECT given.* FROM ${given}, ${table} locked WHERE ${isRow}
        ORDER BY ${order} FOR NO KEY UPDATE OF locked) AS given`;
    },
  });
}

/** By column what stands for it in the text: of `['seq']` `{ seq: '$1' }` or `{ seq: 'given.seq' }`. */
function sqlOf<Name extends string>(
  names: readonly Name[],
  value: (name: Name, at: number) => string,
): Record<Name, string> {
  const entries = names.map((name, at) => [name, value(name, at)] as const);
  return Object.fromEntries(entries) as Record<Name, string>;
}

/** One name more than there are columns is that of the row's place among them, from 1 on. */
function unnested(each: Columns, names: readonly string[]): string {
  const arrays = Object.values(each).map((type, at) => `CAST($${at + 1} AS ${types[type]}[])`);
  const numbered = names.length > arrays.length ? ' WITH ORDINALITY' : '';
  return `unnest(${arrays.join(', ')})${numbered} AS given (${names.join(', ')})`;
}

const types = { int: 'BIGINT', text: 'TEXT' } as const;

/** An array as PostgreSQL reads it; in quotes only the quote and the backslash mean something. */
function arrayText(values: readonly (number | string)[]): string {
  const element = (value: number | string) =>
    typeof value === 'number' ? String(value) : `"${value.replace(/["\\]/g, '\\$&')}"`;
  return `{${values.map(element).join(',')}}`;
}
