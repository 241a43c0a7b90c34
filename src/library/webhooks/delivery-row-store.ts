// Rows of a webhook's log as they are added: deliveries, and notices of what became of the webhook.
import { placeholders, type Sql, type Value } from '../../base/db/sql.ts';

const addedColumns =
  'webhook_id, lane, of_channel, event_id, type, body, state, problem, created_at';

/** Part of a write that counts those that wait with the webhook. */
export async function addDeliveries(sql: Sql, rows: readonly Value[][]): Promise<void> {
  if (rows.length === 0) return;
  await sql.run(
    `INSERT INTO webhook_deliveries (${addedColumns}) VALUES ${placeholders(rows.length, 9)}`,
    rows.flat(),
  );
}

export async function addNotice(
  sql: Sql,
  given: { webhook_id: number; type: string; problem: string; now: number },
): Promise<void> {
  const { webhook_id, type, problem, now } = given;
  await addDeliveries(sql, [[webhook_id, '', 0, '', type, '', 'notice', problem, now]]);
}
