// Publishers' sockets rest together, and only where there are several.
import { expect, test } from 'bun:test';
import { ReadPace } from './read-pace.ts';

test('three publishers are read as they send', () => {
  const { pace, sockets } = publishers(3);
  for (const socket of sockets) pace.rest(socket);
  expect(sockets.map(({ isPaused }) => isPaused)).toEqual([false, false, false]);
});

test('four rest after a read, and wake together', async () => {
  const { pace, sockets } = publishers(4);
  for (const socket of sockets) pace.rest(socket);
  expect(sockets.every(({ isPaused }) => isPaused)).toBe(true);
  await Promise.all(sockets.map(({ woken }) => woken));
  expect(sockets.every(({ isPaused }) => !isPaused)).toBe(true);
});

test('a socket that is gone is not touched again', async () => {
  const { pace, sockets } = publishers(5);
  for (const socket of sockets) pace.rest(socket);
  const [gone, ...others] = sockets;
  if (gone) pace.leave(gone);
  await Promise.all(others.map(({ woken }) => woken));
  expect(gone?.isPaused).toBe(true);
});

test('a socket that its connection holds is left to it', async () => {
  const { pace, sockets } = publishers(5);
  for (const socket of sockets) pace.rest(socket);
  const [held, ...others] = sockets;
  if (held) pace.hold(held);
  await Promise.all(others.map(({ woken }) => woken));
  expect(held?.isPaused).toBe(true);
});

test('where one of four leaves the others are read at once again', () => {
  const { pace, sockets } = publishers(4);
  const [gone, next] = sockets;
  if (gone) pace.leave(gone);
  if (next) pace.rest(next);
  expect(next?.isPaused).toBe(false);
});

function publishers(count: number) {
  const pace = new ReadPace();
  const sockets = Array.from({ length: count }, () => new FakeSocket());
  for (const socket of sockets) pace.join(socket);
  return { pace, sockets };
}

class FakeSocket {
  isPaused = false;
  private readonly wakes = Promise.withResolvers<void>();
  readonly woken = this.wakes.promise;

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.wakes.resolve();
  }
}
