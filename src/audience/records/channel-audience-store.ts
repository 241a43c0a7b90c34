// A channel's allocator of numbers, and the lock under which its audience is written.
import { ApiError } from '../../base/api/errors.ts';
import { dialectWords, type Turn } from '../../base/db/dialect.ts';
import type { Sql } from '../../base/db/sql.ts';

export interface Audience {
  next_session_seq: number;
  next_visitor_seq: number;
  last_entry_at: number;
  /** Rises when an import numbers rows anew. */
  numbering: number;
  /** Whether nobody else writes sessions and visitors of the channel until the end of the transaction. */
  is_alone: number;
}

/**
 * Takes the channel's audience for this transaction: one writer at a time, so that numbers follow entries. Flushes of
 * several services share it, as they change rows, and neither add nor move any; where there is one at a time, it is
 * alone. A transaction that writes several rows takes this lock first, so that no two of them wait for each other.
 */
export async function lockAudience(
  sql: Sql,
  channel_id: number,
  how: Turn = 'alone',
): Promise<Audience> {
  const known = await lockedRow(sql, channel_id, how);
  if (known) return known;
  await sql.run(
    `INSERT INTO channel_audience (channel_id, next_session_seq, next_visitor_seq, last_entry_at, numbering)
     VALUES ($1, 1, 1, 0, 0) ON CONFLICT (channel_id) DO NOTHING`,
    [channel_id],
  );
  const row = await lockedRow(sql, channel_id, how);
  if (!row)
    throw new Error(`the audience of channel ${channel_id} vanished inside its own transaction`);
  return row;
}

/** Throws where there is no such channel any more. Who deletes one waits for the lock of its audience. */
export async function checkChannel(sql: Sql, channel_id: number): Promise<void> {
  const row = await sql.one('SELECT id FROM channels WHERE id = $1 AND deleted_at IS NULL', [
    channel_id,
  ]);
  if (!row) throw new ApiError('noChannel');
}

export async function saveAudience(
  sql: Sql,
  channel_id: number,
  audience: Audience,
): Promise<void> {
  const { next_session_seq, next_visitor_seq, last_entry_at, numbering } = audience;
  await sql.run(
    `UPDATE channel_audience SET next_session_seq = $2, next_visitor_seq = $3, last_entry_at = $4,
       numbering = $5 WHERE channel_id = $1`,
    [channel_id, next_session_seq, next_visitor_seq, last_entry_at, numbering],
  );
}

async function lockedRow(sql: Sql, channel_id: number, how: Turn): Promise<Audience | undefined> {
  const { table, end } = dialectWords(sql.dialect).inTurn('channel_audience', how);
  return await sql.one<Audience>(
    `SELECT next_session_seq, next_visitor_seq, last_entry_at, numbering, is_alone FROM ${table}
     WHERE channel_id = $1 ${end}`,
    [channel_id],
  );
}
