// One channel's room: who is there, who may come back, and what all of them are told.
import type { Sql } from '../../base/db/sql.ts';
import type { Peers } from '../../base/peers/peers.ts';
import { inTurns } from '../../base/turns/turn-slice.ts';
import type { ChatBounds } from '../chat/chat-limits.ts';
import type { WrittenBy } from '../chat/chat-pace.ts';
import { ShownChat } from '../chat/shown-chat.ts';
import type { Connection } from '../connection/page-connection.ts';
import { PresentSession, PresentVisitor, type SessionConnection } from '../counting/present.ts';
import { silenceMs } from '../counting/watch-session.ts';
import { closeCodes, type Said, type ServiceMessage, type Welcome } from '../protocol/messages.ts';
import { type PageBounds, presenceLimits } from '../protocol/page-limits.ts';
import { resumeText } from '../protocol/page-message-reader.ts';
import type { PageBook } from '../protocol/page-refusals.ts';
import type { Entered } from '../records/audience-store.ts';
import type { AuthorOf } from '../viewers/author.ts';
import { type AskedAdmissions, RoomAdmission } from './room-admission.ts';
import { RoomPlaybill } from './room-playbill.ts';
import type { Stage } from './stages.ts';

export interface RoomOptions extends ChatBounds, Pick<PageBounds, 'sessionsPerViewer'> {
  channel_id: number;
  stage: Stage;
  /** Whether another node has the channel on air; absent where there is none. */
  lookAtShow?: ((channel_id: number) => Promise<void>) | undefined;
  sql: Sql;
  /** Who may watch; absent: everybody. */
  admissions?: AskedAdmissions | undefined;
  beatMs?: number;
  /** This run of the service. */
  heldBy: number;
  peers: Pick<Peers, 'isAllowed'>;
  refusals: PageBook;
  now: () => number;
  authorOf: AuthorOf;
  /** Tells every page that has subscribed. */
  publish(topic: string, text: string): void;
  /** Something was written: other nodes count it, too. */
  onWrote?(channel_id: number, by: WrittenBy): void;
  /** A viewer has come, or has gone with the last of their pages. */
  onViewer?(channel_id: number, viewer_id: string, isHere: boolean): void;
  /** The sums of the session have changed. */
  onChange(session: PresentSession): void;
  /** The session is over, and what it came to is written. */
  onOver(session: PresentSession): void;
}

/** Which session a page would go on with. */
export interface Claim {
  viewer_id: string;
  instance: string;
  record_id: number | undefined;
}

/** A page that takes its place. */
export interface Arriving {
  connection: Connection;
  instance: string;
  at: number;
}

export class Room {
  private readonly options: RoomOptions;
  readonly channel_id: number;
  readonly stage: Stage;
  readonly chat: ShownChat;
  private readonly playbill: RoomPlaybill;
  private readonly admission: RoomAdmission;
  private readonly topic: string;

  private readonly sessions = new Map<number, PresentSession>();
  private readonly visitors = new Map<string, PresentVisitor>();
  /** Viewers with a connection, each once. */
  private viewersNow = 0;
  /** Over all nodes; undefined where this one is alone, or nobody counts now. */
  private viewersInAll: number | undefined;
  private toldCount = 0;
  isShut = false;

  constructor(options: RoomOptions) {
    this.options = options;
    this.channel_id = options.channel_id;
    this.stage = options.stage;
    this.topic = `room ${options.channel_id}`;
    this.chat = new ShownChat({
      ...options,
      authorOf: (viewer_id) => options.authorOf(this.channel_id, viewer_id),
      onWrote: (by) => options.onWrote?.(this.channel_id, by),
      publish: (message) => this.publish(message),
      evict: (viewer_id) => this.evict(viewer_id),
      tellMuted: (viewer_id, muted) => this.visitors.get(viewer_id)?.tell({ type: 'muted', muted }),
    });
    this.playbill = new RoomPlaybill({
      ...options,
      publish: (message) => this.publish(message),
    });
    this.admission = new RoomAdmission(options);
  }

