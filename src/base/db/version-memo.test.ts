import { expect, test } from 'bun:test';
import { VersionMemo } from './version-memo.ts';

const memo = (entriesMax = 10, weightMax = 100) =>
  new VersionMemo<string>({ entriesMax, weightMax, weigh: (text) => text.length });

test('a value is known for the version it was set with and for no other', () => {
  const one = memo();
  one.set(1, 'a', 'x');
  expect(one.get(1, 'a')).toBe('x');
  expect(one.get(2, 'a')).toBeUndefined();
  one.set(2, 'b', 'y');
  expect(one.get(2, 'a')).toBeUndefined();
  expect(one.get(1, 'a')).toBeUndefined();
});

test('where there is no version nothing is remembered', () => {
  const one = memo();
  one.set(undefined, 'a', 'x');
  expect(one.get(undefined, 'a')).toBeUndefined();
});

test('full, it keeps what it has until the version changes', () => {
  const one = memo(2);
  for (const key of ['a', 'b', 'c']) one.set(1, key, key);
  expect(['a', 'b', 'c'].map((key) => one.get(1, key))).toEqual(['a', 'b', undefined]);
  one.set(2, 'c', 'c');
  expect(one.get(2, 'c')).toBe('c');
});

test('its weight is bounded too', () => {
  const one = memo(10, 5);
  one.set(1, 'a', 'xxx');
  one.set(1, 'b', 'yyy');
  expect(one.get(1, 'b')).toBeUndefined();
  one.set(1, 'c', 'zz');
  expect(one.get(1, 'c')).toBe('zz');
});
