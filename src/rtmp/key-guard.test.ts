import { expect, test } from 'bun:test';
import { KeyGuard } from './key-guard.ts';

test('nobody waits before the first failure', () => {
  const guard = new KeyGuard();
  expect(guard.attempt('a', 0)).toBe(0);
  expect(guard.attempt('a', 1)).toBe(0);
});

test('after it each try waits twice as long, up to five seconds', () => {
  const guard = new KeyGuard();
  guard.failed('a', 0);
  const delays = Array.from({ length: 7 }, (_, index) => {
    const delay = guard.attempt('a', index);
    guard.failed('a', index);
    return delay;
  });
  expect(delays).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000]);
});

test('tries that are made at once wait longer too', () => {
  const guard = new KeyGuard();
  guard.failed('a', 0);
  expect([guard.attempt('a', 1), guard.attempt('a', 1), guard.attempt('a', 1)]).toEqual([
    250, 500, 1000,
  ]);
});

test('one address does not slow down another', () => {
  const guard = new KeyGuard();
  guard.failed('a', 0);
  expect(guard.attempt('b', 1)).toBe(0);
});

test('a success clears it, and so does a quiet minute', () => {
  const guard = new KeyGuard();
  guard.failed('a', 0);
  guard.succeeded('a');
  expect(guard.attempt('a', 1)).toBe(0);
  guard.failed('a', 1);
  expect(guard.attempt('a', 60_000)).toBe(250);
  expect(guard.attempt('a', 120_000)).toBe(0);
});

test('it remembers ten thousand addresses, those of the last to try', () => {
  const guard = new KeyGuard();
  for (let index = 0; index < 10_000; index += 1) guard.failed(`a${index}`, 0);
  guard.attempt('a0', 0);
  guard.failed('b', 0);
  expect(guard.attempt('a0', 0)).toBe(500);
  expect(guard.attempt('a1', 0)).toBe(0);
  expect(guard.attempt('b', 0)).toBe(250);
});