  /** Reads what its first page is told; false where there is no such channel. */
  async open(): Promise<boolean> {
    if (this.isShut) await this.refreshFromDatabase();
    if (this.isEmpty) await this.options.lookAtShow?.(this.channel_id);
    await this.admission.look();
    return !this.isShut && (await this.chat.open()) && (await this.playbill.open());
  }

  /** In which its records say where a viewer is; known once it is open. */
  get placeLanguage(): RoomPlaybill['placeLanguage'] {
    return this.playbill.placeLanguage;
  }

  /** Takes over what others have changed: the command line, another service on the same database. */
  async refreshFromDatabase(): Promise<void> {
    const isThere =
      (await this.chat.refreshFromDatabase()) && (await this.playbill.refreshFromDatabase());
    if (isThere) this.isShut = false;
    else await this.shut();
    await this.admission.look();
    await inTurns(this.sendUnadmittedAway());
    await this.options.lookAtShow?.(this.channel_id);
  }

  /** The channel is deleted: everybody is sent away, and nobody comes in before it is brought back. */
  async shut(): Promise<void> {
    this.isShut = true;
    await inTurns(this.sendAway());
  }

  /** Whether a page with that pass may be here. */
  admits(pass: string | undefined): boolean {
    return this.admission.admits(pass);
  }

  private *sendUnadmittedAway(): Iterable<void> {
    for (const { connection } of this.sessions.values()) {
      if (!connection || this.admits(connection.pass)) continue;
      connection.refuse('no_pass');
      yield;
    }
  }

  private *sendAway(): Iterable<void> {
    for (const { connection } of this.sessions.values()) {
      connection?.refuse('gone');
      yield;
    }
  }

  /** Here. */
  get viewerCount(): number {
    return this.viewersNow;
  }

  /** Over all nodes, as far as this one knows. */
  get shownCount(): number {
    return Math.max(this.viewersNow, this.viewersInAll ?? 0);
  }

  counted(viewersInAll: number | undefined, at: number): void {
    if (viewersInAll === this.viewersInAll) return;
    this.viewersInAll = viewersInAll;
    this.noteCount(at);
  }

  /** Those with a connection, each once. */
  get viewerIds(): Iterable<string> {
    return this.visitors
      .values()
      .filter(({ connectionCount }) => connectionCount > 0)
      .map(({ viewer_id }) => viewer_id);
  }

  get isEmpty(): boolean {
    return this.visitors.size === 0;
  }

  visitor(viewer_id: string): PresentVisitor | undefined {
    return this.visitors.get(viewer_id);
  }

  /** One session for each viewer who is there, the one that they have had longest; in the order of entering. */
  get present(): PresentSession[] {
    const all: PresentSession[] = [];
    for (const session of this.sessions.values())
      if (session.connection && session === session.visitor.firstConnected) all.push(session);
    return all;
  }

  has(record_id: number): boolean {
    return this.sessions.has(record_id);
  }

  /**
   * The session that a page may go on with: its own, or one that nobody has. A copied tab makes the claim of
   * the tab that it was copied from, and is another.
   */
  resumable({ viewer_id, instance, record_id }: Claim, at: number): PresentSession | undefined {
    const isFree = (one: PresentSession) =>
      (one.instance === instance || one.record_id === record_id) && !one.isOver(at);
    return this.visitors
      .get(viewer_id)
      ?.sessions.filter(({ isGone }) => !isGone)
      .find((one) => (one.connection ? one.instance === instance : isFree(one)));
  }

  /** The session that nobody has here went on elsewhere, where its page has said all of it again. */
  letGo({ viewer_id, record_id }: Pick<Claim, 'viewer_id' | 'record_id'>): void {
    const session = record_id === undefined ? undefined : this.sessions.get(record_id);
    if (!session || session.connection || session.visitor.viewer_id !== viewer_id) return;
    session.erased();
    this.forget(session);
  }

