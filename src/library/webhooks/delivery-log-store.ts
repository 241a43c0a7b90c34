// The log of a webhook's deliveries in the database: listed, looked at, sent again, and tests noted.
import { ApiError } from '../../base/api/errors.ts';
import { read, type Sql, telling, where, write } from '../../base/db/sql.ts';
import { ofNamed } from '../../base/db/whose.ts';
import { testType } from '../events/event-text.ts';
import type { TryOutcome } from './target-store.ts';
import { type DeliveryRow, type DeliveryState, lanes, type WholeDeliveryRow } from './webhook.ts';
import { webhookLimits } from './webhook-limits.ts';
import { lockedWebhook, noWebhook } from './webhook-store.ts';

/** Of an account; the command line names none. */
interface OfWebhook {
  account_id?: number | undefined;
  webhook_id: number;
}

const listedColumns = `id, event_id, type, of_channel, lane, state, tries, created_at, tried_at, try_after, done_at,
  status, took_ms, problem`;

export interface DeliveryQuery extends OfWebhook {
  state: DeliveryState | undefined;
  /** Only those below it. */
  before: number | undefined;
  limit: number;
}

/** The newest first. */
export const listDeliveries = read(
  'webhooks.deliveries',
  ofNamed,
  async (sql, query: DeliveryQuery): Promise<DeliveryRow[]> => {
    await checkWebhook(sql, query);
    const filter = where([
      ['webhook_id = ?', query.webhook_id],
      ['state = ?', query.state],
      ['id < ?', query.before],
    ]);
    return await sql.all<DeliveryRow>(
      `SELECT ${listedColumns} FROM webhook_deliveries ${filter.text}
       ORDER BY id DESC LIMIT CAST($${filter.next} AS BIGINT)`,
      [...filter.params, query.limit],
    );
  },
);

/** With what was sent and what came back. */
export const findDelivery = read(
  'webhooks.delivery',
  ofNamed,
  async (sql, given: OfWebhook & { id: number }): Promise<WholeDeliveryRow> => {
    await checkWebhook(sql, given);
    const row = await sql.one<WholeDeliveryRow>(
      `SELECT ${listedColumns}, body, request_headers, answer_headers, answer_body
       FROM webhook_deliveries WHERE id = $1 AND webhook_id = $2`,
      [given.id, given.webhook_id],
    );
    return row ?? noDelivery(given.id);
  },
);

const copied = 'webhook_id, of_channel, event_id, type, body';

/** The same event once more, with the id it had, in a lane of its own: what comes next does not wait for it. */
export const resendDelivery = telling(
  { of: ({ webhook_id: id }) => ({ kind: 'webhook', id }) },
  write(
    'webhooks.resend',
    ofNamed,
    async (sql, given: OfWebhook & { id: number; now: number }): Promise<number> => {
      const { webhook_id, id, now } = given;
      await lockedWebhook(sql, { account_id: given.account_id, id: webhook_id });
      await checkRoom(sql, webhook_id, 1);
      const row = await sql.one<{ id: number }>(
        `INSERT INTO webhook_deliveries (${copied}, lane, state, created_at)
         SELECT ${copied}, $3, 'pending', $4 FROM webhook_deliveries
         WHERE id = $1 AND webhook_id = $2 AND state <> 'notice' AND lane <> '${lanes.test}' RETURNING id`,
        [id, webhook_id, lanes.resend, now],
      );
      await wake(sql, webhook_id, 1);
      return row?.id ?? noDelivery(id);
    },
  ),
);

export interface ResendSpan extends OfWebhook {
  /** Of when the deliveries were made of their events. */
  since: number | undefined;
  until: number | undefined;
  /** From one delivery to another, both included. */
  from: number | undefined;
  to: number | undefined;
  states: readonly DeliveryState[];
  now: number;
}

export interface Resent {
  count: number;
  /** `from` for those that are left; undefined where none is. */
  next: number | undefined;
}

/**
 * A span of them in their order, at most so many at once. Of what was sent again before, the first alone; what waits to
 * be sent again is left out, so that asking twice sends once.
 */
