import { describe, expect, test } from 'bun:test';
import { clip, play } from '../../../test/fixtures/media/clip.ts';
import {
  audioTrack,
  PacketSource,
  packetsIn,
  videoTrack,
} from '../../../test/fixtures/media/synthetic.ts';
import { fragmentTracks } from '../../../test/support/fragment-tracks.ts';
import { keep } from '../../base/bytes/memory.ts';
import { readInit, readMoof } from '../formats/fmp4-reader.ts';
import { readBoxes } from '../formats/mp4-box.ts';
import type { Packet } from '../formats/packet.ts';
import { pushLimits } from '../live/push-limits.ts';
import type { LentPart, Segment } from './fragment.ts';
import { Segmenter, type SegmenterOptions } from './segmenter.ts';

const epoch = Date.UTC(2026, 0, 1);
const frameMs = (1024 * 1000) / 44_100;

/** A segmenter, what it made, and a clock that follows the media. */
function trial(options: Partial<SegmenterOptions> = {}) {
  const segments: Segment[] = [];
  const calls: string[] = [];
  const clock = { ms: epoch };
  const segmenter = new Segmenter({
    firstSequence: 500,
    now: () => clock.ms,
    readers: [
      {
        partAdded(segment) {
          if (segments.at(-1) !== segment) segments.push(segment);
          calls.push('part');
        },
        segmentEnded: () => calls.push('segment'),
        ended: () => calls.push('ended'),
      },
    ],
    ...options,
  });
  const source = new PacketSource();
  /** Pictures and sounds from `fromMs` on, in the order of their times. */
  const push = (media: {
    fromMs?: number;
    toMs: number;
    pictureMs?: number;
    keyMs?: number;
    hasSound?: boolean;
  }) => {
    const { fromMs = 0, toMs, pictureMs, keyMs = 2_000, hasSound = true } = media;
    const packets: Packet[] = [];
    if (pictureMs) {
      for (let n = 0; fromMs + n * pictureMs < toMs; n++) {
        const isKey = n % Math.round(keyMs / pictureMs) === 0;
        packets.push(source.picture(Math.round(fromMs + n * pictureMs), isKey));
      }
    }
    for (let at = fromMs; hasSound && at < toMs; at += frameMs) {
      packets.push(source.sound(Math.floor(at)));
    }
    packets.sort((a, b) => a.dtsMs - b.dtsMs);
    for (const packet of packets) segmenter.packet(packet);
  };
  return { segmenter, segments, calls, clock, source, push };
}

const durations = (segments: readonly Segment[]) => segments.map(({ durationMs }) => durationMs);
const partDurations = ({ parts }: Segment) => parts.map(({ durationMs }) => durationMs);
const kindsOf = ({ init }: Segment) => init.tracks.map(({ kind }) => kind).join('+');
const mdat = (part: LentPart) =>
  readBoxes(keep(part.bytes)).find(({ type }) => type === 'mdat')?.body ?? new Uint8Array();

test('a real clip becomes segments of two seconds and parts of 200 ms', () => {
  const { segmenter, segments, calls } = trial();
  play(clip, segmenter);
  expect(segments.map(({ sequence }) => sequence)).toEqual([500, 501]);
  const [first, second] = segments;
  expect(first && partDurations(first)).toEqual(Array(10).fill(200));
  expect(first?.parts.map(({ isIndependent }) => isIndependent).indexOf(true, 1)).toBe(5);
  expect(second?.durationMs).toBeGreaterThanOrEqual(2_000);
  expect(calls.slice(-2)).toEqual(['segment', 'ended']);
});

