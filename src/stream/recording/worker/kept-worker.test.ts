// A worker that is kept, where the system has nothing to start it with.
import { expect, test } from 'bun:test';
import { KeptWorker } from './kept-worker.ts';
import type { Failure } from './why-failed.ts';

test('one that cannot be started is told of like one that has ended, and whoever starts it goes on', async () => {
  const { promise, resolve } = Promise.withResolvers<Failure>();
  const worker = new KeptWorker({
    // The system refuses an argument as long as that, as it refuses a process where it has no descriptors.
    workerUrl: new URL(`file:///${'x'.repeat(262_144)}`),
    memoryBytesMax: 1_000_000,
    onTold: () => {},
    onEnded: resolve,
  });
  await worker.send({ kind: 'part' }, new Uint8Array(8));
  const { why, problem } = await promise;
  expect(why).toBe('failed');
  expect(problem).toContain('it was not started');
  expect(worker.pid).toBeUndefined();
});
