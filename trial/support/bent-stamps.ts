// Pushes as no honest encoder sends them: the test clip with its times bent, each in a way seen in the wild or worse.
import type { FlvTag } from '../../src/stream/formats/flv-file.ts';
import type { Clip } from '../../src/stream/rtmp/paced-push.ts';
import type { Random } from '../../test/support/random.ts';

/** A packet, when it is sent, and its stamp. */
export interface SentTag {
  dueMs: number;
  tag: FlvTag;
}

export interface BentPush {
  name: string;
  /** How much of the clip, over and over. */
  seconds: number;
  bend(sent: SentTag[], random: Random): SentTag[];
  /** How much of it is recorded; a half second either way is forgiven. */
  recordedMs?: number;
  /** Its stamps span less than a second, so that it becomes no video. */
  isTooShort?: boolean;
  /** Pictures are left out or in disorder, so that no decoder can be content. */
  lacksPictures?: boolean;
  /** Pictures are shown at odd times, so that some stand for seconds. */
  isUneven?: boolean;
}

const hourMs = 3_600_000;
const wrapMs = 2 ** 32;
const halfMs = 10_000;

export const bentPushes: readonly BentPush[] = [
  {
    name: 'stamps wrap at 2^32',
    seconds: 20,
    bend: (sent) => sent.map(moved((ms) => (ms + wrapMs - halfMs) % wrapMs)),
    recordedMs: 20_000,
  },
  {
    name: 'stamps jump back an hour',
    seconds: 20,
    bend: (sent) => sent.map(moved((ms) => (ms < halfMs ? ms + 2 * hourMs : ms + hourMs))),
    recordedMs: 20_000,
  },
  {
    name: 'stamps jump ahead an hour',
    seconds: 20,
    bend: (sent) => sent.map(moved((ms) => (ms < halfMs ? ms : ms + hourMs))),
    recordedMs: 20_000,
  },
  {
    name: 'sound jumps half a second before the pictures',
    seconds: 20,
    bend: (sent) =>
      sent.map(
        moved((ms, { type }) => (ms < halfMs - (type === 'audio' ? 500 : 0) ? ms : ms + hourMs)),
      ),
    recordedMs: 20_000,
  },
  {
    name: 'no key frame for a minute',
    seconds: 64,
    bend: (sent) => sent.filter(({ dueMs, tag }) => !isKey(tag) || dueMs < 1_000 || dueMs > 61_000),
    recordedMs: 64_000,
    lacksPictures: true,
  },
  {
    name: 'sound comes a second late',
    seconds: 20,
    bend: (sent) =>
      sent.map(({ dueMs, tag }) => ({ tag, dueMs: dueMs + (tag.type === 'audio' ? 1_000 : 0) })),
    recordedMs: 20_000,
  },
  {
    name: 'sound begins after six seconds',
    seconds: 20,
    bend: (sent) => sent.filter(({ dueMs, tag }) => tag.type !== 'audio' || dueMs > 6_000),
    recordedMs: 20_000,
  },
  {
    name: 'sound is away for eight seconds',
    seconds: 20,
    bend: (sent) =>
      sent.filter(({ dueMs, tag }) => tag.type !== 'audio' || dueMs < 6_000 || dueMs > 14_000),
    recordedMs: 20_000,
  },
  {
    name: 'sound is announced and never comes',
    seconds: 20,
    bend: (sent) => sent.filter(({ tag }) => tag.type !== 'audio' || isParameters(tag)),
    recordedMs: 20_000,
  },
  {
    name: 'stamps are whole seconds',
    seconds: 20,
    bend: (sent) => sent.map(moved((ms) => Math.floor(ms / 1_000) * 1_000)),
  },
  {
    name: 'every stamp is the same',
    isTooShort: true,
    seconds: 20,
    bend: (sent) => sent.map(moved(() => 5_000)),
  },
];

