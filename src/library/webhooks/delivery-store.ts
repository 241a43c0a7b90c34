// Deliveries of webhooks in the database: made of events, led to their end by one service at a time, listed, swept.
import { dialectWords } from '../../base/db/dialect.ts';
import { flush, placeholders, read, type Sql, type Value } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import type { EventType } from '../events/event.ts';
import { allFeeds, type Feed, feeds } from '../events/event-feed.ts';
import { eventsAfter, feedEnds } from '../events/event-store.ts';
import { eventText } from '../events/event-text.ts';
import { backOffMs } from './target-rest.ts';
import { type DisabledReason, lanes, noticeTypes, type WebhookStanding } from './webhook.ts';
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

/** Whether there is anybody to be told: asked each second, where there is none it is all that is. */
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

interface SpreadRow {
  account_id: number;
  events: string;
  main_seq: number | null;
  sessions_seq: number | null;
  /** How many wait. */
  pending: number;
}

export interface Spread {
  added: number;
  /** There are more events than were looked at. */
  isMore: boolean;
  /** As many wait as may. */
  isFull: boolean;
}

/** Events become deliveries and the webhook's place in each feed moves on, in one transaction. */
export const spreadEvents = flush(
  'webhooks.spread',
  ofAccount,
  async (
    sql,
    given: WebhookLease & { pendingMax: number; now: number },
  ): Promise<Spread | undefined> => {
    const { webhook_id, leased_by, pendingMax, now } = given;
    const row = await sql.one<SpreadRow>(
      `SELECT account_id, events, main_seq, sessions_seq, pending FROM webhooks
       WHERE id = $1 AND leased_by = $2 AND enabled = 1 ${dialectWords(sql.dialect).forUpdate}`,
      [webhook_id, leased_by],
    );
    if (!row) return undefined;
    const spread: Spread = { added: 0, isMore: false, isFull: false };
    for (const feed of allFeeds) {
      const room = pendingMax - row.pending - spread.added;
      const limit = Math.min(room, webhookLimits.spreadMax);
      if (limit <= 0) spread.isFull = true;
      else await spreadFeed(sql, { webhook_id, row, feed, limit, now, spread });
    }
    return spread;
  },
);

const seqColumns = { [feeds.main]: 'main_seq', [feeds.sessions]: 'sessions_seq' } as const;

async function spreadFeed(
  sql: Sql,
  given: {
    webhook_id: number;
    row: SpreadRow;
    feed: Feed;
    limit: number;
    now: number;
    spread: Spread;
  },
): Promise<void> {
  const { webhook_id, row, feed, limit, now, spread } = given;
  const column = seqColumns[feed];
  const seq = row[column];
  if (seq === null) return;
  const { account_id } = row;
  const found = await eventsAfter(sql, { account_id, feed, seq, limit });
  const ends = found.length > 0 ? [] : await feedEnds(sql, { account_id });
  const last = found.at(-1)?.seq ?? ends.find((end) => end.feed === feed)?.last_seq ?? 0;
  if (last <= seq) return;
  const types = row.events.split(' ') as EventType[];
  const rows = found
    .filter(({ type }) => types.includes(type))
    .map((event): Value[] => [
      webhook_id,
      lanes.of(feed, event.channel_id),
      event.channel_id,
      event.id,
      event.type,
      eventText(event),
      'pending',
      '',
      now,
    ]);
  await addRows(sql, rows);
  // Numbers have no holes: those that are not there any more were older than events are kept.
  const missed = (found[0]?.seq ?? last + 1) - seq - 1;
  if (missed > 0) {
    const problem = `${missed} events of the account were older than events are kept (EVENT_DAYS), and were not looked at`;
    await addNotice(sql, { webhook_id, type: noticeTypes.missed, problem, now });
  }
  await sql.run(
    `UPDATE webhooks SET ${column} = $2, missed = missed + $3, pending = pending + $4 WHERE id = $1`,
    [webhook_id, last, missed, rows.length],
  );
  spread.added += rows.length;
  spread.isMore ||= found.length === limit;
}

const addedColumns =
  'webhook_id, lane, of_channel, event_id, type, body, state, problem, created_at';

