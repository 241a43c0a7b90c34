// The streams of other nodes that this one shows: each is followed from its first viewer on until a while after its last.
import type { MediaCall } from '../../base/api/media-answer.ts';
import type { Sql, Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { RecentMap } from '../../base/lib/recent-map.ts';
import type { Links } from '../../base/links/links.ts';
import { isDoneWithin } from '../../base/turns/within.ts';
import type { LadderListing } from '../ladder/ladder.ts';
import type { LiveChannel, LiveStream } from '../live/live-stream.ts';
import { type StreamPlace, streamPlace } from '../live/push-holder-store.ts';
import type { Lease } from '../live/push-lease.ts';
import type { PushesMemory, PushMemory } from '../live/push-memory.ts';
import type { FoundWindow } from '../playback/live-files.ts';
import type { LiveWindow } from '../playback/live-window.ts';
import type { LiveWindows } from '../playback/live-windows.ts';
import { followHolders, idleLookMs, idleMs } from './followed-holders.ts';
import { mediaTopic } from './followed-media.ts';
import { FollowedRungs } from './followed-rungs.ts';
import { FollowedStream } from './followed-stream.ts';
import type { StreamPlaces } from './stream-places.ts';

export interface FollowersOptions {
  store: Store;
  links: Pick<Links, 'follow' | 'isAlone' | 'node'>;
  places: StreamPlaces;
  windows: LiveWindows;
  memory: PushesMemory;
  /** What this node has on air itself. */
  ownStream(playId: string): LiveStream | undefined;
  /** The clock that nodes share. */
  now: () => number;
  monotonicMs: () => number;
  log: Log;
}

/** A player waits as long for a part. */
const firstPartMs = 6_000;
/** An encoder that comes from another node does not wait longer for what that has shown. */
const takeOverMs = 500;
/** An address whose stream has not come is looked up so often at most: whoever asks again and again asks no database. */
const lookUpEveryMs = 1_000;
const awaitedMax = 10_000;

/** One stream that is followed. */
interface Following {
  readonly channel_id: number;
  readonly stream: FollowedStream;
  readonly shown: PromiseWithResolvers<void>;
  readonly over: PromiseWithResolvers<void>;
  readonly memory: PushMemory;
  /** Undefined where its holder has one size of it. */
  rungs: FollowedRungs | undefined;
  /** Before, nobody is shown what has come of it: it may end before what they know. */
  isShown: boolean;
  askedMs: number;
  /** Ends what comes over the link now. */
  leave: () => void;
  /** A node feeds it now. */
  isFed: boolean;
  isOver: boolean;
  /** Nobody pushes to it any more. */
  isOffAir: boolean;
}

export class Followers {
  private readonly options: FollowersOptions;

  /** By play address. */
  private readonly followings = new Map<string, Following>();
  /** Look-ups under way. */
  private readonly looks = new Map<string, Promise<FoundWindow>>();
  /** Of addresses that are on air, when nothing had come of them here. */
  private readonly awaited = new RecentMap<string, number>({ max: awaitedMax });
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(options: FollowersOptions) {
    this.options = options;
    this.timer = setInterval(() => this.letGoOfIdle(), idleLookMs);
  }

  /** Streams of other nodes that are shown here. */
  get count(): number {
    return this.followings.size;
  }

  /** Whose stream is followed at a play address. */
  channelAt(playId: string): number | undefined {
    return this.followings.get(playId)?.channel_id;
  }

  /** Of the stream that is furthest behind its holder; undefined where none is followed. */
  get lagMs(): number | undefined {
    const lags = [...this.followings.values()].flatMap(
      ({ stream, isFed }) => stream.lagMs(isFed) ?? [],
    );
    return lags.length === 0 ? undefined : Math.max(...lags);
  }

  /** The window of a play address, this node's own or one that is followed from now on. */
  find(playId: string, call: MediaCall): Promise<FoundWindow> | FoundWindow {
    const { windows, links, places, monotonicMs } = this.options;
    const following = this.followings.get(playId);
    if (following) following.askedMs = monotonicMs();
    const window = windows.find(playId);
    // One that is over is shown until the next push is found.
    if (window && (following?.isShown ?? !window.isOver)) return window;
    if (following) return this.awaitShown(playId, following, firstPartMs);
    if (links.isAlone || places.isAbsent(playId)) return window;
    const underWay = this.looks.get(playId);
    if (underWay) return underWay;
    const awaitedMs = this.awaited.get(playId);
    if (awaitedMs !== undefined && monotonicMs() - awaitedMs < lookUpEveryMs)
      return window ?? 'awaited';
    const look = this.look(playId, call).finally(() => this.looks.delete(playId));
    this.looks.set(playId, look);
    return look;
  }

  /** This node had the stream, and another goes on with it: whoever watches here goes on watching. */
  goOn(playId: string): void {
    const { store, ownStream } = this.options;
    streamPlace(store, playId).then(
      // Its encoder may be back by now.
      (place) => place && !ownStream(playId) && this.follow(playId, place),
      (error) => this.options.log.warn('where a stream is could not be read', { error }),
    );
  }

  /**
   * This node goes on with a stream that another has let go of in good order: what that has shown stands in front of what
   * comes now, also where nobody has watched it here.
   */
  async takeOver(channel: Pick<LiveChannel, 'id' | 'account_id' | 'play_id'>, lease: Lease) {
    const { before } = lease;
    const { id: channel_id, account_id, play_id } = channel;
    if (!before?.isHandedOver || this.options.windows.find(play_id)) return;
    const following = this.follow(play_id, { channel_id, account_id, node: before.node });
    await isDoneWithin(following?.over.promise, takeOverMs);
  }

  /** The stream is this node's own from now on. */
  own(playId: string): void {
    this.followings.get(playId)?.stream.seal();
    this.forget(playId);
  }

  stop(): void {
    clearInterval(this.timer);
    for (const playId of [...this.followings.keys()]) this.forget(playId);
  }

  private async look(playId: string, call: MediaCall): Promise<FoundWindow> {
    const { places, links, windows, monotonicMs } = this.options;
    const untilMs = monotonicMs() + firstPartMs;
    for (;;) {
      const place = await places.find(playId, call.address);
      if (!place) return windows.find(playId);
      const leftMs = untilMs - monotonicMs();
      const following = place.node === links.node ? undefined : this.follow(playId, place);
      if (following) return await this.awaitShown(playId, following, leftMs);
      this.awaited.set(playId, monotonicMs());
      if (place.node !== links.node || leftMs <= 0) return windows.find(playId) ?? 'awaited';
      // It has just taken it, or was started anew, and its encoder may have gone to another by now.
      const own = await windows.begun(playId, Math.min(leftMs, lookUpEveryMs));
      if (own) return own;
    }
  }

  private async awaitShown(
    playId: string,
    following: Following,
    withinMs: number,
  ): Promise<FoundWindow> {
    await isDoneWithin(following.shown.promise, withinMs);
    return this.options.windows.find(playId) ?? (following.isOffAir ? undefined : 'awaited');
  }

  private follow(playId: string, place: StreamPlace): Following | undefined {
    const { windows, memory, now, monotonicMs, log } = this.options;
    const known = this.followings.get(playId);
    if (known) return known;
    const refusal = memory.refusal(place.account_id);
    if (refusal) {
      log.warn('a stream of another node is not shown: memory is short', { refusal });
      return undefined;
    }
    const held = memory.open(place.account_id);
    const shown = Promise.withResolvers<void>();
    const onShown = () => {
      following.isShown = true;
      shown.resolve();
    };
    let source: LiveWindow | undefined;
    const stream = new FollowedStream({
      open: ({ partTargetMs, discontinuities }) => {
        source = windows.goOn(playId, partTargetMs, { memory: held, discontinuities });
        return source;
      },
      onLadder: (listing) => {
        if (following.rungs) following.rungs.listing = listing;
        else if (source) following.rungs = this.rungsOf({ playId, place, source, held }, listing);
      },
      onShown,
      now,
    });
    const askedMs = monotonicMs();
    const over = Promise.withResolvers<void>();
    const following: Following = {
      channel_id: place.channel_id,
      ...{ stream, shown, over, memory: held, rungs: undefined, askedMs, leave: () => {} },
      ...{ isFed: false, isOver: false, isOffAir: false },
      // Whoever watched here goes on with what is there.
      isShown: windows.find(playId) !== undefined,
    };
    held.onGivenUp = () => this.forget(playId);
    this.followings.set(playId, following);
    this.run(playId, following, place);
    return following;
  }

  private rungsOf(
    of: { playId: string; place: StreamPlace; source: LiveWindow; held: PushMemory },
    listing: LadderListing,
  ): FollowedRungs {
    const { links, store, windows, now, monotonicMs, log } = this.options;
    const { playId, place: first, source, held: memory } = of;
    return new FollowedRungs(
      { ...{ links, store, log, playId, first, source, windows, memory, now, monotonicMs } },
      listing,
    );
  }

  private async run(playId: string, following: Following, first: StreamPlace): Promise<void> {
    const { links, store, log } = this.options;
    const { stream } = following;
    const sql: Sql = store;
    await followHolders({
      ...{ links, store: sql, log, playId, first, topic: mediaTopic },
      asked: () => ({ playId, after: stream.after }),
      part: (media, hasGap) => {
        stream.take(media, hasGap);
        return media.head.kind === 'part';
      },
      onFollowed: (leave) => {
        following.isFed = leave !== undefined;
        following.leave = leave ?? (() => {});
      },
      // All that another node has shown has come.
      onHere: () => following.over.resolve(),
      // What is pushed next is another stream, with a window of its own.
      isOver: () => following.isOver || stream.isOver,
    });
    if (following.isOver) return;
    following.isOffAir = true;
    if (!stream.isOver) stream.end();
    this.forget(playId);
  }

  private letGoOfIdle(): void {
    const { windows, monotonicMs } = this.options;
    for (const [playId, { askedMs, rungs }] of this.followings) {
      rungs?.letGoOfIdle();
      if (monotonicMs() - askedMs < idleMs) continue;
      this.forget(playId);
      windows.forget(playId);
    }
  }

  private forget(playId: string): void {
    const following = this.followings.get(playId);
    if (!following) return;
    this.followings.delete(playId);
    following.isOver = true;
    following.leave();
    following.rungs?.stop();
    following.shown.resolve();
    following.over.resolve();
    following.memory.end();
  }
}
