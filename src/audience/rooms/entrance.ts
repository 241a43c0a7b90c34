// The entrance of a room: a page that comes back goes on at once, others are written together, a rush in few transactions.
import { ApiError } from '../../base/api/errors.ts';
import type { Store } from '../../base/db/sql.ts';
import { Counts } from '../../base/lib/counts.ts';
import type { Log } from '../../base/lib/log.ts';
import type { Allowances } from '../../base/peers/allowance.ts';
import { nextTurn, TurnSlice } from '../../base/turns/turn-slice.ts';
import { UntilEmpty } from '../../base/turns/until-empty.ts';
import type { Connection } from '../connection/page-connection.ts';
import type { PresentSession } from '../counting/present.ts';
import type { Said } from '../protocol/messages.ts';
import { type PageBounds, presenceLimits } from '../protocol/page-limits.ts';
import type { Resume } from '../protocol/page-message-reader.ts';
import {
  type Entered,
  type Entries,
  type Entry,
  enterSessions,
  renameViewer,
} from '../records/audience-store.ts';
import type { Places } from '../viewers/place.ts';
import type { Room } from './room.ts';

/** A page that was let in by its ticket. */
export interface Arrival {
  connection: Connection;
  /** Where it is, is said in the language of the room's account. */
  entry: Omit<Entry, 'addr'>;
  /** When its page was made, where a link has named its viewer; else 0. */
  namedAt: number;
  author: string;
  instance: string;
  resume: Resume | undefined;
  /** Of use where the session is only in the database: what was heard since its last flush died with a service. */
  said: Said | undefined;
}

/** Runs of other services, and until when what they were told is in the records. */
export type OtherRuns = NonNullable<Entries['others']>;

interface EntranceOptions extends Pick<PageBounds, 'sessionsPerViewer'> {
  room: Room;
  store: Store;
  places: Places;
  /** How many each network may bring in. */
  entryPace: Allowances;
  now: () => number;
  log: Log;
  /** This run of the service. */
  heldBy: number;
  /** Others, whose pages may come here; absent where there are none. */
  otherRuns?: (() => OtherRuns) | undefined;
  /** A new session of the network: other nodes count it, too. */
  onEntry?(network: string): void;
  /** So many sessions were opened. */
  onOpened(count: number): void;
}

export class Entrance {
  private readonly options: EntranceOptions;

  /** Each connection arrives once, so their bound is the bound of this. */
  private waiting: Arrival[] = [];
  /** Arrivals of each viewer that wait or are being written. */
  private readonly arriving = new Counts<string>();
  private readonly writing = new UntilEmpty({
    isEmpty: () => this.waiting.length === 0,
    work: () => this.writeSome(),
  });

  constructor(options: EntranceOptions) {
    this.options = options;
  }

  isArriving(viewer_id: string): boolean {
    return this.arriving.has(viewer_id);
  }

  get isEmpty(): boolean {
    return !this.writing.isUnderWay;
  }

  arrive(arrival: Arrival): void {
    const { connection, entry } = arrival;
    const { room } = this.options;
    if (room.chat.isBanned(entry.viewer_id)) connection.refuse('banned');
    // What the room knows of passes may be older than this one: it is looked at before anybody is sent away.
    else if (room.admits(connection.pass) && this.goOn(arrival)) return;
    else if (this.hasEnough(entry.viewer_id)) connection.refuse('full', 'sessions');
    else {
      connection.entering();
      this.wait(arrival);
    }
  }

  /** Resolves when nothing is being written; what waits is let go. */
  async stop(): Promise<void> {
    this.waiting = [];
    await this.writing.settled();
  }

  /** Whether its session is still in memory. */
  private goOn({ connection, entry, namedAt, instance, resume }: Arrival): boolean {
    const { room, now } = this.options;
    // Whether its channel is back is asked first.
    if (room.isShut) return false;
    const { viewer_id, nick } = entry;
    const at = now();
    // Its viewer's other pages may have reported or closed, and wait to be heard: that was before.
    for (const { connection } of room.visitor(viewer_id)?.sessions ?? []) connection?.settle();
    // Another service has had it since: what is here of it is older than its row.
    if (resume?.held_by !== undefined && resume.held_by !== this.options.heldBy)
      room.letGo({ viewer_id, record_id: resume.record_id });
    const session = room.resumable({ viewer_id, instance, record_id: resume?.record_id }, at);
    if (!session) return false;
    const isRenamed = session.visitor.named(nick, namedAt);
    room.resume(session, { connection, instance, at });
    if (isRenamed) this.rename(session, nick);
    return true;
  }

  /** The page was loaded anew, by a link with another name. */
  private rename({ visitor, record_id }: PresentSession, nick: string): void {
    const { room, store, log } = this.options;
    const { channel_id } = room;
    const { viewer_id } = visitor;
    visitor.tellNick();
    room.chat
      .inTurn(() => store.perform(renameViewer, { channel_id, viewer_id, record_id, nick }))
      .catch((error) => log.warn('the name of a link could not be kept', { channel_id, error }));
  }

