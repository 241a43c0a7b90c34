// The statements of entering: who is known, whose session goes on, and the rows of those who are new.
import { batchStatement } from '../../base/db/batch.ts';
import type { Sql } from '../../base/db/sql.ts';

export const knownVisitors = batchStatement(
  { channel_id: 'int', viewer_id: 'text' },
  ({ channel_id, viewer_id }, from) => `
    SELECT visitors.viewer_id, visitors.seq, visitors.credited_until,
      visitors.first_entered_at, visitors.nick, visitors.phone
    ${from('visitors')} WHERE visitors.channel_id = ${channel_id}
      AND visitors.viewer_id = ${viewer_id}`,
);

/** The session of that viewer and of that number, if it was last seen within that time and nobody was told that it is over. */
export const recentSessions = batchStatement(
  {
    channel_id: 'int',
    session_seq: 'int',
    record_id: 'int',
    viewer_id: 'text',
    since: 'int',
    until: 'int',
  },
  (given, from) => `
    SELECT sessions.viewer_id, sessions.record_id, sessions.seq, sessions.entered_at,
      sessions.online_ms, sessions.watch_ms, sessions.credited_until, sessions.last_seen_at, sessions.spans,
      sessions.held_by
    ${from('sessions')} WHERE sessions.channel_id = ${given.channel_id}
      AND sessions.seq = ${given.session_seq} AND sessions.record_id = ${given.record_id}
      AND sessions.viewer_id = ${given.viewer_id}
      AND sessions.last_seen_at BETWEEN ${given.since} AND ${given.until}
      AND (sessions.held_by IS NULL OR sessions.held_by > 0)`,
);

/** A session that goes on is the run's that has it now. */
export const takeSessions = batchStatement(
  { channel_id: 'int', seq: 'int', held_by: 'int' },
  (given, from) => `
    UPDATE sessions SET held_by = ${given.held_by} ${from()}
    WHERE sessions.channel_id = ${given.channel_id} AND sessions.seq = ${given.seq}`,
);

/** How somebody comes; a visitor has it of the last visit. */
const description = {
  viewer_id: 'text',
  nick: 'text',
  addr: 'text',
  phone: 'text',
  device: 'text',
  browser: 'text',
} as const;

const sessionColumns = {
  channel_id: 'int',
  seq: 'int',
  record_id: 'int',
  ...description,
  origin: 'text',
  ip: 'text',
  entered_at: 'int',
  last_seen_at: 'int',
  online_ms: 'int',
  watch_ms: 'int',
  credited_until: 'int',
  held_by: 'int',
} as const;

const visitColumns = {
  channel_id: 'int',
  seq: 'int',
  ...description,
  referer: 'text',
  last_ip: 'text',
  last_seen_at: 'int',
  visit_times: 'int',
} as const;

const visitorColumns = {
  ...visitColumns,
  first_entered_at: 'int',
  credited_until: 'int',
} as const;

export const addSessions = batchStatement(
  sessionColumns,
  (given, from) => `
    INSERT INTO sessions (${Object.keys(given).join(', ')}, spans)
    SELECT ${Object.values(given).join(', ')}, '' ${from()}`,
);

/** Nothing of their time is settled: another page of theirs, on another node, may have come a moment earlier. */
export const addVisitors = batchStatement(
  visitorColumns,
  (given, from) => `
    INSERT INTO visitors (${Object.keys(given).join(', ')}, watch_ms, share_times, comment_count, settled_until,
      stretch_from)
    SELECT ${Object.values(given).join(', ')}, 0, 0, 0, 0, ${given.credited_until} ${from()}`,
);

/** `visit_times` is how often they come now. Another page of theirs may have been seen later than this came. */
export const visitAgain = batchStatement(
  visitColumns,
  (given, from) => `
    UPDATE visitors SET nick = ${given.nick}, addr = ${given.addr}, phone = ${given.phone},
      device = ${given.device}, browser = ${given.browser}, referer = ${given.referer},
      last_ip = ${given.last_ip}, visit_times = visitors.visit_times + ${given.visit_times},
      last_seen_at = CASE WHEN visitors.last_seen_at > ${given.last_seen_at}
        THEN visitors.last_seen_at ELSE ${given.last_seen_at} END
    ${from()} WHERE visitors.channel_id = ${given.channel_id} AND visitors.seq = ${given.seq}
      AND visitors.viewer_id = ${given.viewer_id}`,
);

export interface Renamed {
  channel_id: number;
  viewer_id: string;
  record_id: number;
  nick: string;
}

/** The viewer and one session of theirs have the new name; earlier sessions keep theirs. */
export async function rename(
  sql: Sql,
  { channel_id, viewer_id, record_id, nick }: Renamed,
): Promise<void> {
  await sql.run('UPDATE visitors SET nick = $3 WHERE channel_id = $1 AND viewer_id = $2', [
    channel_id,
    viewer_id,
    nick,
  ]);
  await sql.run(
    'UPDATE sessions SET nick = $4 WHERE channel_id = $1 AND viewer_id = $2 AND record_id = $3',
    [channel_id, viewer_id, record_id, nick],
  );
}
