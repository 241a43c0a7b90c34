import { describe, expect, test } from 'bun:test';
import { chunksOf } from './chunk-writer.ts';

const message = { type: 9, streamId: 1, timestamp: 0x010203, body: [] };

describe('a message', () => {
  test('that fits into a chunk is its header and the very pieces it was given', () => {
    const body = [Uint8Array.of(1, 2), new Uint8Array(1_000)];
    const [head, ...pieces] = chunksOf({ ...message, body }, 65_536);
    expect(head?.toHex()).toBe('060102030003ea0901000000');
    expect(pieces[0]).toBe(body[0] as Uint8Array);
    expect(pieces[1]).toBe(body[1] as Uint8Array);
  });

  test('that does not is cut without being copied', () => {
    const body = [new Uint8Array(3), new Uint8Array(7)];
    const chunks = chunksOf({ ...message, body }, 4);
    expect(chunks.map(({ length }) => length)).toEqual([12, 3, 1, 1, 4, 1, 2]);
    expect(chunks[2]?.buffer).toBe(body[1]?.buffer as ArrayBuffer);
    expect(chunks[3]?.toHex()).toBe('c6');
  });

  test('whose last chunk is full has no empty one behind it', () => {
    const chunks = chunksOf({ ...message, body: [new Uint8Array(8)] }, 4);
    expect(chunks.map(({ length }) => length)).toEqual([12, 4, 1, 4]);
  });

  test.each([
    [0xfffffe, '06fffffe', 12],
    [0xffffff, '06ffffff', 16],
    [0xffffffff, '06ffffff', 16],
  ])('at %d begins with %s in a header of %d bytes', (timestamp, start, length) => {
    const [head] = chunksOf({ ...message, timestamp }, 128);
    expect(head?.toHex()).toStartWith(start);
    expect(head?.length).toBe(length);
  });

  test('repeats an extended timestamp before each chunk', () => {
    const chunks = chunksOf({ ...message, timestamp: 0x01020304, body: [new Uint8Array(8)] }, 4);
    expect(chunks[2]?.toHex()).toBe('c601020304');
  });
});