async function addRows(sql: Sql, rows: readonly Value[][]): Promise<void> {
  if (rows.length === 0) return;
  await sql.run(
    `INSERT INTO webhook_deliveries (${addedColumns}) VALUES ${placeholders(rows.length, 9)}`,
    rows.flat(),
  );
}

async function addNotice(
  sql: Sql,
  given: { webhook_id: number; type: string; problem: string; now: number },
): Promise<void> {
  const { webhook_id, type, problem, now } = given;
  await addRows(sql, [[webhook_id, '', 0, '', type, '', 'notice', problem, now]]);
}

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

/** What came of one try. */
export interface TryOutcome {
  isDelivered: boolean;
  /** It said that it is gone. */
  isGone: boolean;
  /** 0 where there was no answer. */
  status: number;
  began_at: number;
  took_ms: number;
  /** As JSON: pairs of name and value. */
  request_headers: string;
  answer_headers: string;
  answer_body: string;
  problem: string;
  /** How long it asked to be left alone: it is for so long at least. */
  restMs: number | undefined;
}

export interface Finished {
  state: 'pending' | 'delivered' | 'given_up';
  /** Of the same lane. */
  next: LaneHead | undefined;
  failures: number;
  try_after: number;
  /** Why it is sent nothing more, from now on. */
  disabled: DisabledReason;
}

interface Target {
  failures: number;
  failing_since: number | null;
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

/** A success ends all rests of the target; failures of all its channels in a row make it rest as a whole. */
async function noteTarget(
  sql: Sql,
  given: {
    webhook_id: number;
    target: Target;
    outcome: TryOutcome;
    /** How many do not wait any more. */
    ended: number;
    random: number;
    now: number;
  },
): Promise<Pick<Finished, 'failures' | 'try_after' | 'disabled'>> {
  const { webhook_id, target, outcome, ended, random, now } = given;
  if (outcome.isDelivered) {
    await sql.run(
      `UPDATE webhooks SET failures = 0, failing_since = NULL, try_after = 0, last_success_at = $2,
         pending = pending - $3 WHERE id = $1`,
      [webhook_id, now, ended],
    );
    return { failures: 0, try_after: 0, disabled: '' };
  }
  const failures = target.failures + 1;
  const failing_since = target.failing_since ?? outcome.began_at;
  const beyond = failures - webhookLimits.failuresMax + 1;
  const rest = Math.max(outcome.restMs ?? 0, beyond > 0 ? backOffMs(beyond, random) : 0);
  const try_after = rest === 0 ? 0 : now + rest;
  await sql.run(
    `UPDATE webhooks SET failures = $2, failing_since = $3, try_after = $4, pending = pending - $5
     WHERE id = $1`,
    [webhook_id, failures, failing_since, try_after, ended],
  );
  const hasFailedLong = now - failing_since >= webhookLimits.disableMs;
  const disabled = outcome.isGone ? 'gone' : hasFailedLong ? 'failing' : '';
  if (disabled !== '') await disable(sql, { webhook_id, reason: disabled, now });
  return { failures, try_after, disabled };
}

const disabledSentences = {
  gone: 'The target answered 410, that it is gone: nothing more is sent to it until it is enabled again',
  failing: `No try has succeeded for ${webhookLimits.disableMs / 86_400_000} days: nothing more is sent to it until it is enabled again`,
};

async function disable(
  sql: Sql,
  given: { webhook_id: number; reason: keyof typeof disabledSentences; now: number },
): Promise<void> {
  const { webhook_id, reason, now } = given;
  const changed = await sql.run(
    'UPDATE webhooks SET enabled = 0, disabled_reason = $2 WHERE id = $1 AND enabled = 1',
    [webhook_id, reason],
  );
  if (changed === 0) return;
  const problem = disabledSentences[reason];
  await addNotice(sql, { webhook_id, type: noticeTypes.disabled, problem, now });
}

/** How all webhooks on the database stand, for who measures. */
export interface WebhooksNow {
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
export const webhooksNow = read(
  'webhooks.now',
  async (sql, { now }: { now: number }): Promise<WebhooksNow> => {
    const counts: WebhooksNow['counts'] = { enabled: 0, by_owner: 0, gone: 0, failing: 0 };
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
    const times = await sql.one<Pick<WebhooksNow, 'oldest_at' | 'due_at'>>(
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
