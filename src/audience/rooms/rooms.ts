// Every room that somebody is in, and the rounds that are made through all of them.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { Allowances } from '../../base/peers/allowance.ts';
import type { Peers } from '../../base/peers/peers.ts';
import { JoinedWork } from '../../base/turns/joined-work.ts';
import type { ChatBounds } from '../chat/chat-limits.ts';
import type { WrittenBy } from '../chat/chat-pace.ts';
import type { PresentSession } from '../counting/present.ts';
import type { UsedPace } from '../nodes/shared-pace.ts';
import { type PageBounds, perMinute } from '../protocol/page-limits.ts';
import type { PageBook } from '../protocol/page-refusals.ts';
import type { AuthorOf } from '../viewers/author.ts';
import type { Places } from '../viewers/place.ts';
import { Entrance, type OtherRuns } from './entrance.ts';
import { Room } from './room.ts';
import type { AskedAdmissions } from './room-admission.ts';
import { Stages } from './stages.ts';

export interface RoomsOptions
  extends ChatBounds,
    Pick<PageBounds, 'entriesPerNetwork' | 'sessionsPerViewer'> {
  store: Store;
  /** Who may watch; absent: everybody. */
  admissions?: AskedAdmissions | undefined;
  beatMs?: number;
  places: Places;
  peers: Pick<Peers, 'isAllowed'>;
  refusals: PageBook;
  now: () => number;
  log: Log;
  authorOf: AuthorOf;
  publish(topic: string, text: string): void;
  onChange(session: PresentSession): void;
  onOver(session: PresentSession): void;
  /** Other nodes count these, too. */
  onEntry?(network: string): void;
  onWrote?(channel_id: number, by: WrittenBy): void;
  onViewer?(channel_id: number, viewer_id: string, isHere: boolean): void;
  /** Whether another node has the channel on air; absent where there is none. */
  lookAtShow?: ((channel_id: number) => Promise<void>) | undefined;
  /** This run of the service: sessions are its own. */
  heldBy: number;
  /** Others, whose pages may come here; absent where there are none. */
  otherRuns?: (() => OtherRuns) | undefined;
}

interface Kept {
  room: Room;
  entrance: Entrance;
}

export class Rooms {
  private readonly options: RoomsOptions;
  readonly stages = new Stages();
  /** One for all rooms: a network's crowd may come to any of them. */
  private readonly entryPace: Allowances;

  /** A room is there from the first page that enters until everybody in it is forgotten. */
  private readonly kept = new Map<number, Kept>();
  /** Sessions that were opened since the start, for `/metrics`. */
  openedCount = 0;
  private readonly refreshing = new JoinedWork(() => this.refreshAll());

  constructor(options: RoomsOptions) {
    this.options = options;
    const { entriesPerNetwork, peers } = options;
    const { isAllowed } = peers;
    this.entryPace = new Allowances({ ...perMinute(entriesPerNetwork), isAllowed });
  }

  find(channel_id: number): Room | undefined {
    return this.kept.get(channel_id)?.room;
  }

  /** The channels that have a room. */
  get channels(): Iterable<number> {
    return this.kept.keys();
  }

  /** Of what there is so much was used on another node. */
  used({ entries, lines }: UsedPace, at: number): void {
    for (const [network, count] of entries) this.entryPace.spend(network, at, count);
    for (const { channel_id, networks, viewers } of lines) {
      const room = this.find(channel_id);
      if (!room) continue;
      const { pace } = room.chat;
      for (const [network, count] of networks) pace.wroteElsewhere({ network }, at, count);
      for (const [viewer_id, count] of viewers) {
        const visitor = room.visitor(viewer_id);
        if (visitor) pace.wroteElsewhere({ visitor }, at, count);
      }
    }
  }

  /** Of all channels; a viewer who watches two counts twice. */
  get viewerCount(): number {
    return this.kept.values().reduce((sum, { room }) => sum + room.viewerCount, 0);
  }

  entrance(channel_id: number): Entrance {
    const known = this.kept.get(channel_id);
    if (known) return known.entrance;
    const { options } = this;
    const stage = this.stages.of(channel_id, options.now());
    const room = new Room({ ...options, sql: options.store, channel_id, stage });
    const onOpened = (count: number) => {
      this.openedCount += count;
    };
    const entrance = new Entrance({ ...options, room, entryPace: this.entryPace, onOpened });
    this.kept.set(channel_id, { room, entrance });
    return entrance;
  }

  *sweep(at: number): Iterable<void> {
    for (const [channel_id, { room, entrance }] of this.kept) {
      yield* room.sweep(at, (viewer_id) => entrance.isArriving(viewer_id));
      if (room.isEmpty && entrance.isEmpty) this.kept.delete(channel_id);
    }
    this.stages.sweep(at, (channel_id) => this.kept.has(channel_id));
  }

  /** The viewer's rows are no more. */
  erase(channel_id: number, viewer_id: string): void {
    const room = this.find(channel_id);
    const visitor = room?.visitor(viewer_id);
    if (visitor) room?.erase(visitor);
  }

  tellChat(): void {
    for (const { room } of this.kept.values()) room.chat.tell();
  }

  tellCounts(): void {
    for (const { room } of this.kept.values()) room.tellCount();
  }

  /** Reads what others have changed, one room after the other, so that many rooms are no burst. */
  refreshFromDatabase(): void {
    void this.refreshing.run();
  }

  /** At one room, before the next round comes to it. */
  look(channel_id: number): void {
    const { log } = this.options;
    this.find(channel_id)
      ?.refreshFromDatabase()
      .catch((error) => log.debug('the room could not be looked at', { channel_id, error }));
  }

  /** Resolves when nobody is on their way in and nothing is read. */
  async stop(): Promise<void> {
    await Promise.all([...this.kept.values()].map(({ entrance }) => entrance.stop()));
    await this.refreshing.settled();
  }

  /** As if every page had closed now. */
  leaveAll(at: number): void {
    for (const { room } of this.kept.values()) room.leaveAll(at);
  }

  private async refreshAll(): Promise<void> {
    try {
      for (const { room } of this.kept.values()) await room.refreshFromDatabase();
    } catch (error) {
      this.options.log.debug('the rooms could not be looked at', { error });
    }
  }
}
