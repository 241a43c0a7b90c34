// Rows that stand together in an index, the highest id first: by that index and no other.
import type { Condition, Dialect } from './sql.ts';

/** A table's letter, and the columns of the index before the id, in its order; those without a value are left out. */
export interface Walk {
  id: 'v.id' | 'c.id' | 'j.id';
  columns: readonly (readonly [column: string, value: number | string | undefined])[];
}

/** Ids of which only some are asked for. */
export interface IdRange {
  from?: number | undefined;
  before?: number | undefined;
}

/** The conditions for any order. */
export function within({ id, columns }: Walk, { from, before }: IdRange = {}): Condition[] {
  const equal = columns.map(([column, value]): Condition => [`${column} = ?`, value]);
  return [...equal, [`${id} < ?`, before], [`${id} >= ?`, from]];
}

/**
 * The conditions and the order for the first rows. PostgreSQL may look for those from the table's highest id down,
 * past the rows of every other account, as it hopes to meet some soon. So the last column stands in the order too, and
 * is bound by ranges, as what is equal counts for no order: only its index has that one. SQLite goes by the index anyway.
 */
export function walked(
  dialect: Dialect,
  walk: Walk,
  range: IdRange = {},
): { conditions: Condition[]; order: string } {
  const { id } = walk;
  if (dialect === 'sqlite') return { conditions: within(walk, range), order: `${id} DESC` };
  const columns = walk.columns.filter(([, value]) => value !== undefined);
  const [last, value] = columns.at(-1) ?? [id, 0];
  const { from = 0, before = Number.MAX_SAFE_INTEGER } = range;
  return {
    conditions: [
      ...columns.slice(0, -1).map(([column, same]): Condition => [`${column} = ?`, same]),
      [`(${last}, ${id}) >= (?, ?)`, value, from],
      [`(${last}, ${id}) < (?, ?)`, value, before],
    ],
    order: `${last} DESC, ${id} DESC`,
  };
}
