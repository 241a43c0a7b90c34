// Lengths and sizes of videos as they are read.
import { expect, test } from 'bun:test';
import { playTime, readPlayTime, sizeText } from './video-facts.ts';

test.each([
  [0, '0:00'],
  [9, '0:09'],
  [61, '1:01'],
  [3_599, '59:59'],
  [3_723, '1:02:03'],
  [360_000, '100:00:00'],
])('%d seconds are %s', (seconds, text) => {
  expect(playTime(seconds)).toBe(text);
  expect(readPlayTime(text)).toBe(seconds);
});

test('what is no time is none', () => {
  expect(readPlayTime(' 90 ')).toBe(90);
  for (const text of ['', 'x', '1:60', '1:2:3:4', '-1', '1.5', '1:'])
    expect(readPlayTime(text)).toBeUndefined();
});

const english = {
  count: (number: number, digits = 0) =>
    number.toLocaleString('en', { maximumFractionDigits: digits }),
};

test.each([
  [999, '999 B'],
  [1_000, '1 KB'],
  [1_540_000, '1.5 MB'],
  [734_003_200, '734 MB'],
  [12_000_000_000, '12 GB'],
])('%d bytes are %s', (bytes, text) => {
  expect(sizeText(bytes, english)).toBe(text);
});
