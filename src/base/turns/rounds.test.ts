import { afterEach, expect, jest, test } from 'bun:test';
import { startRounds } from './rounds.ts';

afterEach(() => {
  jest.useRealTimers();
});

test('a round begins at once and again and again, and waits for the one before', async () => {
  jest.useFakeTimers();
  const ends: (() => void)[] = [];
  const rounds = startRounds(1_000, () => new Promise((end) => ends.push(end)));
  expect(ends).toHaveLength(1);
  jest.advanceTimersByTime(2_500);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await Promise.resolve();
  await Promise.resolve();
  jest.advanceTimersByTime(1_000);
  expect(ends).toHaveLength(2);
  let isStopped = false;
  const stopped = rounds.stop().then(() => {
    isStopped = true;
  });
  jest.advanceTimersByTime(5_000);
  await Promise.resolve();
  expect([ends.length, isStopped]).toEqual([2, false]);
  ends[1]?.();
  await stopped;
});

test('a round is told when it is to end', async () => {
  const told = Promise.withResolvers<void>();
  const rounds = startRounds(1_000, async (signal) => {
    signal.addEventListener('abort', () => told.resolve());
    await told.promise;
  });
  await rounds.stop();
});
