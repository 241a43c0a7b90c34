import { expect, test } from 'bun:test';
import { nextTurn } from '../../base/turns/turn-slice.ts';
import { PieceTurns } from './piece-turns.ts';

test('a few are given in a turn, and who has one waits for the next', async () => {
  const turns = new PieceTurns(2);
  const given: number[] = [];
  const stream = async (name: number) => {
    for (let piece = 0; piece < 2; piece += 1)
      await turns.run({ network: 'one', connection: `${name}` }, async () => void given.push(name));
  };
  const all = Promise.all([1, 2, 3].map(stream));
  expect(given).toEqual([1, 2]);
  await nextTurn();
  expect(given.length).toBeLessThanOrEqual(4);
  await all;
  expect(given.toSorted()).toEqual([1, 1, 2, 2, 3, 3]);
});

test('networks take turns, and so do the connections of one', async () => {
  const turns = new PieceTurns(1);
  const given: string[] = [];
  const run = (network: string, connection: string, name: string) =>
    turns.run({ network, connection }, async () => void given.push(name));
  await Promise.all([
    ...['a1', 'a2', 'a3'].map((name) => run('greedy', 'a', name)),
    run('greedy', 'b', 'b1'),
    run('other', 'c', 'c1'),
  ]);
  expect(given).toEqual(['a1', 'a2', 'c1', 'b1', 'a3']);
});

test('one that takes long to get keeps its place and no other, and one that fails leaves it', async () => {
  const turns = new PieceTurns(2);
  const asker = { network: 'one', connection: 'a' };
  const disk = Promise.withResolvers<void>();
  const slow = turns.run(asker, () => disk.promise);
  for (let n = 0; n < 3; n += 1)
    expect(await turns.run(asker, () => Promise.reject(n)).catch((reason) => reason)).toBe(n);
  disk.resolve();
  await slow;
});

test('who gives up while it waits costs nobody a turn', async () => {
  const turns = new PieceTurns(2);
  const begun: string[] = [];
  const run = (network: string, connection: string) => {
    const asker = { network, connection };
    return { asker, done: turns.run(asker, async () => void begun.push(connection)) };
  };
  const first = [run('greedy', 'first'), run('greedy', 'second')];
  const left = Array.from({ length: 100 }, (_, at) => run(`network ${at}`, 'left'));
  const honest = run('other', 'honest');
  for (const { asker } of left) turns.giveUp(asker);
  await Promise.all(left.map(({ done }) => done));
  expect(begun).toEqual(['first', 'second']);
  await nextTurn();
  expect(begun).toEqual(['first', 'second', 'honest']);
  await Promise.all([...first, honest].map(({ done }) => done));
});

test('who gives up when its turn has come, or does not wait, changes nothing', async () => {
  const turns = new PieceTurns(1);
  const asker = { network: 'one', connection: 'a' };
  const piece = Promise.withResolvers<void>();
  const given = turns.run(asker, () => piece.promise);
  turns.giveUp(asker);
  const begun: string[] = [];
  const next = turns.run({ ...asker }, async () => void begun.push('next'));
  await nextTurn();
  expect(begun).toEqual([]);
  piece.resolve();
  await Promise.all([given, next]);
  turns.giveUp(asker);
  expect(begun).toEqual(['next']);
});