describe('parts', () => {
  test.each([
    { fps: 24_000 / 1001, first: 209, target: 230 },
    { fps: 25, first: 200, target: 220 },
    { fps: 30_000 / 1001, first: 200, target: 220 },
    { fps: 60, first: 200, target: 220 },
    { fps: 7, first: 286, target: 315 },
  ])('of $fps pictures a second keep near the first one', ({ fps, first, target }) => {
    const { segmenter, segments, push } = trial();
    segmenter.track(videoTrack);
    segmenter.track(audioTrack);
    push({ toMs: 10_000, pictureMs: 1000 / fps });
    expect(segmenter.partTargetMs).toBe(target);
    const all = segments.flatMap((segment) => partDurations(segment).slice(0, -1));
    expect(all[0]).toBe(first);
    for (const durationMs of all) expect(Math.abs(durationMs - first)).toBeLessThanOrEqual(1);
  });

  test('come with the packet after them, not later', () => {
    const { segmenter, calls, source } = trial();
    segmenter.track(videoTrack);
    segmenter.track(audioTrack);
    segmenter.packet(source.sound(0));
    for (let at = 0; at <= 160; at += 40) segmenter.packet(source.picture(at, at === 0));
    expect(calls).toEqual([]);
    segmenter.packet(source.picture(200));
    expect(calls).toEqual(['part']);
  });

  test('take late sound into the next one, with its own time', () => {
    const { segmenter, segments, source } = trial();
    segmenter.track(videoTrack);
    segmenter.track(audioTrack);
    segmenter.packet(source.sound(0));
    for (let at = 0; at <= 200; at += 40) segmenter.packet(source.picture(at, at === 0));
    for (const at of [23, 46]) segmenter.packet(source.sound(at));
    for (let at = 240; at <= 400; at += 40) segmenter.packet(source.picture(at));
    const [, late] = segments.flatMap(({ parts }) => parts);
    const tracks = fragmentTracks((late as LentPart).bytes);
    expect(tracks.map(({ baseTime }) => baseTime)).toEqual([200, 1024]);
  });

  test('tell of a gap in the sound by a longer frame', () => {
    const { segmenter, segments, source } = trial();
    segmenter.track(videoTrack);
    segmenter.track(audioTrack);
    for (const at of [0, 23, 180]) segmenter.packet(source.sound(at));
    for (let at = 0; at <= 200; at += 40) segmenter.packet(source.picture(at, at === 0));
    const [part] = segments.flatMap(({ parts }) => parts);
    const sound = fragmentTracks((part as LentPart).bytes)[1];
    expect(sound).toMatchObject({ baseTime: 0, duration: 180 * 44.1 + 1024 });
  });

  test('of a slow start do not become long for it', () => {
    const { segmenter, push } = trial();
    segmenter.track(videoTrack);
    segmenter.track(audioTrack);
    push({ toMs: 500, pictureMs: 500 });
    push({ fromMs: 500, toMs: 2_000, pictureMs: 40 });
    expect(segmenter.partTargetMs).toBe(220);
  });

  test('of sound do not wait for slow pictures', () => {
    const { segmenter, segments, push } = trial();
    segmenter.track(videoTrack);
    segmenter.track(audioTrack);
    push({ toMs: 900, pictureMs: 1_000 });
    expect(segments.flatMap(partDurations)).toEqual([220, 220]);
    push({ fromMs: 1_000, toMs: 2_900, pictureMs: 1_000 });
    segmenter.ended('over');
    const videoParts = segments
      .flatMap(({ parts }) => parts)
      .flatMap(({ bytes }) => fragmentTracks(bytes))
      .filter(({ trackId }) => trackId === 1);
    expect(videoParts.map(({ baseTime, duration }) => [baseTime, duration])).toEqual([
      [0, 1000],
      [1000, 1000],
      [2000, 1000],
    ]);
  });

  test('of slow pictures alone are as long as the pictures', () => {
    const { segmenter, segments, push } = trial();
    segmenter.track(videoTrack);
    push({ toMs: 6_000, pictureMs: 1_000, hasSound: false });
    expect(segmenter.partTargetMs).toBe(1_100);
    expect(segments.flatMap(partDurations)).toEqual([1000, 1000, 1000, 1000, 1000]);
  });

  test('of stamps that stand still show each picture at a time of its own', () => {
    const { segmenter, segments } = trial();
    segmenter.track(videoTrack);
    const bytes = new Uint8Array(10);
    for (let at = 0; at < 5; at++)
      segmenter.packet({ kind: 'video', dtsMs: 40, ptsMs: 120, isKey: at === 0, bytes });
    segmenter.ended('over');
    const parts = segments.flatMap(({ parts }) => parts);
    const tracks = readInit(segments[0]?.init.bytes ?? bytes);
    const runs = parts.flatMap((part) =>
      readMoof([...readBoxes(keep(part.bytes))][0]?.body ?? bytes, tracks),
    );
    const offsets = runs.flatMap(({ samples }) =>
      samples.map((sample) => sample.compositionOffset),
    );
    expect(offsets).toEqual([80, 80, 80, 80, 80]);
  });

  test('never hold more than 16 MB', () => {
    const { segmenter, segments, calls } = trial();
    segmenter.track(videoTrack);
    const bytes = new Uint8Array(4 * 1024 * 1024);
    for (let at = 0; at < 40; at++) {
      segmenter.packet({ kind: 'video', dtsMs: 0, ptsMs: 0, isKey: at === 0, bytes });
      if (at === 5) expect(calls[0]).toBe('part');
    }
    segmenter.ended('over');
    const parts = segments.flatMap((segment) => segment.parts);
    expect(parts.length).toBeGreaterThan(9);
    for (const part of parts) expect(part.bytes.length).toBeLessThan(16.1 * 1024 * 1024);
  });
});

