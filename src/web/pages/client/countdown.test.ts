// The numbers of the countdown.
import { expect, test } from 'bun:test';
import { partsOf } from './countdown.ts';

test.each([
  [1, '0 00:00:01'],
  [1_000, '0 00:00:01'],
  [1_001, '0 00:00:02'],
  [59_999, '0 00:01:00'],
  [3_600_000, '0 01:00:00'],
  [86_399_000, '0 23:59:59'],
  [86_400_000, '1 00:00:00'],
  [1_000_000_000, '11 13:46:40'],
  [0, '0 00:00:00'],
  [-5_000, '0 00:00:00'],
])('%d ms are %s', (leftMs, shown) => {
  const { days, hours, minutes, seconds } = partsOf(leftMs);
  expect(`${days} ${hours}:${minutes}:${seconds}`).toBe(shown);
});
