// The way into a room: who comes back goes on at once, others are written together, a rush in few transactions.
import { type Entered, type Entry, enterSessions } from '../audience/audience-store.ts';
import type { Store } from '../db/sql.ts';
import type { Log } from '../lib/log.ts';
import type { Connection } from './connection.ts';
import { presenceLimits } from './presence-limits.ts';
import type { Room } from './room.ts';
import type { Said } from './wire.ts';

/** A page that was let in by its ticket. */
export interface Arrival {
  connection: Connection;
  entry: Entry;
  author: string;
  instance: string;
  resume: { record_id: number; session_seq: number } | undefined;
  /** Of use where the session is only in the database: what was heard since its last flush died with a service. */
  said: Said | undefined;
}

interface EntranceOptions {
  room: Room;
  store: Store;
  now: () => number;
  log: Log;
  /** So many sessions were opened. */
  onOpened(count: number): void;
}

export class Entrance {
  private readonly options: EntranceOptions;

  /** Each connection arrives once, so their bound is the bound of this. */
  private waiting: Arrival[] = [];
  /** Arrivals of each viewer that wait or are being written. */
  private readonly arriving = new Map<string, number>();
  private writing: Promise<void> | undefined;

  constructor(options: EntranceOptions) {
    this.options = options;
  }

  isArriving(viewer_id: string): boolean {
    return this.arriving.has(viewer_id);
  }

  get isEmpty(): boolean {
    return this.writing === undefined;
  }

  arrive(arrival: Arrival): void {
    const { connection, entry } = arrival;
    if (this.options.room.chat.isBanned(entry.viewer_id)) connection.refuse('banned');
    else if (this.goOn(arrival)) return;
    else if (this.hasEnough(entry.viewer_id)) connection.refuse('full');
    else this.wait(arrival);
  }

  /** Resolves when nothing is being written; what waits is let go. */
  async stop(): Promise<void> {
    this.waiting = [];
    await this.writing;
  }

  /** Whether its session is still in memory. */
  private goOn({ connection, entry, instance, resume }: Arrival): boolean {
    const { room, now } = this.options;
    const { viewer_id } = entry;
    const at = now();
    const session = room.resumable({ viewer_id, instance, record_id: resume?.record_id }, at);
    if (session) room.resume(session, { connection, instance, at });
    return session !== undefined;
  }

  private hasEnough(viewer_id: string): boolean {
    const { connectionsPerViewerMax, sessionsPerViewerMax } = presenceLimits;
    const visitor = this.options.room.visitor(viewer_id);
    const arriving = this.arriving.get(viewer_id) ?? 0;
    return (
      arriving + (visitor?.connectionCount ?? 0) >= connectionsPerViewerMax ||
      arriving + (visitor?.sessions.length ?? 0) >= sessionsPerViewerMax
    );
  }

  private wait(arrival: Arrival): void {
    const { connection, entry } = arrival;
    const { viewer_id } = entry;
    connection.state = 'entering';
    this.arriving.set(viewer_id, (this.arriving.get(viewer_id) ?? 0) + 1);
    this.waiting.push(arrival);
    this.writing ??= this.writeAll();
  }

  private async writeAll(): Promise<void> {
    const { room, log } = this.options;
    while (this.waiting.length > 0) {
      const arrivals = this.waiting.splice(0, presenceLimits.entriesAtOnceMax);
      try {
        await this.write(arrivals);
      } catch (error) {
        log.warn('viewers could not enter', { channel_id: room.channel_id, error });
        for (const { connection } of arrivals) connection.refuse('unavailable');
      }
      for (const { entry } of arrivals) this.settled(entry.viewer_id);
    }
    // In the same breath as the last look, so that nobody is added in between and forgotten.
    this.writing = undefined;
  }

  private async write(arrived: readonly Arrival[]): Promise<void> {
    const { room, store, now, onOpened } = this.options;
    const { channel_id, chat } = room;
    const isThere = await room.open();
    const arrivals = arrived.filter((arrival) => {
      const { connection, entry } = arrival;
      const refusal = isThere ? chat.isBanned(entry.viewer_id) && 'banned' : 'gone';
      if (refusal) connection.refuse(refusal);
      // Who has gone meanwhile was never in. Who came twice was let in meanwhile, and goes on.
      return connection.state !== 'closed' && !this.goOn(arrival);
    });
    if (arrivals.length === 0) return;
    const all = await store.perform(enterSessions, {
      channel_id,
      now: now(),
      resumeWithinMs: presenceLimits.resumeWithinMs,
      entries: arrivals.map(({ entry, resume }) => ({
        ...entry,
        // Who claims a session that is known here, and could not go on with it, is another page.
        ...(resume && !room.has(resume.record_id) && { resume }),
      })),
    });
    onOpened(all.filter(({ isResumed }) => !isResumed).length);
    for (const [index, arrival] of arrivals.entries()) {
      const entered = all[index];
      if (entered) this.enter(arrival, entered);
    }
  }

  private enter({ connection, entry, author, instance, said }: Arrival, entered: Entered): void {
    const { room } = this.options;
    // Another page was given this session while the write was under way.
    if (room.has(entered.record_id)) {
      connection.refuse('unavailable');
      return;
    }
    const { viewer_id, at } = entry;
    const viewer = { viewer_id, author, nick: entered.visitor.nick };
    const session = room.enter({ connection, instance, at }, { entered, viewer, said });
    // It did not wait for its welcome. When it went is not known: it was there when it came.
    if (connection.state === 'closed') room.disconnect(session, { connection, at, how: 'closed' });
  }

  private settled(viewer_id: string): void {
    const count = (this.arriving.get(viewer_id) ?? 0) - 1;
    if (count > 0) this.arriving.set(viewer_id, count);
    else this.arriving.delete(viewer_id);
  }
}
