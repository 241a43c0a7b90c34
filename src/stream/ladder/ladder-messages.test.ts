// Messages between service and process come whole, however the pipe cuts them, and nonsense is refused.
import { expect, test } from 'bun:test';
import { type FromProcess, MessageReader, messagePieces } from './ladder-messages.ts';

const part: FromProcess = { kind: 'part', rung: '480p', sequence: 7, at: 2, isIndependent: true };

test('cut anywhere they are the same', () => {
  const bytes = new Uint8Array(300).map((_, at) => at);
  const all = Buffer.concat([
    ...messagePieces({ kind: 'ready' }),
    ...messagePieces(part, bytes),
    ...messagePieces({ kind: 'rested' }),
  ]);
  for (const step of [1, 3, 7, 64, all.length]) {
    const reader = new MessageReader<FromProcess>();
    const came = [];
    for (let at = 0; at < all.length; at += step)
      came.push(...reader.push(all.subarray(at, at + step)));
    expect(came.map(({ words }) => words)).toEqual([{ kind: 'ready' }, part, { kind: 'rested' }]);
    expect(came[1]?.bytes).toEqual(bytes);
  }
});

test('a length that nobody would send is refused', () => {
  const reader = new MessageReader<FromProcess>();
  expect(() => reader.push(Buffer.from('Segmentation fault'))).toThrow('no message of a ladder');
});
