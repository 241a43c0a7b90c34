// Who works in a turn, and who waits for the next.
import { expect, test } from 'bun:test';
import { nextTurn, type TurnSlice } from './turn-slice.ts';
import { type Late, Turns } from './turns.ts';

/** Over as soon as anything was done. */
const turnMs = 0.000_001;

test('a turn that is used up is over for all, and the next is there for all', async () => {
  const turns = new Turns({ turnMs });
  expect(turns.hasTime).toBe(true);
  turns.work(busy);
  expect(turns.hasTime).toBe(false);
  await nextTurn();
  expect(turns.hasTime).toBe(true);
});

test('a turn with time left goes on', () => {
  const turns = new Turns({ turnMs: 600_000 });
  for (let count = 0; count < 100; count += 1) turns.work(() => {});
  expect(turns.hasTime).toBe(true);
});

test('the late go on one after another, a turn each where it takes all of it', async () => {
  const turns = new Turns({ turnMs });
  const order: string[] = [];
  const done = Promise.withResolvers<void>();
  for (const name of ['a', 'b', 'c']) {
    const late: Late = {
      goOn: (slice) => {
        busy(slice);
        order.push(name);
        if (order.length < 9) turns.later(late);
        else done.resolve();
      },
    };
    turns.later(late);
  }
  await done.promise;
  expect(order.join('')).toBe('abcabcabc');
});

test('who leaves is not called any more', async () => {
  const turns = new Turns({ turnMs });
  const called: string[] = [];
  const done = Promise.withResolvers<void>();
  const leaving: Late = { goOn: () => called.push('leaving') };
  turns.later({ goOn: () => turns.leave(leaving) });
  turns.later(leaving);
  turns.later({ goOn: () => done.resolve() });
  await done.promise;
  expect(called).toEqual([]);
});

test('those that rest wait for longer than a turn', async () => {
  const resting = new Turns({ turnMs, restMs: 600_000 });
  resting.work(busy);
  for (let count = 0; count < 5; count += 1) await nextTurn();
  expect(resting.hasTime).toBe(false);
  const rested = new Turns({ turnMs, restMs: 1 });
  rested.work(busy);
  const done = Promise.withResolvers<void>();
  rested.later({ goOn: () => done.resolve() });
  await done.promise;
});

function busy(slice: TurnSlice): void {
  while (!slice.isOver()) Bun.hash('busy');
}
