// Writes of the audience: entering, crediting, erasing. Each keeps the block counts in its own transaction.
import { dialectWords } from '../db/dialect.ts';
import { flush, type Sql, type Value, write } from '../db/sql.ts';
import { type AudienceKind, audienceTables, BlockChanges } from './block-counts.ts';
import { takeRecordIds } from './record-ids.ts';
import type { SessionRow } from './session.ts';

/** A viewer who enters, as the page's connection shows them. */
export type Entry = Pick<
  SessionRow,
  'viewer_id' | 'nick' | 'addr' | 'phone' | 'device' | 'browser' | 'origin' | 'ip'
> & { at: number };

export interface Entered {
  record_id: number;
  session_seq: number;
  visitor_seq: number;
  entered_at: number;
}

/** Opens a session for each entry, in their order, and counts the visit. */
export const enterSessions = write(
  'audience.enter',
  async (sql, input: { channel_id: number; entries: Entry[] }): Promise<Entered[]> => {
    const { channel_id, entries } = input;
    const audience = await lockAudience(sql, channel_id);
    const recordIds = await takeRecordIds(sql, entries.length);
    const sessions = new BlockChanges('session');
    const visitors = new BlockChanges('visitor');
    const entered: Entered[] = [];
    for (const [at, entry] of entries.entries()) {
      // Entry order never goes back, whatever the clock does.
      const entered_at = Math.max(entry.at, audience.last_entry_at);
      audience.last_entry_at = entered_at;
      const known = await sql.one<{ seq: number }>(
        'SELECT seq FROM visitors WHERE channel_id = $1 AND viewer_id = $2',
        [channel_id, entry.viewer_id],
      );
      const visitor_seq = known?.seq ?? audience.next_visitor_seq++;
      if (known) await visitAgain(sql, { channel_id, seq: known.seq, entry, entered_at });
      else {
        await addVisitor(sql, { channel_id, seq: visitor_seq, entry, entered_at });
        visitors.added(visitor_seq, 0);
      }
      const session_seq = audience.next_session_seq++;
      const record_id = recordIds[at] as number;
      await addSession(sql, { channel_id, seq: session_seq, record_id, entry, entered_at });
      sessions.added(session_seq, 0);
      entered.push({ record_id, session_seq, visitor_seq, entered_at });
    }
    await sessions.write(sql, channel_id);
    await visitors.write(sql, channel_id);
    await saveAudience(sql, channel_id, audience);
    return entered;
  },
);

/** What a row has come to; sums only grow, so writing one twice changes nothing. */
export interface Credit {
  seq: number;
  last_seen_at: number;
  watch_ms: number;
  credited_until: number;
  /** Sessions only. */
  online_ms?: number;
}

/** Rows of one flush at most: what a caller's write may have to wait for. */
export const flushRowsMax = 1_000;

export const creditAudience = flush(
  'audience.credit',
  async (
    sql,
    input: { channel_id: number; kind: AudienceKind; credits: Credit[] },
  ): Promise<void> => {
    const { channel_id, kind, credits } = input;
    if (credits.length > flushRowsMax)
      throw new Error(
        `a flush of ${credits.length} rows: at most ${flushRowsMax} are written at once`,
      );
    await lockAudience(sql, channel_id);
    const changes = new BlockChanges(kind);
    const table = audienceTables[kind];
    for (const { seq, last_seen_at, watch_ms, credited_until, online_ms } of credits) {
      const row = await sql.one<{ watch_ms: number }>(
        `SELECT watch_ms FROM ${table} WHERE channel_id = $1 AND seq = $2`,
        [channel_id, seq],
      );
      // Erased since: nothing is left to credit.
      if (!row) continue;
      const watched = Math.max(row.watch_ms, watch_ms);
      const params: Value[] = [channel_id, seq, last_seen_at, watched, credited_until];
      await sql.run(
        `UPDATE ${table} SET watch_ms = $4,
           last_seen_at = CASE WHEN last_seen_at > $3 THEN last_seen_at ELSE $3 END,
           credited_until = CASE WHEN credited_until > $5 THEN credited_until ELSE $5 END
           ${kind === 'session' ? ', online_ms = CASE WHEN online_ms > $6 THEN online_ms ELSE $6 END' : ''}
         WHERE channel_id = $1 AND seq = $2`,
        kind === 'session' ? [...params, online_ms ?? 0] : params,
      );
      changes.credited(seq, row.watch_ms, watched);
    }
    await changes.write(sql, channel_id);
  },
);

