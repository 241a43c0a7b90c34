// Who works on a webhook, in the database: those with work are found, taken, held and let go of.
import { dialectWords } from '../../base/db/dialect.ts';
import { flush, read, type Sql } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { feeds } from '../events/event-feed.ts';
import { webhookLimits } from './webhook-limits.ts';

/** Who works on a webhook, and for how long. */
export interface WebhookLease {
  /** Whose it is: its work waits behind its account's own. */
  account_id: number;
  webhook_id: number;
  leased_by: string;
}

/** How a webhook stands that somebody works on. */
export interface HeldWebhook {
  account_id: number;
  /** Changes with every word of its owner. */
  asked: number;
  failures: number;
  try_after: number;
}

/** Whether there is anybody to be told; asked each second. */
export async function hasWebhooks(sql: Sql): Promise<boolean> {
  return (await sql.one('SELECT id FROM webhooks WHERE enabled = 1 LIMIT 1')) !== undefined;
}

/** Webhooks with work that nobody is at: events it has not seen, or a rest that is over. */
export const lookForWork = read(
  'webhooks.look',
  async (
    sql,
    { leased_by, now, limit }: { leased_by: string; now: number; limit: number },
  ): Promise<{ id: number; account_id: number }[]> =>
    await sql.all(
      `SELECT w.id, w.account_id FROM webhooks w
       WHERE w.enabled = 1 AND w.try_after <= $1 AND (w.lease_until <= $1 OR w.leased_by = $2)
         AND (w.work_at <= $1 OR EXISTS (
           SELECT 1 FROM event_feeds f WHERE f.account_id = w.account_id
             AND ((f.feed = ${feeds.main} AND f.last_seq > w.main_seq)
               OR (f.feed = ${feeds.sessions} AND f.last_seq > w.sessions_seq))))
       ORDER BY w.work_at, w.id LIMIT CAST($3 AS BIGINT)`,
      [now, leased_by, limit],
    ),
);

/**
 * Takes the lease or goes on with it; undefined where another has it, or there is nothing to be sent to. Until it is let
 * go of there is work, whatever becomes of who has it.
 */
export const holdWebhook = flush(
  'webhooks.hold',
  ofAccount,
  async (
    sql,
    { webhook_id, leased_by, now }: WebhookLease & { now: number },
  ): Promise<HeldWebhook | undefined> =>
    await sql.one<HeldWebhook>(
      `UPDATE webhooks SET leased_by = $2, lease_until = $4, work_at = 0
       WHERE id = $1 AND enabled = 1 AND (leased_by = $2 OR lease_until <= $3)
       RETURNING account_id, asked, failures, try_after`,
      [webhook_id, leased_by, now, now + webhookLimits.leaseMs],
    ),
);

/** Gives the lease back until `work_at` (null: until there are events); false where its owner has said something. */
export const letGoWebhook = flush(
  'webhooks.letGo',
  ofAccount,
  async (
    sql,
    given: WebhookLease & { asked: number; work_at: number | null },
  ): Promise<boolean> => {
    const { webhook_id, leased_by, asked, work_at } = given;
    const row = await sql.one<{ asked: number; leased_by: string }>(
      `SELECT asked, leased_by FROM webhooks WHERE id = $1 ${dialectWords(sql.dialect).forUpdate}`,
      [webhook_id],
    );
    if (row?.leased_by !== leased_by) return true;
    if (row.asked !== asked) return false;
    await sql.run(
      "UPDATE webhooks SET leased_by = '', lease_until = 0, work_at = $2 WHERE id = $1",
      [webhook_id, work_at],
    );
    return true;
  },
);

/** One service runs under a name: whatever it worked on before was left by a kill. */
export const freeWebhooks = flush(
  'webhooks.free',
  async (sql, { leased_by }: { leased_by: string }) => {
    await sql.run(
      "UPDATE webhooks SET leased_by = '', lease_until = 0, work_at = 0 WHERE leased_by = $1",
      [leased_by],
    );
  },
);
