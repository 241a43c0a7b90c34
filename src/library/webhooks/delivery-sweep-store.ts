// The sweep of webhooks' logs, in the database: old rows go, too many, and those of removed webhooks; what waits is counted anew.
import { dialectWords } from '../../base/db/dialect.ts';
import { flush, type Sql } from '../../base/db/sql.ts';
import { countRows } from '../access/total-store.ts';
import { webhookLimits } from './webhook-limits.ts';

/** The next webhook, or what is left of a removed one, whose deliveries are looked at: the lowest id after `after`. */
export async function sweptWebhookAfter(sql: Sql, after: number): Promise<number | undefined> {
  const row = await sql.one<{ id: number | null }>(
    `SELECT MIN(id) AS id FROM (
       SELECT MIN(webhook_id) AS id FROM webhook_deliveries WHERE webhook_id > $1
       UNION ALL SELECT MIN(id) FROM webhooks WHERE id > $1 AND pending > 0
     ) either`,
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
    const isMore = removed === webhookLimits.sweepRows;
    if (!isMore) await recountPending(sql, webhook_id);
    return isMore;
  },
);

/**
 * The kept count is exact by itself, unless an older program worked on the webhook meanwhile, or a backup said another
 * one. One that is too high would hold all further events back.
 */
async function recountPending(sql: Sql, id: number): Promise<void> {
  const { forUpdate } = dialectWords(sql.dialect);
  // Counted behind the lock: a count from before it may be old when it is written.
  const kept = await sql.one<{ pending: number }>(
    `SELECT pending FROM webhooks WHERE id = $1 ${forUpdate}`,
    [id],
  );
  const pending = await countRows(
    sql,
    "webhook_deliveries WHERE webhook_id = $1 AND state = 'pending'",
    [id],
  );
  if (kept && kept.pending !== pending)
    await sql.run('UPDATE webhooks SET pending = $2 WHERE id = $1', [id, pending]);
}
