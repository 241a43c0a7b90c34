// A visitor's time as a union: pages and nodes that overlap, come late, come twice, or come in another order.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  common,
  type Interval,
  lengthMs,
  united,
  type VisitorTime,
  withCovered,
} from './stretches.ts';

const start = 1_000_000;
const fresh: VisitorTime = {
  watch_ms: 0,
  credited_until: start,
  settled_until: 0,
  stretch_from: start,
  stretches: null,
};

function seconds(fromS: number, toS: number): Interval {
  return { from: start + fromS * 1_000, to: start + toS * 1_000 };
}

/** Adds stretches given in seconds since the start, one after the other. */
function covered(time: VisitorTime, ...stretches: [fromS: number, toS: number][]): VisitorTime {
  return stretches.reduce(
    (now, [fromS, toS]) => withCovered(now, { intervals: [seconds(fromS, toS)], settleUntil: 0 }),
    time,
  );
}

describe('one page', () => {
  test('adds up what is apart and what adjoins, and what goes on is one stretch', () => {
    expect(covered(fresh, [0, 10], [10, 20])).toEqual({
      watch_ms: 20_000,
      credited_until: start + 20_000,
      settled_until: 0,
      stretch_from: start,
      stretches: null,
    });
    expect(covered(fresh, [0, 10], [10, 20], [25, 30])).toMatchObject({
      watch_ms: 25_000,
      stretch_from: start + 25_000,
      stretches: JSON.stringify([[start, start + 20_000]]),
    });
  });

  test('that says nothing new changes nothing', () => {
    const time = covered(fresh, [0, 10], [20, 30]);
    expect(covered(time, [0, 10], [22, 30], [5, 5])).toEqual(time);
    expect(withCovered(time, { intervals: [], settleUntil: 0 })).toEqual(time);
  });

  test('that came a moment before the one whose row it is counts from its own beginning', () => {
    const time = covered(fresh, [-1, 3]);
    expect(time).toMatchObject({ watch_ms: 4_000, stretch_from: start - 1_000 });
    const early = covered(fresh, [-3, -1]);
    expect(early).toMatchObject({ watch_ms: 2_000, credited_until: start, stretch_from: start });
    expect(covered(early, [-1, 0])).toMatchObject({ watch_ms: 3_000, stretch_from: start - 3_000 });
  });
});

describe('two pages', () => {
  test.each<[string, [number, number][], number]>([
    [
      'at the same time count once',
      [
        [0, 10],
        [0, 10],
        [10, 20],
        [12, 20],
      ],
      20,
    ],
    [
      'that overlap count what either played',
      [
        [0, 10],
        [5, 15],
        [14, 16],
      ],
      16,
    ],
    [
      'may fill a gap between stretches',
      [
        [0, 5],
        [10, 15],
        [3, 12],
      ],
      15,
    ],
    [
      'may fill a part of it',
      [
        [0, 5],
        [10, 15],
        [7, 8],
      ],
      11,
    ],
  ])('%s', (_, stretches, wanted) => {
    expect(covered(fresh, ...stretches).watch_ms).toBe(wanted * 1_000);
  });
});

describe('what is settled', () => {
  const until = (time: VisitorTime, fromS: number, toS: number, settleS: number) =>
    withCovered(time, { intervals: [seconds(fromS, toS)], settleUntil: start + settleS * 1_000 });

  test('counts no more, and its stretches are forgotten', () => {
    const time = until(covered(fresh, [0, 5], [10, 15]), 20, 30, 18);
    expect(time).toMatchObject({ watch_ms: 20_000, stretches: null, stretch_from: start + 20_000 });
    expect(covered(time, [5, 10], [0, 5])).toEqual(time);
    expect(covered(time, [15, 20]).watch_ms).toBe(22_000);
  });

  test('is not what came in the same flush', () => {
    expect(until(fresh, 0, 10, 20).watch_ms).toBe(10_000);
  });

  test('never goes back', () => {
    const time = until(until(fresh, 0, 10, 5), 10, 20, 2);
    expect(time.settled_until).toBe(start + 5_000);
  });

  test('is all before the last credit, of a row from before there were stretches', () => {
    const old = { ...fresh, watch_ms: 7_000, settled_until: null, stretch_from: null };
    expect(covered(old, [-12, 3])).toEqual({
      watch_ms: 10_000,
      credited_until: start + 3_000,
      settled_until: start,
      stretch_from: start,
      stretches: null,
    });
  });
});

test('a viewer who plays and pauses all the time is counted, with no more than 64 stretches', () => {
  let time = fresh;
  for (let ms = 0; ms < 20_000; ms += 20) {
    const intervals = [{ from: start + ms, to: start + ms + 10 }];
    time = withCovered(time, { intervals, settleUntil: 0 });
  }
  expect(time.watch_ms).toBe(10_000);
  expect(JSON.parse(time.stretches ?? '')).toHaveLength(63);
  // A page that played it all and says so late fills the gaps of 10 ms before each of them and after the last.
  expect(covered(time, [0, 20]).watch_ms).toBe(10_000 + 65 * 10);
});

test('whatever comes in whatever order, the sum is the number of milliseconds covered', () => {
  const interval = fc
    .tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 0, max: 40 }))
    .map(([from, long]) => ({ from, to: from + long }));
  const add = fc.record({
    intervals: fc.array(interval, { maxLength: 3 }),
    settleUntil: fc.oneof(fc.constant(0), fc.nat(300)),
  });
  fc.assert(
    fc.property(fc.array(add, { maxLength: 30 }), (adds) => {
      let time: VisitorTime = { ...fresh, credited_until: 1, stretch_from: 1 };
      const seen = new Set<number>();
      let settledUntil = 0;
      for (const one of adds) {
        for (const { from, to } of one.intervals)
          for (let ms = from; ms < to; ms++) if (ms >= settledUntil) seen.add(ms);
        settledUntil = Math.max(settledUntil, one.settleUntil);
        time = withCovered(time, one);
        expect(time.watch_ms).toBe(seen.size);
        expect(time.credited_until).toBe(Math.max(1, ...[...seen].map((ms) => ms + 1)));
      }
    }),
    { numRuns: 500 },
  );
});

test('what is common is in both', () => {
  const some = [seconds(0, 4), seconds(6, 9)];
  expect(common(some, [seconds(1, 2), seconds(3, 7), seconds(9, 10)])).toEqual([
    seconds(1, 2),
    seconds(3, 4),
    seconds(6, 7),
  ]);
  expect(common(some, [])).toEqual([]);
});

test('intervals united are the same time, rising and apart', () => {
  expect(
    united([seconds(5, 6), seconds(0, 2), seconds(1, 3), seconds(3, 4), seconds(8, 8)]),
  ).toEqual([seconds(0, 4), seconds(5, 6)]);
  expect(lengthMs([])).toBe(0);
  expect(lengthMs([seconds(0, 2), seconds(5, 6)])).toBe(3_000);
});
