// What the database knows of who asks: account, manager and person in one look.
import type { Plan } from '../../base/api/caller.ts';
import type { Sql } from '../../base/db/sql.ts';

export interface AskerRow {
  account_name: string;
  plan: Plan;
  manager_username: string | null;
  person_id: number | null;
  person_name: string | null;
  user_name: string | null;
}

/** `manager_id` and `person_id` are 0 where there is none. */
export async function findAsker(
  sql: Sql,
  { account_id, manager_id, person_id }: Record<'account_id' | 'manager_id' | 'person_id', number>,
): Promise<AskerRow | undefined> {
  return await sql.one<AskerRow>(
    `SELECT a.name AS account_name, a.plan, m.username AS manager_username, p.id AS person_id,
       p.name AS person_name, p.user_name
     FROM accounts a LEFT JOIN managers m ON m.id = $2 LEFT JOIN persons p ON p.id = $3
     WHERE a.id = $1`,
    [account_id, manager_id, person_id],
  );
}
