import { expect, test } from 'bun:test';
import { FairQueue } from './fair-queue.ts';

test('networks take turns, and so do the connections of one', () => {
  const queue = new FairQueue<{ network: string; connection: string; name: string }>();
  const add = (network: string, connection: string, name: string) =>
    queue.add({ network, connection, name });
  for (const name of ['a1', 'a2', 'a3']) add('greedy', 'a', name);
  add('greedy', 'b', 'b1');
  add('other', 'c', 'c1');
  add('third', 'd', 'd1');
  expect(queue.size).toBe(6);
  const taken = () => queue.take()?.name;
  expect([taken(), taken(), taken(), taken()]).toEqual(['a1', 'c1', 'd1', 'b1']);
  add('other', 'c', 'c2');
  expect([taken(), taken(), taken(), taken()]).toEqual(['a2', 'c2', 'a3', undefined]);
  expect(queue.size).toBe(0);
});

test('who leaves is passed over, once, and the turns of the others stay as they were', () => {
  const queue = new FairQueue<{ network: string; connection: string; name: string }>();
  const add = (network: string, connection: string, name: string) => {
    const waiter = { network, connection, name };
    queue.add(waiter);
    return waiter;
  };
  const [a1, , a3] = ['a1', 'a2', 'a3'].map((name) => add('one', 'a', name));
  const b1 = add('other', 'b', 'b1');
  add('third', 'c', 'c1');
  for (const waiter of [a1, b1, b1]) if (waiter) queue.remove(waiter);
  expect(queue.size).toBe(3);
  const taken = () => queue.take()?.name;
  expect([taken(), taken(), taken(), taken()]).toEqual(['a2', 'c1', 'a3', undefined]);
  if (a3) queue.remove(a3);
  expect(queue.size).toBe(0);
});
