import { expect, test } from 'bun:test';
import { Allowance, Allowances } from './allowance.ts';

test('a few at once, then one in a while', () => {
  const allowance = new Allowance({ atOnce: 3, everyMs: 1_000 });
  const taken = (at: number) => allowance.take(at);
  expect([0, 0, 0, 0].map(taken)).toEqual([true, true, true, false]);
  expect([999, 1_000, 1_000].map(taken)).toEqual([false, true, false]);
  expect([60_000, 60_000, 60_000, 60_000].map(taken)).toEqual([true, true, true, false]);
});

test('several are had together or not at all', () => {
  const allowance = new Allowance({ atOnce: 10, everyMs: 100 });
  expect(allowance.take(0, 8)).toBe(true);
  expect(allowance.take(0, 3)).toBe(false);
  expect(allowance.take(0, 2)).toBe(true);
  expect(allowance.isWhole(999)).toBe(false);
  expect(allowance.isWhole(1_000)).toBe(true);
});

test('who takes more than may be had waits the longer', () => {
  const allowance = new Allowance({ atOnce: 2, everyMs: 100 });
  expect([0, 0, 0, 0].map((at) => allowance.spend(at))).toEqual([true, true, false, false]);
  expect([0, 199, 200].map((at) => allowance.isOverspent(at))).toEqual([true, true, false]);
  expect(allowance.spend(299)).toBe(false);
  expect(allowance.spend(10_000, 2)).toBe(true);
});

test('each network has its own, and an allowed one as much as it likes', () => {
  const isAllowed = (network: string) => network === 'venue';
  const allowances = new Allowances({ atOnce: 1, everyMs: 1_000, isAllowed });
  expect(allowances.take('a', 0)).toBe(true);
  expect(allowances.take('a', 0)).toBe(false);
  expect(allowances.take('b', 0)).toBe(true);
  expect([0, 0, 0].map((at) => allowances.take('venue', at))).toEqual([true, true, true]);
});

test('how long a network must wait can be asked, and takes nothing', () => {
  const allowances = new Allowances({ atOnce: 1, everyMs: 1_000 });
  expect([allowances.waitMs('a', 0), allowances.waitMs('a', 0)]).toEqual([0, 0]);
  expect(allowances.take('a', 0)).toBe(true);
  expect([allowances.waitMs('a', 400), allowances.waitMs('a', 1_000)]).toEqual([600, 0]);
});

test('what was had elsewhere counts, and a wild number bars nobody for ever', () => {
  const allowances = new Allowances({ atOnce: 2, everyMs: 1_000 });
  allowances.spend('a', 0, 3);
  expect(allowances.waitMs('a', 0)).toBe(2_000);
  for (let n = 0; n < 3; n += 1) allowances.spend('a', 0, Number.MAX_SAFE_INTEGER);
  expect(allowances.waitMs('a', 0)).toBeLessThan(60_000);
  expect(allowances.take('a', 0)).toBe(false);
  expect(allowances.take('a', 60_000)).toBe(true);
});

test('a network that tries again and again is not forgotten for others', () => {
  const allowances = new Allowances({ atOnce: 1, everyMs: 3_600_000 });
  expect(allowances.take('greedy', 0)).toBe(true);
  for (let other = 0; other < 30_000; other += 1) {
    allowances.take(`network ${other}`, 1);
    if (other % 5_000 === 0) expect(allowances.take('greedy', 1)).toBe(false);
  }
});
