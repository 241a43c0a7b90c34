// Viewers enter together: each opens a session or goes on with one, and their visitors count the visit.
import type { Sql } from '../../base/db/sql.ts';
import { writeBlockChanges } from './block-count-store.ts';
import { type AudienceKind, BlockChanges } from './block-counts.ts';
import type { Audience } from './channel-audience-store.ts';
import { takeRecordIds } from './record-id-store.ts';
import type { SessionRow } from './session.ts';
import {
  addSessions,
  addVisitors,
  knownVisitors,
  type Renamed,
  recentSessions,
  rename,
  takeSessions,
  visitAgain,
} from './session-entry-store.ts';
import { spanText } from './span.ts';
import type { VisitorRow } from './visitor.ts';

/** A viewer who enters, as the page's connection shows them. */
export type Entry = Pick<
  SessionRow,
  'viewer_id' | 'nick' | 'addr' | 'phone' | 'device' | 'browser' | 'origin' | 'ip'
> & { at: number };

export interface Entries {
  channel_id: number;
  /** The run of a service that has the sessions from now on; above 0. */
  held_by: number;
  now: number;
  /** A session that was seen no longer ago may go on, also by a clock that is no further ahead of this. */
  resumeWithinMs: number;
  /**
   * Runs of other services that may have died since, or not flushed yet, and until when all that they were told is
   * written. A session that its run had until then may go on for `goesOnMs` from then: it was seen since, but that died.
   */
  others?: readonly { held_by: number; flushed_until: number; goesOnMs: number }[];
  entries: readonly (Entry & {
    /** The session that the page had before its connection was lost: it goes on with this one, or does not enter. */
    resume?: { record_id: number; session_seq: number };
  })[];
}

export interface Entered {
  record_id: number;
  session_seq: number;
  visitor_seq: number;
  /** Of both numbers; an import changes it. */
  numbering: number;
  entered_at: number;
  isResumed: boolean;
  session: Pick<SessionRow, 'online_ms' | 'watch_ms' | 'credited_until' | 'last_seen_at' | 'spans'>;
  visitor: Pick<VisitorRow, 'credited_until' | 'first_entered_at' | 'nick'>;
}

type Session = Entered['session'] & Pick<SessionRow, 'seq' | 'record_id' | 'entered_at'>;
type Found = Session & Pick<SessionRow, 'viewer_id'> & { held_by: number | null };

/** Who is there is heard within a beat, and half of one for a slow network. */
const heardWithinMs = 15_000;

interface Visitor {
  row: Entered['visitor'] & Pick<VisitorRow, 'seq' | 'phone'>;
  isNew: boolean;
  /** Sessions that this batch opens, and the last of them. */
  visits: number;
  last: OpenedSession | undefined;
}

type OpenedSession = Entry & Session & Pick<SessionRow, 'channel_id'> & Pick<Entries, 'held_by'>;

/** In the order of the entries; takes numbers of `audience`, which is then to be saved. */
export async function enter(
  sql: Sql,
  audience: Audience,
  given: Entries,
): Promise<(Entered | undefined)[]> {
  const { channel_id, held_by, entries } = given;
  const visitors = await findVisitors(sql, given);
  const resumed = await findResumed(sql, given, visitors);
  const recordIds = await takeRecordIds(sql, entries.filter(({ resume }) => !resume).length);
  const sessions: OpenedSession[] = [];
  const renamed: Renamed[] = [];
  const entered = entries.map((entry): Entered | undefined => {
    const old = resumed.get(entry);
    if (entry.resume && !old) return undefined;
    const session = old ?? opened(entry, audience, recordIds[sessions.length] as number);
    const visitor = visitors.get(entry.viewer_id) ?? newVisitor(session, audience);
    visitors.set(entry.viewer_id, visitor);
    if (old && entry.nick !== '' && entry.nick !== visitor.row.nick)
      renamed.push({ channel_id, ...entry, ...old });
    // An entry without a name or phone keeps the visitor's last one.
    visitor.row.nick = entry.nick || visitor.row.nick;
    visitor.row.phone = entry.phone || visitor.row.phone;
    if (!old) {
      const { nick, phone } = visitor.row;
      visitor.last = { channel_id, held_by, ...entry, nick, phone, ...session };
      visitor.visits += 1;
      sessions.push(visitor.last);
    }
    return told(session, visitor, { numbering: audience.numbering, isResumed: old !== undefined });
  });
  await writeRows(sql, channel_id, { sessions, visitors: [...visitors.values()] });
  const taken = Array.from(resumed.values(), ({ seq }) => ({ channel_id, seq, held_by }));
  await takeSessions.run(sql, taken);
  for (const one of renamed) await rename(sql, one);
  return entered;
}

