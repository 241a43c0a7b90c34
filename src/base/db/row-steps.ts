// A look through many rows in steps, so that a read can be given up between two, and costs no more than it must.
import { type IdRange, type Walk, walked, within } from './index-walk.ts';
import { type Condition, limitFrom, type Sql, where } from './sql.ts';

/** Rows of a step: on SQLite some ten to fifty milliseconds, whatever they are compared with. */
const stepRows = 10_000;

interface Rows extends Walk {
  /** With its letter: `videos v`. */
  from: 'videos v' | 'channels c';
}

export interface Search extends Rows {
  /** What is looked at in each row. */
  matching: readonly Condition[];
  limit: number;
  offset: number;
}

/** The ids of one page, the highest first, and how many rows there are in all. */
export async function searchInSteps(
  sql: Sql,
  search: Search,
  rowsMax = stepRows,
): Promise<{ total: number; ids: number[] }> {
  const { from, id, matching, limit, offset } = search;
  const ids: number[] = [];
  let total = 0;
  for await (const range of stepsOf(sql, search, rowsMax)) {
    const all = where([...within(search, range), ...matching]);
    const counted = await sql.one<{ n: number }>(
      `SELECT COUNT(*) AS n FROM ${from} ${all.text}`,
      all.params,
    );
    const n = counted?.n ?? 0;
    const skipped = Math.max(0, offset - total);
    total += n;
    if (skipped >= n || ids.length === limit) continue;
    const { conditions, order } = walked(sql.dialect, search, range);
    const filter = where([...conditions, ...matching]);
    const rows = await sql.all<{ id: number }>(
      `SELECT ${id} FROM ${from} ${filter.text} ORDER BY ${order} ${limitFrom(filter.next)}`,
      [...filter.params, limit - ids.length, skipped],
    );
    ids.push(...rows.map((row) => row.id));
  }
  return { total, ids };
}

/** Ranges of ids that hold `rowsMax` rows each, from the highest on. */
export async function* stepsOf(sql: Sql, rows: Rows, rowsMax = stepRows): AsyncGenerator<IdRange> {
  for (let before: number | undefined; ; ) {
    const { conditions, order } = walked(sql.dialect, rows, { before });
    const filter = where(conditions);
    const last = await sql.one<{ id: number }>(
      `SELECT ${rows.id} FROM ${rows.from} ${filter.text} ORDER BY ${order} ${limitFrom(filter.next)}`,
      [...filter.params, 1, rowsMax - 1],
    );
    yield { before, from: last?.id };
    if (!last) return;
    before = last.id;
  }
}
