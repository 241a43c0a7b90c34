// What holds of a stream that moves from node to node, whatever is lost on the way.
import { test } from 'bun:test';
import fc from 'fast-check';
import { ShownNumbers } from '../../../test/support/shown-numbers.ts';
import type { TopicStream } from '../../base/links/links.ts';
import type { Lease } from '../live/push-lease.ts';
import type { FragmentReader, Init } from '../packaging/fragment.ts';
import { GrowingSegment } from '../packaging/growing-segment.ts';
import { LiveWindows } from '../playback/live-windows.ts';
import { type FollowedMedia, mediaTopic } from './followed-media.ts';
import { FollowedStream } from './followed-stream.ts';
import { StreamFeeds } from './stream-feeds.ts';

const nodeCount = 3;
const node = fc.nat(nodeCount - 1);
const upTo = (max: number) => fc.integer({ min: 1, max });
/** Another node takes the push: its holder has died, or learns it. So many of its last renewals did not come. */
const move = fc.record({
  kind: fc.constant('move' as const),
  node,
  isDead: fc.boolean(),
  unheard: fc.constantFrom(0, 0, 1, 4),
});
const event = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('parts' as const), count: upTo(12) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('segment' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('tracks' as const) }) },
  {
    weight: 15,
    arbitrary: fc.record({ kind: fc.constant('come' as const), node, count: upTo(40) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('lost' as const), node, count: upTo(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut' as const), node }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('over' as const), node }) },
  { weight: 4, arbitrary: move },
);
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

test('whoever watches at one node finds each number by one name, with one content, behind as many breaks', () => {
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 100, size: 'max' }), (events) => {
      const stream = new MovedStream();
      for (const one of events) {
        stream.happens(one);
        stream.check();
      }
      stream.stop();
    }),
    { numRuns: 200, examples: seen.map((events) => [events]) },
  );
});

const parts = (count: number): Event => ({ kind: 'parts', count });
const come = (node: number): Event => ({ kind: 'come', node, count: 40 });
const dies = { kind: 'move', isDead: true, unheard: 0 } as const;

/** What was wrong once. */
const seen: Event[][] = [
  // The break itself was lost on the way.
  [
    come(2),
    { ...dies, node: 1 },
    parts(1),
    { kind: 'lost', node: 2, count: 9 },
    parts(10),
    come(2),
  ],
  // More had come to a follower than to whoever went on with it.
  [come(1), parts(3), come(2), { ...dies, node: 1 }, parts(10), come(2)],
  // What was cut short was ended by the next holder's segment of that number.
  [
    ...[come(1), parts(17), parts(3), come(2), parts(7)],
    ...[{ ...dies, node: 1, unheard: 4 as const }, parts(10), come(2), parts(1)],
  ],
];

const playId = 'play';
const partMs = 200;
const partTargetMs = () => partMs;
const partsOfSegment = 10;
const beganAt = 100_000;

/** A link to the holder, and what is still on its way. */
interface Line {
  waiting: { media: Uint8Array; isStart: boolean }[];
  hasLost: boolean;
  leave(): void;
}

interface Node {
  readonly windows: LiveWindows;
  readonly feeds: StreamFeeds;
  readonly shown: ShownNumbers;
  stream: FollowedStream | undefined;
  line: Line | undefined;
}

/** What the holder makes. */
interface Push {
  readonly epoch: number;
  readonly readers: readonly FragmentReader[];
  next: number;
  growing: GrowingSegment | undefined;
  init: Init;
  isDiscontinuity: boolean;
}

class MovedStream {
  private readonly nodes = Array.from({ length: nodeCount }, newNode);
  private holder = 0;
  private push: Push;
  /** By name, at whichever node. */
  private readonly contents = new Map<string, string>();

  constructor() {
    this.push = this.begin({ epoch: 1, sequenceMark: 0, before: undefined });
    this.parts(3);
  }

  happens(event: Event): void {
    for (const node of this.nodes) this.follow(node);
    if (event.kind === 'parts') this.parts(event.count);
    else if (event.kind === 'segment') this.endSegment();
    else if (event.kind === 'tracks') this.beginAnew();
    else if (event.kind === 'move') this.move(event);
    else if (event.kind === 'come') take(this.at(event.node), event.count);
    else if (event.kind === 'lost') lose(this.at(event.node), event.count);
    else if (event.kind === 'cut') cut(this.at(event.node));
    else end(this.at(event.node));
  }

  check(): void {
    for (const { windows, shown } of this.nodes) {
      const window = windows.find(playId);
      if (window) shown.look(window, this.contents);
    }
  }

  stop(): void {
    for (const { windows } of this.nodes) windows.stop();
  }

  private at(n: number): Node {
    const found = this.nodes[n];
    if (!found) throw new Error('there is no such node');
    return found;
  }

