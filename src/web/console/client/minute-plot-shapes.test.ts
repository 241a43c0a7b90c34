// Shapes of plots: what is drawn stands where its minute is, and what is clicked is the minute that is drawn there.
import { describe, expect, test } from 'bun:test';
import {
  areaPath,
  barsPath,
  clockTicks,
  dotsPath,
  linePath,
  minuteOf,
  secondAt,
  ticksOf,
  topOf,
} from './minute-plot-shapes.ts';

describe('shapes', () => {
  test('a line goes through the middle of each minute', () => {
    expect(linePath([0, 10], 10)).toBe('M0,100L250,100L750,0L1000,0');
    expect(areaPath([5], 10)).toBe('M0,50L500,50L1000,50V100H0Z');
  });

  test('bars stand on their ground, and none stands for nothing', () => {
    expect(barsPath([0, 10], 10)).toBe('M502,100v-100h496v100z');
    expect(barsPath([5, 0], 10, 'above')).toBe('M2,50v-25h496v25z');
    expect(barsPath([5, 0], 10, 'below')).toBe('M2,50v25h496v-25z');
  });

  test('dots lie on the line they belong to', () => {
    expect(dotsPath([0, 3], [5, 10], 10)).toBe('M750,0h0');
  });

  test('of nothing is nothing', () => {
    expect([linePath([], 4), areaPath([], 4), barsPath([], 4), dotsPath([], [], 4)]).toEqual([
      '',
      '',
      '',
      '',
    ]);
  });
});

test.each([
  [0, 4],
  [4, 5],
  [9, 10],
  [10, 12],
  [37, 40],
  [99, 120],
  [100_000, 120_000],
])('a scale of %d ends with %d', (most, top) => {
  expect(topOf([0, most])).toBe(top);
});

describe('minutes', () => {
  test.each([
    [{ count: 5, each: 1 }, [0, 1, 2, 3, 4]],
    [{ count: 121, each: 1 }, [0, 30, 60, 90, 120]],
    [{ count: 1_440, each: 1 }, [0, 240, 480, 720, 960, 1_200]],
    [{ count: 100, each: 60 }, [0, 1_440, 2_880, 4_320, 5_760]],
  ])('%p have a few ticks', (scale, minutes) => {
    expect(ticksOf(scale, 6).map(({ seconds }) => seconds / 60)).toEqual(minutes);
  });

  test('what is clicked is within the show', () => {
    const scale = { count: 4, each: 2 };
    expect(secondAt(0, scale)).toBe(0);
    expect(secondAt(0.5, scale)).toBe(240);
    expect(secondAt(1, scale)).toBe(479);
    expect(secondAt(-0.2, scale)).toBe(0);
    expect(minuteOf(secondAt(1, scale), scale.each)).toBe(3);
    expect(minuteOf(119, 2)).toBe(0);
    expect(minuteOf(120, 2)).toBe(1);
  });
});

test.each([
  [90, [30]],
  [600, [90, 210, 330, 450, 570]],
  [7_200, [1_770, 3_570, 5_370, 7_170]],
])('%d seconds from half past have ticks at whole minutes, a few', (seconds, ticks) => {
  const begin = Date.UTC(2026, 3, 1, 2, 0, 30);
  const found = clockTicks({ begin, lengthMs: seconds * 1000 }, 6);
  expect(found.map(({ time }) => (time - begin) / 1000)).toEqual(ticks);
  expect(found.map(({ at }) => at * seconds)).toEqual(ticks);
});
