// How all webhooks on the database stand: what waits, for how long, and which are sent nothing.
import { dialectWords } from '../../base/db/dialect.ts';
import { read } from '../../base/db/sql.ts';
import type { DisabledReason, WebhookStanding } from './webhook.ts';

/** How all webhooks on the database stand, for who measures. */
export interface WebhooksStanding {
  /** Those that are sent to, and by the reason those that are not. */
  counts: Record<WebhookStanding, number>;
  /** Deliveries that wait, of those that are sent to. */
  pending: number;
  /** Since when the oldest of them waits; null where none does. */
  oldest_at: number | null;
  /** Since when the next try is due that is due longest; null where none is. */
  due_at: number | null;
}

/** One row for each webhook that has something to send, whatever waits behind its first delivery. */
export const webhooksStanding = read(
  'webhooks.now',
  async (sql, { now }: { now: number }): Promise<WebhooksStanding> => {
    const counts: WebhooksStanding['counts'] = {
      enabled: 0,
      by_owner: 0,
      gone: 0,
      failing: 0,
      restored: 0,
    };
    let pending = 0;
    const found = await sql.all<{ reason: DisabledReason; n: number; pending: number }>(
      `SELECT disabled_reason AS reason, COUNT(*) AS n, SUM(pending) AS pending FROM webhooks
       GROUP BY disabled_reason`,
    );
    for (const { reason, n, pending: waiting } of found) {
      counts[reason === '' ? 'enabled' : reason] = n;
      if (reason === '') pending = waiting;
    }
    const first = (column: string) => `(SELECT d.${column} FROM webhook_deliveries d
      WHERE d.webhook_id = w.id AND d.state = 'pending' ORDER BY d.id LIMIT 1)`;
    const { largest } = dialectWords(sql.dialect);
    // A target that takes one after the other, however slowly, waits for nobody but itself.
    const due = largest('created_at', 'rests_until', 'try_after', 'last_success_at');
    const times = await sql.one<Pick<WebhooksStanding, 'oldest_at' | 'due_at'>>(
      `SELECT MIN(created_at) AS oldest_at,
         MIN(CASE WHEN rests_until <= $1 AND try_after <= $1 THEN ${due} END) AS due_at
       FROM (SELECT w.try_after, COALESCE(w.last_success_at, 0) AS last_success_at,
         ${first('created_at')} AS created_at, ${first('try_after')} AS rests_until
         FROM webhooks w WHERE w.enabled = 1 AND w.pending > 0) waiting`,
      [now],
    );
    return {
      counts,
      pending,
      oldest_at: times?.oldest_at ?? null,
      due_at: times?.due_at ?? null,
    };
  },
);
