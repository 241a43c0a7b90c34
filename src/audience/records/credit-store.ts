// Writes what the rows of a flush have come to, and finds those that an import has numbered anew.
import { type BatchStatement, batchStatement } from '../../base/db/batch.ts';
import type { Sql } from '../../base/db/sql.ts';
import { writeBlockChanges } from './block-count-store.ts';
import { type AudienceKind, BlockChanges, matchingMs } from './block-counts.ts';
import type { Credits, Moved, SessionCredit, VisitorCredit } from './credit-rows.ts';

/** Rows that were erased are passed over; false where there are such. */
export async function writeCredits(
  sql: Sql,
  { channel_id, sessions, visitors }: Credits,
): Promise<boolean> {
  const hasSessions = await credit(sql, channel_id, sessionStatements, sessions);
  const hasVisitors = await credit(sql, channel_id, visitorStatements, visitors);
  return hasSessions && hasVisitors;
}

export async function findMoved(
  sql: Sql,
  { channel_id, sessions, visitors }: Credits,
): Promise<Moved> {
  const found = await findSessions.all<Moved['sessions'][number]>(
    sql,
    inChannel(channel_id, sessions),
  );
  // An erased viewer may have come again. The row found now is of their new sessions, so it is left out.
  const left = new Set(found.map(({ viewer_id }) => viewer_id));
  const known = visitors.filter(({ viewer_id }) => left.has(viewer_id));
  return {
    sessions: found,
    visitors: await findVisitors.all(sql, inChannel(channel_id, known)),
  };
}

/** A credit as the statements take it. */
type InChannel<Credit> = Credit & { channel_id: number };

function inChannel<Credit>(channel_id: number, credits: readonly Credit[]): InChannel<Credit>[] {
  return credits.map((credit) => ({ channel_id, ...credit }));
}

interface CreditStatements<Credit> {
  kind: AudienceKind;
  /** Which of the rows do not match yet. */
  unmatched: BatchStatement<InChannel<Credit>>;
  /** Writes what has grown. */
  grow: BatchStatement<InChannel<Credit>>;
}

async function credit<Credit extends VisitorCredit>(
  sql: Sql,
  channel_id: number,
  { kind, unmatched, grow }: CreditStatements<Credit>,
  credits: readonly Credit[],
): Promise<boolean> {
  const changes = new BlockChanges(kind);
  const rows = inChannel(channel_id, credits);
  const enough = rows.filter(({ watch_ms }) => watch_ms >= matchingMs[kind]);
  for (const { seq } of await unmatched.all<{ seq: number }>(sql, enough)) changes.matched(seq);
  const grown = await grow.run(sql, rows);
  await writeBlockChanges(sql, channel_id, changes);
  return grown === rows.length;
}

/** Ids are compared too: whatever a flush believes of numbers, nobody gets another's time. */
const session = { channel_id: 'int', seq: 'int', record_id: 'int' } as const;
const visitor = { channel_id: 'int', seq: 'int', viewer_id: 'text' } as const;
const sums = { last_seen_at: 'int', watch_ms: 'int', credited_until: 'int' } as const;

const sessionStatements: CreditStatements<SessionCredit> = {
  kind: 'session',
  unmatched: batchStatement(
    session,
    (row, from) => `
      SELECT sessions.seq ${from('sessions')}
      WHERE ${isRow('sessions', row)} AND sessions.watch_ms < ${matchingMs.session}`,
  ),
  grow: batchStatement(
    { ...session, ...sums, online_ms: 'int', spans: 'text' },
    ({ channel_id, seq, record_id, spans, ...grown }, from) => `
      UPDATE sessions SET ${largest('sessions', grown)},
        spans = CASE WHEN sessions.spans IS NULL OR sessions.watch_ms > ${grown.watch_ms}
          THEN sessions.spans ELSE ${spans} END
      ${from()} WHERE ${isRow('sessions', { channel_id, seq, record_id })}`,
  ),
};

const visitorStatements: CreditStatements<VisitorCredit> = {
  kind: 'visitor',
  unmatched: batchStatement(
    visitor,
    (row, from) => `
      SELECT visitors.seq ${from('visitors')}
      WHERE ${isRow('visitors', row)} AND visitors.watch_ms < ${matchingMs.visitor}`,
  ),
  grow: batchStatement(
    { ...visitor, ...sums },
    ({ channel_id, seq, viewer_id, ...grown }, from) => `
      UPDATE visitors SET ${largest('visitors', grown)}
      ${from()} WHERE ${isRow('visitors', { channel_id, seq, viewer_id })}`,
  ),
};

/** Nothing else looks for a record id, so no index has it; a viewer has few sessions. */
const findSessions = batchStatement(
  { channel_id: 'int', viewer_id: 'text', record_id: 'int' },
  (row, from) => `
    SELECT sessions.record_id, sessions.viewer_id, sessions.seq
    ${from('sessions')} WHERE ${isRow('sessions', row)}`,
);

const findVisitors = batchStatement(
  { channel_id: 'int', viewer_id: 'text' },
  (row, from) => `
    SELECT visitors.viewer_id, visitors.seq, visitors.first_entered_at, visitors.watch_ms
    ${from('visitors')} WHERE ${isRow('visitors', row)}`,
);

type Table = 'sessions' | 'visitors';

function isRow(table: Table, given: Record<string, string>): string {
  const columns = Object.entries(given);
  return columns.map(([name, value]) => `${table}.${name} = ${value}`).join(' AND ');
}

/** Keeps the larger of what a column has and what it is given: sums never fall. */
function largest(table: Table, given: Record<string, string>): string {
  const larger = ([name, value]: [string, string]) =>
    `${name} = CASE WHEN ${table}.${name} > ${value} THEN ${table}.${name} ELSE ${value} END`;
  return Object.entries(given).map(larger).join(', ');
}
