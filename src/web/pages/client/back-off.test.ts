// Waits grow, keep their bounds, and begin anew after what went well.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { BackOff } from './back-off.ts';

const bounds = { waitMsMin: 500, firstMsMax: 2_000, waitMsMax: 30_000, settledMs: 10_000 };

test('the longest wait doubles up to its bound, the shortest stays', () => {
  const longest = new BackOff(bounds, () => 1);
  const waits = Array.from({ length: 6 }, () => longest.failed(0));
  expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  const shortest = new BackOff(bounds, () => 0);
  expect([shortest.failed(0), shortest.failed(0)]).toEqual([500, 500]);
});

test('what held for long makes the failures before it forgotten, what broke at once does not', () => {
  const backOff = new BackOff(bounds, () => 1);
  backOff.failed(0);
  backOff.failed(0);
  backOff.began(1_000);
  expect(backOff.failed(2_000)).toBe(8_000);
  backOff.began(3_000);
  expect(backOff.failed(13_000)).toBe(2_000);
  expect(backOff.triesFailed).toBe(1);
});

test('forgotten, it begins anew', () => {
  const backOff = new BackOff(bounds, () => 1);
  backOff.failed(0);
  backOff.forget();
  expect(backOff.triesFailed).toBe(0);
  expect(backOff.failed(0)).toBe(2_000);
});

test('whatever the dice say and however often it failed, the wait keeps its bounds', () => {
  const dice = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(dice, fc.integer({ min: 1, max: 2_000 }), (random, failures) => {
      const backOff = new BackOff(bounds, () => random);
      let waitMs = 0;
      for (let i = 0; i < failures; i++) waitMs = backOff.failed(0);
      expect(waitMs).toBeGreaterThanOrEqual(500);
      expect(waitMs).toBeLessThanOrEqual(30_000);
    }),
  );
});
