// That a channel is live, and that it is live no more, as the writes tell it that find it so.
import type { Sql } from '../../base/db/sql.ts';
import { isoTime } from '../../base/lib/time.ts';
import { appendEvents } from './event-store.ts';

/** Whose channel it is. */
export interface LiveOwner {
  account_id: number;
  manager_id: number;
}

/** A show that has begun, as its row has it. */
export interface BegunShow {
  id: number;
  channel_id: number;
  begin_at: number;
}

export interface EndedShow extends BegunShow {
  end_at: number;
}

/** Part of the write that makes the channel live. */
export function tellLive(sql: Sql, { account_id, manager_id }: LiveOwner, show: BegunShow): void {
  appendEvents(sql, [{ type: 'channel.live', account_id, manager_id, data: begun(show) }]);
}

/** Part of the write that ends it: of several shows that were left open, the last is the one that was on. */
export function tellOffline(
  sql: Sql,
  { account_id, manager_id }: LiveOwner,
  ended: readonly EndedShow[],
): void {
  const last = ended.toSorted((a, b) => a.begin_at - b.begin_at).at(-1);
  if (!last) return;
  const data = { ...begun(last), end: isoTime(last.end_at) };
  appendEvents(sql, [{ type: 'channel.offline', account_id, manager_id, data }]);
}

function begun({ id, channel_id, begin_at }: BegunShow) {
  return { channel_id, show_id: id, begin: isoTime(begin_at) };
}
