// Events become deliveries of a webhook, in the transaction that moves its place in their feed.
import { dialectWords } from '../../base/db/dialect.ts';
import { flush, type Sql, type Value } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import type { EventType } from '../events/event.ts';
import { allFeeds, type Feed, feeds } from '../events/event-feed.ts';
import { eventsAfter, feedEnds } from '../events/event-store.ts';
import { eventText } from '../events/event-text.ts';
import { addDeliveries, addNotice } from './delivery-row-store.ts';
import { lanes, noticeTypes } from './webhook.ts';
import type { WebhookLease } from './webhook-lease-store.ts';
import { webhookLimits } from './webhook-limits.ts';

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
  await addDeliveries(sql, rows);
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
