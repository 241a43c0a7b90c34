// Sessions and visitors in memory: those who are there, or may still come back.
import type { Entered } from '../audience/audience-store.ts';
import { CoveredTime } from './covered-time.ts';
import type { OnAir } from './on-air.ts';
import { presenceLimits } from './presence-limits.ts';
import { WatchSession } from './watch-session.ts';
import type { Refusal, ServiceMessage } from './wire.ts';

const { chatAtOnceMax, chatEveryMs, shareEveryMs } = presenceLimits;

/** What a session needs of the connection that has it. */
export interface SessionConnection {
  readonly heardAt: number;
  send(message: ServiceMessage): void;
  refuse(reason: Refusal): void;
  close(code: number, reason: string): void;
  terminate(): void;
}

/** A viewer on a channel, whichever of their pages speaks. */
export class PresentVisitor {
  readonly viewer_id: string;
  /** Stands for the viewer id where other viewers see it. */
  readonly author: string;

  nick: string;
  /** Of its row, by a numbering that is no older than that of any of its sessions. */
  seq = 0;
  first_entered_at = Number.NaN;
  covered = new CoveredTime({ watch_ms: 0, credited_until: 0 });
  creditedAt = 0;
  /** Also those that have closed and may be resumed. */
  readonly sessions: PresentSession[] = [];
  private chatDueAt = 0;
  private shareDueAt = 0;

  constructor(given: { viewer_id: string; author: string; nick: string }) {
    this.viewer_id = given.viewer_id;
    this.author = given.author;
    this.nick = given.nick;
  }

  /** Takes what its row has, unless it knows better: the row lags behind by one flush. */
  entered(entered: Entered): void {
    const { visitor, visitor_seq } = entered;
    this.seq = visitor_seq;
    // Another row than before: the viewer was erased meanwhile, and so is what we know.
    if (visitor.first_entered_at === this.first_entered_at) return;
    this.first_entered_at = visitor.first_entered_at;
    this.covered = new CoveredTime(visitor);
  }

  get connectionCount(): number {
    return this.sessions.reduce((count, { connection }) => (connection ? count + 1 : count), 0);
  }

  /** Whether it may write now; a few at once, then one at a time. */
  maySay(at: number): boolean {
    const dueAt = Math.max(this.chatDueAt, at);
    if (dueAt > at + (chatAtOnceMax - 1) * chatEveryMs) return false;
    this.chatDueAt = dueAt + chatEveryMs;
    return true;
  }

  mayShare(at: number): boolean {
    if (this.shareDueAt > at) return false;
    this.shareDueAt = at + shareEveryMs;
    return true;
  }
}

export class PresentSession {
  readonly channel_id: number;
  readonly record_id: number;
  readonly visitor: PresentVisitor;
  readonly watch: WatchSession;

  /** Of the page that has it, or had it last. */
  instance: string;
  seq: number;
  /** An import of older sessions numbers the rows anew. */
  numbering: number;
  connection: SessionConnection | undefined;
  closedAt = 0;
  /** Whether the database has its sums. While they are being written they may still come back. */
  state: 'clean' | 'dirty' | 'writing' = 'clean';

  constructor(given: {
    channel_id: number;
    visitor: PresentVisitor;
    entered: Entered;
    instance: string;
    at: number;
  }) {
    const { visitor, entered, instance, at } = given;
    this.channel_id = given.channel_id;
    this.record_id = entered.record_id;
    this.visitor = visitor;
    this.watch = new WatchSession(entered.session, at);
    this.instance = instance;
    this.seq = entered.session_seq;
    this.numbering = entered.numbering;
  }

  /** Nobody can resume it any more. */
  isOver(at: number): boolean {
    return at - this.closedAt > presenceLimits.resumeWithinMs;
  }

  report(at: number, played_ms: number, onAir: OnAir): void {
    const credits = this.watch.report(at, played_ms, onAir);
    if (credits.length === 0) return;
    this.visitor.covered.add(credits, at);
    this.visitor.creditedAt = at;
  }
}