describe('segments', () => {
  test('are not cut for the bytes of a whole push', () => {
    const { segmenter, segments } = trial();
    segmenter.track(videoTrack);
    const bytes = new Uint8Array(100_000);
    for (let at = 0; at <= 10_000; at += 40) {
      segmenter.packet({ kind: 'video', dtsMs: at, ptsMs: at, isKey: at % 2_000 === 0, bytes });
    }
    expect(durations(segments)).toEqual([2000, 2000, 2000, 2000, 2000]);
  });

  test.each([
    { keyMs: 1_000, expected: [2000, 2000, 2000] },
    { keyMs: 1_520, expected: [3040, 3040] },
    { keyMs: 2_000, expected: [2000, 2000, 2000] },
    { keyMs: 4_000, expected: [4000, 4000, 4000] },
    { keyMs: 8_320, expected: [4000, 4000, 320, 4000, 4000, 320] },
    { keyMs: 60_000, expected: [4000, 4000, 4000, 4000, 4000, 4000] },
  ])('with a key frame every $keyMs ms', ({ keyMs, expected }) => {
    const { segmenter, segments, push } = trial();
    segmenter.track(videoTrack);
    segmenter.track(audioTrack);
    push({ toMs: 32_000, pictureMs: 40, keyMs });
    expect(durations(segments).slice(0, expected.length)).toEqual([...expected]);
    for (const { startMs, parts } of segments) {
      expect(parts[0]?.isIndependent).toBe(startMs % keyMs === 0);
    }
  });

  test('tell the operator once of key frames far apart', () => {
    const told: number[] = [];
    const { segmenter, push } = trial({ onLongGop: (ms) => told.push(ms) });
    segmenter.track(videoTrack);
    push({ toMs: 40_000, pictureMs: 40, keyMs: 8_320, hasSound: false });
    expect(told).toEqual([8_320]);
  });

  test('tell the operator of a key frame that never comes', () => {
    const told: number[] = [];
    const { segmenter, push } = trial({ onLongGop: (ms) => told.push(ms) });
    segmenter.track(videoTrack);
    push({ toMs: 20_000, pictureMs: 40, keyMs: 60_000, hasSound: false });
    expect(told).toEqual([12_040]);
  });

  test('of many bytes end before the next part would be too many', () => {
    const { segmenter, segments } = trial();
    segmenter.track(videoTrack);
    const megabyte = new Uint8Array(1_048_576);
    for (let at = 0; at <= 3_600; at += 40)
      segmenter.packet({ kind: 'video', dtsMs: at, ptsMs: at, isKey: at === 0, bytes: megabyte });
    segmenter.ended('over');
    expect(segments.length).toBeGreaterThan(7);
    for (const { size, isComplete, parts } of segments) {
      expect(size).toBeLessThanOrEqual(pushLimits.segmentBytes);
      expect([isComplete, parts.length > 0]).toEqual([true, true]);
    }
    expect(segments.map(({ durationMs }) => durationMs).reduce((sum, ms) => sum + ms)).toBe(3_640);
  });

  test('stand at the wall time of their packets, and follow it when it wanders', () => {
    const { segmenter, segments, clock, source } = trial();
    segmenter.track(videoTrack);
    for (let at = 0; at <= 12_000; at += 40) {
      const stallMs = at > 5_000 ? 3_000 : 0;
      clock.ms = epoch + at + stallMs + (at % 7) * 100;
      segmenter.packet(source.picture(at, at % 2_000 === 0));
    }
    const offsets = segments.map(({ startsAt, startMs }) => startsAt - epoch - startMs);
    expect(offsets.slice(0, 3)).toEqual([0, 0, 0]);
    for (const offset of offsets.slice(3)) expect(Math.abs(offset - 3_000)).toBeLessThan(1_000);
  });
});

