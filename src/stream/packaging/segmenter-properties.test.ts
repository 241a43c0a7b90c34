// What holds of the packager's output whatever a push does: jitter, holes, lost tracks, cuts.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  audioTrack,
  PacketSource,
  packetsIn,
  videoTrack,
} from '../../../test/fixtures/media/synthetic.ts';
import { fragmentTracks } from '../../../test/support/fragment-tracks.ts';
import { keep } from '../../base/bytes/memory.ts';
import { timescaleOf } from '../formats/fmp4-init.ts';
import { readBoxes } from '../formats/mp4-box.ts';
import { isSameTrack, type Packet, type Track } from '../formats/packet.ts';
import type { LentPart, Segment } from './fragment.ts';
import { Segmenter, targetDurationMs } from './segmenter.ts';

/** A stretch of a push: what comes for how long, and what happens before it. */
const stretch = fc.record({
  before: fc.constantFrom('nothing', 'nothing', 'hole', 'resume', 'new video', 'new audio'),
  holeMs: fc.constantFrom(50, 300, 900, 2_500, 10_000),
  lengthMs: fc.integer({ min: 20, max: 6_000 }),
  pictureMs: fc.constantFrom(16.67, 33.37, 40, 41.7, 150, 400, 1_000),
  keyEvery: fc.constantFrom(1, 5, 30, 60, 250, 100_000),
  /** Not after new parameters: there the stream sees to it. */
  startsWithKey: fc.constantFrom(true, true, true, true, true, false),
  jitterMs: fc.constantFrom(0, 1, 5, 30),
  /** Some encoders stamp several pictures alike. */
  pictureStampMs: fc.constantFrom(1, 1, 1, 100),
  leaveOut: fc.constantFrom('nothing', 'nothing', 'nothing', 'sound', 'pictures'),
  /** How far sound comes before its time among the packets. */
  soundLeadMs: fc.constantFrom(-120, 0, 40, 700, 2_000),
});
type Stretch = typeof stretch extends fc.Arbitrary<infer T> ? T : never;

type Event = { track: Track } | { packet: Packet } | 'resume';

test('any push becomes whole, bounded and continuous segments', () => {
  fc.assert(
    fc.property(
      fc.array(stretch, { minLength: 1, maxLength: 6 }),
      fc.infiniteStream(fc.nat(100)),
      (stretches, randoms) => {
        const events = eventsOf(stretches, () => (randoms.next().value as number) / 100);
        const made = packaged(events);
        checkParts(made);
        checkSegments(made.segments);
        checkTimes(made.segments);
        checkPackets(made.segments, {
          ...sentIn(events),
          hasLostKeys: stretches.some(({ startsWithKey }) => !startsWithKey),
        });
      },
    ),
    { numRuns: 300 },
  );
});

function eventsOf(stretches: readonly Stretch[], random: () => number): Event[] {
  const source = new PacketSource();
  const events: Event[] = [{ track: videoTrack }, { track: audioTrack }];
  let startMs = 0;
  const last = { video: 0, audio: 0 };
  let changes = 0;
  for (const one of stretches) {
    if (one.before === 'hole') startMs += one.holeMs;
    if (one.before === 'resume') events.push('resume');
    if (one.before === 'new video') {
      events.push({ track: { ...videoTrack, record: Uint8Array.of(++changes) } });
    }
    if (one.before === 'new audio') {
      events.push({ track: { ...audioTrack, record: Uint8Array.of(++changes % 2) } });
    }
    const times: { kind: Packet['kind']; at: number; order: number; isKey: boolean }[] = [];
    const startsWithKey = one.startsWithKey || one.before === 'new video';
    const frameMs = (1024 * 1000) / 44_100;
    const frames = Math.ceil(one.lengthMs / frameMs);
    const endMs = startMs + frames * frameMs;
    for (let at = startMs, n = 0; at < endMs && one.leaveOut !== 'pictures'; n++) {
      const isKey = n === 0 ? startsWithKey : n % one.keyEvery === 0;
      times.push({ kind: 'video', at, order: at, isKey });
      at += one.pictureMs;
    }
    for (let n = 0; n < frames && one.leaveOut !== 'sound'; n++) {
      const at = startMs + n * frameMs;
      times.push({ kind: 'audio', at, order: at - one.soundLeadMs, isKey: true });
    }
    times.sort((a, b) => a.order - b.order);
    for (const { kind, at, isKey } of times) {
      // Stamps are whole milliseconds and never fall within a track: the stream sees to it.
      const stepMs = kind === 'video' ? one.pictureStampMs : 1;
      const atMs = Math.round((at + random() * one.jitterMs) / stepMs) * stepMs;
      const stamp = Math.max(last[kind], atMs);
      last[kind] = stamp;
      events.push({
        packet: kind === 'video' ? source.picture(stamp, isKey) : source.sound(stamp),
      });
    }
    startMs = endMs;
  }
  return events;
}

