import { expect, test } from 'bun:test';
import { inTurns, nextTurn, TurnSlice } from './turn-slice.ts';

test('a slice that has no time left is over after a few steps, and stays so', () => {
  const slice = new TurnSlice(0);
  let steps = 0;
  while (!slice.isOver()) steps += 1;
  expect(steps).toBe(15);
  expect(slice.isOver()).toBe(true);
});

test('a long step counts as many', () => {
  expect([20, 1].map((steps) => new TurnSlice(0).isOver(steps))).toEqual([true, false]);
});

test('a slice with time left goes on', () => {
  const slice = new TurnSlice(60_000);
  for (let step = 0; step < 1_000; step += 1) expect(slice.isOver()).toBe(false);
});

test('in the next turn timers that were due have run', async () => {
  const order: string[] = [];
  const timer = new Promise<void>((resolve) =>
    setTimeout(() => {
      order.push('timer');
      resolve();
    }, 0),
  );
  for (let turn = 0; !order.includes('timer') && turn < 1_000_000; turn += 1) await nextTurn();
  order.push('next turn');
  await timer;
  expect(order).toEqual(['timer', 'next turn']);
});

test('what is made in turns lets others have theirs in between', async () => {
  const order: (number | 'turn')[] = [];
  const made = function* () {
    for (let n = 0; n < 40; n += 1) {
      order.push(n);
      if (n % 16 === 0) setImmediate(() => order.push('turn'));
      yield n;
    }
  };
  const all = await inTurns(made(), () => new TurnSlice(0));
  expect(all).toEqual(Array.from({ length: 40 }, (_, n) => n));
  expect(order.indexOf('turn')).toBeLessThan(order.indexOf(17));
});