  private begin(given: Pick<Lease, 'epoch' | 'sequenceMark' | 'before'>): Push {
    const { windows, feeds } = this.at(this.holder);
    const { epoch, before } = given;
    const lease: Lease = { channel_id: 1, push: 'push', ...given };
    const firstSequence = windows.nextSequence(playId, { now: beganAt, lease });
    const openWindow = (before ? windows.goOn : windows.open).bind(windows);
    const discontinuities = before?.discontinuities;
    const window = openWindow(playId, partTargetMs, { discontinuities, firstSequence });
    return {
      epoch,
      readers: [window, feeds.open(playId, { window, partTargetMs })],
      next: firstSequence,
      growing: undefined,
      init: { sequence: firstSequence, bytes: Uint8Array.of(epoch), tracks: [] },
      isDiscontinuity: before !== undefined,
    };
  }

  private parts(count: number): void {
    for (let n = 0; n < count; n += 1) {
      const growing = this.push.growing ?? this.beginSegment();
      const text = `${growing.epoch}-${growing.sequence}.${growing.parts.length}`;
      const bytes = new TextEncoder().encode(text);
      const part = { bytes, durationMs: partMs, isIndependent: growing.parts.length === 0 };
      growing.add(part);
      for (const reader of this.push.readers) reader.partAdded(growing, part);
      if (growing.parts.length === partsOfSegment) this.endSegment();
    }
  }

  private beginSegment(): GrowingSegment {
    const { push } = this;
    const { epoch, init, isDiscontinuity, next: sequence } = push;
    const startMs = sequence * partsOfSegment * partMs;
    push.next += 1;
    push.isDiscontinuity = false;
    push.growing = new GrowingSegment({
      ...{ sequence, epoch, init, isDiscontinuity, startsAt: beganAt + startMs, startMs },
    });
    return push.growing;
  }

  private endSegment(): void {
    const { growing, readers } = this.push;
    if (!growing) return;
    this.push.growing = undefined;
    growing.complete();
    for (const reader of readers) reader.segmentEnded(growing);
  }

  private beginAnew(): void {
    this.endSegment();
    const { push } = this;
    const { epoch, next: sequence } = push;
    push.isDiscontinuity = true;
    push.init = { sequence, bytes: Uint8Array.of(epoch, sequence), tracks: [] };
  }

  private follow(node: Node): void {
    const { windows } = node;
    if (node === this.at(this.holder) || node.line) return;
    // What is pushed next would be another stream; here it is the same that was lost sight of.
    if (node.stream?.isOver) node.stream = undefined;
    node.stream ??= new FollowedStream({
      open: (given) => windows.goOn(playId, given.partTargetMs, given),
      onShown: () => {},
      now: () => 0,
    });
    const line: Line = { waiting: [], hasLost: false, leave: () => {} };
    const fed: TopicStream<FollowedMedia> = {
      send: (media, { isStart = false } = {}) =>
        line.waiting.push({ media: mediaTopic.answer.write(media), isStart }) > 0,
      end: () => {},
    };
    const asked = { playId, after: node.stream.after };
    line.leave = this.at(this.holder).feeds.follow(asked, fed) ?? (() => {});
    node.line = line;
  }

  private move({ node, isDead, unheard }: Extract<Event, { kind: 'move' }>): void {
    if (node === this.holder) return;
    const old = this.at(this.holder);
    const { epoch, next, readers } = this.push;
    if (!isDead) {
      this.endSegment();
      for (const reader of readers) reader.ended('taken');
    }
    const { discontinuities } = old.windows.shownAt(playId);
    for (const one of this.nodes) cut(one);
    if (isDead) {
      old.windows.stop();
      this.nodes[this.holder] = newNode();
    }
    const taker = this.at(node);
    taker.stream?.seal();
    taker.stream = undefined;
    this.holder = node;
    const renewedMark = next - unheard;
    this.push = this.begin({
      epoch: epoch + 1,
      // As a claim reckons it: one that comes between two renewals is reserved.
      sequenceMark: renewedMark + (unheard > 1 ? unheard : 0),
      before: {
        ...{ startedAt: beganAt, mediaAt: beganAt, discontinuities, node: '', renewedMark },
        ...{ isHandedOver: false, show: undefined },
        recorded: { recording: undefined, pushedMs: 0, durationMs: 0, segments: 0 },
      },
    });
  }
}

function newNode(): Node {
  return {
    windows: new LiveWindows(),
    feeds: new StreamFeeds({ now: () => 0 }),
    shown: new ShownNumbers(),
    stream: undefined,
    line: undefined,
  };
}

function take({ line, stream }: Node, count: number): void {
  for (const { media, isStart } of line?.waiting.splice(0, count) ?? []) {
    if (!line || !stream || (line.hasLost && !isStart)) continue;
    stream.take(mediaTopic.answer.read(media), line.hasLost);
    line.hasLost = false;
  }
}

function lose({ line }: Node, count: number): void {
  if (line && line.waiting.splice(0, count).length > 0) line.hasLost = true;
}

function cut(node: Node): void {
  node.line?.leave();
  node.line = undefined;
}

/** It looks as if nobody pushed any more. */
function end(node: Node): void {
  if (!node.stream || node.stream.isOver) return;
  cut(node);
  node.stream.end();
}