interface Made {
  segments: Segment[];
  /** As it was declared with the first part and at the end. */
  targets: number[];
}

function packaged(events: readonly Event[]): Made {
  const made: Made = { segments: [], targets: [] };
  const segmenter = new Segmenter({
    firstSequence: 1_000,
    now: () => 0,
    readers: [
      {
        partAdded(segment, part) {
          if (made.segments.at(-1) !== segment) made.segments.push(segment);
          expect(segment.parts.at(-1)).toBe(part);
          made.targets.push(segmenter.partTargetMs);
        },
        segmentEnded: (segment) => expect(segment).toBe(made.segments.at(-1) as Segment),
        ended: () => {},
      },
    ],
  });
  for (const event of events) {
    if (event === 'resume') segmenter.resumed();
    else if ('track' in event) segmenter.track(event.track);
    else segmenter.packet(event.packet);
  }
  segmenter.ended('over');
  return made;
}

/** RFC 8216bis 4.4.4.9, and that what was declared once stays. */
function checkParts({ segments, targets }: Made): void {
  expect(new Set(targets).size).toBeLessThanOrEqual(1);
  const target = targets[0] ?? 0;
  for (const { parts, size } of segments) {
    // Of the shortest length, with a last one that is shorter: what a segment costs has a bound.
    expect(parts.length).toBeLessThanOrEqual(Math.ceil(targetDurationMs / (0.85 * target)) + 1);
    expect(size).toBe(parts.reduce((sum, { bytes }) => sum + bytes.length, 0));
    for (const [i, { durationMs }] of parts.entries()) {
      expect(Number.isInteger(durationMs)).toBe(true);
      expect(durationMs).toBeGreaterThan(0);
      expect(durationMs).toBeLessThanOrEqual(target);
      if (i < parts.length - 1) expect(durationMs).toBeGreaterThanOrEqual(target * 0.85);
    }
  }
}

function checkSegments(segments: readonly Segment[]): void {
  let before: Segment | undefined;
  for (const [i, segment] of segments.entries()) {
    expect(segment.sequence).toBe(1_000 + i);
    expect(segment.isComplete).toBe(true);
    expect(segment.parts.length).toBeGreaterThan(0);
    expect(segment.durationMs).toBe(segment.parts.reduce((sum, part) => sum + part.durationMs, 0));
    expect(segment.durationMs).toBeLessThanOrEqual(targetDurationMs);
    const isNewInit = segment.init !== before?.init;
    expect(segment.isDiscontinuity).toBe(isNewInit && before !== undefined);
    if (isNewInit) expect(segment.init.sequence).toBe(segment.sequence);
    const endBefore = before ? before.startMs + before.durationMs : 0;
    expect(segment.startMs).toBeGreaterThanOrEqual(endBefore);
    before = segment;
  }
}

