// The viewers of `bench beats`: they enter as pages do, and beat in no order.
import {
  type Entry,
  enterSessions,
  type SessionCredit,
  type VisitorCredit,
} from '../../src/audience/records/audience-store.ts';
import { spanText } from '../../src/audience/records/span.ts';
import type { Store } from '../../src/base/db/sql.ts';
import { createFirstAccount } from '../../src/library/access/account-store.ts';
import { createChannel } from '../../src/library/channels/channel-store.ts';

export interface Viewer {
  channel_id: number;
  session: SessionCredit;
  visitor: VisitorCredit;
}

/** A page beats so often. */
export const beatMs = 10_000;

/** A channel like any other; how long it took, in ms. */
export async function timedCreate(store: Store): Promise<{ id: number; tookMs: number }> {
  const owner = { account_id: 1, manager_id: 0 };
  const order = { owner, name: 'beats', manager_id: 0, page: { set: {}, clear: [] }, now: 0 };
  const startedAt = performance.now();
  const { row } = await store.perform(createChannel, { ...order, idempotency: undefined });
  return { id: row.id, tookMs: performance.now() - startedAt };
}

/** Everybody enters, rush after rush; how long each rush took, in ms. */
export async function gather(
  store: Store,
  given: { viewers: number; channels: number; rushEntries: number },
): Promise<{ viewers: Viewer[]; rushMs: number[] }> {
  const { viewers: count, channels, rushEntries } = given;
  await store.perform(createFirstAccount, { now: 0 });
  const viewers: Viewer[] = [];
  const rushMs: number[] = [];
  for (let channel = 0; channel < channels; channel++) {
    const { id: channel_id } = await timedCreate(store);
    const perChannel = count / channels;
    for (let from = 0; from < perChannel; from += rushEntries) {
      const length = Math.min(rushEntries, perChannel - from);
      const entries = Array.from({ length }, (_, at) => entryOf(viewers.length + at));
      const startedAt = performance.now();
      viewers.push(...(await enter(store, channel_id, entries)));
      if (length === rushEntries) rushMs.push(performance.now() - startedAt);
    }
  }
  return { viewers, rushMs };
}

/** Another beat's worth for each of them. */
export function beat(viewers: readonly Viewer[]): void {
  for (const { session, visitor } of viewers) {
    for (const row of [session, visitor]) row.last_seen_at += beatMs;
    const from = session.credited_until;
    session.watch_ms += beatMs;
    session.credited_until += beatMs;
    session.online_ms += beatMs;
    visitor.intervals = [{ from, to: session.credited_until }];
    const watched = { show: showAt, from: enteredAt, to: enteredAt + session.watch_ms };
    session.spans = spanText([{ ...watched, position: enteredAt - showAt }]);
  }
}

async function enter(store: Store, channel_id: number, entries: Entry[]): Promise<Viewer[]> {
  const given = { channel_id, held_by: 1, now: enteredAt, resumeWithinMs: 0, entries };
  const entered = await store.perform(enterSessions, given);
  return entered.map((one, at) => {
    if (!one) throw new Error('a new viewer did not enter');
    const { record_id, session_seq, visitor_seq, ...sums } = one;
    const viewer_id = entries[at]?.viewer_id ?? '';
    const last_seen_at = enteredAt;
    return {
      channel_id,
      session: { viewer_id, record_id, seq: session_seq, ...sums.session, spans: '' },
      visitor: { viewer_id, seq: visitor_seq, last_seen_at, intervals: [], settle_until: 0 },
    };
  });
}

const enteredAt = Date.UTC(2026, 4, 1, 19, 30);
const showAt = enteredAt - 600_000;

function entryOf(n: number): Entry {
  return {
    viewer_id: `v-${((n * 2_654_435_761) % 4_294_967_296).toString(36).padStart(20, '0')}`,
    nick: `Viewer ${n}`,
    addr: '广东省深圳市',
    phone: '',
    device: n % 2 === 0 ? 'iPhone' : 'PC',
    browser: n % 2 === 0 ? 'WeChat' : 'Chrome',
    origin: 'example.com',
    ip: `203.0.${Math.floor(n / 256) % 256}.${n % 256}`,
    at: enteredAt,
  };
}
