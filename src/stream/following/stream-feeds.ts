// The side of the node that has a stream: feeds every node that follows it, from what its window holds on.
import { RecentMap } from '../../base/lib/recent-map.ts';
import { linkLimits } from '../../base/links/link-limits.ts';
import type { TopicStream } from '../../base/links/links.ts';
import type { LadderListing } from '../ladder/ladder.ts';
import type { FragmentReader, HeldSegment, Segment } from '../packaging/fragment.ts';
import type { LiveWindow } from '../playback/live-window.ts';
import {
  type FollowAsked,
  type FollowedMedia,
  type MediaHead,
  partHead,
} from './followed-media.ts';

const nothing = new Uint8Array();
/** Their windows are closed a minute after; then there is nothing to be had of them. */
const leftMax = 10_000;

/** One node that follows. */
interface Fed {
  readonly stream: TopicStream<FollowedMedia>;
  /** The init that it was sent last. */
  init: Segment['init'] | undefined;
  /** What it is told before its first segment, where that is this one. */
  headBefore(sequence: number): MediaHead;
}

/** One stream's. */
interface Feed {
  readonly window: LiveWindow;
  partTargetMs(): number;
  /** Of a source that has smaller sizes. */
  ladder?(): LadderListing | undefined;
  readonly fed: Set<Fed>;
}

export class StreamFeeds {
  private readonly now: () => number;
  /** By play address. */
  private readonly feeds = new Map<string, Feed>();
  /** Of pushes that go on elsewhere: whoever takes one asks for what was shown before. */
  private readonly left = new RecentMap<string, Feed>({ max: leftMax });

  constructor({ now }: { now: () => number }) {
    this.now = now;
  }

  /** What is made of a stream goes to all that follow it; `window` has it before. */
  open(playId: string, given: Omit<Feed, 'fed'>): FragmentReader {
    const feed: Feed = { ...given, fed: new Set() };
    this.feeds.set(playId, feed);
    return {
      partAdded: (segment) => {
        const part = feed.fed.size > 0 && feed.window.segment(segment.sequence)?.parts.at(-1);
        if (!part) return;
        const head = { ...partHead(segment, part, feed.partTargetMs()), madeAt: this.now() };
        for (const fed of feed.fed) sendPart(fed, segment, { head, bytes: part.bytes });
      },
      segmentEnded: (segment) => {
        if (feed.fed.size > 0) this.tell(feed, segmentEnd(segment));
      },
      ended: (how) => {
        this.tell(feed, { kind: 'end', how });
        for (const { stream } of feed.fed) stream.end();
        feed.fed.clear();
        if (this.feeds.get(playId) !== feed) return;
        this.feeds.delete(playId);
        if (how === 'taken') this.left.set(playId, feed);
      },
    };
  }

  /** A node begins to follow; what is answered ends it. Undefined where there is no such stream here. */
  follow(asked: FollowAsked, stream: TopicStream<FollowedMedia>): (() => void) | undefined {
    const growing = this.feeds.get(asked.playId);
    const feed = growing ?? this.left.get(asked.playId);
    if (!feed) return undefined;
    const sent = newestOf(feed.window.shown.segments, asked.after);
    const last = sent.findLast(({ parts }) => parts.length > 0);
    const newest = last && { sequence: last.segment.sequence, parts: last.parts.length };
    const headBefore = (sequence: number): MediaHead => ({
      ...{ kind: 'head', partTargetMs: feed.partTargetMs() },
      discontinuities: discontinuitiesBefore(feed.window, sequence),
      ...(newest && { newest }),
      ladder: feed.ladder?.(),
    });
    const fed: Fed = { stream, init: undefined, headBefore };
    const first = sent[0]?.segment.sequence ?? Number.POSITIVE_INFINITY;
    send(fed, { head: headBefore(first), bytes: nothing }, true);
    for (const held of sent) catchUp(fed, held, { feed, after: asked.after });
    if (growing) {
      feed.fed.add(fed);
      return () => feed.fed.delete(fed);
    }
    send(fed, { head: { kind: 'end', how: 'taken' }, bytes: nothing });
    stream.end();
    return () => {};
  }

  /** Nodes that follow a stream of this one, all streams together. */
  get followerCount(): number {
    return [...this.feeds.values()].reduce((sum, { fed }) => sum + fed.size, 0);
  }

  private tell({ fed }: Feed, head: MediaHead): void {
    for (const one of fed) send(one, { head, bytes: nothing });
  }
}

/** Half of what may wait for a follower: the rest is for what comes meanwhile. */
const catchUpBytesMax = linkLimits.streamBytesMax / 2;

/** What a new follower gets of what is shown: what it does not have, and of that the newest. */
function newestOf(shown: readonly HeldSegment[], after: FollowAsked['after']) {
  let from = shown.length;
  let bytes = 0;
  for (; from > 0; from -= 1) {
    const segment = shown[from - 1]?.segment;
    bytes += segment?.size ?? 0;
    const isKnown = after && segment && segment.sequence < after.sequence;
    if (isKnown || (bytes > catchUpBytesMax && from < shown.length - 1)) break;
  }
  return shown.slice(from);
}

/** Those that have left the playlist, and those that whoever begins with this segment is not sent. */
function discontinuitiesBefore({ shown }: LiveWindow, sequence: number): number {
  const left = shown.segments.filter(
    ({ segment }) => segment.isDiscontinuity && segment.sequence < sequence,
  );
  return shown.discontinuities + left.length;
}

/** What a follower does not have yet of a segment that is shown. */
function catchUp(
  fed: Fed,
  { segment, parts }: HeldSegment,
  { feed, after }: { feed: Feed; after: FollowAsked['after'] },
): void {
  // Numbers that nobody has: the follower finds them missing by itself.
  if (parts.length === 0) return;
  const isSame = after?.sequence === segment.sequence && after.epoch === segment.epoch;
  for (const part of parts.slice(isSame ? after.parts : 0)) {
    const head = partHead(segment, part, feed.partTargetMs());
    sendPart(fed, segment, { head, bytes: part.bytes });
  }
  if (segment.isComplete) send(fed, { head: segmentEnd(segment), bytes: nothing });
}

function sendPart(fed: Fed, segment: Segment, media: FollowedMedia): void {
  const { init, epoch } = segment;
  const isStart = media.head.kind === 'part' && media.head.at === 0;
  // With each segment: of what waited for a slow follower all may have been left out, its very beginning too.
  if (isStart) send(fed, { head: fed.headBefore(segment.sequence), bytes: nothing }, isStart);
  if (isStart || fed.init !== init) {
    const head = { kind: 'init', epoch, sequence: init.sequence } as const;
    if (!send(fed, { head, bytes: init.bytes }, isStart)) return;
    fed.init = init;
  }
  send(fed, media, isStart);
}

/** A follower that is left behind has lost all that waited, the init too. */
function send(fed: Fed, media: FollowedMedia, isStart = false): boolean {
  const isSent = fed.stream.send(media, { isStart });
  if (!isSent) fed.init = undefined;
  return isSent;
}

function segmentEnd({ epoch, sequence, durationMs, isSealed }: Segment): MediaHead {
  return { kind: 'segment', epoch, sequence, durationMs, isSealed };
}
