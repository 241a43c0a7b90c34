// Where there is something to forget: the channels that have an audience, and what of a channel is too old.
import { read, type Sql } from '../../base/db/sql.ts';
import { hasOldAddresses } from './address-retention-store.ts';
import {
  hasOldMessages,
  hasOldRegistrations,
  hasOldSessions,
  hasOldShares,
} from './record-retention-store.ts';

/** Channels that anybody has ever entered, or registered for, in the order of their ids. */
export async function channelsAfter(
  sql: Sql,
  { after, limit }: { after: number; limit: number },
): Promise<number[]> {
  // From one channel to the next in the index: those that have no audience are not looked at, nor each registration.
  const rows = await sql.all<{ channel_id: number }>(
    `WITH RECURSIVE registered (channel_id) AS (
       SELECT MIN(channel_id) FROM registrations WHERE channel_id > $1
       UNION ALL SELECT (SELECT MIN(r.channel_id) FROM registrations r WHERE r.channel_id > b.channel_id)
       FROM registered b WHERE b.channel_id IS NOT NULL)
     SELECT channel_id FROM (
       SELECT * FROM (SELECT channel_id FROM channel_audience WHERE channel_id > $1
         ORDER BY channel_id LIMIT ${limit}) AS entered
       UNION SELECT * FROM (SELECT channel_id FROM registered WHERE channel_id IS NOT NULL
         LIMIT ${limit}) AS signed_up) AS found
     ORDER BY channel_id LIMIT ${limit}`,
    [after],
  );
  return rows.map((row) => row.channel_id);
}

/** Whose channel it is. */
export async function accountOf(sql: Sql, channel_id: number): Promise<number> {
  const row = await sql.one<{ account_id: number }>(
    'SELECT account_id FROM channels WHERE id = $1',
    [channel_id],
  );
  return row?.account_id ?? 0;
}

/** What is kept for a time only. */
export type Retained = 'sessions' | 'messages' | 'shares' | 'registrations' | 'addresses';

interface Due {
  what: Retained;
  before: number;
}

interface Ages {
  recordsBefore: number | undefined;
  addressesBefore: number | undefined;
}

/** What there is to do in a channel: nearly always nothing, and the writer is not asked for that. */
export const findOld = read(
  'privacy.findOld',
  async (sql, input: Ages & { channel_id: number }): Promise<Due[]> => {
    const { channel_id, recordsBefore, addressesBefore } = input;
    const due: Due[] = [];
    if (recordsBefore !== undefined) {
      const old = { channel_id, before: recordsBefore };
      if (await hasOldSessions(sql, old)) due.push({ what: 'sessions', before: old.before });
      if (await hasOldMessages(sql, old)) due.push({ what: 'messages', before: old.before });
      if (await hasOldShares(sql, old)) due.push({ what: 'shares', before: old.before });
      if (await hasOldRegistrations(sql, old))
        due.push({ what: 'registrations', before: old.before });
    }
    if (addressesBefore !== undefined) {
      const old = { channel_id, before: addressesBefore };
      if (await hasOldAddresses(sql, old)) due.push({ what: 'addresses', before: old.before });
    }
    return due;
  },
);
