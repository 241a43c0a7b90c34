// Kept totals of an account's channels, videos and jobs, changed in the transaction that changes their rows.
import type { Sql, Value } from '../../base/db/sql.ts';

/** What is counted: the table's own name. */
export type Counted = 'channels' | 'videos' | 'jobs';

/** By what: all of the account's (`part_id` 0), one manager's (0: of none), one channel's. */
export type Part = 'account' | 'manager' | 'channel';

export interface TotalKey {
  account_id: number;
  kind: Counted;
  part: Part;
  part_id: number;
}

/** Returns what it is then; until the transaction ends nobody else changes it. */
export async function addToTotal(sql: Sql, key: TotalKey, more: number): Promise<number> {
  const row = await sql.one<{ total: number }>(
    `INSERT INTO totals (account_id, kind, part, part_id, total) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (account_id, kind, part, part_id) DO UPDATE SET total = totals.total + excluded.total
     RETURNING total`,
    [key.account_id, key.kind, key.part, key.part_id, more],
  );
  return row?.total ?? 0;
}

export async function keptTotal(sql: Sql, key: TotalKey): Promise<number> {
  const row = await sql.one<{ total: number }>(
    'SELECT total FROM totals WHERE account_id = $1 AND kind = $2 AND part = $3 AND part_id = $4',
    [key.account_id, key.kind, key.part, key.part_id],
  );
  return row?.total ?? 0;
}

/** Of what is no more. */
export async function removeTotal(sql: Sql, key: TotalKey): Promise<void> {
  await sql.run(
    'DELETE FROM totals WHERE account_id = $1 AND kind = $2 AND part = $3 AND part_id = $4',
    [key.account_id, key.kind, key.part, key.part_id],
  );
}

/** For what no total is kept of. */
export async function countRows(sql: Sql, from: string, params: readonly Value[]): Promise<number> {
  const row = await sql.one<{ n: number }>(`SELECT COUNT(*) AS n FROM ${from}`, params);
  return row?.n ?? 0;
}
