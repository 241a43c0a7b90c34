// Tries of deliveries in the database: what is next in each lane, what is sent, what came of it.
import { dialectWords } from '../../base/db/dialect.ts';
import { flush, read, type Sql } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { backOffMs } from './target-rest.ts';
import { type NotedTarget, noteTarget, type Target, type TryOutcome } from './target-store.ts';
import type { WebhookLease } from './webhook-lease-store.ts';
import { webhookLimits } from './webhook-limits.ts';

/** What is next in a lane. */
export interface LaneHead {
  id: number;
  lane: string;
  tried_at: number;
  try_after: number;
}

export interface LaneHeads {
  /** Those that may be tried now, the one whose last try is longest ago first; at most so many. */
  due: LaneHead[];
  isMore: boolean;
  /** When the next of the others may be; null where none waits. */
  next_at: number | null;
}

export const laneHeads = read(
  'webhooks.heads',
  ofAccount,
  async (
    sql,
    given: Pick<WebhookLease, 'account_id' | 'webhook_id'> & { now: number; limit: number },
  ): Promise<LaneHeads> => {
    const { webhook_id, now, limit } = given;
    const heads = `FROM webhook_deliveries d JOIN (
      SELECT MIN(id) AS id FROM webhook_deliveries WHERE webhook_id = $1 AND state = 'pending'
      GROUP BY lane) h ON h.id = d.id`;
    const due = await sql.all<LaneHead>(
      `SELECT d.id, d.lane, d.tried_at, d.try_after ${heads} WHERE d.try_after <= $2
       ORDER BY d.tried_at, d.id LIMIT CAST($3 AS BIGINT)`,
      [webhook_id, now, limit + 1],
    );
    const next = await sql.one<{ at: number | null }>(
      `SELECT MIN(d.try_after) AS at ${heads} WHERE d.try_after > $2`,
      [webhook_id, now],
    );
    return {
      due: due.slice(0, limit),
      isMore: due.length > limit,
      next_at: next?.at ?? null,
    };
  },
);

/** What is to be sent, and what it is signed with. */
export interface DeliveryOrder {
  id: number;
  event_id: string;
  type: string;
  body: string;
  url: string;
  secret: string;
  old_secret: string;
  old_secret_until: number;
}

/** Undefined where it is not ours to send any more, not for long enough, or rests after all. */
export async function deliveryToSend(
  sql: Sql,
  { id, leased_by, now }: { id: number; leased_by: string; now: number },
): Promise<DeliveryOrder | undefined> {
  return await sql.one<DeliveryOrder>(
    `SELECT d.id, d.event_id, d.type, d.body, w.url, w.secret, w.old_secret, w.old_secret_until
     FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
     WHERE d.id = $1 AND d.state = 'pending' AND w.enabled = 1 AND w.leased_by = $2 AND w.lease_until >= $3
       AND d.try_after <= $4`,
    [id, leased_by, now + webhookLimits.leaseLeftMs, now],
  );
}

export interface Finished extends NotedTarget {
  state: 'pending' | 'delivered' | 'given_up';
  /** Of the same lane. */
  next: LaneHead | undefined;
}

/** Undefined where another has taken the webhook over: then it is theirs to say. `random` is 0 to 1. */
export const finishTry = flush(
  'webhooks.finish',
  ofAccount,
  async (
    sql,
    given: WebhookLease & { id: number; outcome: TryOutcome; random: number; now: number },
  ): Promise<Finished | undefined> => {
    const { webhook_id, leased_by, id, outcome, random, now } = given;
    const target = await sql.one<Target>(
      `SELECT failures, failing_since FROM webhooks WHERE id = $1 AND leased_by = $2
       ${dialectWords(sql.dialect).forUpdate}`,
      [webhook_id, leased_by],
    );
    const row = await sql.one<{ lane: string; tries: number; first_try_at: number | null }>(
      "SELECT lane, tries, first_try_at FROM webhook_deliveries WHERE id = $1 AND state = 'pending'",
      [id],
    );
    if (!target || !row) return undefined;
    const firstAt = row.first_try_at ?? outcome.began_at;
    const isLate = now - firstAt >= webhookLimits.giveUpMs;
    const state = outcome.isDelivered ? 'delivered' : isLate ? 'given_up' : 'pending';
    const rest = Math.max(outcome.restMs ?? 0, backOffMs(row.tries + 1, random));
    await sql.run(
      `UPDATE webhook_deliveries SET state = $2, tries = tries + 1, first_try_at = $3, tried_at = $4,
         try_after = $5, done_at = $6, status = $7, took_ms = $8, request_headers = $9, answer_headers = $10,
         answer_body = $11, problem = $12 WHERE id = $1`,
      [
        ...[id, state, firstAt, outcome.began_at, state === 'pending' ? now + rest : 0],
        ...[state === 'pending' ? null : now, outcome.status, outcome.took_ms],
        ...[outcome.request_headers, outcome.answer_headers, outcome.answer_body, outcome.problem],
      ],
    );
    const next = await sql.one<LaneHead>(
      `SELECT id, lane, tried_at, try_after FROM webhook_deliveries
       WHERE webhook_id = $1 AND lane = $2 AND state = 'pending' ORDER BY id LIMIT 1`,
      [webhook_id, row.lane],
    );
    const ended = state === 'pending' ? 0 : 1;
    const noted = await noteTarget(sql, { webhook_id, target, outcome, ended, random, now });
    return { state, next, ...noted };
  },
);
