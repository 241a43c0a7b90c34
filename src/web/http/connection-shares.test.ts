import { expect, test } from 'bun:test';
import { greedyNetworks } from './connection-shares.ts';

const found = (counts: Record<string, number>) =>
  new Map(Object.entries(counts).map(([network, count]) => [network, Array(count).fill(network)]));

const surplusOf = (counts: Record<string, number>, free: string[] = []) =>
  greedyNetworks({ found: found(counts), placesMax: 100, isFree: (one) => free.includes(one) }).map(
    ({ network, surplus }) => [network, surplus],
  );

test.each<[Record<string, number>, string[], [string, number][]]>([
  [{}, [], []],
  [{ a: 50 }, [], []],
  [{ a: 51 }, [], [['a', 1]]],
  [{ a: 100 }, [], [['a', 50]]],
  [{ a: 90, b: 10 }, [], [['a', 45]]],
  [
    { b: 40, a: 60 },
    [],
    [
      ['a', 30],
      ['b', 5],
    ],
  ],
  [
    { a: 60, b: 60 },
    [],
    [
      ['a', 40],
      ['b', 20],
    ],
  ],
  [{ a: 100 }, ['a'], []],
  [{ a: 80, b: 20 }, ['a'], [['b', 10]]],
  [{ a: 200, b: 1 }, ['a'], []],
])('of %p with %p free, %p are too many', (counts, free, wanted) => {
  expect(surplusOf(counts, free)).toEqual(wanted);
});
