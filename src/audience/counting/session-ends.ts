// Writes which sessions are over, every few seconds, and keeps them while the database is away.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { JoinedWork } from '../../base/turns/joined-work.ts';
import { sessionsPerEvent } from '../../library/events/event-feed.ts';
import { presenceLimits } from '../protocol/page-limits.ts';
import { endSessions } from '../records/session-end-store.ts';
import type { PresentSession } from './present.ts';

export interface SessionEndsOptions {
  store: Store;
  /** The run of the service that has the sessions. */
  heldBy: number;
  log: Log;
  everyMs?: number;
}

export class SessionEnds {
  private readonly options: SessionEndsOptions;

  /** No more than are in memory anyway: a session is forgotten when its end is written. */
  private unwritten = new Set<PresentSession>();
  private isAway = false;
  private readonly writing = new JoinedWork(() => this.writeAll());
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(options: SessionEndsOptions) {
    this.options = options;
    const { everyMs = presenceLimits.endsEveryMs } = options;
    this.timer = setInterval(() => void this.writing.run(), everyMs);
  }

  /** It is over: nobody can go on with it, and its sums are written. */
  readonly add = (session: PresentSession): void => {
    session.end = 'writing';
    this.unwritten.add(session);
  };

  /** What cannot be written now the next start finds. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.writing.settled();
    await this.writing.run();
  }

  private async writeAll(): Promise<void> {
    const wasAway = this.isAway;
    this.isAway = false;
    const { store, heldBy: held_by, log } = this.options;
    for (const chunk of chunksOf(this.unwritten)) {
      const { channel_id, sessions } = chunk;
      const over = sessions.map(({ seq, record_id, visitor }) => {
        return { seq, record_id, viewer_id: visitor.viewer_id };
      });
      try {
        await store.perform(endSessions, { channel_id, held_by, sessions: over });
      } catch (error) {
        if (!wasAway)
          log.warn('which sessions are over could not be written; it is kept', { error });
        this.isAway = true;
        return;
      }
      for (const session of sessions) {
        session.end = 'written';
        this.unwritten.delete(session);
      }
    }
  }
}

/** Of one channel each, in the order of their rows. */
function chunksOf(unwritten: ReadonlySet<PresentSession>) {
  const inOrder = [...unwritten].sort((a, b) => a.seq - b.seq);
  return [...Map.groupBy(inOrder, ({ channel_id }) => channel_id)].flatMap(([channel_id, all]) =>
    Array.from({ length: Math.ceil(all.length / sessionsPerEvent) }, (_, at) => ({
      channel_id,
      sessions: all.slice(at * sessionsPerEvent, (at + 1) * sessionsPerEvent),
    })),
  );
}
