// What the files of a page tell of its line.
import { expect, test } from 'bun:test';
import { lineBitsBefore } from './line-rate.ts';

const file = (transferSize: number, tookMs: number) => ({
  transferSize,
  responseStart: 1_000,
  responseEnd: 1_000 + tookMs,
});

test('the largest file tells of the line, with something to spare', () => {
  expect(lineBitsBefore([file(6_000, 1), file(125_000, 1_000), file(40_000, 10)])).toBe(800_000);
});

test('without a file that tells, the line is taken for a usual one', () => {
  expect(lineBitsBefore([])).toBe(3_000_000);
  // Small ones, and those that were in the browser already.
  expect(lineBitsBefore([file(6_000, 1_000), file(0, 0)])).toBe(3_000_000);
});

test('what came in no time came over a good line', () => {
  expect(lineBitsBefore([file(125_000, 0)])).toBeWithin(100_000_000, 1_000_000_000);
});
