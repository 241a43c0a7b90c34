// Which speed a kept text means, and which one comes next.
import { expect, test } from 'bun:test';
import { speedAfter, speedOf } from './speed.ts';

test('what is kept is one of ours, or as it always was', () => {
  expect(speedOf('1.5')).toBe(1.5);
  for (const text of [undefined, '', '3', '-1', 'fast', '1.50']) expect(speedOf(text)).toBe(1);
});

test('the next speed is a step away, and there is a first and a last', () => {
  expect([speedAfter(1, 1), speedAfter(1, -1)]).toEqual([1.25, 0.75]);
  expect([speedAfter(2, 1), speedAfter(0.5, -1)]).toEqual([2, 0.5]);
});