export const resendSpan = telling(
  { of: ({ webhook_id: id }) => ({ kind: 'webhook', id }) },
  write('webhooks.resendSpan', ofNamed, async (sql, span: ResendSpan): Promise<Resent> => {
    const { webhook_id, states, now } = span;
    await lockedWebhook(sql, { account_id: span.account_id, id: webhook_id });
    const filter = where([
      ['webhook_id = ?', webhook_id],
      `state IN (${states.map((state) => `'${state}'`).join(', ')})`,
      `lane NOT IN ('', '${lanes.resend}', '${lanes.test}')`,
      [
        `event_id NOT IN (SELECT event_id FROM webhook_deliveries
          WHERE webhook_id = ? AND lane = '${lanes.resend}' AND state = 'pending')`,
        webhook_id,
      ],
      ['created_at >= ?', span.since],
      ['created_at <= ?', span.until],
      ['id >= ?', span.from],
      ['id <= ?', span.to],
    ]);
    const found = await sql.all<{ id: number }>(
      `SELECT id FROM webhook_deliveries ${filter.text}
       ORDER BY id LIMIT ${webhookLimits.resendMax + 1}`,
      filter.params,
    );
    const taken = found.slice(0, webhookLimits.resendMax);
    const [first, last] = [taken[0], taken.at(-1)];
    if (!first || !last) return { count: 0, next: undefined };
    await checkRoom(sql, webhook_id, taken.length);
    const { next } = filter;
    const count = await sql.run(
      `INSERT INTO webhook_deliveries (${copied}, lane, state, created_at)
       SELECT ${copied}, '${lanes.resend}', 'pending', CAST($${next} AS BIGINT) FROM webhook_deliveries
       ${filter.text} AND id <= $${next + 1} ORDER BY id`,
      [...filter.params, now, last.id],
    );
    await wake(sql, webhook_id, count);
    return { count, next: found[webhookLimits.resendMax]?.id };
  }),
);

/** A test is a row of the log, whatever came of it; it is tried once. */
export const noteTest = telling(
  { of: ({ webhook_id: id }) => ({ kind: 'webhook', id }) },
  write(
    'webhooks.noteTest',
    ofNamed,
    async (
      sql,
      given: OfWebhook & { event_id: string; body: string; outcome: TryOutcome; now: number },
    ): Promise<number> => {
      const { webhook_id, event_id, body, outcome, now } = given;
      const row = await sql.one<{ id: number }>(
        `INSERT INTO webhook_deliveries (webhook_id, lane, of_channel, event_id, type, body, state, created_at,
           tries, first_try_at, tried_at, done_at, status, took_ms, request_headers, answer_headers, answer_body,
           problem)
         VALUES ($1, $2, 0, $3, $4, $5, $6, $7, 1, $7, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING id`,
        [
          ...[webhook_id, lanes.test, event_id, testType, body],
          ...[outcome.isDelivered ? 'delivered' : 'given_up', outcome.began_at, now],
          ...[outcome.status, outcome.took_ms, outcome.request_headers, outcome.answer_headers],
          ...[outcome.answer_body, outcome.problem],
        ],
      );
      await sql.run(
        `DELETE FROM webhook_deliveries WHERE webhook_id = $1 AND lane = $2 AND id <= (
           SELECT id FROM webhook_deliveries WHERE webhook_id = $1 AND lane = $2
           ORDER BY id DESC LIMIT 1 OFFSET ${webhookLimits.testRowsMax})`,
        [webhook_id, lanes.test],
      );
      return row?.id ?? 0;
    },
  ),
);

export interface SigningWebhook {
  id: number;
  account_id: number;
  url: string;
  secret: string;
  old_secret: string;
  old_secret_until: number;
}

/** With its secrets: for whoever signs, and nobody else. */
export async function signingWebhook(
  sql: Sql,
  { account_id, webhook_id }: OfWebhook,
): Promise<SigningWebhook> {
  const row = await sql.one<SigningWebhook>(
    `SELECT id, account_id, url, secret, old_secret, old_secret_until FROM webhooks
     WHERE id = $1 AND account_id = COALESCE($2, account_id)`,
    [webhook_id, account_id ?? null],
  );
  if (!row) throw noWebhook(webhook_id);
  return row;
}

/** What is sent again waits as events do; without a bound it could fill the disk. */
async function checkRoom(sql: Sql, webhook_id: number, wanted: number): Promise<void> {
  const row = await sql.one<{ n: number }>(
    `SELECT COUNT(*) AS n FROM webhook_deliveries
     WHERE webhook_id = $1 AND lane = '${lanes.resend}' AND state = 'pending'`,
    [webhook_id],
  );
  if ((row?.n ?? 0) + wanted > webhookLimits.resendPendingMax)
    throw new ApiError('tooManyResends', {
      message: `At most ${webhookLimits.resendPendingMax} deliveries may wait to be sent again`,
    });
}

/** So many more wait: whoever works on it looks again before it lets go. */
async function wake(sql: Sql, webhook_id: number, added: number): Promise<void> {
  await sql.run(
    'UPDATE webhooks SET work_at = 0, asked = asked + 1, pending = pending + $2 WHERE id = $1',
    [webhook_id, added],
  );
}

async function checkWebhook(sql: Sql, { account_id, webhook_id }: OfWebhook): Promise<void> {
  const row = await sql.one(
    'SELECT id FROM webhooks WHERE id = $1 AND account_id = COALESCE($2, account_id)',
    [webhook_id, account_id ?? null],
  );
  if (!row) throw noWebhook(webhook_id);
}

function noDelivery(id: number): never {
  throw new ApiError('noDelivery', {
    message: `No delivery ${id} that can be sent again or shown`,
  });
}
