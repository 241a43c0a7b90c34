// What of an interval was on air: pushes that begin, end, return and are forgotten.
import { describe, expect, test } from 'bun:test';
import { OnAir } from './on-air.ts';

const always = { from: 0, to: 1_000_000 };

test('off air nothing is left of an interval', () => {
  expect(new OnAir(false, 0).clip(always)).toEqual([]);
});

test('a channel that is live when it is first looked at counts from then on, not before', () => {
  const onAir = new OnAir(true, 5_000);
  expect(onAir.clip({ from: 1_000, to: 9_000 })).toEqual([{ from: 5_000, to: 9_000 }]);
});

test('a push counts from its first part until 10 s after its end', () => {
  const onAir = new OnAir(false, 0);
  onAir.live(true, 20_000);
  expect(onAir.clip(always)).toEqual([{ from: 20_000, to: 1_000_000 }]);
  onAir.live(false, 50_000);
  expect(onAir.clip(always)).toEqual([{ from: 20_000, to: 60_000 }]);
});

test('an interval that only touches a push has no part in it', () => {
  const onAir = new OnAir(true, 20_000);
  onAir.live(false, 30_000);
  expect(onAir.clip({ from: 10_000, to: 20_000 })).toEqual([]);
  expect(onAir.clip({ from: 40_000, to: 50_000 })).toEqual([]);
});

test.each([5_000, 4_000, Number.NEGATIVE_INFINITY, Number.NaN])(
  'an interval from 5,000 to %d has no part in anything',
  (to) => {
    expect(new OnAir(true, 0).clip({ from: 5_000, to })).toEqual([]);
  },
);

test('a push that returns while players still play goes on without a gap', () => {
  const onAir = new OnAir(true, 0);
  onAir.live(false, 10_000);
  onAir.live(true, 20_000);
  expect(onAir.clip(always)).toEqual([always]);
});

test('one that returns later leaves a gap', () => {
  const onAir = new OnAir(true, 0);
  onAir.live(false, 10_000);
  onAir.live(true, 20_001);
  expect(onAir.clip({ from: 5_000, to: 30_000 })).toEqual([
    { from: 5_000, to: 20_000 },
    { from: 20_001, to: 30_000 },
  ]);
});

test('being told the same again changes nothing', () => {
  const onAir = new OnAir(true, 0);
  onAir.live(true, 5_000);
  onAir.live(false, 10_000);
  onAir.live(false, 18_000);
  expect(onAir.clip(always)).toEqual([{ from: 0, to: 20_000 }]);
});

test('an end from before the beginning counts as an end at the beginning', () => {
  const onAir = new OnAir(true, 50_000);
  onAir.live(false, 1_000);
  expect(onAir.clip(always)).toEqual([{ from: 50_000, to: 60_000 }]);
});

describe('memory', () => {
  const flaky = (gapMs: number) => {
    const onAir = new OnAir(false, 0);
    for (let n = 0; n < 500; n++) {
      onAir.live(true, n * gapMs);
      onAir.live(false, n * gapMs);
    }
    return onAir.clip({ from: 0, to: Number.MAX_SAFE_INTEGER });
  };

  test('pushes of the last minute are remembered, older ones are not', () => {
    const parts = flaky(20_000);
    expect(parts.map(({ from }) => from)).toEqual([9_920_000, 9_940_000, 9_960_000, 9_980_000]);
  });

  test.each([1, 9_999, 10_001, 60_000])('a push that returns every %d ms stays small', (gapMs) => {
    expect(flaky(gapMs).length).toBeLessThanOrEqual(7);
  });
});
