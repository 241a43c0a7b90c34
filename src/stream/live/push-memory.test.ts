import { describe, expect, test } from 'bun:test';
import { PushesMemory, type PushMemory } from './push-memory.ts';

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

test('only what a push lets go once it is over counts as let go', () => {
  const all = new PushesMemory(bounds);
  const push = all.open(1);
  const window = push.holder();
  for (const bytes of [30, 10, 50]) window.set(bytes);
  expect(all.letGoBytes).toBe(0);
  push.end();
  window.set(0);
  expect(all.letGoBytes).toBe(50);
});

describe('a push over its own bound', () => {
  test('shrinks first, and goes on if that is enough', () => {
    const push = new PushesMemory(bounds).open(1);
    const window = push.holder({ shrink: (bytes) => window.set(130 - bytes), letGo: () => {} });
    window.set(130);
    expect(push.overBound()).toBeUndefined();
    expect(push.bytes).toBe(100);
  });

  test('is over it where it cannot shrink', () => {
    const push = new PushesMemory(bounds).open(1);
    push.holder(stubborn).set(101);
    expect(push.overBound()).toBe('memory');
  });
});

describe('an account over its bound', () => {
  test('begins no push, and what is on air shrinks to its share', () => {
    const all = new PushesMemory(bounds);
    const pushes = [90, 90, 40].map((bytes) => {
      const push = all.open(1);
      let held = bytes;
      const shrink = (less: number) => {
        held -= less;
        window.set(held);
      };
      const window = push.holder({ shrink, letGo: () => {} });
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

  test('goes on with what is on air, and ends the greediest where that grows on, whoever sends', () => {
    const all = new PushesMemory(bounds);
    const pushes = [80, 90, 70].map((bytes) => holding(all.open(1), bytes));
    expect(pushes.map(({ push }) => push.overBound())).toEqual([undefined, undefined, undefined]);
    const last = holding(all.open(1), 11);
    expect(last.push.overBound()).toBeUndefined();
    expect(pushes.map(({ ended }) => ended)).toEqual([[], ['account_memory'], []]);
    expect(all.bytes).toBe(161);
    expect(all.refusal(1)).toBeUndefined();
  });

  test('ends the one that sends where the others have nothing to give', () => {
    const all = new PushesMemory(bounds);
    const writing = all.open(1);
    writing.holder(stubborn).set(250);
    const { push } = holding(all.open(1), 20);
    expect(push.overBound()).toBe('account_memory');
  });

  test('lets go of what is over first, and ends nobody for it', () => {
    const all = new PushesMemory(bounds);
    const over = holding(all.open(1), 95);
    const first = holding(all.open(1), 90);
    const second = holding(all.open(1), 80);
    over.push.end();
    expect(first.push.overBound()).toBeUndefined();
    expect([over, first, second].map(({ push }) => push.bytes)).toEqual([0, 90, 80]);
    expect([over, first, second].flatMap(({ ended }) => ended)).toEqual([]);
  });
});

test('a push begins where what is kept of others makes it too much: that is let go', () => {
  const all = new PushesMemory(bounds);
  const kept = [99, 98, 97].map((bytes) => holding(all.open(1), bytes));
  const others = holding(all.open(2), 50);
  for (const { push } of [...kept, others]) push.end();
  expect(all.refusal(1)).toBeUndefined();
  // Not for the account alone.
  expect([all.bytes, others.push.bytes]).toEqual([50, 50]);
  const onAir = [3, 4, 5].map((account) => holding(all.open(account), 90));
  expect(all.bytes).toBeGreaterThan(bounds.allBytes);
  expect(all.refusal(6)).toBeUndefined();
  expect(onAir.map(({ push }) => push.bytes)).toEqual([90, 90, 90]);
  expect(others.push.bytes).toBe(0);
});

test('one over its own bound costs nobody else what is kept of theirs', () => {
  const all = new PushesMemory({ ...bounds, accountBytes: 1_000, allBytes: 1_000 });
  const over = holding(all.open(2), 50);
  over.push.end();
  const { push } = holding(all.open(1), 150);
  expect(push.overBound()).toBe('memory');
  expect(over.push.bytes).toBe(50);
});

test('all together over their bound: none begins, the greediest of the greediest account goes', () => {
  const all = new PushesMemory({ ...bounds, accountBytes: 290 });
  const small = holding(all.open(1), 99);
  const greedy = [100, 96, 90].map((bytes) => holding(all.open(2), bytes));
  expect([all.refusal(1), all.refusal(3)]).toEqual(['all_memory', 'all_memory']);
  expect(small.push.overBound()).toBeUndefined();
  expect(greedy.map(({ ended }) => ended)).toEqual([['all_memory'], [], []]);
  expect(all.bytes).toBe(285);
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

/** Gives nothing back. */
const stubborn = { shrink: () => {}, letGo: () => {} };

/** A push that holds so much, gives nothing back while it is on air, and all when it is ended. */
function holding(push: PushMemory, bytes: number) {
  const ended: string[] = [];
  const window = push.holder({ shrink: () => {}, letGo: () => window.set(0) });
  window.set(bytes);
  push.onGivenUp = (reason) => {
    ended.push(reason);
    push.end();
  };
  return { push, ended };
}
