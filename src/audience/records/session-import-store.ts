// The transactions of an import: lines that are staged become sessions, with their visitors and block counts.
import { ApiError } from '../../base/api/errors.ts';
import { type AnyOperation, type Sql, telling, write } from '../../base/db/sql.ts';
import { allShowsCountAnew } from '../../stream/live/show-store.ts';
import { countAdded, recountBlocks } from './block-count-store.ts';
import { checkChannel, lockAudience, saveAudience } from './channel-audience-store.ts';
import { markTaken } from './record-id-store.ts';
import {
  countStaged,
  dropKnown,
  dropKnownOf,
  firstAfterOldest,
  insertSessions,
  numberStaged,
  spanOf,
  stageFrom,
} from './staged-session-store.ts';
import { addVisits, measureBefore, renumberVisitors, type Visits } from './visit-import-store.ts';

/**
 * Adds a run of numbered lines and says how many were new. All of them must have entered after everything
 * that is there: viewers enter and other imports run between two runs, so each run is held against the
 * channel as it is under the lock. Where one is `older`, nothing is added.
 */
export const appendSessions = telling(
  {
    of: ({ channel_id }) => ({ kind: 'channel', id: channel_id }),
    changed: (added) => added !== 0,
  },
  write('audience.appendSessions', async (sql, visits: Visits): Promise<number | 'older'> => {
    const { channel_id, from, until } = visits;
    const audience = await lockAudience(sql, channel_id);
    await checkChannel(sql, channel_id);
    await dropKnownOf(sql, visits);
    const run = await spanOf(sql, visits);
    if (!run || run.added === 0) return 0;
    if (run.first_at < audience.last_entry_at) return 'older';
    const first = audience.next_session_seq;
    await measureBefore(sql, visits);
    await insertSessions(sql, { ...visits, first });
    await markTaken(sql, until - from);
    await countAdded(sql, { channel_id, kind: 'session', fromSeq: first });
    audience.next_visitor_seq = await addVisits(sql, visits, audience.next_visitor_seq);
    // The numbers of lines that turned out to be known stay unused.
    audience.next_session_seq += until - from;
    audience.last_entry_at = run.last_at;
    await saveAudience(sql, channel_id, audience);
    await allShowsCountAnew(sql, channel_id);
    return run.added;
  }),
);

/**
 * Adds the lines that are not there yet, some of them older than what is, and says how many. Everything
 * that entered later is taken out, sorted together with them and put back under new numbers, in this one
 * transaction and off air.
 */
export const mergeHistory = telling(
  {
    of: ({ channel_id }) => ({ kind: 'channel', id: channel_id }),
    changed: (added) => added !== 0,
  },
  write(
    'audience.mergeHistory',
    async (sql, { channel_id }: { channel_id: number }): Promise<number> => {
      const audience = await lockAudience(sql, channel_id);
      await checkChannel(sql, channel_id);
      await dropKnown(sql, channel_id);
      const added = await countStaged(sql);
      if (added === 0) return 0;
      await checkOffAir(sql, channel_id);
      const first = (await firstAfterOldest(sql, channel_id)) ?? audience.next_session_seq;
      await stageFrom(sql, { channel_id, first, next: audience.next_session_seq });
      const count = await numberStaged(sql);
      const visits = { channel_id, from: 1, until: count + 1 };
      await measureBefore(sql, visits);
      await removeFrom(sql, { channel_id, first });
      await insertSessions(sql, { ...visits, first });
      await markTaken(sql, added);
      await recountBlocks(sql, { channel_id, kind: 'session', fromSeq: first });
      await addVisits(sql, visits, audience.next_visitor_seq);
      audience.next_visitor_seq = await renumberVisitors(sql, channel_id);
      audience.next_session_seq = first + count;
      audience.last_entry_at = (await lastEntry(sql, channel_id)) ?? audience.last_entry_at;
      audience.numbering += 1;
      await saveAudience(sql, channel_id, audience);
      await allShowsCountAnew(sql, channel_id);
      return added;
    },
  ),
);

/** They need the tables that an import stages in, so only the importing command knows them. */
export const importOperations: readonly AnyOperation[] = [appendSessions, mergeHistory];

/** Refuses while the channel is live. */
async function checkOffAir(sql: Sql, channel_id: number): Promise<void> {
  const channel = await sql.one<{ live: number }>('SELECT live FROM channels WHERE id = $1', [
    channel_id,
  ]);
  if (channel?.live !== 1) return;
  throw new ApiError('unavailable', {
    message: `Channel ${channel_id} is live: lines older than its last entry are imported off air`,
  });
}

async function removeFrom(
  sql: Sql,
  { channel_id, first }: { channel_id: number; first: number },
): Promise<void> {
  await sql.run('DELETE FROM sessions WHERE channel_id = $1 AND seq >= $2', [channel_id, first]);
}

async function lastEntry(sql: Sql, channel_id: number): Promise<number | undefined> {
  const row = await sql.one<{ entered_at: number }>(
    'SELECT entered_at FROM sessions WHERE channel_id = $1 ORDER BY entered_at DESC, seq DESC LIMIT 1',
    [channel_id],
  );
  return row?.entered_at;
}