async function findVisitors(sql: Sql, given: Entries): Promise<Map<string, Visitor>> {
  const { channel_id, entries } = given;
  const viewers = [...new Set(entries.map(({ viewer_id }) => viewer_id))];
  const rows = await knownVisitors.all<Visitor['row'] & Pick<VisitorRow, 'viewer_id'>>(
    sql,
    viewers.map((viewer_id) => ({ channel_id, viewer_id })),
  );
  return new Map(
    rows.map((row) => [row.viewer_id, { row, isNew: false, visits: 0, last: undefined }]),
  );
}

/** Of two pages that claim one session the first has it. A session whose visitor is gone is not gone on with. */
async function findResumed(
  sql: Sql,
  given: Entries,
  visitors: ReadonlyMap<string, Visitor>,
): Promise<Map<Entry, Session>> {
  const { channel_id, now, resumeWithinMs, entries, others = [] } = given;
  const longestMs = Math.max(
    resumeWithinMs,
    ...others.map(({ goesOnMs }) => goesOnMs + heardWithinMs),
  );
  const recent = { since: now - longestMs, until: now + resumeWithinMs };
  const claims = entries.flatMap((entry) => {
    const { resume, viewer_id } = entry;
    if (!resume || !visitors.has(viewer_id)) return [];
    return [{ entry, channel_id, viewer_id, ...recent, ...resume }];
  });
  const rows = await recentSessions.all<Found>(sql, claims);
  const free = new Map(
    rows.filter((row) => mayGoOn(row, given)).map((row) => [row.record_id, row]),
  );
  const resumed = new Map<Entry, Session>();
  for (const { entry, record_id } of claims) {
    const row = free.get(record_id);
    if (row?.viewer_id !== entry.viewer_id) continue;
    free.delete(record_id);
    resumed.set(entry, row);
  }
  return resumed;
}

/** Who had left before the last flush of their node is away since then; of others nobody knows since when. */
function mayGoOn({ last_seen_at, held_by }: Found, given: Entries): boolean {
  const { now, resumeWithinMs, others = [] } = given;
  if (last_seen_at >= now - resumeWithinMs) return true;
  const other = others.find((one) => one.held_by === held_by);
  if (!other) return false;
  const { flushed_until, goesOnMs } = other;
  return last_seen_at >= flushed_until - heardWithinMs && now - flushed_until <= goesOnMs;
}

function opened(entry: Entry, audience: Audience, record_id: number): Session {
  // Entry order never goes back, whatever the clock does; nothing is counted yet, whatever it says.
  const entered_at = Math.max(entry.at, audience.last_entry_at);
  audience.last_entry_at = entered_at;
  const seq = audience.next_session_seq++;
  return {
    seq,
    record_id,
    entered_at,
    online_ms: 0,
    watch_ms: 0,
    credited_until: entry.at,
    last_seen_at: entered_at,
    spans: spanText([]),
  };
}

function newVisitor({ entered_at, credited_until }: Session, audience: Audience): Visitor {
  const seq = audience.next_visitor_seq++;
  const row = {
    seq,
    credited_until,
    first_entered_at: entered_at,
    nick: '',
    phone: '',
  };
  return { row, isNew: true, visits: 0, last: undefined };
}

function told(
  session: Session,
  { row }: Visitor,
  more: Pick<Entered, 'numbering' | 'isResumed'>,
): Entered {
  const { record_id, seq, entered_at, online_ms, watch_ms } = session;
  const { credited_until, last_seen_at, spans } = session;
  const { first_entered_at, nick } = row;
  return {
    record_id,
    session_seq: seq,
    visitor_seq: row.seq,
    entered_at,
    ...more,
    session: { online_ms, watch_ms, credited_until, last_seen_at, spans },
    visitor: {
      credited_until: row.credited_until,
      first_entered_at,
      nick,
    },
  };
}

async function writeRows(
  sql: Sql,
  channel_id: number,
  { sessions, visitors }: { sessions: OpenedSession[]; visitors: Visitor[] },
): Promise<void> {
  const visits = visitors.flatMap((visitor) => visitRows(visitor));
  const added = visits.filter(({ isNew }) => isNew);
  const known = visits.filter(({ isNew }) => !isNew);
  await addVisitors.run(sql, added);
  await visitAgain.run(sql, known);
  await addSessions.run(sql, sessions);
  await count(sql, channel_id, 'session', sessions);
  await count(sql, channel_id, 'visitor', added);
}

/** None for a visitor who only goes on with what they had. */
function visitRows({ row, isNew, visits, last }: Visitor) {
  if (!last) return [];
  const { origin: referer, ip: last_ip, entered_at: last_seen_at } = last;
  return [{ ...last, ...row, isNew, referer, last_ip, last_seen_at, visit_times: visits }];
}

async function count(
  sql: Sql,
  channel_id: number,
  kind: AudienceKind,
  rows: readonly { seq: number }[],
): Promise<void> {
  const changes = new BlockChanges(kind);
  for (const { seq } of rows) changes.added(seq, 0);
  await writeBlockChanges(sql, channel_id, changes);
}
