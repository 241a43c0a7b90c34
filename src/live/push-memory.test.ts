import { describe, expect, test } from 'bun:test';
import { PushesMemory } from './push-memory.ts';

const bounds = { pushBytes: 100, accountBytes: 200, allBytes: 300 };

test('what is held is counted for the push, its account and all', () => {
  const all = new PushesMemory(bounds);
  const [first, second, other] = [all.open(1), all.open(1), all.open(2)];
  const window = first.holder();
  window.set(30);
  second.holder().set(20);
  other.holder().set(10);
  expect([first.bytes, second.bytes, other.bytes, all.bytes]).toEqual([30, 20, 10, 60]);
  window.set(5);
  expect([first.bytes, all.bytes]).toEqual([5, 35]);
});

describe('a push over its own bound', () => {
  test('shrinks first, and goes on if that is enough', () => {
    const push = new PushesMemory(bounds).open(1);
    const window = push.holder((bytes) => window.set(130 - bytes));
    window.set(130);
    expect(push.overBound()).toBeUndefined();
    expect(push.bytes).toBe(100);
  });

  test('is over it where it cannot shrink', () => {
    const push = new PushesMemory(bounds).open(1);
    push.holder(() => {}).set(101);
    expect(push.overBound()).toBe('memory');
  });
});

describe('an account over its bound', () => {
  test('begins no push, and what is on air shrinks to its share', () => {
    const all = new PushesMemory(bounds);
    const pushes = [90, 90, 40].map((bytes) => {
      const push = all.open(1);
      let held = bytes;
      const window = push.holder((less) => {
        held -= less;
        window.set(held);
      });
      window.set(bytes);
      return push;
    });
    expect(all.refusal(1)).toBe('account_memory');
    expect(all.refusal(2)).toBeUndefined();
    expect(pushes.map((push) => push.overBound())).toEqual([undefined, undefined, undefined]);
    // A third of 200 for the first; then there is room again.
    expect(pushes.map(({ bytes }) => bytes)).toEqual([expect.closeTo(66.7, 1), 90, 40]);
    expect(all.refusal(1)).toBeUndefined();
  });

  test('goes on with what is on air, and loses the greediest where that grows on', () => {
    const all = new PushesMemory(bounds);
    const pushes = [80, 90, 70].map((bytes) => {
      const push = all.open(1);
      push.holder().set(bytes);
      return push;
    });
    expect(pushes.map((push) => push.overBound())).toEqual([undefined, undefined, undefined]);
    all.open(1).holder().set(11);
    const over = pushes.map((push) => push.overBound());
    expect(over).toEqual([undefined, 'account_memory', undefined]);
  });
});

test('all together over their bound: none begins, the greediest of the greediest account goes', () => {
  const all = new PushesMemory({ ...bounds, accountBytes: 290 });
  const small = all.open(1);
  small.holder().set(99);
  const greedy = [100, 96, 90].map((bytes) => {
    const push = all.open(2);
    push.holder().set(bytes);
    return push;
  });
  expect([all.refusal(1), all.refusal(3)]).toEqual(['all_memory', 'all_memory']);
  expect(small.overBound()).toBeUndefined();
  expect(greedy.map((push) => push.overBound())).toEqual(['all_memory', undefined, undefined]);
});

test('what is kept of a push that is over counts until it is let go', () => {
  const all = new PushesMemory(bounds);
  const push = all.open(1);
  const window = push.holder();
  window.set(250);
  push.end();
  expect(all.pushCount).toBe(0);
  expect(all.refusal(1)).toBe('account_memory');
  window.set(0);
  expect(all.refusal(1)).toBeUndefined();
  expect(all.bytes).toBe(0);
});
