// Sessions that are over: marked in their rows and told, once each.
import { batchStatement } from '../../base/db/batch.ts';
import { flush, read } from '../../base/db/sql.ts';
import { ofChannel } from '../../base/db/whose.ts';
import { sessionsPerEvent } from '../../library/events/event-feed.ts';
import { appendEvents } from '../../library/events/event-store.ts';
import { lockAudience } from './channel-audience-store.ts';

/** A session as its row is found; its number may be older than an import. */
export interface OverSession {
  seq: number;
  record_id: number;
  viewer_id: string;
}

export interface SessionEnds {
  channel_id: number;
  /** The run that has them: those that another has taken meanwhile go on. */
  held_by: number;
  /** As many as one event tells, at most. */
  sessions: readonly OverSession[];
}

/** Those that were erased, or have gone on elsewhere, are passed over. How many it told of. */
export const endSessions = flush(
  'audience.endSessions',
  ofChannel,
  async (sql, { channel_id, held_by, sessions }: SessionEnds): Promise<number> => {
    if (sessions.length > sessionsPerEvent)
      throw new Error(`${sessions.length} sessions in one event: at most ${sessionsPerEvent} are`);
    await lockAudience(sql, channel_id);
    const rows = sessions.map((session) => ({ channel_id, held_by, ...session }));
    const found = await endByNumber.all<{ record_id: number }>(sql, rows);
    const ended = new Set(found.map(({ record_id }) => record_id));
    // An import has given them other numbers.
    const moved = rows.filter(({ record_id }) => !ended.has(record_id));
    for (const { record_id } of await endByViewer.all<{ record_id: number }>(sql, moved))
      ended.add(record_id);
    const channel = await sql.one<{ account_id: number; manager_id: number }>(
      'SELECT account_id, manager_id FROM channels WHERE id = $1',
      [channel_id],
    );
    if (!channel || ended.size === 0) return 0;
    const data = { channel_id, sessions: [...ended].sort((a, b) => a - b) };
    appendEvents(sql, [{ type: 'audience.session.ended', ...channel, data }]);
    return ended.size;
  },
);

const endByNumber = batchStatement(
  { channel_id: 'int', seq: 'int', record_id: 'int', held_by: 'int' },
  (given, from) => `
    UPDATE sessions SET held_by = 0 ${from()}
    WHERE sessions.channel_id = ${given.channel_id} AND sessions.seq = ${given.seq}
      AND sessions.record_id = ${given.record_id} AND sessions.held_by = ${given.held_by}
    RETURNING sessions.record_id`,
);

const endByViewer = batchStatement(
  { channel_id: 'int', viewer_id: 'text', record_id: 'int', held_by: 'int' },
  (given, from) => `
    UPDATE sessions SET held_by = 0 ${from()}
    WHERE sessions.channel_id = ${given.channel_id} AND sessions.viewer_id = ${given.viewer_id}
      AND sessions.record_id = ${given.record_id} AND sessions.held_by = ${given.held_by}
    RETURNING sessions.record_id`,
);

/** A session that a run of a service has, or had. */
export interface HeldSession extends OverSession {
  channel_id: number;
  held_by: number;
  last_seen_at: number;
}

/** Where the last look ended. */
export type HeldCursor = Pick<HeldSession, 'held_by' | 'channel_id' | 'seq'>;

export interface HeldQuery {
  after: HeldCursor;
  /** All but this run's; 0 for all. */
  except: number;
  limit: number;
}

/** The next sessions that runs of services have, of one run after the other. */
export const heldSessions = read(
  'audience.heldSessions',
  async (sql, { after, except, limit }: HeldQuery): Promise<HeldSession[]> =>
    await sql.all<HeldSession>(
      `SELECT held_by, channel_id, seq, record_id, viewer_id, last_seen_at FROM sessions
       WHERE held_by > 0 AND (held_by, channel_id, seq) > ($1, $2, $3) AND held_by <> $4
       ORDER BY held_by, channel_id, seq LIMIT CAST($5 AS BIGINT)`,
      [after.held_by, after.channel_id, after.seq, except, limit],
    ),
);
