import { expect, test } from 'bun:test';
import { VideoReaders } from './video-readers.ts';

test('a reader is remembered for ten seconds after each time it was served', () => {
  const clock = { now: 0 };
  const readers = new VideoReaders(() => clock.now);
  expect(readers.has('a')).toBe(false);
  readers.served('a');
  clock.now = 10_000;
  expect(readers.has('a')).toBe(true);
  readers.served('a');
  clock.now = 20_000;
  expect(readers.has('a')).toBe(true);
  clock.now = 20_001;
  expect(readers.has('a')).toBe(false);
});

test('an address from which somebody always reads begins anew after an hour', () => {
  const clock = { now: 0 };
  const readers = new VideoReaders(() => clock.now);
  const hourMs = 3_600_000;
  for (; clock.now <= hourMs; clock.now += 9_000) {
    readers.served('a');
    expect(readers.has('a')).toBe(true);
  }
  expect(readers.has('a')).toBe(false);
  clock.now += 10_001;
  readers.served('a');
  expect(readers.has('a')).toBe(true);
});

test('of very many readers at once the first are forgotten', () => {
  const readers = new VideoReaders(() => 0);
  for (let count = 0; count <= 10_000; count += 1) readers.served(`reader ${count}`);
  expect([0, 1, 10_000].map((count) => readers.has(`reader ${count}`))).toEqual([
    false,
    true,
    true,
  ]);
});