describe('tracks', () => {
  test('start with the key frame, and sound with it', () => {
    const { segmenter, segments, source } = trial();
    segmenter.track(audioTrack);
    segmenter.track(videoTrack);
    for (const at of [0, 23, 46, 70]) segmenter.packet(source.sound(at));
    segmenter.packet(source.picture(50));
    for (let at = 90; at <= 890; at += 40) segmenter.packet(source.picture(at, at === 90));
    for (const at of [93, 116]) segmenter.packet(source.sound(at));
    segmenter.ended('over');
    const parts = segments.flatMap((segment) => segment.parts);
    expect(segments[0]?.startMs).toBe(90);
    expect(parts.flatMap(mdat).flatMap(packetsIn)[0]).toEqual({ kind: 'video', id: 1 });
    const sounds = parts
      .flatMap(mdat)
      .flatMap(packetsIn)
      .filter(({ kind }) => kind === 'audio');
    expect(sounds.map(({ id }) => id)).toEqual([4, 5]);
  });

  test('wait for the key frame, however much sound comes before it', () => {
    const { segmenter, segments, calls, source, push } = trial();
    segmenter.track(videoTrack);
    segmenter.track(audioTrack);
    for (let at = 0; at < 3_000; at += 20) {
      segmenter.packet(source.picture(at));
      segmenter.packet(source.sound(at));
    }
    expect(calls).toEqual([]);
    push({ fromMs: 3_000, toMs: 4_000, pictureMs: 40 });
    expect(segments.map((segment) => [kindsOf(segment), segment.startMs])).toEqual([
      ['video+audio', 3_000],
    ]);
  });

  test('of one kind start after a second without the other', () => {
    const { segmenter, segments, calls, push } = trial();
    segmenter.track(videoTrack);
    segmenter.track(audioTrack);
    push({ toMs: 1_000, pictureMs: 40, hasSound: false });
    expect(calls).toEqual([]);
    push({ fromMs: 1_000, toMs: 1_040, pictureMs: 40, hasSound: false });
    expect(segments.map(kindsOf)).toEqual(['video']);
    expect(calls.length).toBe(5);
  });

  test('of sound alone are segments of two seconds, each part independent', () => {
    const { segmenter, segments, push } = trial();
    segmenter.track(audioTrack);
    push({ toMs: 8_000 });
    expect(durations(segments).slice(0, 4)).toEqual([1880, 1881, 1881, 1881]);
    expect(segments.every(({ parts }) => parts.every((part) => part.isIndependent))).toBe(true);
  });

  test('go on as pictures alone when sound stays away, and as both when it is back', () => {
    const { segmenter, segments, push } = trial();
    segmenter.track(videoTrack);
    segmenter.track(audioTrack);
    push({ toMs: 2_000, pictureMs: 40 });
    push({ fromMs: 2_000, toMs: 6_000, pictureMs: 40, hasSound: false });
    push({ fromMs: 6_000, toMs: 8_000, pictureMs: 40 });
    segmenter.ended('over');
    expect(segments.map((segment) => [kindsOf(segment), segment.isDiscontinuity])).toEqual([
      ['video+audio', false],
      ['video+audio', false],
      ['video', true],
      // Sound is back only after the key frame that began this one.
      ['video', false],
    ]);
  });

  test('that come back are there from the next key frame on', () => {
    const { segmenter, segments, push } = trial();
    segmenter.track(videoTrack);
    push({ toMs: 3_000, pictureMs: 40, hasSound: false });
    segmenter.track(audioTrack);
    push({ fromMs: 3_000, toMs: 3_960, pictureMs: 40, keyMs: 60_000 });
    push({ fromMs: 4_000, toMs: 8_000, pictureMs: 40 });
    expect(segments.map(kindsOf)).toEqual(['video', 'video', 'video+audio', 'video+audio']);
    expect(segments[2]?.init.sequence).toBe(502);
    expect(segments[2]?.startMs).toBe(4_000);
  });

  test('go on as sound alone when pictures stay away, and as both from a key frame on', () => {
    const told: number[] = [];
    const { segmenter, segments, push, source } = trial({ onLongGop: (ms) => told.push(ms) });
    segmenter.track(videoTrack);
    segmenter.track(audioTrack);
    push({ toMs: 2_000, pictureMs: 40 });
    push({ fromMs: 2_000, toMs: 5_000 });
    segmenter.packet(source.picture(5_000));
    push({ fromMs: 5_040, toMs: 7_000, pictureMs: 40 });
    segmenter.ended('over');
    const kinds = segments.map(kindsOf);
    expect([...new Set(kinds)]).toEqual(['video+audio', 'audio']);
    expect(kinds.at(-1)).toBe('video+audio');
    expect(segments.at(-1)?.startMs).toBe(5_040);
    const discontinuities = segments.filter(({ isDiscontinuity }) => isDiscontinuity);
    expect(discontinuities.map(kindsOf)).toEqual(['audio', 'video+audio']);
    expect(told).toEqual([]);
  });

  test('with new parameters begin anew at the key frame that brings them', () => {
    const { segmenter, segments, push } = trial();
    segmenter.track(videoTrack);
    segmenter.track(audioTrack);
    push({ toMs: 1_000, pictureMs: 40 });
    segmenter.track(videoTrack);
    push({ fromMs: 1_000, toMs: 1_400, pictureMs: 40 });
    segmenter.track({ ...videoTrack, record: Uint8Array.of(1, 2, 3) });
    push({ fromMs: 1_400, toMs: 2_000, pictureMs: 40 });
    segmenter.ended('over');
    expect(segments.map(({ startMs, isDiscontinuity }) => [startMs, isDiscontinuity])).toEqual([
      [0, false],
      [1_400, true],
    ]);
  });

  test('of sound with new parameters begin anew at once where there are no pictures', () => {
    const { segmenter, segments, push } = trial();
    segmenter.track(audioTrack);
    push({ toMs: 1_500 });
    segmenter.track({ ...audioTrack, record: Uint8Array.of(9), sampleRate: 48_000 });
    push({ fromMs: 1_500, toMs: 3_000 });
    segmenter.ended('over');
    expect(segments.map(({ init }) => init.sequence)).toEqual([500, 501]);
    const bases = segments.map(({ parts }) => fragmentTracks((parts[0] as LentPart).bytes)[0]);
    expect(bases[1]?.baseTime).toBeCloseTo(1.5 * 48_000, -3);
  });
});

