// Which segments a clip takes: at least what was asked for, as little more as can be, whatever the key frames.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { RecordedSegment } from '../recording/recording-index.ts';
import { storedInFolder } from '../recording/stored-recording.ts';
import { type ClipSource, chooseSegments, lastOf } from './clip.ts';

const init = { at: 0, size: 10, width: 640, height: 360 };

/** Segments of these lengths; those below 0 cannot be decoded by themselves. */
function sourceOf(folder: string, startMs: number, lengths: readonly number[]): ClipSource {
  let at = 10;
  const segments = lengths.map((length): RecordedSegment => {
    const segment = {
      init,
      at,
      size: 5,
      durationMs: Math.abs(length),
      isIndependent: length > 0,
      isDiscontinuity: false,
      startsAt: 0,
    };
    at += 5;
    return segment;
  });
  return { recording: storedInFolder(folder), startMs, segments };
}

test.each([
  ['within one segment', 2_100, 2_200, 2_000, 4_000],
  ['exactly one', 2_000, 4_000, 2_000, 4_000],
  ['from the key frame before', 4_500, 4_600, 2_000, 6_000],
  ['over all', 0, 99_000, 0, 8_000],
  ['up to the end', 6_500, 99_000, 6_000, 8_000],
])('%s', (_, fromMs, toMs, from, to) => {
  const chosen = chooseSegments([sourceOf('a', 0, [2_000, 2_000, -2_000, 2_000])], {
    fromMs,
    toMs,
  });
  expect(chosen).toMatchObject({ fromMs: from, toMs: to });
});

test('over the border of two recordings', () => {
  const sources = [sourceOf('a', 0, [2_000, 2_000]), sourceOf('b', 4_000, [2_000, 2_000])];
  const chosen = chooseSegments(sources, { fromMs: 3_000, toMs: 5_000 });
  expect(chosen).toMatchObject({ fromMs: 2_000, toMs: 6_000, bytes: 10 });
  expect(chosen?.segments.map(({ recording }) => recording.name)).toEqual(['a', 'b']);
});

test('nothing from before the stretch where there is a gap, and none within the gap', () => {
  const sources = [
    sourceOf('a', 0, [10_000, 10_000]),
    sourceOf('b', 60_000, [4_000, 4_000, 4_000]),
  ];
  const asked = (fromMs: number, toMs: number) => chooseSegments(sources, { fromMs, toMs });
  expect(asked(30_000, 65_000)).toMatchObject({ fromMs: 60_000, toMs: 68_000, bytes: 10 });
  expect(asked(15_000, 61_000)).toMatchObject({ fromMs: 10_000, toMs: 64_000, bytes: 10 });
  expect(asked(30_000, 50_000)).toBeUndefined();
});

test('behind the end, of nothing, and of what nobody can decode there is none', () => {
  const source = sourceOf('a', 0, [2_000]);
  expect(chooseSegments([source], { fromMs: 2_000, toMs: 3_000 })).toBeUndefined();
  expect(chooseSegments([], { fromMs: 0, toMs: 1 })).toBeUndefined();
  expect(chooseSegments([sourceOf('a', 0, [-2_000])], { fromMs: 0, toMs: 1 })).toBeUndefined();
  const late = sourceOf('a', 5_000, [2_000]);
  expect(chooseSegments([late], { fromMs: 0, toMs: 5_000 })).toBeUndefined();
});

test('the last seconds end where the media does', () => {
  const sources = [sourceOf('a', 500, [2_000, 2_000])];
  expect(lastOf(sources, 1_000)).toEqual({ fromMs: 3_500, toMs: 4_500 });
  expect(lastOf(sources, 60_000)).toEqual({ fromMs: 0, toMs: 4_500 });
});

test('whatever the segments, it begins with one that can be decoded and holds what there is', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 4_000 }).map((n) => (n % 3 ? n : -n)));
  fc.assert(
    fc.property(lengths, fc.nat(20_000), fc.integer({ min: 1, max: 9_000 }), (all, from, more) => {
      const source = sourceOf('a', 0, all);
      const toMs = from + more;
      const chosen = chooseSegments([source], { fromMs: from, toMs });
      const starts = all.map((_, n) => all.slice(0, n).reduce((sum, ms) => sum + Math.abs(ms), 0));
      const endMs = all.reduce((sum, ms) => sum + Math.abs(ms), 0);
      if (!chosen) return;
      expect(chosen.segments[0]?.isIndependent).toBe(true);
      expect(chosen.toMs).toBeGreaterThanOrEqual(Math.min(toMs, endMs));
      // Nothing that begins behind the stretch.
      expect(starts.filter((at) => at >= toMs && at < chosen.toMs)).toEqual([]);
      // The nearest that can be decoded, where there is one before.
      const before = starts.findLast((at, n) => at <= from && (all[n] ?? 0) > 0);
      if (before !== undefined) expect(chosen.fromMs).toBe(before);
    }),
  );
});

test('says which stretches of which videos it has, and where in itself', () => {
  const sources = [
    { ...sourceOf('a', 0, [2_000, 2_000]), video_id: 1 },
    { ...sourceOf('b', 4_500, [2_000.4, 2_000.4]), video_id: 2 },
    sourceOf('grows', 8_501, [2_000]),
  ];
  expect(chooseSegments(sources, { fromMs: 3_000, toMs: 9_000 })?.stretches).toEqual([
    { video_id: 1, fromMs: 2_000, toMs: 4_000, atMs: 0 },
    { video_id: 2, fromMs: 0, toMs: 4_001, atMs: 2_000 },
  ]);
  expect(chooseSegments(sources, { fromMs: 7_000, toMs: 7_001 })?.stretches).toEqual([
    { video_id: 2, fromMs: 2_000, toMs: 4_001, atMs: 0 },
  ]);
});
