// A webhook: an address that is told of events, in which order, and how its deliveries stand.
import type { Zone } from '../../base/lib/time.ts';
import type { TestData } from '../events/event.ts';
import { type Feed, feeds } from '../events/event-feed.ts';
import { eventText, testType } from '../events/event-text.ts';

/** Why it is sent nothing: nobody wanted it to be, it said that it is gone, it has failed for days, or it is of a backup. */
export const disabledReasons = ['', 'by_owner', 'gone', 'failing', 'restored'] as const;
export type DisabledReason = (typeof disabledReasons)[number];
/** Whether it is sent to, and if not why. */
export type WebhookStanding = 'enabled' | Exclude<DisabledReason, ''>;

/** `notice` is no event: a row of the log that says what became of the webhook itself. */
export const deliveryStates = ['pending', 'delivered', 'given_up', 'notice'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** As an event's: who verifies one verifies the other. */
export function testBody({ webhook_id, at }: { webhook_id: number; at: number }): string {
  const data: TestData = { webhook_id };
  return eventText({ type: testType, at, data: JSON.stringify(data) });
}

/** Rows of the log that are no deliveries. */
export const noticeTypes = { disabled: 'webhook.disabled', missed: 'webhook.missed' } as const;

/** What stands in one order: a channel's events, those of its ended sessions, what is sent again, a test. */
export const lanes = {
  of: (feed: Feed, channel_id: number) => `${feed}.${channel_id}`,
  isSessions: (lane: string) => lane.startsWith(`${feeds.sessions}.`),
  resend: 'resend',
  test: 'test',
} as const;

export interface WebhookRow {
  id: number;
  account_id: number;
  url: string;
  description: string;
  /** Types, with spaces between. */
  events: string;
  enabled: number;
  disabled_reason: DisabledReason;
  old_secret_until: number;
  created_at: number;
  failing_since: number | null;
  last_success_at: number | null;
  missed: number;
  pending: number;
}

export function webhookView(row: WebhookRow, { zone, now }: { zone: Zone; now: number }) {
  const time = (at: number | null) => (at === null ? '' : zone.dateTime(at));
  const { old_secret_until } = row;
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    events: row.events.split(' '),
    enabled: row.enabled === 1,
    disabled_reason: row.disabled_reason,
    created_at: time(row.created_at),
    old_secret_until: old_secret_until > now ? time(old_secret_until) : '',
    last_success_at: time(row.last_success_at),
    failing_since: time(row.failing_since),
    pending: row.pending,
    missed: row.missed,
  };
}

/** A delivery as lists have it. */
export interface DeliveryRow {
  id: number;
  event_id: string;
  type: string;
  of_channel: number;
  lane: string;
  state: DeliveryState;
  tries: number;
  created_at: number;
  tried_at: number;
  try_after: number;
  done_at: number | null;
  status: number;
  took_ms: number;
  problem: string;
}

/** With what was sent and what came back, last. */
export interface WholeDeliveryRow extends DeliveryRow {
  body: string;
  /** As JSON: pairs of name and value. */
  request_headers: string;
  answer_headers: string;
  answer_body: string;
}

export function deliveryView(row: DeliveryRow, { zone }: { zone: Zone }) {
  const time = (at: number | null) => (at === null || at === 0 ? '' : zone.dateTime(at));
  return {
    id: row.id,
    event_id: row.event_id,
    type: row.type,
    channel_id: row.of_channel,
    is_resend: row.lane === lanes.resend,
    is_test: row.lane === lanes.test,
    state: row.state,
    tries: row.tries,
    created_at: time(row.created_at),
    tried_at: time(row.tried_at),
    next_try_at: row.state === 'pending' ? time(row.try_after) : '',
    done_at: time(row.done_at),
    status: row.status,
    took_ms: row.took_ms,
    problem: row.problem,
  };
}

export function wholeDeliveryView(row: WholeDeliveryRow, given: { zone: Zone }) {
  const headers = (text: string): { name: string; value: string }[] =>
    text === ''
      ? []
      : (JSON.parse(text) as [string, string][]).map(([name, value]) => ({ name, value }));
  return {
    ...deliveryView(row, given),
    request: { headers: headers(row.request_headers), body: row.body },
    answer: { headers: headers(row.answer_headers), body: row.answer_body },
  };
}
