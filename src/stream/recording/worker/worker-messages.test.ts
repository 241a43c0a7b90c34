// Messages between service and worker come whole, however the pipe cuts them, and nonsense is refused.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { MessageReader, messagePieces } from './worker-messages.ts';

test('messages come through whole, however they are cut', () => {
  const message = fc.record({
    words: fc.record({ kind: fc.string(), at: fc.nat() }),
    bytes: fc.uint8Array({ maxLength: 50 }),
  });
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 5 }),
      fc.integer({ min: 1, max: 64 }),
      (sent, cut) => {
        const all = Buffer.concat(sent.flatMap(({ words, bytes }) => messagePieces(words, bytes)));
        const reader = new MessageReader<{ kind: string; at: number }>();
        const came = [];
        for (let at = 0; at < all.length; at += cut)
          came.push(...reader.push(all.subarray(at, at + cut)));
        const readable = (one: (typeof sent)[number]) => ({ ...one, bytes: [...one.bytes] });
        expect(came.map(readable)).toEqual(sent.map(readable));
      },
    ),
  );
});

test.each([
  ['words beyond all reason', [255, 0, 0, 0, 0, 0, 0, 0]],
  ['bytes beyond all reason', [0, 0, 0, 2, 255, 0, 0, 0]],
  ['the last words of a crash', [...Buffer.from('Segmentation fault')]],
])('%s are refused', (_name, bytes) => {
  expect(() => new MessageReader().push(Uint8Array.from(bytes))).toThrow('no message of a worker');
});
