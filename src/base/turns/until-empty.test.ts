import { expect, test } from 'bun:test';
import { nextTurn } from './turn-slice.ts';
import { UntilEmpty } from './until-empty.ts';

function worker() {
  const waiting: string[] = [];
  const done: string[][] = [];
  const writing = new UntilEmpty({
    isEmpty: () => waiting.length === 0,
    work: async () => {
      const taken = waiting.splice(0, 2);
      await nextTurn();
      done.push(taken);
    },
  });
  const add = (...names: string[]) => {
    waiting.push(...names);
    writing.begin();
  };
  return { add, done, writing };
}

test('what is added while work is under way comes to it, one step at a time', async () => {
  const { add, done, writing } = worker();
  add('a');
  add('b', 'c', 'd');
  expect([writing.isUnderWay, done]).toEqual([true, []]);
  await writing.settled();
  expect(done).toEqual([['a'], ['b', 'c'], ['d']]);
  expect(writing.isUnderWay).toBe(false);
});

test('what is added at the very end is not forgotten', async () => {
  const { add, done, writing } = worker();
  add('a');
  await writing.settled();
  add('b');
  await writing.settled();
  expect(done).toEqual([['a'], ['b']]);
});

test('where there is nothing to do nothing begins, and later something can', async () => {
  const { add, done, writing } = worker();
  writing.begin();
  await writing.settled();
  expect(writing.isUnderWay).toBe(false);
  add('a');
  await writing.settled();
  expect(done).toEqual([['a']]);
});
