// The calls a day that an account may make of the watch records (interface 4.6): exact under concurrency, kept in the database.
import type { Owner } from '../../base/api/caller.ts';
import { ApiError } from '../../base/api/errors.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import type { Zone } from '../../base/lib/time.ts';
import { callsOf, countCall } from './daily-limit-store.ts';

/** Whose limit it is. (`ofAccount` below is something else: in whose line a call of the database waits.) */
type LimitedCaller = Pick<Owner, 'account_id'>;

export interface DailyLimit {
  /** Refuses before any work is done where the day's calls are used up. */
  check(caller: LimitedCaller): Promise<void>;
  /** Counts a call that is about to be answered; refuses where others were faster. Headers for the answer. */
  count(caller: LimitedCaller): Promise<Record<string, string>>;
}

export function dailyLimit(given: {
  store: Store;
  now: () => number;
  zone: Zone;
  /** 0: no limit. */
  callsMax: number;
}): DailyLimit {
  const { store, now, zone, callsMax } = given;

  const headers = (left: number): Record<string, string> => {
    const seconds = Math.ceil((zone.nextDay(now()) - now()) / 1000);
    return {
      'RateLimit-Policy': `"daily";q=${callsMax};w=86400`,
      RateLimit: `"daily";r=${left};t=${seconds}`,
    };
  };
  const refused = () => {
    const seconds = Math.ceil((zone.nextDay(now()) - now()) / 1000);
    return new ApiError('rateLimit', {
      message: `This operation may be called ${callsMax} times a day; the count starts again at 00:00 (${zone.name})`,
      headers: { ...headers(0), 'Retry-After': String(seconds) },
    });
  };

  return {
    check: async ({ account_id }) => {
      if (callsMax === 0) return;
      const sql = store.for(ofAccount({ account_id }));
      if ((await callsOf(sql, { account_id, day: zone.date(now()) })) >= callsMax) throw refused();
    },
    count: async ({ account_id }) => {
      if (callsMax === 0) return {};
      const day = zone.date(now());
      const forgetBefore = zone.date(now() - keptDays * 86_400_000);
      const calls = await store.perform(countCall, { account_id, day, callsMax, forgetBefore });
      if (calls === undefined) throw refused();
      return headers(callsMax - calls);
    },
  };
}

/** Days whose counts are kept, so that a clock that jumps and comes back finds its count again. */
const keptDays = 30;
