// Who asks, as they are shown to themselves: after signing in, and whenever they ask.
import * as z from 'zod';
import type { KnownCaller } from '../../base/api/caller.ts';
import { ApiError } from '../../base/api/errors.ts';
import type { Sql } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import { type AskerRow, findAsker } from './me-store.ts';
import { managerAnswer, managerView } from './person.ts';

export const meAnswer = z
  .object({
    person: z
      .object({ id: z.int(), name: z.string(), user_name: z.string() })
      .nullable()
      .meta({ description: 'null where a token asks' }),
    account: z.object({ id: z.int(), name: z.string(), plan: z.enum(['traffic', 'standard']) }),
    manager: managerAnswer,
    scopes: z.array(z.string()).meta({ description: 'what the caller may do' }),
    time_zone: z.string().meta({ description: 'in which times are shown and read' }),
    now: z.string().meta({ description: 'the time of the service' }),
  })
  .meta({ title: 'Me' });

export const meExample: z.output<typeof meAnswer> = {
  person: { id: 1, name: 'Ada', user_name: 'ada@example.com' },
  account: { id: 1, name: 'first', plan: 'traffic' },
  manager: null,
  scopes: ['channels:read', 'channels:write', 'videos:read', 'audience:read', 'manage'],
  time_zone: 'UTC',
  now: '2026-05-01 19:30:00',
};

type Asking = Pick<KnownCaller, 'account_id' | 'manager_id' | 'scopes' | 'session'>;

export async function showMe(
  sql: Sql,
  asking: Asking,
  { zone, now }: { zone: Zone; now: () => number },
): Promise<z.output<typeof meAnswer>> {
  const { account_id, manager_id, session } = asking;
  const row = await findAsker(sql, { account_id, manager_id, person_id: session?.person_id ?? 0 });
  // Removed since the caller was known.
  if (!row || (session && row.person_id === null)) throw new ApiError('noPerson');
  return {
    person: personView(row),
    account: { id: account_id, name: row.account_name, plan: row.plan },
    manager: managerView({ manager_id, manager_username: row.manager_username }),
    scopes: [...asking.scopes],
    time_zone: zone.name,
    now: zone.dateTime(now()),
  };
}

function personView({ person_id, person_name, user_name }: AskerRow) {
  if (person_id === null) return null;
  return { id: person_id, name: person_name ?? '', user_name: user_name ?? '' };
}
