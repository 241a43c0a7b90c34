import { expect, test } from 'bun:test';
import { nextTurn } from '../../base/turns/turn-slice.ts';
import { type Sender, SendTurns } from './send-turns.ts';

/** Each write takes one millisecond of this clock. */
function turnsOf(turnMs: number): SendTurns {
  let at = 0;
  return new SendTurns({ turnMs, monotonicMs: () => at++ });
}

/** Has so many writes to do, and writes down each. */
function sender(whose: string, { writes, log }: { writes: number; log: string[] }): Sender {
  let left = writes;
  return {
    whose,
    get isReady() {
      return left > 0;
    },
    send: () => {
      left -= 1;
      log.push(whose);
    },
  };
}

test('six hundred who are sent something at once are sent no more in a turn than fits into it', async () => {
  const turns = turnsOf(16);
  const log: string[] = [];
  for (let n = 0; n < 600; n += 1) turns.begin(sender('network', { writes: 1, log }));
  const inTurns = [log.length];
  for (let before = log.length; before < 600; before = log.length) {
    await nextTurn();
    inTurns.push(log.length - before);
  }
  expect(Math.max(...inTurns)).toBe(16);
  expect(inTurns.length).toBe(Math.ceil(600 / 16));
});

test('networks take turns, and nobody comes before those who wait', async () => {
  const turns = turnsOf(1);
  const log: string[] = [];
  for (const whose of ['a', 'a', 'a', 'a', 'b', 'c'])
    turns.begin(sender(whose, { writes: 1, log }));
  for (let n = 0; n < 10; n += 1) await nextTurn();
  expect(log.join('')).toBe('aabcaa');
});

test('one with much to send goes behind the others after each write', async () => {
  const turns = turnsOf(1);
  const log: string[] = [];
  turns.begin(sender('a', { writes: 3, log }));
  turns.begin(sender('b', { writes: 2, log }));
  for (let n = 0; n < 10; n += 1) await nextTurn();
  expect(log.join('')).toBe('aabab');
});

test('one who has left is not asked any more', async () => {
  const turns = turnsOf(1);
  const log: string[] = [];
  turns.begin(sender('a', { writes: 1, log }));
  const gone = sender('b', { writes: 1, log });
  turns.begin(gone);
  turns.leave(gone);
  for (let n = 0; n < 3; n += 1) await nextTurn();
  expect(log.join('')).toBe('a');
});
