// Times as a player shows them.
import { expect, test } from 'bun:test';
import { timeText } from './time-text.ts';

test.each([
  [0, '0:00'],
  [0.9, '0:00'],
  [62, '1:02'],
  [599.99, '9:59'],
  [3_600, '1:00:00'],
  [3_725, '1:02:05'],
  [360_000, '100:00:00'],
  [-3, '0:00'],
])('%d s are %s', (seconds, text) => {
  expect(timeText(seconds)).toBe(text);
});