describe('a push', () => {
  test('that was cut and came back goes on with a discontinuity and a new init', () => {
    const { segmenter, segments, calls, push } = trial();
    segmenter.track(videoTrack);
    segmenter.track(audioTrack);
    push({ toMs: 1_000, pictureMs: 40 });
    segmenter.resumed();
    expect(calls.at(-1)).toBe('segment');
    segmenter.track(videoTrack);
    push({ fromMs: 1_100, toMs: 3_000, pictureMs: 40 });
    segmenter.ended('over');
    expect(segments.map(({ sequence, init }) => [sequence, init.sequence])).toEqual([
      [500, 500],
      [501, 501],
    ]);
    expect(segments.map(({ startMs, isDiscontinuity }) => [startMs, isDiscontinuity])).toEqual([
      [0, false],
      [1_100, true],
    ]);
    const [, back] = segments as [Segment, Segment];
    const tracks = fragmentTracks((back.parts[0] as LentPart).bytes);
    expect(tracks.map(({ baseTime }) => baseTime)).toEqual([1_100, 48_510]);
  });

  test('shorter than the wait for a second track is packaged all the same', () => {
    const { segmenter, segments, calls, push } = trial();
    segmenter.track(videoTrack);
    push({ toMs: 320, pictureMs: 40, hasSound: false });
    segmenter.ended('over');
    expect(durations(segments)).toEqual([320]);
    expect(calls).toEqual(['part', 'part', 'segment', 'ended']);
  });

  test('without any media ends without a segment', () => {
    const { segmenter, calls } = trial();
    segmenter.resumed();
    segmenter.ended('over');
    expect(calls).toEqual(['ended']);
  });

  test('that ends with one picture after a hole shows it for no more than a second', () => {
    const { segmenter, segments, source } = trial();
    segmenter.track(videoTrack);
    for (const at of [0, 40, 5_040]) segmenter.packet(source.picture(at, at === 0));
    segmenter.ended('over');
    const last = segments.at(-1)?.parts.at(-1) as LentPart;
    expect(fragmentTracks(last.bytes)[0]).toMatchObject({ baseTime: 5_040, duration: 1_000 });
  });

  test('with a hole has no part for it, and its pictures say how long they stood', () => {
    const { segmenter, segments, push } = trial();
    segmenter.track(videoTrack);
    push({ toMs: 1_000, pictureMs: 40, hasSound: false });
    push({ fromMs: 21_000, toMs: 22_000, pictureMs: 40, hasSound: false });
    segmenter.ended('over');
    expect(segments.map(({ startMs }) => startMs)).toEqual([0, 21_000]);
    const ends = segments
      .flatMap(({ parts }) => parts)
      .map(({ bytes }) => fragmentTracks(bytes)[0])
      .map((track) => (track?.baseTime ?? 0) + (track?.duration ?? 0));
    expect(ends.filter((end) => end >= 1_000)[0]).toBe(21_000);
  });
});

