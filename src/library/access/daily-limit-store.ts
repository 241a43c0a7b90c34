// The calls of the watch records that an account has made, by day: table `daily_calls`.
import { type Sql, write } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';

export async function callsOf(
  sql: Sql,
  { account_id, day }: { account_id: number; day: string },
): Promise<number> {
  const row = await sql.one<{ calls: number }>(
    'SELECT calls FROM daily_calls WHERE account_id = $1 AND day = $2',
    [account_id, day],
  );
  return row?.calls ?? 0;
}

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
