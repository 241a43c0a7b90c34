import { expect, test } from 'bun:test';
import { AwaitedTurns } from './awaited-turns.ts';

function line() {
  const waiting = new Set<string>();
  const turns = new AwaitedTurns<string>({
    add: (asker) => waiting.add(asker),
    remove: (asker) => waiting.delete(asker),
  });
  const next = () => {
    const [first] = waiting;
    if (first === undefined) return;
    waiting.delete(first);
    turns.begin(first);
  };
  return { waiting, turns, next };
}

test('whose turn comes is told so, and may wait again', async () => {
  const { turns, next } = line();
  for (let round = 0; round < 2; round += 1) {
    const turn = turns.wait('a');
    next();
    expect(await turn).toBe(true);
  }
});

test('who gives up leaves the line and is told so, once; who does not wait cannot', async () => {
  const { waiting, turns } = line();
  const turn = turns.wait('a');
  turns.giveUp('b');
  turns.giveUp('a');
  turns.giveUp('a');
  expect([await turn, waiting.size]).toEqual([false, 0]);
});
