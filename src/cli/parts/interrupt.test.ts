// Ctrl-C ends work in good order, also where it comes twice; nothing listens afterwards.
import { expect, test } from 'bun:test';
import { untilInterrupted } from './interrupt.ts';

test.each(['SIGINT', 'SIGTERM'] as const)('%s, and the same once more, end it', async (name) => {
  const before = process.listenerCount(name);
  const ended = await untilInterrupted(
    (signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve('in good order'));
        process.emit(name);
        process.emit(name);
      }),
  );
  expect(ended).toBe('in good order');
  expect(process.listenerCount(name)).toBe(before);
  await expect(untilInterrupted(async () => Promise.reject(new Error('failed')))).rejects.toThrow(
    'failed',
  );
});