  /** The page goes on with a session; a connection that still has it is sent away. */
  resume(session: PresentSession, arriving: Arriving): void {
    session.watch.resumed(arriving.at);
    this.connect(session, arriving);
    this.options.onChange(session);
  }

  /** The page takes a session that the database has opened, or found again. */
  enter(
    arriving: Arriving,
    given: {
      entered: Entered;
      viewer: { viewer_id: string; author: string; nick: string; namedAt: number };
      said: Said | undefined;
    },
  ): PresentSession {
    const { entered, viewer, said } = given;
    const { at } = arriving;
    const known = this.visitors.get(viewer.viewer_id);
    const isErased = known?.isBefore(entered) ?? false;
    // The new row counts its own sessions alone: pages from before the erasure come back as such.
    if (known && isErased) this.erase(known);
    const visitor = known && !isErased ? known : new PresentVisitor(viewer);
    this.visitors.set(viewer.viewer_id, visitor);
    // Its other pages know it by the name that it had.
    const isNamed = visitor.named(viewer.nick, viewer.namedAt);
    const isRenamed = isNamed || visitor.nick !== viewer.nick;
    visitor.nick = viewer.nick;
    visitor.entered(entered, this.countedFrom(entered.visitor.credited_until, at));
    const { channel_id } = this;
    const from = entered.isResumed ? this.countedFrom(entered.session.last_seen_at, at) : at;
    const session = new PresentSession({ channel_id, visitor, entered, ...arriving, at: from });
    this.makeRoom(visitor, at);
    if (isRenamed) visitor.tellNick();
    visitor.sessions.push(session);
    this.sessions.set(session.record_id, session);
    if (entered.isResumed) {
      session.goOn(said, at, this.stage.onAir);
      this.options.onChange(session);
    }
    this.connect(session, arriving);
    return session;
  }

  /** Nothing happens where another connection has the session by now. */
  disconnect(
    session: PresentSession,
    left: { connection: SessionConnection; at: number; how: 'closed' | 'silent' },
  ): void {
    if (session.connection !== left.connection) return;
    session.connection = undefined;
    session.closedAt = left.at;
    session.watch.closed(left.at, left.how);
    if (session.visitor.connectionCount === 0) this.countViewer(session.visitor, -1, left.at);
    this.options.onChange(session);
  }

  /** Lets go of the silent, one a step, and forgets those who can neither come back nor be credited any more. */
  *sweep(at: number, isArriving: (viewer_id: string) => boolean): Iterable<void> {
    for (const session of this.sessions.values()) {
      const { connection } = session;
      if (connection && at - connection.heardAt > silenceMs) {
        this.disconnect(session, { connection, at, how: 'silent' });
        connection.terminate();
        yield;
      } else if (!connection && session.state === 'clean' && session.isOver(at)) {
        if (session.end === 'open' && !session.isGone) this.options.onOver(session);
        // Until the database has its end it stays known: no page that comes late can go on with it there.
        if (session.end === 'writing') continue;
        this.forget(session);
        yield;
      }
    }
    // Of one that is about to enter, what is known here is newer than the row that its page may have read.
    for (const [viewer_id, { sessions }] of this.visitors)
      if (sessions.length === 0 && !isArriving(viewer_id)) this.visitors.delete(viewer_id);
  }

  leaveAll(at: number): void {
    for (const session of this.sessions.values()) {
      const { connection } = session;
      if (connection) this.disconnect(session, { connection, at, how: 'closed' });
    }
  }

  /** Sends a viewer away for good. */
  evict(viewer_id: string): void {
    for (const { connection } of this.visitors.get(viewer_id)?.sessions ?? [])
      connection?.refuse('banned');
  }

  /** The visitor's rows are no more, nor is it: its pages come back as those of another. */
  erase(visitor: PresentVisitor): void {
    const at = this.options.now();
    for (const session of [...visitor.sessions]) this.dismiss(session, at);
    const { viewer_id } = visitor;
    // By now it may be there anew, with rows of its own.
    if (this.visitors.get(viewer_id) === visitor) this.visitors.delete(viewer_id);
  }

