// By parts or by whole segments, on lines made up for it.
import { expect, test } from 'bun:test';
import { LivePace, type Load } from './live-pace.ts';

interface Line {
  roundTripMs: number;
  /** From the first byte to the last, of a part. */
  partTookMs: number;
}

const partMs = 200;
/** A stream in one size. */
const alone = { isSmallest: true, hasSound: false, aheadMs: 0 };
const segmentMs = 2_000;
let nowMs = 0;

function load(durationMs: number, { roundTripMs, partTookMs }: Line): Load {
  nowMs += durationMs;
  const tookMs = (partTookMs * durationMs) / partMs;
  return { nowMs, durationMs, waitedMs: roundTripMs, tookMs };
}

function parts(pace: LivePace, line: Line, count: number, isSmallest = true): void {
  for (let at = 0; at < count; at++) pace.addPart(load(partMs, line), { ...alone, isSmallest });
}

/** How many segments it takes until it tries parts again. */
function segmentsUntilParts(pace: LivePace, line: Line): number {
  for (let count = 0; count < 1_000; count++) {
    if (pace.byParts) return count;
    pace.addSegment(load(segmentMs, line));
  }
  return Number.POSITIVE_INFINITY;
}

const good: Line = { roundTripMs: 20, partTookMs: 30 };
const slow: Line = { roundTripMs: 60, partTookMs: 170 };
const far: Line = { roundTripMs: 300, partTookMs: 20 };

test('on a good line it loads by parts, and stays with them', () => {
  const pace = new LivePace();
  pace.begin({ roundTripMs: good.roundTripMs, leastBits: 500_000, lineBits: 3_000_000 });
  parts(pace, good, 1_000);
  expect(pace.byParts).toBe(true);
});

test('where a way there and back takes most of a part it begins with whole segments', () => {
  const pace = new LivePace();
  pace.begin({ roundTripMs: far.roundTripMs, leastBits: 0, lineBits: 3_000_000 });
  expect(pace.byParts).toBe(false);
  expect(segmentsUntilParts(pace, far)).toBe(Number.POSITIVE_INFINITY);
});

test('where the line hardly carries the smallest size it begins with whole segments', () => {
  const pace = new LivePace();
  pace.begin({ roundTripMs: 50, leastBits: 700_000, lineBits: 1_000_000 });
  expect(pace.byParts).toBe(false);
});

test('parts that cost more than they last are given up for segments, where no smaller size is left', () => {
  const pace = new LivePace();
  parts(pace, slow, 100, false);
  expect(pace.byParts).toBe(true);
  // What those took tells nothing of the smallest.
  parts(pace, slow, 9);
  expect(pace.byParts).toBe(true);
  parts(pace, slow, 1);
  expect(pace.byParts).toBe(false);
});

test('where there is sound alone, too, as much is put in front before as until the first segment is there', () => {
  const pace = new LivePace();
  const place = { isSmallest: true, hasSound: true };
  for (let at = 0; at < 50; at++) pace.addPart(load(partMs, slow), { ...place, aheadMs: 300 });
  expect(pace.byParts).toBe(true);
  expect(pace.reserveMs).toBeGreaterThan(segmentMs);
  // Those of the sound cost little, and tell nothing.
  for (let at = 0; at < 50; at++)
    pace.addPart(load(partMs, good), { ...place, isSmallest: false, aheadMs: 1_000 });
  expect(pace.byParts).toBe(true);
  expect(pace.reserveMs).toBeGreaterThan(segmentMs);
  pace.addPart(load(partMs, slow), { ...place, aheadMs: pace.reserveMs });
  expect(pace.byParts).toBe(false);
  expect(pace.reserveMs).toBe(0);
});

test('and where the line is good again before, parts stay', () => {
  const pace = new LivePace();
  const place = { isSmallest: true, hasSound: true, aheadMs: 300 };
  for (let at = 0; at < 10; at++) pace.addPart(load(partMs, slow), place);
  for (let at = 0; at < 10; at++) pace.addPart(load(partMs, good), place);
  expect(pace.reserveMs).toBe(0);
  expect(pace.byParts).toBe(true);
});

test('one part that came late is no reason', () => {
  const pace = new LivePace();
  parts(pace, good, 20);
  pace.addPart(load(partMs, { roundTripMs: 500, partTookMs: 30 }), alone);
  parts(pace, good, 20);
  expect(pace.byParts).toBe(true);
});

test('when the line has been good for a while parts are tried again, later each time that it was a mistake', () => {
  const pace = new LivePace();
  parts(pace, slow, 10);
  const first = segmentsUntilParts(pace, good);
  parts(pace, slow, 10);
  const second = segmentsUntilParts(pace, good);
  expect(first).toBeGreaterThanOrEqual(10);
  expect(second).toBeGreaterThanOrEqual(first * 2 - 1);
});

test('a line that is good now and then is no good line', () => {
  const pace = new LivePace();
  parts(pace, slow, 10);
  for (let round = 0; round < 100; round++) {
    for (let at = 0; at < 5; at++) pace.addSegment(load(segmentMs, good));
    pace.addSegment(load(segmentMs, slow));
  }
  expect(pace.byParts).toBe(false);
});
