// Which tables a database has, with their columns and keys: asked of either engine, told in the same words.
import type { Dialect, Sql } from './sql.ts';

export type ColumnKind = 'int' | 'text' | 'bytes';

export interface TableShape {
  name: string;
  /** In their order, without those that are made of others. */
  columns: { name: string; kind: ColumnKind }[];
  /** The columns of the primary key, in its order. */
  key: string[];
  /** Its rows have ids that the database gives out, none of them twice. */
  hasIds: boolean;
}

interface ColumnRow {
  table_name: string;
  name: string;
  type: string;
  /** Its place in the primary key, undefined or null where it is no part of it. */
  place: number | null;
  has_ids: number;
}

/** By name. On SQLite without what the title indexes are made of: rows of others fill them. */
export async function tableShapes(sql: Sql): Promise<Map<string, TableShape>> {
  const rows = await sql.all<ColumnRow>(catalogue[sql.dialect]);
  const byTable = Map.groupBy(rows, ({ table_name }) => table_name);
  return new Map([...byTable].map(([name, columns]) => [name, shapeOf(name, columns)]));
}

function shapeOf(name: string, rows: readonly ColumnRow[]): TableShape {
  const inKey = rows.filter(({ place }) => place !== null);
  inKey.sort((a, b) => (a.place ?? 0) - (b.place ?? 0));
  return {
    name,
    columns: rows.map((row) => ({ name: row.name, kind: kindOf(row) })),
    key: inKey.map((row) => row.name),
    hasIds: rows.some(({ has_ids }) => has_ids === 1),
  };
}

const kinds: Record<string, ColumnKind> = {
  INTEGER: 'int',
  TEXT: 'text',
  BLOB: 'bytes',
  bigint: 'int',
  text: 'text',
  bytea: 'bytes',
};

function kindOf({ table_name, name, type }: ColumnRow): ColumnKind {
  const kind = kinds[type];
  if (!kind) throw new Error(`nobody knows how ${table_name}.${name} of type ${type} is read`);
  return kind;
}

const catalogue: Record<Dialect, string> = {
  // hidden: 0 of a plain column
  sqlite: `
    SELECT t.name AS table_name, c.name AS name, c.type AS type, NULLIF(c.pk, 0) AS place,
      s.sql LIKE '%AUTOINCREMENT%' AS has_ids
    FROM pragma_table_list t JOIN sqlite_schema s ON s.name = t.name JOIN pragma_table_xinfo(t.name) c
    WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND c.hidden = 0
    ORDER BY t.name, c.cid`,
  postgres: `
    SELECT t.relname AS table_name, c.attname AS name, format_type(c.atttypid, c.atttypmod) AS type,
      array_position(CAST(k.indkey AS int2[]), c.attnum) AS place,
      CASE WHEN c.attidentity <> '' THEN 1 ELSE 0 END AS has_ids
    FROM pg_catalog.pg_class t JOIN pg_catalog.pg_attribute c ON c.attrelid = t.oid
      LEFT JOIN pg_catalog.pg_index k ON k.indrelid = t.oid AND k.indisprimary
    WHERE t.relkind = 'r' AND t.relnamespace = (
        SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())
      AND c.attnum > 0 AND NOT c.attisdropped AND c.attgenerated = ''
    ORDER BY t.relname, c.attnum`,
};