  publish(message: ServiceMessage): void {
    this.options.publish(this.topic, JSON.stringify(message));
  }

  /** Tells the viewer count, if it has changed. */
  tellCount(): void {
    const count = this.shownCount;
    if (this.toldCount === count) return;
    this.toldCount = count;
    this.publish({ type: 'viewers', count });
  }

  /** For one more session of the viewer. */
  private makeRoom({ sessions }: PresentVisitor, at: number): void {
    const { sessionsPerViewer } = this.options;
    const present = sessions.filter((one) => one.connection || !one.isOver(at));
    const inOrder = present.toSorted((a, b) => a.silentSince - b.silentSince);
    for (const session of inOrder.slice(0, Math.max(0, present.length + 1 - sessionsPerViewer)))
      this.giveUp(session, at);
  }

  /** Its page, where it is still there, stays away until somebody uses it. */
  private giveUp(session: PresentSession, at: number): void {
    const { connection } = session;
    if (connection) {
      this.options.refusals.note('sessions', connection.network);
      this.disconnect(session, { connection, at, how: 'closed' });
    }
    session.giveUp();
    connection?.close(closeCodes.crowdedOut, 'this viewer has too many pages open');
  }

  private connect(session: PresentSession, { connection, instance, at }: Arriving): void {
    const had = session.connection;
    if (session.visitor.connectionCount === 0) this.countViewer(session.visitor, 1, at);
    session.connection = connection;
    session.instance = instance;
    had?.send({ type: 'notice', notice: 'taken_over' });
    had?.close(closeCodes.takenOver, 'another connection goes on with this session');
    connection.entered(session, this.topic);
    connection.sendText(this.welcome(session));
  }

  private countViewer({ viewer_id }: PresentVisitor, more: 1 | -1, at: number): void {
    this.viewersNow += more;
    this.noteCount(at);
    this.options.onViewer?.(this.channel_id, viewer_id, more === 1);
  }

  private noteCount(at: number): void {
    const { isLive, curve } = this.stage;
    if (isLive) curve?.note(at, this.shownCount);
  }

  /** Its page, where it is still there, enters anew. */
  private dismiss(session: PresentSession, at: number): void {
    const { connection } = session;
    session.erased();
    if (connection) this.disconnect(session, { connection, at, how: 'closed' });
    this.forget(session);
    connection?.close(closeCodes.erased, 'this viewer was erased');
  }

  /**
   * Until `rowAt` a row has counted already: another service may have written it after the page came, and before
   * it was let in. What is ahead of the clock was written by another clock, and tells no time here.
   */
  private countedFrom(rowAt: number, at: number): number {
    const isAhead = rowAt >= this.options.now() + presenceLimits.clocksApartMs;
    return isAhead ? at : Math.max(rowAt, at);
  }

  private forget(session: PresentSession): void {
    const { sessions } = session.visitor;
    this.sessions.delete(session.record_id);
    sessions.splice(sessions.indexOf(session), 1);
  }

  /** After a restart thousands of these are made at once; what is the same in all is made once. */
  private welcome(session: PresentSession): string {
    const { viewer_id, nick, namedAt, author } = session.visitor;
    const { isLive, video_id } = this.stage;
    const own = {
      type: 'welcome',
      resume: resumeText(session, this.options.heldBy),
      viewer: { nick, fixed: namedAt > 0, muted: this.chat.isMuted(viewer_id), author },
      beat_ms: this.options.beatMs ?? presenceLimits.beatMs,
      live: isLive,
      viewers: this.shownCount,
      video: video_id,
      playbill: this.playbill.shown,
    } satisfies Omit<Welcome, 'chat'>;
    return `${JSON.stringify(own).slice(0, -1)},"chat":${this.chat.stateText}}`;
  }
}
