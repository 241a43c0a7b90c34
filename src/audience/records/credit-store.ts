// Writes what the rows of a flush have come to, and finds those that an import has numbered anew.
import { batchStatement } from '../../base/db/batch.ts';
import type { Sql } from '../../base/db/sql.ts';
import { writeBlockChanges } from './block-count-store.ts';
import { type AudienceKind, BlockChanges, matchingMs } from './block-counts.ts';
import {
  type Credits,
  type Moved,
  renumbered,
  type SessionCredit,
  type VisitorCredit,
} from './credit-rows.ts';
import { type VisitorTime, withCovered } from './stretches.ts';

/**
 * Writes the rows of a flush, by their numbers of `numbering`, the channel's own. Gives where they are where the flush
 * has other numbers, or some were erased, which are passed over.
 *
 * On PostgreSQL several services may write a channel's rows at once. Each that is not alone takes the locks of its
 * sessions, then of its visitors, by their numbers, then of the block counts: so none waits for one that waits for it,
 * and of two that bring a row to where it matches the second finds it so.
 */
export async function writeCredits(
  sql: Sql,
  credits: Credits & { numbering: number },
  { numbering, isAlone }: { numbering: number; isAlone: boolean },
): Promise<Moved | undefined> {
  const changes = { session: new BlockChanges('session'), visitor: new BlockChanges('visitor') };
  const write = (rows: Credits) => writeRows(sql, rows, { changes, isAlone });
  const isWritten = numbering === credits.numbering && (await write(credits));
  const moved = isWritten ? undefined : await findMoved(sql, credits);
  if (moved) await write(renumbered(credits, moved));
  await writeBlockChanges(sql, credits.channel_id, changes.session);
  await writeBlockChanges(sql, credits.channel_id, changes.visitor);
  return moved;
}

/** False where rows were erased. Visitors come last: what sessions watched that are gone must not be theirs. */
async function writeRows(
  sql: Sql,
  { channel_id, sessions, visitors }: Credits,
  { changes, isAlone }: { changes: Record<AudienceKind, BlockChanges>; isAlone: boolean },
): Promise<boolean> {
  const session = { changes: changes.session, isAlone };
  const visitor = { changes: changes.visitor, isAlone };
  return (
    (await creditSessions(sql, inChannel(channel_id, sessions), session)) &&
    (await creditVisitors(sql, inChannel(channel_id, visitors), visitor))
  );
}