const orders: readonly Omit<BentPush, 'seconds'>[] = [
  {
    name: 'composition times at their two ends',
    bend: (sent) => sent.map(shown((_, at) => (at % 2 === 0 ? -(2 ** 23) : 2 ** 23 - 1))),
    recordedMs: 8_000,
  },
  {
    name: 'composition times at random within reach',
    bend: (sent, random) => sent.map(shown(() => random.whole(-4_000, 4_000))),
    recordedMs: 8_000,
    isUneven: true,
  },
  {
    name: 'no composition times beside B-frames',
    bend: (sent) => sent.map(shown(() => 0)),
    recordedMs: 8_000,
  },
  {
    name: 'pictures stand still',
    bend: (sent) => sent.map(moved((ms, { type }) => (type === 'video' ? 1_000 : ms))),
  },
  {
    name: 'sound ends half way',
    bend: (sent) => sent.filter(({ dueMs, tag }) => tag.type !== 'audio' || dueMs < 4_000),
    recordedMs: 8_000,
  },
  {
    name: 'sound is half the clock away',
    bend: (sent) =>
      sent.map(moved((ms, { type }) => (type === 'audio' ? (ms + wrapMs / 2) % wrapMs : ms))),
    recordedMs: 8_000,
  },
  {
    name: 'stamps and composition times from anywhere',
    bend: (sent, random) =>
      sent
        .map(moved((ms, tag) => (isParameters(tag) ? ms : random.whole(0, wrapMs - 1))))
        .map(shown(() => random.whole(-(2 ** 23), 2 ** 23 - 1))),
    isUneven: true,
  },
];

/** Of a clip with B-frames: when pictures are shown is bent too. */
export const bentOrders: readonly BentPush[] = orders.map((bent) => ({
  ...bent,
  seconds: 8,
  lacksPictures: true,
}));

/** A chain of jumps, holes, doubles and disorder that follows from the random numbers. */
export const randomPush: BentPush = {
  name: 'stamps at random',
  seconds: 20,
  lacksPictures: true,
  bend: (sent, random) => {
    let offsetMs = random.pick([0, 0, wrapMs - 5_000, hourMs]);
    let jitterMs = 0;
    let without: FlvTag['type'] | undefined;
    return sent.flatMap(({ dueMs, tag }) => {
      if (isParameters(tag)) return [{ dueMs, tag }];
      if (random.next() < 0.004) offsetMs += random.whole(-2 * hourMs, 2 * hourMs);
      if (random.next() < 0.01) offsetMs += random.whole(-3_000, 3_000);
      if (random.next() < 0.01) jitterMs = random.pick([0, 5, 50, 400]);
      if (random.next() < 0.01) without = random.pick([undefined, undefined, 'audio', 'video']);
      if (tag.type === without) return [];
      const stamp = tag.timestampMs + offsetMs + random.whole(-jitterMs, jitterMs);
      const bent = { dueMs, tag: { ...tag, timestampMs: ((stamp % wrapMs) + wrapMs) % wrapMs } };
      return random.next() < 0.005 ? [bent, bent] : [bent];
    });
  },
};

/** The clip over and over, its parameters once, each packet due at its time. */
export function honestPush(clip: Clip, seconds: number): SentTag[] {
  const sent: SentTag[] = [];
  for (let startMs = 0; startMs < seconds * 1_000; startMs += clip.durationMs) {
    for (const tag of clip.tags) {
      const dueMs = startMs + tag.timestampMs;
      if (dueMs >= seconds * 1_000 || (startMs > 0 && isParameters(tag))) continue;
      sent.push({ dueMs, tag: { ...tag, timestampMs: dueMs } });
    }
  }
  return sent;
}

function moved(move: (ms: number, tag: FlvTag) => number) {
  return ({ dueMs, tag }: SentTag): SentTag => ({
    dueMs,
    tag: { ...tag, timestampMs: move(tag.timestampMs, tag) },
  });
}

/** With another composition time: the three bytes behind the packet type (FLV 10.1 E.4.3). */
function shown(compositionMs: (tag: FlvTag, at: number) => number) {
  return ({ dueMs, tag }: SentTag, at: number): SentTag => {
    if (tag.type !== 'video' || isParameters(tag)) return { dueMs, tag };
    const body = Buffer.from(tag.body);
    body.writeIntBE(compositionMs(tag, at), 2, 3);
    return { dueMs, tag: { ...tag, body } };
  };
}

/** The metadata, or the configuration of a codec: FLV packet type 0 (FLV 10.1 E.4). */
function isParameters({ type, body }: FlvTag): boolean {
  return type === 'script' || body[1] === 0;
}

/** FLV frame type 1, with pictures in it. */
function isKey({ type, body }: FlvTag): boolean {
  return type === 'video' && (body[0] ?? 0) >> 4 === 1 && body[1] === 1;
}
