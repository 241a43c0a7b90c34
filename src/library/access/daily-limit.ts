// Calls a day that an account may make of one operation: exact under concurrency, kept in the database.
import { ApiError } from '../../base/api/errors.ts';
import { type Sql, type Store, write } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import type { Zone } from '../../base/lib/time.ts';

export interface DailyLimit {
  /** Refuses before any work is done where the day's calls are used up. */
  check(accountId: number): Promise<void>;
  /** Counts a call that is about to be answered; refuses where others were faster. Headers for the answer. */
  count(accountId: number): Promise<Record<string, string>>;
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
    check: async (account_id) => {
      if (callsMax === 0) return;
      const sql = store.for(ofAccount({ account_id }));
      if ((await callsToday(sql, account_id, zone.date(now()))) >= callsMax) throw refused();
    },
    count: async (account_id) => {
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

interface CountInput {
  account_id: number;
  day: string;
  callsMax: number;
  forgetBefore: string;
}

/** The day's calls with this one, or undefined where it would be one too many. */
export const countCall = write('access.countCall', ofAccount, async (sql, input: CountInput) => {
  const row = await sql.one<{ calls: number }>(
    `INSERT INTO daily_calls (account_id, day, calls) VALUES ($1, $2, 1)
       ON CONFLICT (account_id, day) DO UPDATE SET calls = daily_calls.calls + 1
       WHERE daily_calls.calls < $3 RETURNING calls`,
    [input.account_id, input.day, input.callsMax],
  );
  if (row?.calls === 1) {
    await sql.run('DELETE FROM daily_calls WHERE account_id = $1 AND day < $2', [
      input.account_id,
      input.forgetBefore,
    ]);
  }
  return row?.calls;
});

async function callsToday(sql: Sql, account_id: number, day: string): Promise<number> {
  const row = await sql.one<{ calls: number }>(
    'SELECT calls FROM daily_calls WHERE account_id = $1 AND day = $2',
    [account_id, day],
  );
  return row?.calls ?? 0;
}
