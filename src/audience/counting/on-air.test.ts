// What of an interval was on air: pushes that begin, end, return and are forgotten.
import { describe, expect, test } from 'bun:test';
import { endlessShow, timesOf } from '../../../test/support/some-show.ts';
import { Show } from '../../stream/live/show.ts';
import { OnAir } from './on-air.ts';

const always = { from: 0, to: 1_000_000 };

test('off air nothing is left of an interval', () => {
  expect(timesOf(new OnAir(undefined, 0).clip(always))).toEqual([]);
});

test('a channel that is live when it is first looked at counts from then on, not before', () => {
  const onAir = new OnAir(endlessShow(5_000), 5_000);
  expect(timesOf(onAir.clip({ from: 1_000, to: 9_000 }))).toEqual([{ from: 5_000, to: 9_000 }]);
});

test('a push counts from its first part until 10 s after its end', () => {
  const onAir = new OnAir(undefined, 0);
  onAir.live(endlessShow(20_000), 20_000);
  expect(timesOf(onAir.clip(always))).toEqual([{ from: 20_000, to: 1_000_000 }]);
  onAir.live(undefined, 50_000);
  expect(timesOf(onAir.clip(always))).toEqual([{ from: 20_000, to: 60_000 }]);
});

test('an interval that only touches a push has no part in it', () => {
  const onAir = new OnAir(endlessShow(20_000), 20_000);
  onAir.live(undefined, 30_000);
  expect(timesOf(onAir.clip({ from: 10_000, to: 20_000 }))).toEqual([]);
  expect(timesOf(onAir.clip({ from: 40_000, to: 50_000 }))).toEqual([]);
});

test.each([5_000, 4_000, Number.NEGATIVE_INFINITY, Number.NaN])(
  'an interval from 5,000 to %d has no part in anything',
  (to) => {
    expect(timesOf(new OnAir(endlessShow(0), 0).clip({ from: 5_000, to }))).toEqual([]);
  },
);

test('a push that returns while players still play goes on without a gap', () => {
  const onAir = new OnAir(endlessShow(0), 0);
  onAir.live(undefined, 10_000);
  onAir.live(endlessShow(20_000), 20_000);
  expect(timesOf(onAir.clip(always))).toEqual([
    { from: always.from, to: 20_000 },
    { from: 20_000, to: always.to },
  ]);
});

test('one that returns later leaves a gap', () => {
  const onAir = new OnAir(endlessShow(0), 0);
  onAir.live(undefined, 10_000);
  onAir.live(endlessShow(20_001), 20_001);
  expect(timesOf(onAir.clip({ from: 5_000, to: 30_000 }))).toEqual([
    { from: 5_000, to: 20_000 },
    { from: 20_001, to: 30_000 },
  ]);
});

test('being told the same again changes nothing', () => {
  const show = endlessShow(0);
  const onAir = new OnAir(show, 0);
  onAir.live(show, 5_000);
  onAir.live(undefined, 10_000);
  onAir.live(undefined, 18_000);
  expect(timesOf(onAir.clip(always))).toEqual([{ from: 0, to: 20_000 }]);
});

test('an end from before the beginning counts as an end at the beginning', () => {
  const onAir = new OnAir(endlessShow(50_000), 50_000);
  onAir.live(undefined, 1_000);
  expect(timesOf(onAir.clip(always))).toEqual([{ from: 50_000, to: 60_000 }]);
});

describe('memory', () => {
  const flaky = (gapMs: number) => {
    const onAir = new OnAir(undefined, 0);
    for (let n = 0; n < 500; n++) {
      onAir.live(endlessShow(n * gapMs), n * gapMs);
      onAir.live(undefined, n * gapMs);
    }
    return onAir.clip({ from: 0, to: Number.MAX_SAFE_INTEGER });
  };

  test('pushes of the last two minutes are remembered, older ones are not', () => {
    const parts = flaky(20_000);
    expect(parts.map(({ from }) => from)).toEqual([
      9_860_000, 9_880_000, 9_900_000, 9_920_000, 9_940_000, 9_960_000, 9_980_000,
    ]);
  });

  test.each([1, 9_999, 10_001, 60_000])('a push that returns every %d ms stays small', (gapMs) => {
    expect(flaky(gapMs).length).toBeLessThanOrEqual(14);
  });
});

describe('what was shown', () => {
  test('is the picture of the date that the player says, and before it what led there', () => {
    const onAir = new OnAir(endlessShow(100_000), 100_000);
    expect(onAir.clip({ from: 110_000, to: 120_000 }, 118_500)).toEqual([
      { show: 100_000, from: 110_000, to: 120_000, position: 8_500 },
    ]);
  });

  test('is that of the moment itself where a player does not say', () => {
    const onAir = new OnAir(endlessShow(100_000), 100_000);
    expect(onAir.clip({ from: 110_000, to: 120_000 })[0]?.position).toBe(10_000);
  });

  test.each([
    [Number.MIN_SAFE_INTEGER, 0],
    [0, 0],
    [99_000, 0],
    [Number.MAX_SAFE_INTEGER, 2_000],
  ])('is within the show, though a player says %d', (shownAt, position) => {
    const show = new Show(100_000);
    show.add(12_000, 100_000);
    const onAir = new OnAir(show, 100_000);
    expect(onAir.clip({ from: 110_000, to: 120_000 }, shownAt)[0]?.position).toBe(position);
  });

  test('is of the show before while its last pictures are played, and then of the next', () => {
    const onAir = new OnAir(endlessShow(100_000), 100_000);
    onAir.live(undefined, 150_000);
    onAir.live(endlessShow(155_000), 155_000);
    const shownBy = (shownAt: number) => onAir.clip({ from: 155_000, to: 158_000 }, shownAt);
    expect(shownBy(149_000)).toEqual([
      { show: 100_000, from: 155_000, to: 158_000, position: 46_000 },
    ]);
    expect(shownBy(157_500)).toEqual([
      { show: 100_000, from: 155_000, to: 155_500, position: 54_500 },
      { show: 155_000, from: 155_500, to: 158_000, position: 0 },
    ]);
    // A player that is ahead of its time has seen nothing of the next one before it began.
    expect(shownBy(170_000)[0]?.from).toBe(155_000);
  });

  test('is of no show that ended long ago, whatever a player says', () => {
    const onAir = new OnAir(endlessShow(100_000), 100_000);
    onAir.live(undefined, 150_000);
    onAir.live(endlessShow(900_000), 900_000);
    for (const shownAt of [0, 120_000, 899_999])
      expect(onAir.clip({ from: 910_000, to: 920_000 }, shownAt)).toEqual([
        { show: 900_000, from: 910_000, to: 920_000, position: 0 },
      ]);
  });

  test('of two shows within one interval is told of each', () => {
    const onAir = new OnAir(endlessShow(100_000), 100_000);
    onAir.live(undefined, 105_000);
    onAir.live(endlessShow(118_000), 118_000);
    expect(onAir.clip({ from: 108_000, to: 121_000 })).toEqual([
      { show: 100_000, from: 108_000, to: 115_000, position: 8_000 },
      { show: 118_000, from: 118_000, to: 121_000, position: 0 },
    ]);
  });
});