describe('a picture that says how long it stands', () => {
  test('leaves no hole and starts nothing anew, with sound or without', () => {
    for (const hasSound of [true, false]) {
      const { segmenter, segments, source, push } = trial();
      segmenter.track(videoTrack);
      if (hasSound) segmenter.track(audioTrack);
      const still = { ...source.picture(0, true), durationMs: 10_000 };
      segmenter.packet(still);
      push({ fromMs: 0, toMs: 10_000, hasSound });
      segmenter.packet({ ...source.picture(10_000, true), durationMs: 2_000 });
      push({ fromMs: 10_000, toMs: 12_000, hasSound });
      segmenter.ended('over');
      const lengthMs = durations(segments).reduce((sum, ms) => sum + ms, 0);
      expect(Math.abs(lengthMs - 12_000)).toBeLessThan(30);
      expect(new Set(segments.map(({ init }) => init)).size).toBe(1);
      expect(segments.some(({ isDiscontinuity }) => isDiscontinuity)).toBe(false);
    }
  });

  test('stands in the part it begins in', () => {
    const { segmenter, segments, source, push } = trial();
    segmenter.track(videoTrack);
    segmenter.track(audioTrack);
    segmenter.packet({ ...source.picture(0, true), durationMs: 3_000 });
    push({ toMs: 3_000 });
    segmenter.ended('over');
    expect(segments[0]?.parts[0]?.isIndependent).toBe(true);
  });
});
