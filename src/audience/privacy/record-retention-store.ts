// Removes old sessions, visitors and chat messages, in steps short enough for the writer's other callers.
import { batchStatement } from '../../base/db/batch.ts';
import { flush, type Sql } from '../../base/db/sql.ts';
import { writeBlockChanges } from '../records/block-count-store.ts';
import { type AudienceKind, audienceTables, BlockChanges } from '../records/block-counts.ts';
import { lockAudience } from '../records/channel-audience-store.ts';

/** Where to look, and before when a row is too old. */
export interface OldIn {
  channel_id: number;
  before: number;
}

/** Rows of one step: a few milliseconds of the writer. */
export const stepRows = 250;

/** Whether a step would find any. */
export async function hasOldSessions(sql: Sql, old: OldIn): Promise<boolean> {
  return (await oldSessions(sql, old, 1)).length > 0;
}

/**
 * It tells whether there may be more. A session goes when all of it is too old, so never while it lasts;
 * a visitor goes with their last session.
 */
export const removeOldSessions = flush(
  'privacy.removeOldSessions',
  async (sql, old: OldIn): Promise<boolean> => {
    const { channel_id } = old;
    await lockAudience(sql, channel_id);
    const sessions = await oldSessions(sql, old, stepRows);
    await remove(sql, channel_id, 'session', sessions);
    const viewers = new Set(sessions.map(({ viewer_id }) => viewer_id));
    const visitors = await visitorsWithout.all<{ seq: number }>(
      sql,
      Array.from(viewers, (viewer_id) => ({ channel_id, viewer_id })),
    );
    await remove(sql, channel_id, 'visitor', visitors);
    return sessions.length === stepRows;
  },
);

/** Whether a step would find any. */
export async function hasOldMessages(sql: Sql, old: OldIn): Promise<boolean> {
  return (await oldMessages(sql, old, 1)).length > 0;
}

/** It tells whether there may be more. */
export const removeOldMessages = flush(
  'privacy.removeOldMessages',
  async (sql, old: OldIn): Promise<boolean> => {
    const messages = await oldMessages(sql, old, stepRows);
    await sql.run('DELETE FROM chat_messages WHERE channel_id = $1 AND id <= $2', [
      old.channel_id,
      messages.at(-1)?.id ?? 0,
    ]);
    return messages.length === stepRows;
  },
);

/** Whether a step would find any. */
export async function hasOldShares(sql: Sql, old: OldIn): Promise<boolean> {
  return (await oldShares(sql, old, 1)).length > 0;
}

/** It tells whether there may be more. */
export const removeOldShares = flush(
  'privacy.removeOldShares',
  async (sql, old: OldIn): Promise<boolean> => {
    const shares = await oldShares(sql, old, stepRows);
    await sql.run('DELETE FROM shares WHERE channel_id = $1 AND shared_at <= $2', [
      old.channel_id,
      shares.at(-1)?.shared_at ?? 0,
    ]);
    return shares.length === stepRows;
  },
);

/** Whether a step would find any. */
export async function hasOldRegistrations(sql: Sql, old: OldIn): Promise<boolean> {
  return (await oldRegistrations(sql, old, 1)).length > 0;
}

/** It tells whether there may be more. Who was let in by one watches until their pass expires. */
export const removeOldRegistrations = flush(
  'privacy.removeOldRegistrations',
  async (sql, old: OldIn): Promise<boolean> => {
    const found = await oldRegistrations(sql, old, stepRows);
    await removeRegistration.run(
      sql,
      found.map(({ id }) => ({ channel_id: old.channel_id, id })),
    );
    return found.length === stepRows;
  },
);

/** Mutes and bans that ended so long ago; those for ever stay. */
export const removeOldSilences = flush(
  'privacy.removeOldSilences',
  async (sql, { before }: { before: number }): Promise<void> => {
    await sql.run('DELETE FROM chat_silences WHERE until < $1', [before]);
  },
);

async function oldSessions(sql: Sql, { channel_id, before }: OldIn, limit: number) {
  return await sql.all<{ seq: number; viewer_id: string }>(
    `SELECT seq, viewer_id FROM sessions WHERE channel_id = $1 AND entered_at < $2 AND last_seen_at < $2
     ORDER BY entered_at, seq LIMIT CAST($3 AS BIGINT)`,
    [channel_id, before, limit],
  );
}

async function oldShares(sql: Sql, { channel_id, before }: OldIn, limit: number) {
  return await sql.all<{ shared_at: number }>(
    `SELECT shared_at FROM shares WHERE channel_id = $1 AND shared_at < $2
     ORDER BY shared_at LIMIT CAST($3 AS BIGINT)`,
    [channel_id, before, limit],
  );
}

async function oldRegistrations(sql: Sql, { channel_id, before }: OldIn, limit: number) {
  return await sql.all<{ id: string }>(
    `SELECT id FROM registrations WHERE channel_id = $1 AND registered_at < $2
     ORDER BY registered_at, id LIMIT CAST($3 AS BIGINT)`,
    [channel_id, before, limit],
  );
}

const removeRegistration = batchStatement(
  { channel_id: 'int', id: 'text' },
  ({ channel_id, id }, from) => `DELETE FROM registrations
    WHERE (channel_id, id) IN (SELECT ${channel_id}, ${id} ${from()})`,
);

/** Messages are numbered as they come, so the old ones stand first. */
async function oldMessages(sql: Sql, { channel_id, before }: OldIn, limit: number) {
  const first = await sql.all<{ id: number; sent_at: number }>(
    `SELECT id, sent_at FROM chat_messages WHERE channel_id = $1
     ORDER BY id LIMIT CAST($2 AS BIGINT)`,
    [channel_id, limit],
  );
  const young = first.findIndex(({ sent_at }) => sent_at >= before);
  return young < 0 ? first : first.slice(0, young);
}

/** Those of the given who have no session any more. */
const visitorsWithout = batchStatement(
  { channel_id: 'int', viewer_id: 'text' },
  ({ channel_id, viewer_id }, from) => `SELECT visitors.seq ${from('visitors')}
    WHERE visitors.channel_id = ${channel_id} AND visitors.viewer_id = ${viewer_id} AND NOT EXISTS (
      SELECT 1 FROM sessions s
      WHERE s.channel_id = visitors.channel_id AND s.viewer_id = visitors.viewer_id)`,
);

/** Takes rows out of their table and out of its block counts. */
async function remove(
  sql: Sql,
  channel_id: number,
  kind: AudienceKind,
  rows: readonly { seq: number }[],
): Promise<void> {
  const gone = await removals[kind].all<{ seq: number; watch_ms: number }>(
    sql,
    rows.map(({ seq }) => ({ channel_id, seq })),
  );
  const changes = new BlockChanges(kind);
  for (const { seq, watch_ms } of gone) changes.removed(seq, watch_ms);
  await writeBlockChanges(sql, channel_id, changes);
}

const removals = { session: removalOf('session'), visitor: removalOf('visitor') } as const;

function removalOf(kind: AudienceKind) {
  return batchStatement(
    { channel_id: 'int', seq: 'int' },
    ({ channel_id, seq }, from) => `DELETE FROM ${audienceTables[kind]}
      WHERE (channel_id, seq) IN (SELECT ${channel_id}, ${seq} ${from()}) RETURNING seq, watch_ms`,
  );
}
