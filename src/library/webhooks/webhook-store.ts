// Webhooks in the database: made, listed, changed, their secrets, removed.
import { ApiError } from '../../base/api/errors.ts';
import { dialectWords } from '../../base/db/dialect.ts';
import { read, type Sql, telling, write } from '../../base/db/sql.ts';
import { ofAccount, ofNamed } from '../../base/db/whose.ts';
import { countRows } from '../access/total-store.ts';
import type { EventType } from '../events/event.ts';
import { allFeeds, feedOf } from '../events/event-feed.ts';
import { feedEnds } from '../events/event-store.ts';
import type { WebhookRow } from './webhook.ts';
import { webhookLimits } from './webhook-limits.ts';
import { makeWebhookSecret } from './webhook-signature.ts';

export interface WebhookOrder {
  account_id: number;
  url: string;
  description: string;
  events: readonly EventType[];
  perAccount: number;
  now: number;
}

/** Told of what is written from now on. Its secret is in the answer and never shown again. */
export const createWebhook = telling(
  { made: ({ id }, { description }) => ({ kind: 'webhook', id, name: description }) },
  write('webhooks.create', ofAccount, async (sql, order: WebhookOrder) => {
    const { account_id, url, description, events, perAccount, now } = order;
    const account = await sql.one(
      `SELECT id FROM accounts WHERE id = $1 ${dialectWords(sql.dialect).forUpdate}`,
      [account_id],
    );
    if (!account) throw new ApiError('noUser', { message: `No account ${account_id}` });
    if ((await countRows(sql, 'webhooks WHERE account_id = $1', [account_id])) >= perAccount)
      throw new ApiError('noPermission', {
        message: `An account may have ${perAccount} webhooks (WEBHOOKS_PER_ACCOUNT)`,
      });
    const secret = makeWebhookSecret();
    const seqs = await followed(sql, { account_id, events });
    const row = await sql.one<{ id: number }>(
      `INSERT INTO webhooks (account_id, url, description, events, secret, created_at, main_seq, sessions_seq)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
      [account_id, url, description, events.join(' '), secret, now, ...seqs],
    );
    return { id: row?.id ?? 0, secret };
  }),
);

const shownColumns = `w.id, w.account_id, w.url, w.description, w.events, w.enabled, w.disabled_reason,
  w.old_secret_until, w.created_at, w.failing_since, w.last_success_at, w.missed, w.pending`;

/** Those of an account, of all for the command line, or the one of an id; the newest first. */
export const listWebhooks = read(
  'webhooks.list',
  ofNamed,
  async (
    sql,
    { account_id, id }: { account_id?: number | undefined; id?: number | undefined },
  ): Promise<WebhookRow[]> =>
    await sql.all<WebhookRow>(
      `SELECT ${shownColumns}
       FROM webhooks w WHERE w.account_id = COALESCE($1, w.account_id) AND w.id = COALESCE($2, w.id)
       ORDER BY w.id DESC`,
      [account_id ?? null, id ?? null],
    ),
);

export interface WebhookChange {
  account_id?: number | undefined;
  id: number;
  url?: string | undefined;
  description?: string | undefined;
  events?: readonly EventType[] | undefined;
  enabled?: boolean | undefined;
}

/** Where it is to be sent something again, or elsewhere, nothing waits for a rest that is left from before. */
export const changeWebhook = telling(
  { of: ({ id }) => ({ kind: 'webhook', id }) },
  write('webhooks.change', ofNamed, async (sql, change: WebhookChange) => {
    const { account_id, id, url, description, events, enabled } = change;
    const row = await lockedWebhook(sql, { account_id, id });
    await sql.run(
      `UPDATE webhooks SET url = COALESCE($2, url), description = COALESCE($3, description),
         events = COALESCE($4, events), asked = asked + 1 WHERE id = $1`,
      [id, url ?? null, description ?? null, events?.join(' ') ?? null],
    );
    if (events) {
      const now = await followed(sql, { account_id: row.account_id, events });
      // What it follows already it goes on with from where it is.
      const then = [row.main_seq, row.sessions_seq];
      const seqs = now.map((seq, at) => (seq === null ? null : (then[at] ?? seq)));
      await sql.run('UPDATE webhooks SET main_seq = $2, sessions_seq = $3 WHERE id = $1', [
        id,
        ...seqs,
      ]);
    }
    if (enabled === false)
      await sql.run(
        "UPDATE webhooks SET enabled = 0, disabled_reason = 'by_owner' WHERE id = $1 AND enabled = 1",
        [id],
      );
    if (enabled === true || (url !== undefined && url !== row.url)) await beginAnew(sql, id);
    if (enabled === true)
      await sql.run("UPDATE webhooks SET enabled = 1, disabled_reason = '' WHERE id = $1", [id]);
  }),
);

/** Of every account, in a database that nobody serves yet; how many there were. */
export async function disableRestored(sql: Sql): Promise<number> {
  const rows = await sql.all(
    "UPDATE webhooks SET enabled = 0, disabled_reason = 'restored' WHERE enabled = 1 RETURNING id",
  );
  return rows.length;
}

async function beginAnew(sql: Sql, id: number): Promise<void> {
  await sql.run(
    'UPDATE webhooks SET failures = 0, failing_since = NULL, try_after = 0, work_at = 0 WHERE id = $1',
    [id],
  );
  await sql.run(
    `UPDATE webhook_deliveries SET try_after = 0
     WHERE webhook_id = $1 AND state = 'pending' AND try_after > 0`,
    [id],
  );
}

/** A new secret, which is returned; the one before signs beside it for a day. */
export const rotateWebhookSecret = telling(
  { of: ({ id }) => ({ kind: 'webhook', id }) },
  write(
    'webhooks.rotateSecret',
    ofNamed,
    async (sql, given: { account_id?: number; id: number; now: number }) => {
      await lockedWebhook(sql, given);
      const secret = makeWebhookSecret();
      await sql.run(
        `UPDATE webhooks SET old_secret = secret, old_secret_until = $2, secret = $3 WHERE id = $1`,
        [given.id, given.now + webhookLimits.rotationMs, secret],
      );
      return secret;
    },
  ),
);

/** Whether there was one. Its deliveries are swept later, in steps. */
export const removeWebhook = telling(
  { of: ({ id }) => ({ kind: 'webhook', id }), changed: (isRemoved) => isRemoved },
  write(
    'webhooks.remove',
    ofNamed,
    async (sql, { account_id, id }: { account_id?: number; id: number }): Promise<boolean> => {
      const removed = await sql.run(
        'DELETE FROM webhooks WHERE id = $1 AND account_id = COALESCE($2, account_id)',
        [id, account_id ?? null],
      );
      return removed === 1;
    },
  ),
);

interface LockedWebhook {
  account_id: number;
  url: string;
  main_seq: number | null;
  sessions_seq: number | null;
}

/** Locks its row; throws where the account has no such webhook. */
export async function lockedWebhook(
  sql: Sql,
  { account_id, id }: { account_id?: number | undefined; id: number },
): Promise<LockedWebhook> {
  const row = await sql.one<LockedWebhook>(
    `SELECT account_id, url, main_seq, sessions_seq FROM webhooks
     WHERE id = $1 AND account_id = COALESCE($2, account_id) ${dialectWords(sql.dialect).forUpdate}`,
    [id, account_id ?? null],
  );
  if (!row) throw noWebhook(id);
  return row;
}

export function noWebhook(id: number): ApiError {
  return new ApiError('noWebhook', { message: `No webhook ${id}` });
}

/** Of each feed where it stands now; null for one that has none of the types. */
async function followed(
  sql: Sql,
  { account_id, events }: { account_id: number; events: readonly EventType[] },
): Promise<(number | null)[]> {
  const ends = await feedEnds(sql, { account_id });
  return allFeeds.map((feed) => {
    if (!events.some((type) => feedOf(type) === feed)) return null;
    return ends.find((end) => end.feed === feed)?.last_seq ?? 0;
  });
}
