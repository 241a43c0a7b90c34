import { expect, test } from 'bun:test';
import { Counts } from './counts.ts';

test('what is added is there until as much was removed, and then forgotten', () => {
  const counts = new Counts<string>();
  counts.add('a');
  counts.add('a', 2);
  counts.add('b');
  counts.add('c', 0);
  expect([...counts]).toEqual([
    ['a', 3],
    ['b', 1],
  ]);
  counts.remove('a');
  expect([counts.of('a'), counts.of('b'), counts.of('c')]).toEqual([2, 1, 0]);
  counts.remove('a', 2);
  expect([counts.has('a'), counts.has('b')]).toEqual([false, true]);
});

test('what is taken is taken whole', () => {
  const counts = new Counts<object>();
  const key = {};
  counts.add(key, 5);
  expect([counts.take(key), counts.take(key), counts.has(key)]).toEqual([5, 0, false]);
});

test('more than there are cannot be removed', () => {
  const counts = new Counts<string>();
  counts.add('a');
  expect(() => counts.remove('a', 2)).toThrow('more were removed than there were');
  expect(counts.of('a')).toBe(1);
});
