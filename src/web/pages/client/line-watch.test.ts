// When a viewer is told that their network is too slow, and when not.
import { expect, test } from 'bun:test';
import { LineWatch } from './line-watch.ts';

const lookMs = 250;

/** Stretches one after another: how long, whether the player is starved, what the line takes for a second of media. */
type Stretch = [seconds: number, isStarved: boolean, load: number | undefined];

/** When the verdict changes: seconds, and what it is from then on. */
function verdicts(...stretches: Stretch[]): [number, boolean][] {
  const watch = new LineWatch();
  const changes: [number, boolean][] = [];
  let nowMs = 0;
  let isSlow = false;
  for (const [seconds, isStarved, load] of stretches)
    for (const end = nowMs + seconds * 1_000; nowMs < end; nowMs += lookMs) {
      const now = watch.add({ nowMs, isStarved, load });
      if (now !== isSlow) changes.push([nowMs / 1_000, now]);
      isSlow = now;
    }
  return changes;
}

test('a line that is too slow is told of at the second stall, and no more when it has become calm', () => {
  const found = verdicts(
    [5, false, 1.4],
    [2, true, 1.4],
    [5, false, 1.4],
    [2, true, 1.4],
    [30, false, 0.5],
  );
  expect(found).toEqual([
    [12.5, true],
    [25.75, false],
  ]);
});

test('one hiccup is none, nor are stalls that are far apart', () => {
  expect(verdicts([5, false, 1.4], [3, true, 1.4], [60, false, 0.5])).toEqual([]);
  const seldom: Stretch[] = Array.from({ length: 8 }, (_, at) => [
    at % 2 ? 1 : 40,
    at % 2 === 1,
    1.4,
  ]);
  expect(verdicts(...seldom)).toEqual([]);
});

test('blinks of an eye are no stalls', () => {
  const blinks: Stretch[] = Array.from({ length: 40 }, (_, at) => [
    at % 2 ? 0.25 : 1,
    at % 2 === 1,
    1.4,
  ]);
  expect(verdicts(...blinks)).toEqual([]);
});

test('a first picture that does not come because of the line is told of, too', () => {
  expect(verdicts([20, true, 3])).toEqual([[8, true]]);
});

test('where what there is comes quickly, or nothing comes at all, it is not the line', () => {
  for (const load of [0.2, undefined])
    expect(verdicts([5, false, load], [9, true, load], [2, false, load], [9, true, load])).toEqual(
      [],
    );
});

test('it stays while it stalls again and again', () => {
  const again: Stretch[] = Array.from({ length: 20 }, (_, at) => [
    at % 2 ? 2 : 6,
    at % 2 === 1,
    1.2,
  ]);
  expect(verdicts(...again)).toEqual([[14.5, true]]);
});

test('of another stream nothing is known yet', () => {
  const watch = new LineWatch();
  const stall = (fromMs: number) => {
    watch.add({ nowMs: fromMs, isStarved: true, load: 2 });
    const isSlow = watch.add({ nowMs: fromMs + 1_000, isStarved: true, load: 2 });
    watch.add({ nowMs: fromMs + 2_000, isStarved: false, load: 2 });
    return isSlow;
  };
  expect([stall(0), stall(4_000)]).toEqual([false, true]);
  watch.forget();
  expect([stall(8_000), stall(12_000)]).toEqual([false, true]);
});
