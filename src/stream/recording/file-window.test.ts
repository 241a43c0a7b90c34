// A file read through a window gives the same bytes as the file itself.
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/engines.ts';
import { FileWindow } from './file-window.ts';

const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, at) => at % 251));

test('ranges forwards, backwards and longer than the window are those of the file', async () => {
  await using file = await opened();
  const window = new FileWindow(file, 64);
  for (const [at, size] of [
    [0, 8],
    [8, 56],
    [60, 10],
    [3, 5],
    [100, 500],
    [999, 1],
    [1_000, 0],
  ] as const)
    expect(Buffer.from(await window.bytes(at, size))).toEqual(bytes.subarray(at, at + size));
});

test('a long range comes in pieces no longer than the window', async () => {
  await using file = await opened();
  const window = new FileWindow(file, 64);
  const pieces: Buffer[] = [];
  for await (const piece of window.pieces(10, 700)) pieces.push(Buffer.from(piece));
  expect(Math.max(...pieces.map(({ length }) => length))).toBe(64);
  expect(Buffer.concat(pieces)).toEqual(bytes.subarray(10, 710));
});

test('what lies behind the end is an error', async () => {
  await using file = await opened();
  const window = new FileWindow(file, 64);
  await expect(window.bytes(990, 11)).rejects.toThrow('shorter than its index');
});

async function opened() {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, bytes);
  return await open(path);
}
