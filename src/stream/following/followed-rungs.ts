// The smaller sizes of a stream that another node has: each is followed from its first viewer on until a while after its last.
import type { LadderListing } from '../ladder/ladder.ts';
import { type RungName, rungNames } from '../ladder/ladder-rungs.ts';
import type { StreamPlace } from '../live/push-holder-store.ts';
import type { PushMemory } from '../live/push-memory.ts';
import { LiveLadder } from '../playback/live-ladder.ts';
import type { LiveWindow } from '../playback/live-window.ts';
import type { LiveWindows } from '../playback/live-windows.ts';
import { type FollowedHolders, followHolders, idleMs } from './followed-holders.ts';
import { type FollowAsked, type FollowedMedia, mediaTopic, rungStream } from './followed-media.ts';
import { FollowedStream } from './followed-stream.ts';

export interface FollowedRungsOptions
  extends Pick<FollowedHolders<FollowAsked, FollowedMedia>, 'links' | 'store' | 'log'> {
  playId: string;
  first: StreamPlace;
  source: LiveWindow;
  windows: LiveWindows;
  memory: PushMemory;
  now(): number;
  monotonicMs(): number;
}

/** One that is followed. */
interface Rung {
  askedMs: number;
  isOver: boolean;
  readonly stream: FollowedStream;
  leave(): void;
}

export class FollowedRungs {
  private readonly options: FollowedRungsOptions;
  private readonly ladder: LiveLadder;

  /** As the holder told it last. */
  listing: LadderListing;
  private readonly rungs = new Map<RungName, Rung>();

  constructor(options: FollowedRungsOptions, listing: LadderListing) {
    this.options = options;
    this.listing = listing;
    const { source } = options;
    const before = source.ladder;
    before?.stop();
    this.ladder = new LiveLadder({
      source,
      listing: () => this.listing,
      asked: (name) => this.asked(name),
    });
    // What was seen of a rung here is what follows goes on from.
    for (const name of rungNames) {
      const known = before?.window(name);
      if (known && !known.isEmpty) this.ladder.add(name, known);
    }
    source.ladder = this.ladder;
  }

  letGoOfIdle(): void {
    for (const [name, { askedMs }] of this.rungs) {
      if (this.options.monotonicMs() - askedMs < idleMs) continue;
      this.forget(name);
      this.ladder.remove(name);
    }
  }

  /** What has come stays to be had. */
  stop(): void {
    for (const name of [...this.rungs.keys()]) this.forget(name);
  }

  private asked(name: RungName): void {
    const { monotonicMs } = this.options;
    const known = this.rungs.get(name);
    if (known) known.askedMs = monotonicMs();
    else void this.follow(name);
  }

  private async follow(name: RungName): Promise<void> {
    const { links, store, log, playId, first, source, windows, memory, now, monotonicMs } =
      this.options;
    let partTargetMs = () => 0;
    const onBegun = () => this.ladder.begun(name);
    const given = { name, memory, onBegun, partTargetMs: () => partTargetMs() };
    const window = windows.rungOf(source, given);
    this.ladder.add(name, window);
    const stream = new FollowedStream({
      open: (head) => {
        partTargetMs = head.partTargetMs;
        // It begins with all that its holder shows, not with the newest.
        window.beginBehind(head.discontinuities);
        return window;
      },
      onShown: () => {},
      now,
    });
    const rung: Rung = { askedMs: monotonicMs(), isOver: false, stream, leave: () => {} };
    this.rungs.set(name, rung);
    await followHolders({
      ...{ links, store, log, playId, first, topic: mediaTopic },
      asked: () => ({ playId: rungStream(playId, name), after: stream.after }),
      part: (media, hasGap) => {
        stream.take(media, hasGap);
        return media.head.kind === 'part';
      },
      onFollowed: (leave) => {
        rung.leave = leave ?? (() => {});
      },
      isOver: () => rung.isOver || stream.isOver || source.isOver,
    });
    if (source.isOver && !stream.isOver) stream.end();
    if (this.rungs.get(name) === rung) this.rungs.delete(name);
  }

  private forget(name: RungName): void {
    const rung = this.rungs.get(name);
    if (!rung) return;
    this.rungs.delete(name);
    rung.isOver = true;
    rung.leave();
    // Whoever goes on with it begins a segment of its own.
    rung.stream.seal();
  }
}
