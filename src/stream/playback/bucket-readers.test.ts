// Readers of the bucket: whole answers, shares of networks, and places that come back.
import { expect, test } from 'bun:test';
import { BucketReaders } from './bucket-readers.ts';

const piece = new Uint8Array(1_000).fill(7);

function start(given: { readersMax?: number; patienceMs?: number } = {}) {
  const refused: string[] = [];
  const refusals = { note: (reason: string) => void refused.push(reason) };
  const readers = new BucketReaders({ readersMax: 4, patienceMs: 60_000, refusals, ...given });
  return { readers, refused };
}

function streamOf(pieces: number, cancelled = () => {}) {
  let left = pieces;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: (controller) => {
        if (left === 0) controller.close();
        else controller.enqueue(piece);
        left -= 1;
      },
      cancel: cancelled,
    },
    { highWaterMark: 0 },
  );
}

test('an answer is whole, and its place is free then', async () => {
  const { readers } = start();
  const answer = readers.given(streamOf(5), '192.0.2.1');
  expect(readers.count).toBe(1);
  expect(await new Response(answer).bytes()).toHaveLength(5_000);
  expect(readers.count).toBe(0);
});

test('a network has half of the places that others leave, and is told when it has them', async () => {
  const { readers, refused } = start();
  const held = [1, 2].map(() => readers.given(streamOf(5), '192.0.2.1'));
  const ended = Promise.withResolvers<void>();
  expect(() => readers.given(streamOf(5, ended.resolve), '192.0.2.1')).toThrow('Too many');
  await ended.promise;
  readers.given(streamOf(5), '198.51.100.1');
  expect(refused).toEqual(['readers_network']);
  await held[0]?.cancel();
  readers.given(streamOf(5), '192.0.2.1');
  expect(readers.count).toBe(3);
});

test('one that nobody takes is broken off, and lets go of the bucket', async () => {
  const ended = Promise.withResolvers<void>();
  const { readers } = start({ patienceMs: 20 });
  const answer = readers.given(streamOf(5, ended.resolve), '192.0.2.1');
  await ended.promise;
  expect(readers.count).toBe(0);
  expect(
    await answer
      .getReader()
      .read()
      .catch(() => 'broken off'),
  ).toBe('broken off');
});
