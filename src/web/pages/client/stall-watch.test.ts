// When a player is stuck, and when it only waits.
import { expect, test } from 'bun:test';
import { StallWatch, stallMsMax } from './stall-watch.ts';

/** A sample a second; the seconds at which it was found stuck. */
function stuckAt(
  seconds: number,
  player: (second: number) => { position: number; plays: boolean },
) {
  const watch = new StallWatch();
  return Array.from({ length: seconds }, (_, second) => second).filter((second) => {
    const { position, plays } = player(second);
    return watch.add({ nowMs: second * 1000, position, shouldMove: plays });
  });
}

const stallSeconds = stallMsMax / 1000;

test('a player that moves is not stuck, however slowly', () => {
  expect(stuckAt(60, (second) => ({ position: second * 0.01, plays: true }))).toEqual([]);
});

test('one that stands still is, once for each time that long has passed', () => {
  const still = stuckAt(3 * stallSeconds, () => ({ position: 7, plays: true }));
  expect(still).toEqual([stallSeconds, 2 * stallSeconds]);
});

test('a pause is no stall, and what follows it is counted from its end', () => {
  const paused = stuckAt(60, (second) => ({ position: 7, plays: second >= 30 }));
  expect(paused).toEqual([29 + stallSeconds, 29 + 2 * stallSeconds]);
});

test('one that moves in time is let go on', () => {
  const slow = stuckAt(60, (second) => ({
    position: Math.floor(second / (stallSeconds - 1)),
    plays: true,
  }));
  expect(slow).toEqual([]);
});