async function findMoved(sql: Sql, { channel_id, sessions, visitors }: Credits): Promise<Moved> {
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

interface Writing {
  /** Of their kind. */
  changes: BlockChanges;
  isAlone: boolean;
}

async function creditSessions(
  sql: Sql,
  rows: readonly InChannel<SessionCredit>[],
  { changes, isAlone }: Writing,
): Promise<boolean> {
  const left = await goOnMatching.misses(sql, rows, { isAlone });
  if (left.length === 0) return true;
  // Nobody else changes them by now, and another flush may have been first.
  for (const { seq } of await unmatched.all<{ seq: number }>(sql, left)) changes.matched(seq);
  return (await growSessions.run(sql, left)) === left.length;
}

/** Nearly all of them just go on; the others are read, and their unions are made here. */
async function creditVisitors(
  sql: Sql,
  rows: readonly InChannel<VisitorCredit>[],
  { changes, isAlone }: Writing,
): Promise<boolean> {
  const left = await goOn.misses(sql, rows.map(withOneInterval), { isAlone });
  if (left.length === 0) return true;
  const found = await visitorTimes.all<VisitorTime & { seq: number }>(sql, left);
  const times = new Map(found.map(({ seq, ...time }) => [seq, time]));
  const grown = left.flatMap((row) => {
    const before = times.get(row.seq);
    if (!before) return [];
    const { intervals, settle_until: settleUntil } = row;
    const time = withCovered(before, { intervals, settleUntil });
    if (before.watch_ms < matchingMs.visitor && time.watch_ms >= matchingMs.visitor)
      changes.matched(row.seq);
    const { settled_until, stretch_from, stretches } = time;
    return [
      {
        ...row,
        ...time,
        settled_until: settled_until ?? 0,
        stretch_from: stretch_from ?? 0,
        stretches: stretches ?? '',
      },
    ];
  });
  await writeTimes.run(sql, grown);
  return found.length === left.length;
}

/** No time is here, so one that begins there touches nothing. */
const nowhere = -1;

/** As `goOn` takes it: from 0 to 0 where there is none. */
function withOneInterval(row: InChannel<VisitorCredit>) {
  const { intervals } = row;
  const [{ from, to } = { from: 0, to: 0 }] = intervals;
  return intervals.length > 1
    ? { ...row, since: nowhere, until: 0 }
    : { ...row, since: from, until: to };
}

/** Ids are compared too: whatever a flush believes of numbers, nobody gets another's time. */
const session = { channel_id: 'int', seq: 'int', record_id: 'int' } as const;
const visitor = { channel_id: 'int', seq: 'int', viewer_id: 'text' } as const;
const sessionSums = {
  last_seen_at: 'int',
  watch_ms: 'int',
  credited_until: 'int',
  online_ms: 'int',
  spans: 'text',
} as const;

/** All but those that match from now on. */
const goOnMatching = batchStatement(
  { ...session, ...sessionSums },
  ({ channel_id, seq, record_id, ...sums }, from) => `
    UPDATE sessions SET ${grownSession(sums)} ${from.locking('sessions', 'channel_id', 'seq')}
    WHERE ${isRow('sessions', { channel_id, seq, record_id })}
      AND NOT (sessions.watch_ms < ${matchingMs.session} AND ${sums.watch_ms} >= ${matchingMs.session})`,
);

const unmatched = batchStatement(
  { ...session, watch_ms: 'int' },
  ({ watch_ms, ...row }, from) => `
    SELECT sessions.seq ${from('sessions')} WHERE ${isRow('sessions', row)}
      AND sessions.watch_ms < ${matchingMs.session} AND ${watch_ms} >= ${matchingMs.session}`,
);

const growSessions = batchStatement(
  { ...session, ...sessionSums },
  ({ channel_id, seq, record_id, ...sums }, from) => `
    UPDATE sessions SET ${grownSession(sums)} ${from()}
    WHERE ${isRow('sessions', { channel_id, seq, record_id })}`,
);

function grownSession({ spans, ...sums }: Record<keyof typeof sessionSums, string>): string {
  return `${largest('sessions', sums)},
    spans = CASE WHEN sessions.spans IS NULL OR sessions.watch_ms > ${sums.watch_ms}
      THEN sessions.spans ELSE ${spans} END`;
}

/** Visitors who have one stretch, which goes on; but not those that match from now on. */
const goOn = batchStatement(
  { ...visitor, last_seen_at: 'int', since: 'int', until: 'int', settle_until: 'int' },
  ({ channel_id, seq, viewer_id, ...given }, from) => `
    UPDATE visitors SET ${largest('visitors', {
      last_seen_at: given.last_seen_at,
      credited_until: given.until,
      settled_until: given.settle_until,
    })},
      watch_ms = visitors.watch_ms + CASE WHEN visitors.credited_until < ${given.until}
        THEN ${given.until} - visitors.credited_until ELSE 0 END
    ${from.locking('visitors', 'channel_id', 'seq')}
    WHERE ${isRow('visitors', { channel_id, seq, viewer_id })}
      AND visitors.settled_until <= visitors.credited_until
      AND (${given.since} = 0 OR visitors.stretches IS NULL
        AND ${given.since} BETWEEN visitors.stretch_from AND visitors.credited_until)
      AND NOT (visitors.watch_ms < ${matchingMs.visitor}
        AND visitors.watch_ms + ${given.until} - visitors.credited_until >= ${matchingMs.visitor})`,
);

const visitorTimes = batchStatement(
  visitor,
  (row, from) => `
    SELECT visitors.seq, visitors.watch_ms, visitors.credited_until, visitors.settled_until,
      visitors.stretch_from, visitors.stretches
    ${from('visitors')} WHERE ${isRow('visitors', row)}`,
);

const writeTimes = batchStatement(
  {
    ...visitor,
    last_seen_at: 'int',
    watch_ms: 'int',
    credited_until: 'int',
    settled_until: 'int',
    stretch_from: 'int',
    stretches: 'text',
  },
  ({ channel_id, seq, viewer_id, last_seen_at, stretches, ...time }, from) => `
    UPDATE visitors SET ${largest('visitors', { last_seen_at })}, ${given(time)},
      stretches = NULLIF(${stretches}, '')
    ${from()} WHERE ${isRow('visitors', { channel_id, seq, viewer_id })}`,
);

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
    SELECT visitors.viewer_id, visitors.seq, visitors.first_entered_at
    ${from('visitors')} WHERE ${isRow('visitors', row)}`,
);

/** Each column as it is given. */
function given(columns: Record<string, string>): string {
  const set = Object.entries(columns).map(([name, value]) => `${name} = ${value}`);
  return set.join(', ');
}

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
