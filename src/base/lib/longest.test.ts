// Those with the largest number, also where many have the same.
import { expect, test } from 'bun:test';
import { seeded } from '../../../test/support/random.ts';
import { Longest } from './longest.ts';

test('the largest come first, of equal ones the first that was added', () => {
  const longest = new Longest<string>();
  for (const [number, name] of [
    [2, 'b'],
    [3, 'a'],
    [2, 'c'],
    [1, 'd'],
  ] as const)
    longest.add(number, name);
  expect(longest.most(3)).toEqual(['a', 'b', 'c']);
  expect(longest.most(2)).toEqual(['a', 'b']);
  expect(longest.most(9)).toEqual(['a', 'b', 'c', 'd']);
  expect(new Longest<string>().most(3)).toEqual([]);
});

test('they are those that sorting finds', () => {
  const random = seeded(7);
  const longest = new Longest<{ number: number; at: number }>();
  const all = Array.from({ length: 500 }, (_, at) => ({ number: random.whole(0, 60), at }));
  for (const one of all) longest.add(one.number, one);
  const sorted = all.toSorted((a, b) => b.number - a.number || a.at - b.at);
  for (const count of [1, 7, 100, 499, 500])
    expect(longest.most(count)).toEqual(sorted.slice(0, count));
});
