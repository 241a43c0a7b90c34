// The union of what a viewer's pages were credited, and what is left of it after a restart.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { CoveredTime, type Interval, lengthMs } from './covered-time.ts';

const start = 1_000_000;
const fresh = () => new CoveredTime({ watch_ms: 0, credited_until: start }, start);

/** Adds stretches given in seconds since the start, each at its end, and tells what came of it. */
function covered(time: CoveredTime, ...stretches: [fromS: number, toS: number][]): number {
  for (const [fromS, toS] of stretches) time.add([seconds(fromS, toS)], start + toS * 1_000);
  return time.watch_ms / 1_000;
}

function seconds(fromS: number, toS: number): Interval {
  return { from: start + fromS * 1_000, to: start + toS * 1_000 };
}

describe('one page', () => {
  test('adds up what is apart and what adjoins', () => {
    expect(covered(fresh(), [0, 10], [10, 20], [25, 30])).toBe(25);
  });

  test('hours in one piece are counted whole', () => {
    const beats = Array.from(
      { length: 1_000 },
      (_, n) => [n * 10, n * 10 + 10] as [number, number],
    );
    expect(covered(fresh(), ...beats)).toBe(10_000);
  });

  test('tells whether anything was news', () => {
    const time = fresh();
    expect(time.add([seconds(0, 10)], start + 10_000)).toBe(true);
    expect(time.add([seconds(0, 10)], start + 11_000)).toBe(false);
    expect(time.add([], start + 12_000)).toBe(false);
    expect(time.add([seconds(9, 11)], start + 13_000)).toBe(true);
  });
});

describe('two tabs', () => {
  test('at the same time count once', () => {
    expect(covered(fresh(), [0, 10], [0, 10], [10, 20], [12, 20])).toBe(20);
  });

  test('that overlap count what either played', () => {
    expect(covered(fresh(), [0, 10], [5, 15], [14, 16])).toBe(16);
  });

  test('of which one played long before the other began count once', () => {
    const time = fresh();
    covered(time, [0, 5], [8, 18], [18, 28], [28, 38], [38, 48], [48, 58]);
    expect(time.add([seconds(45, 60)], start + 60_000)).toBe(true);
    expect(time.watch_ms).toBe(57_000);
  });

  test('may fill a gap between stretches that are known already', () => {
    const time = fresh();
    expect(covered(time, [0, 5], [10, 15])).toBe(10);
    expect(time.add([seconds(3, 12)], start + 16_000)).toBe(true);
    expect(time.watch_ms).toBe(15_000);
  });

  test('of which one is credited late lose nothing within 45 s', () => {
    const time = fresh();
    covered(time, [0, 1], [40, 50]);
    time.add([seconds(5, 10)], start + 50_000);
    expect(time.watch_ms).toBe(16_000);
  });

  test('of which one comes later than 45 s add only what is not settled', () => {
    const time = fresh();
    covered(time, [0, 1], [40, 50]);
    time.add([seconds(1, 10)], start + 51_000);
    expect(time.watch_ms).toBe(1_000 + 10_000 + 4_000);
  });
});

test('what is to be written is the end of the latest stretch, also after an older one', () => {
  const time = fresh();
  expect(time.credited_until).toBe(start);
  covered(time, [20, 30]);
  time.add([seconds(5, 10)], start + 31_000);
  expect(time.credited_until).toBe(start + 30_000);
});

test('a time before the last one known settles nothing anew', () => {
  const time = fresh();
  covered(time, [0, 5], [100, 110]);
  time.add([seconds(6, 10)], start + 10_000);
  expect(time.watch_ms).toBe(15_000);
});

describe('after a restart', () => {
  test('what was written is not counted again, and gaps before it stay empty', () => {
    const time = new CoveredTime({ watch_ms: 7_000, credited_until: start }, start + 2_000);
    time.add([{ from: start - 12_000, to: start + 3_000 }], start + 3_000);
    expect(time.watch_ms).toBe(10_000);
    expect(time.credited_until).toBe(start + 3_000);
  });

  test('with a clock that was set back what comes counts at once, and what is written never goes back', () => {
    const time = new CoveredTime({ watch_ms: 7_000, credited_until: start + 3_600_000 }, start);
    expect(time.credited_until).toBe(start + 3_600_000);
    expect(time.add([seconds(0, 10)], start + 10_000)).toBe(true);
    expect(time.add([seconds(5, 15)], start + 15_000)).toBe(true);
    expect(time.watch_ms).toBe(22_000);
    expect(time.credited_until).toBe(start + 3_615_000);
  });

  test('with a clock that was set back nothing from before it counts', () => {
    const time = new CoveredTime({ watch_ms: 7_000, credited_until: start + 3_600_000 }, start);
    expect(time.add([seconds(-10, 0)], start)).toBe(false);
    expect(time.add([seconds(-10, 2)], start + 2_000)).toBe(true);
    expect(time.watch_ms).toBe(9_000);
  });
});

test('a viewer who plays and pauses all the time is counted, with no more than 64 stretches', () => {
  const time = fresh();
  for (let ms = 0; ms < 20_000; ms += 20)
    time.add([{ from: start + ms, to: start + ms + 10 }], start + ms + 10);
  expect(time.watch_ms).toBe(10_000);
  // A tab that played it all and says so late fills the gaps of 10 ms before each of them and after the last.
  time.add([seconds(10, 20)], start + 20_000);
  expect(time.watch_ms).toBe(10_000 + 65 * 10);
});

test('whatever comes in whatever order within 45 s, the sum is the number of milliseconds covered', () => {
  const interval = fc
    .tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 40 }))
    .map(([from, long]) => ({ from, to: from + long }));
  fc.assert(
    fc.property(fc.array(fc.array(interval, { maxLength: 3 }), { maxLength: 30 }), (adds) => {
      const time = new CoveredTime({ watch_ms: 0, credited_until: 0 }, 0);
      const seen = new Set<number>();
      for (const intervals of adds) {
        const before = seen.size;
        for (const { from, to } of intervals) for (let ms = from; ms < to; ms++) seen.add(ms);
        expect(time.add(intervals, 40_000)).toBe(seen.size > before);
        expect(time.watch_ms).toBe(seen.size);
        expect(time.credited_until).toBe(Math.max(0, ...[...seen].map((ms) => ms + 1)));
      }
    }),
    { numRuns: 300 },
  );
});

test('the length of intervals is their sum', () => {
  expect(lengthMs([])).toBe(0);
  expect(lengthMs([seconds(0, 2), seconds(5, 6)])).toBe(3_000);
});
