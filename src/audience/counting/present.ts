// Sessions and visitors in memory: those who are there, or may still come back.
import { Allowance } from '../../base/peers/allowance.ts';
import type { Refusal, Said, ServiceMessage } from '../protocol/messages.ts';
import { presenceLimits } from '../protocol/page-limits.ts';
import type { Entered } from '../records/audience-store.ts';
import type { VisitorRow } from '../records/visitor.ts';
import type { OnAir } from './on-air.ts';
import { type PlayedReport, WatchSession } from './watch-session.ts';

/** Numbers begin at 1: no row has this one. */
const goneSeq = 0;

/** What a session needs of the connection that has it. */
export interface SessionConnection {
  readonly network: string;
  readonly heardAt: number;
  /** By which its page was served; undefined of a player without a page. */
  readonly pass: string | undefined;
  /** Hears what it has said and still waits: what comes next must not overtake it. */
  settle(): void;
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
  /** When the page was made whose link gave it this name, which it cannot change then; 0 where none did. */
  namedAt = 0;
  /** Of its row, by a numbering that is no older than that of any of its sessions. */
  seq = 0;
  /** How far its row is ahead of the service's clock, as where the machine's was set back: what is written is, too. */
  aheadMs = 0;
  private first_entered_at = Number.NaN;
  private numbering = 0;
  /** Also those that have closed and may be resumed. */
  readonly sessions: PresentSession[] = [];
  readonly shares = new Allowance(presenceLimits.shares);

  constructor(given: { viewer_id: string; author: string; nick: string }) {
    this.viewer_id = given.viewer_id;
    this.author = given.author;
    this.nick = given.nick;
  }

  /** Whether the row is another than its own: the viewer was erased, and has come again. */
  isBefore({ visitor, visitor_seq, numbering }: Entered): boolean {
    // Until a clock that was set back has caught up, all enter at the same time: then the number tells.
    const isOther = numbering === this.numbering && visitor_seq !== this.seq;
    // An import may only move the first entry back.
    return isOther || visitor.first_entered_at > this.first_entered_at;
  }

  /** Its row as it was found. What it says of the time before `at` was so, whatever clock it was written by. */
  entered({ visitor, visitor_seq, numbering }: Entered, at: number): void {
    if (Number.isNaN(this.first_entered_at))
      this.aheadMs = Math.max(0, visitor.credited_until - at);
    this.moved({ ...visitor, seq: visitor_seq }, numbering);
  }

  /** Its row as it is by a numbering. */
  moved(row: Pick<VisitorRow, 'seq' | 'first_entered_at'>, numbering: number): void {
    this.seq = row.seq;
    this.first_entered_at = row.first_entered_at;
    this.numbering = numbering;
  }

  /** Of those that a page has now, the one that was opened first. */
  get firstConnected(): PresentSession | undefined {
    return this.sessions.find(({ connection }) => connection !== undefined);
  }

  get connectionCount(): number {
    return this.sessions.reduce((count, { connection }) => (connection ? count + 1 : count), 0);
  }

  /** The link of one of its pages names it; true where that is news. Of two links the later page's counts. */
  named(nick: string, namedAt: number): boolean {
    if (namedAt === 0 || namedAt < this.namedAt) return false;
    const isNews = this.namedAt === 0 || this.nick !== nick;
    this.nick = nick;
    this.namedAt = namedAt;
    return isNews;
  }

  /** Every page of the viewer learns what it is called. */
  tellNick(): void {
    const { nick, namedAt } = this;
    this.tell({ type: 'nick', nick, fixed: namedAt > 0 });
  }

  tell(message: ServiceMessage): void {
    for (const { connection } of this.sessions) connection?.send(message);
  }
}

export class PresentSession {
  readonly channel_id: number;
  readonly record_id: number;
  readonly enteredAt: number;
  readonly visitor: PresentVisitor;
  readonly watch: WatchSession;

  /** Of the page that has it, or had it last. */
  instance: string;
  seq: number;
  /** Of `seq`; an import changes it. */
  numbering: number;
  connection: SessionConnection | undefined;
  closedAt = 0;
  /** Whether the database has its sums. While they are being written they may still come back. */
  state: 'clean' | 'dirty' | 'writing' = 'clean';
  /** Whether the database has that it is over: then it can be forgotten. */
  end: 'open' | 'writing' | 'written' = 'open';

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
    this.enteredAt = entered.entered_at;
    this.visitor = visitor;
    const { session, isResumed } = entered;
    // Of a row that is ahead of the clock nobody can tell how long ago it was seen: it goes on from now.
    this.watch = new WatchSession(session, isResumed ? Math.min(session.last_seen_at, at) : at);
    this.instance = instance;
    this.seq = entered.session_seq;
    this.numbering = entered.numbering;
  }

  /** Its row was erased, or is another service's now: nothing is written of it. */
  get isGone(): boolean {
    return this.seq === goneSeq;
  }

  erased(): void {
    this.seq = goneSeq;
    this.state = 'clean';
  }

  /** It makes room for another of its viewer, and is not gone on with. */
  giveUp(): void {
    this.closedAt = Number.NEGATIVE_INFINITY;
  }

  /** Since when nothing was heard of it; one that is not connected has been silent longer than any that is. */
  get silentSince(): number {
    return this.connection?.heardAt ?? this.closedAt - presenceLimits.resumeWithinMs * 2;
  }

  /** Nobody can resume it any more. */
  isOver(at: number): boolean {
    return at - this.closedAt > presenceLimits.resumeWithinMs;
  }

  /**
   * It was found in the database: what its page has said since the last flush died with a service, and is heard
   * again at the times it was said. Only time since the row's last evidence can count, so a lie earns no more
   * than the clock allows; a report that was counted, and seems later than it was because the hello was slow,
   * earns nothing, as the row then has all that was played. The rest until now is a gap.
   */
  goOn(said: Said | undefined, at: number, onAir: OnAir): void {
    for (const [ago_ms, saidMs, shown_at] of said?.reports ?? []) {
      const uncountedMs = (said?.played_ms ?? 0) - this.watch.watch_ms;
      const played_ms = Math.min(saidMs, uncountedMs);
      if (ago_ms >= 0) this.report(at - Math.ceil(ago_ms), { played_ms, shown_at }, onAir);
    }
    this.watch.closed(at, 'silent');
    this.watch.resumed(at);
  }

  report(at: number, report: PlayedReport, onAir: OnAir): void {
    this.watch.report(at, report, onAir);
  }
}
