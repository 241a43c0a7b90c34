// Which moment an address means.
import { expect, test } from 'bun:test';
import { addressAt, secondsOf } from './moment.ts';

test.each([
  ['90', 90],
  ['90s', 90],
  ['1m30s', 90],
  ['1M30S', 90],
  ['1:30', 90],
  ['1:02:03', 3_723],
  ['1h2m3s', 3_723],
  ['2h', 7_200],
  ['0', 0],
])('%p is second %p', (moment, seconds) => {
  expect(secondsOf(moment)).toBe(seconds);
});

test.each(['', 'x', '-5', '1.5', '1e3', '1:2:3:4', 'm30s', '30s1m', '1 m', '9'.repeat(7), '٣'])(
  '%p is none',
  (moment) => {
    expect(secondsOf(moment)).toBeUndefined();
  },
);

test('an address begins where it says, and nowhere else than it says', () => {
  expect(addressAt('https://a.example/videos/7', 754.9)).toBe('https://a.example/videos/7?t=754');
  expect(addressAt('https://a.example/videos/7?t=5', 0.4)).toBe('https://a.example/videos/7');
});
