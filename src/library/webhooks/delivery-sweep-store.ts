// What goes of webhooks' logs, in the database: old rows, too many, and those of removed webhooks.
import { flush, type Sql } from '../../base/db/sql.ts';
import { webhookLimits } from './webhook-limits.ts';

/** The next webhook, or what is left of a removed one, whose deliveries are looked at: the lowest id after `after`. */
export async function sweptWebhookAfter(sql: Sql, after: number): Promise<number | undefined> {
  const row = await sql.one<{ id: number | null }>(
    'SELECT MIN(webhook_id) AS id FROM webhook_deliveries WHERE webhook_id > $1',
    [after],
  );
  return row?.id ?? undefined;
}

/** A step over one webhook's log; whether there may be more to do. What waits stays, unless the webhook is gone. */
export const sweepDeliveries = flush(
  'webhooks.sweep',
  async (sql, { webhook_id, before }: { webhook_id: number; before: number }): Promise<boolean> => {
    const webhook = await sql.one('SELECT id FROM webhooks WHERE id = $1', [webhook_id]);
    const ended = "webhook_id = $1 AND state <> 'pending'";
    const beyond = await sql.one<{ id: number }>(
      `SELECT id FROM webhook_deliveries WHERE ${ended} ORDER BY id DESC
       LIMIT 1 OFFSET ${webhookLimits.logRowsMax}`,
      [webhook_id],
    );
    const which = webhook
      ? `${ended} AND (created_at < $2 OR id <= ${beyond?.id ?? 0})`
      : 'webhook_id = $1 AND created_at <> $2';
    const removed = await sql.run(
      `DELETE FROM webhook_deliveries WHERE id IN (
         SELECT id FROM webhook_deliveries WHERE ${which} ORDER BY id LIMIT ${webhookLimits.sweepRows})`,
      [webhook_id, webhook ? before : -1],
    );
    return removed === webhookLimits.sweepRows;
  },
);