/** Removes every trace of a viewer from a channel; their numbers stay unused. */
export const eraseViewer = write(
  'audience.erase',
  async (sql, input: { channel_id: number; viewer_id: string }): Promise<number> => {
    const { channel_id, viewer_id } = input;
    await lockAudience(sql, channel_id);
    let erased = 0;
    for (const kind of ['session', 'visitor'] as const) {
      const gone = await sql.all<{ seq: number; watch_ms: number }>(
        `DELETE FROM ${audienceTables[kind]} WHERE channel_id = $1 AND viewer_id = $2 RETURNING seq, watch_ms`,
        [channel_id, viewer_id],
      );
      const changes = new BlockChanges(kind);
      for (const { seq, watch_ms } of gone) changes.removed(seq, watch_ms);
      await changes.write(sql, channel_id);
      erased += gone.length;
    }
    return erased;
  },
);

/** A channel's allocator of numbers. */
export interface Audience {
  next_session_seq: number;
  next_visitor_seq: number;
  last_entry_at: number;
  numbering: number;
}

/** Takes the channel's audience for this transaction: one writer at a time, so that numbers follow entries. */
export async function lockAudience(sql: Sql, channel_id: number): Promise<Audience> {
  await sql.run(
    `INSERT INTO channel_audience (channel_id, next_session_seq, next_visitor_seq, last_entry_at, numbering)
     VALUES ($1, 1, 1, 0, 0) ON CONFLICT (channel_id) DO NOTHING`,
    [channel_id],
  );
  const row = await sql.one<Audience>(
    `SELECT next_session_seq, next_visitor_seq, last_entry_at, numbering FROM channel_audience
     WHERE channel_id = $1 ${dialectWords(sql.dialect).forUpdate}`,
    [channel_id],
  );
  if (!row)
    throw new Error(`the audience of channel ${channel_id} vanished inside its own transaction`);
  return row;
}

export async function saveAudience(
  sql: Sql,
  channel_id: number,
  audience: Audience,
): Promise<void> {
  await sql.run(
    `UPDATE channel_audience SET next_session_seq = $2, next_visitor_seq = $3, last_entry_at = $4,
       numbering = $5 WHERE channel_id = $1`,
    [
      channel_id,
      audience.next_session_seq,
      audience.next_visitor_seq,
      audience.last_entry_at,
      audience.numbering,
    ],
  );
}

interface Placed {
  channel_id: number;
  seq: number;
  entry: Entry;
  entered_at: number;
}

async function addSession(sql: Sql, { record_id, ...placed }: Placed & { record_id: number }) {
  const { channel_id, seq, entry, entered_at } = placed;
  await sql.run(
    `INSERT INTO sessions (channel_id, seq, record_id, viewer_id, nick, addr, phone, device, browser, origin,
       ip, entered_at, last_seen_at, online_ms, watch_ms, credited_until)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, 0, 0, $12)`,
    [channel_id, seq, record_id, ...described(entry), entry.origin, entry.ip, entered_at],
  );
}

async function addVisitor(sql: Sql, { channel_id, seq, entry, entered_at }: Placed) {
  await sql.run(
    `INSERT INTO visitors (channel_id, seq, viewer_id, nick, addr, phone, device, browser, referer, last_ip,
       first_entered_at, last_seen_at, watch_ms, credited_until, visit_times, share_times, comment_count)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, 0, $11, 1, 0, 0)`,
    [channel_id, seq, ...described(entry), entry.origin, entry.ip, entered_at],
  );
}

async function visitAgain(sql: Sql, { channel_id, seq, entry, entered_at }: Placed) {
  await sql.run(
    `UPDATE visitors SET nick = $4, addr = $5, phone = $6, device = $7, browser = $8, referer = $9,
       last_ip = $10, last_seen_at = $11, visit_times = visit_times + 1
     WHERE channel_id = $1 AND seq = $2 AND viewer_id = $3`,
    [channel_id, seq, ...described(entry), entry.origin, entry.ip, entered_at],
  );
}

function described({ viewer_id, nick, addr, phone, device, browser }: Entry): string[] {
  return [viewer_id, nick, addr, phone, device, browser];
}