/** Within an init pictures join exactly; sound may have gaps; nothing goes back, ever. */
function checkTimes(segments: readonly Segment[]): void {
  const ends = new Map<number, { seconds: number; init: unknown }>();
  for (const { init, parts } of segments) {
    for (const part of parts) {
      const tracks = fragmentTracks(part.bytes);
      const picture = tracks.find(({ trackId }) => trackId === 1);
      const hasPictures = init.tracks.some(({ kind }) => kind === 'video');
      expect(part.isIndependent).toBe(picture ? picture.startsWithKey : !hasPictures);
      for (const { trackId, baseTime, duration } of tracks) {
        const track = init.tracks.find(({ kind }) => kind === (trackId === 1 ? 'video' : 'audio'));
        const scale = track ? timescaleOf(track) : Number.NaN;
        const before = ends.get(trackId);
        expect(duration).toBeGreaterThan(0);
        if (trackId === 1 && before?.init === init) expect(baseTime / scale).toBe(before.seconds);
        if (trackId === 2) expect(baseTime / scale).toBeGreaterThanOrEqual(before?.seconds ?? 0);
        ends.set(trackId, { seconds: (baseTime + duration) / scale, init });
      }
    }
  }
}

/** Each packet once and in order; left out is only what the init has no track for. */
function checkPackets(
  segments: readonly Segment[],
  sent: { pictures: Packet[]; soundTracks: Track[]; hasLostKeys: boolean },
): void {
  const { pictures, soundTracks, hasLostKeys } = sent;
  const last = { video: -1, audio: -1 };
  const isFirst = { video: true, audio: true };
  // Pictures that come without their key frame may have to wait for the next.
  const isWanted = (id: number) => !hasLostKeys || pictures[id]?.isKey;
  let before: Segment | undefined;
  let mayMissPictures = true;
  for (const segment of segments) {
    if (segment.init !== before?.init) {
      isFirst.video = true;
      isFirst.audio = true;
      mayMissPictures = !before || !hasTrack(before, 'video');
    }
    const heard = segment.init.tracks.find(({ kind }) => kind === 'audio');
    for (const { kind, id } of segment.parts.flatMap((part) => packetsIn(mdat(part)))) {
      const missed = Array.from({ length: id - last[kind] - 1 }, (_, n) => last[kind] + 1 + n);
      expect(id).toBeGreaterThan(last[kind]);
      if (kind === 'video') {
        if (isFirst.video) expect(pictures[id]?.isKey).toBe(true);
        if (!isFirst.video) expect(missed).toEqual([]);
        else if (!mayMissPictures) expect(missed.filter((one) => isWanted(one))).toEqual([]);
      } else {
        expect(isSameTrack(soundTracks[id], heard)).toBe(true);
        const wanted = missed.filter((one) => isSameTrack(soundTracks[one], heard));
        if (!isFirst.audio) expect(wanted).toEqual([]);
      }
      isFirst[kind] = false;
      last[kind] = id;
    }
    before = segment;
  }
  if (before && hasTrack(before, 'video')) {
    const missed = pictures.slice(last.video + 1).keys();
    expect([...missed].filter((n) => isWanted(last.video + 1 + n))).toEqual([]);
  }
  const isOneInit = new Set(segments.map(({ init }) => init)).size === 1;
  const isOneRun = isOneInit && !hasLostKeys && new Set(soundTracks).size === 1;
  if (isOneRun && last.audio >= 0) {
    expect(last.audio).toBe(soundTracks.length - 1);
  }
}

function sentIn(events: readonly Event[]): { pictures: Packet[]; soundTracks: Track[] } {
  const pictures: Packet[] = [];
  const soundTracks: Track[] = [];
  let heard: Track = audioTrack;
  for (const event of events) {
    if (event === 'resume') continue;
    if ('track' in event) heard = event.track.kind === 'audio' ? event.track : heard;
    else if (event.packet.kind === 'video') pictures.push(event.packet);
    else soundTracks.push(heard);
  }
  return { pictures, soundTracks };
}

function hasTrack({ init }: Segment, kind: Packet['kind']): boolean {
  return init.tracks.some((track) => track.kind === kind);
}

function mdat(part: LentPart): Uint8Array {
  return readBoxes(keep(part.bytes)).find(({ type }) => type === 'mdat')?.body ?? new Uint8Array();
}