  /** As many of its pages as it may have are about to enter; those that have entered make room for newer ones. */
  private hasEnough(viewer_id: string): boolean {
    return this.arriving.of(viewer_id) >= this.options.sessionsPerViewer;
  }

  private wait(arrival: Arrival): void {
    const { viewer_id } = arrival.entry;
    this.arriving.add(viewer_id);
    this.waiting.push(arrival);
    this.writing.begin();
  }

  private async writeSome(): Promise<void> {
    const { room, log } = this.options;
    const arrivals = this.waiting.splice(0, presenceLimits.entriesAtOnceMax);
    let again: Arrival[] = [];
    try {
      again = await this.write(arrivals);
    } catch (error) {
      const isGone = error instanceof ApiError && error.kind === 'noChannel';
      if (!isGone) log.warn('viewers could not enter', { channel_id: room.channel_id, error });
      for (const { connection } of arrivals) connection.refuse(isGone ? 'gone' : 'unavailable');
    }
    for (const { entry } of arrivals) this.arriving.remove(entry.viewer_id);
    for (const arrival of again) this.wait(arrival);
  }

  /** Those whose session is not to be found come again, as new ones. */
  private async write(arrived: readonly Arrival[]): Promise<Arrival[]> {
    const { room, store, heldBy, now, onOpened } = this.options;
    const { channel_id } = room;
    const isThere = await room.open();
    const arrivals = arrived.filter((arrival) => {
      const { connection } = arrival;
      const refusal = isThere ? this.refusalOf(arrival) : 'gone';
      if (refusal) connection.refuse(refusal);
      // A page that has gone meanwhile was never in. One that came twice was let in meanwhile, and goes on.
      return !connection.isClosed && !this.goOn(arrival) && this.mayEnter(arrival);
    });
    if (arrivals.length === 0) return [];
    const all = await store.perform(enterSessions, {
      channel_id,
      held_by: heldBy,
      now: now(),
      resumeWithinMs: presenceLimits.resumeWithinMs,
      others: this.options.otherRuns?.() ?? [],
      entries: arrivals.map((arrival) => this.entryOf(arrival)),
    });
    onOpened(all.filter((entered) => entered && !entered.isResumed).length);
    let slice = new TurnSlice();
    for (const [index, arrival] of arrivals.entries()) {
      const entered = all[index];
      if (entered) this.enter(arrival, entered);
      if (!slice.isOver()) continue;
      // A thousand welcomes take longer than anybody else should wait.
      await nextTurn();
      slice = new TurnSlice();
    }
    return arrivals
      .filter(({ connection }, index) => !all[index] && !connection.isClosed)
      .map((arrival) => ({ ...arrival, resume: undefined }));
  }

  private refusalOf({ connection, entry }: Arrival): 'banned' | 'no_pass' | undefined {
    const { room } = this.options;
    if (room.chat.isBanned(entry.viewer_id)) return 'banned';
    return room.admits(connection.pass) ? undefined : 'no_pass';
  }

  /** A page that goes on with a session is not new: a whole school that comes back after a restart is let in at once. */
  private mayEnter(arrival: Arrival): boolean {
    const { entryPace, now } = this.options;
    const { connection } = arrival;
    const isBack = this.claimOf(arrival) !== undefined;
    if (isBack) return true;
    const mayEnter = entryPace.take(connection.network, now());
    if (mayEnter) this.options.onEntry?.(connection.network);
    else connection.refuse('full', 'entries');
    return mayEnter;
  }

  /** Where the session is known here and the page could not go on with it, it is another page's, and no claim. */
  private claimOf({ resume }: Arrival): Arrival['resume'] {
    return resume && !this.options.room.has(resume.record_id) ? resume : undefined;
  }

  private entryOf(arrival: Arrival): Entries['entries'][number] {
    const { namedAt } = arrival;
    const { room, places } = this.options;
    const entry = { ...arrival.entry, addr: places.of(arrival.entry.ip, room.placeLanguage) };
    const visitor = room.visitor(entry.viewer_id);
    // A page that was made before the link that names the viewer now.
    const nick = visitor && visitor.namedAt > namedAt ? visitor.nick : entry.nick;
    const claim = this.claimOf(arrival);
    if (!claim) return { ...entry, nick };
    const { record_id, session_seq } = claim;
    return { ...entry, nick, resume: { record_id, session_seq } };
  }

  private enter(arrival: Arrival, entered: Entered): void {
    const { connection, entry, author, namedAt, instance, said } = arrival;
    const { room } = this.options;
    // Another page was given this session while the write was under way.
    if (room.has(entered.record_id)) {
      connection.refuse('unavailable');
      return;
    }
    const { viewer_id, at } = entry;
    const viewer = { viewer_id, author, nick: entered.visitor.nick, namedAt };
    const session = room.enter({ connection, instance, at }, { entered, viewer, said });
    // It did not wait for its welcome. When it went is not known: it was there when it came.
    if (connection.isClosed) room.disconnect(session, { connection, at, how: 'closed' });
  }
}
