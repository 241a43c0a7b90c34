// The side of the node that has a stream: gives its packets to the nodes that pass it on to RTMP players, made once for all.
import { linkLimits } from '../../base/links/link-limits.ts';
import type { TopicStream } from '../../base/links/links.ts';
import { keepPacket, type LentPacket, type Packet } from '../formats/packet.ts';
import type { LiveStream } from '../live/live-stream.ts';
import { pushLimits } from '../live/push-limits.ts';
import type { HeldBytes } from '../live/push-memory.ts';
import type { PushEnding, StreamReader } from '../live/stream-reader.ts';
import { type RelayAsked, type RelayedTracks, writeRelayed } from './relayed-packets.ts';

/** As for players of this node: what comes within is one message. */
const batchMs = 40;
/** One of a push that comes faster than it plays. */
const batchBytesMax = 1_048_576;
/** Half of what may wait for a node: the rest is for what comes meanwhile. */
const catchUpBytesMax = linkLimits.streamBytesMax / 2;

/** One node that is told. */
interface Fed {
  readonly stream: TopicStream<Uint8Array>;
  /** It has nothing that the next packet joins: it goes on with a key frame. */
  awaitsKey: boolean;
}

export class PacketFeeds {
  private readonly feeds = new Map<LiveStream, PacketFeed>();

  /** A node begins to pass the stream on; what is answered ends it. */
  follow(
    live: LiveStream,
    { after }: RelayAsked,
    stream: TopicStream<Uint8Array>,
  ): (() => void) | undefined {
    const { feeds } = this;
    const feed = feeds.get(live) ?? new PacketFeed(live, () => feeds.delete(live));
    feeds.set(live, feed);
    return feed.add(stream, after);
  }

  /** Nodes that pass on a stream of this one, all streams together. */
  get count(): number {
    return [...this.feeds.values()].reduce((sum, { count }) => sum + count, 0);
  }
}

class PacketFeed implements StreamReader {
  private readonly live: LiveStream;
  private readonly onEmpty: () => void;
  private readonly leave: () => void;
  private readonly held: HeldBytes;

  private readonly all = new Set<Fed>();
  private waiting: Packet[] = [];
  private waitingBytes = 0;
  private beginsWithKey = false;
  /** What was described last is not so any more. */
  private isChanged = false;
  private isResumed = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(live: LiveStream, onEmpty: () => void) {
    this.live = live;
    this.onEmpty = onEmpty;
    this.held = live.meter.memory.holder();
    this.leave = live.follow(this);
  }

  get count(): number {
    return this.all.size;
  }

  add(stream: TopicStream<Uint8Array>, after: string | undefined): () => void {
    const line = lineOf(this.live);
    stream.send(writeRelayed({ kind: 'begin', line }), { isStart: true });
    const fed: Fed = { stream, awaitsKey: true };
    // Whoever has some of it already would show it twice.
    const packets = after === line ? [] : this.lastGroup();
    const { described } = this;
    const head = { kind: 'packets', described, isResumed: false } as const;
    stream.send(writeRelayed(head, packets), { isStart: true });
    if (packets.length > 0 || !this.hasVideo) fed.awaitsKey = false;
    this.all.add(fed);
    return () => this.remove(fed);
  }

  track(): void {
    this.flush();
    this.isChanged = true;
  }

  packet(packet: LentPacket): void {
    const isKey = packet.kind === 'video' && packet.isKey;
    // A node that was left behind goes on at a key frame, so a message begins with its first one.
    if (isKey && !this.beginsWithKey) this.flush();
    if (this.waiting.length === 0) this.beginsWithKey = isKey;
    this.waiting.push(keepPacket(packet));
    this.waitingBytes += packet.bytes.length + pushLimits.packetBytes;
    this.held.set(this.waitingBytes);
    if (this.waitingBytes > batchBytesMax) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), batchMs);
  }

  resumed(): void {
    this.flush();
    this.isResumed = true;
    for (const fed of this.all) fed.awaitsKey = true;
  }

  ended(how: PushEnding): void {
    this.flush();
    this.onEmpty();
    for (const { stream } of this.all) {
      stream.send(writeRelayed({ kind: 'end', how }));
      stream.end();
    }
    this.all.clear();
  }

  private get hasVideo(): boolean {
    return this.live.trackOf('video') !== undefined;
  }

  private get described(): RelayedTracks {
    return { tracks: this.live.beginning(0).tracks, words: this.live.words };
  }

  /** The packets since the last key frame, without those that are still to be sent to all. */
  private lastGroup(): readonly Packet[] {
    const { packets } = this.live.beginning(catchUpBytesMax);
    return packets.slice(0, Math.max(0, packets.length - this.waiting.length));
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.waiting.length === 0) return;
    // Without pictures there is no key frame to wait for.
    const isStart = this.beginsWithKey || !this.hasVideo;
    const described = isStart || this.isChanged ? this.described : undefined;
    const head = { kind: 'packets', described, isResumed: this.isResumed } as const;
    const bytes = writeRelayed(head, this.waiting);
    const begin = writeRelayed({ kind: 'begin', line: lineOf(this.live) });
    this.waiting = [];
    this.waitingBytes = 0;
    this.isChanged = false;
    this.isResumed = false;
    this.held.set(0);
    for (const fed of this.all) {
      if (fed.awaitsKey && !isStart) continue;
      // Of what waited for a slow node all may have been left out, its very beginning too.
      if (isStart) fed.stream.send(begin, { isStart });
      // One that takes too little is left out until it can go on at a key frame.
      fed.awaitsKey = !fed.stream.send(bytes, { isStart });
    }
  }

  private remove(fed: Fed): void {
    this.all.delete(fed);
    if (this.all.size > 0) return;
    this.leave();
    clearTimeout(this.timer);
    this.held.set(0);
    this.onEmpty();
  }
}

function lineOf({ lease }: LiveStream): string {
  return `${lease.push} ${lease.epoch}`;
}
