// Files that commands write: whole or not at all, never over another unasked, gone on with where they were cut.
import { expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/engines.ts';
import { Output } from './output.ts';
import { download, type Source, writePieces } from './target-file.ts';

const bytes = crypto.getRandomValues(new Uint8Array(65_536)).slice();
const long = new Uint8Array(200_000).map((_, at) => bytes[at % bytes.length] ?? 0);

function sourceOf(whole: Uint8Array, { cutAt = whole.length } = {}) {
  const asked: number[] = [];
  const source: Source = {
    size: whole.length,
    read: async function* (from) {
      asked.push(from);
      for (let at = from; at < cutAt; at += 10_000)
        yield whole.subarray(at, Math.min(cutAt, at + 10_000));
    },
  };
  return { source, asked };
}

const nothing = () => {};

test('a download that was cut goes on where it was, and is the same', async () => {
  const path = join(temporaryFolder(), 'v.mp4');
  const target = { path, force: false };
  const cut = sourceOf(long, { cutAt: 150_000 });
  await expect(download(cut.source, target, nothing)).rejects.toThrow('150000 bytes have come of');
  expect(existsSync(path)).toBe(false);
  const { source, asked } = sourceOf(long);
  expect(await download(source, target, nothing)).toEqual({ bytes: 200_000, resumedAt: 150_000 });
  // First the end of what is there is compared, then it goes on behind it.
  expect(asked).toEqual([150_000 - 65_536, 150_000]);
  expect(Buffer.compare(readFileSync(path), long)).toBe(0);
  expect(existsSync(`${path}.part`)).toBe(false);
});

test('what is left of another source is begun anew', async () => {
  const path = join(temporaryFolder(), 'v.mp4');
  writeFileSync(`${path}.part`, new Uint8Array(100_000).fill(7));
  const { source } = sourceOf(long);
  expect(await download(source, { path, force: false }, nothing)).toMatchObject({ resumedAt: 0 });
  expect(Buffer.compare(readFileSync(path), long)).toBe(0);
});

test('what is there stays, unless it is said that it may go', async () => {
  const path = join(temporaryFolder(), 'v.mp4');
  writeFileSync(path, 'mine');
  const { source, asked } = sourceOf(long);
  await expect(download(source, { path, force: false }, nothing)).rejects.toThrow('--force');
  expect([readFileSync(path, 'utf8'), asked]).toEqual(['mine', []]);
  await download(source, { path, force: true }, nothing);
  expect(readFileSync(path).length).toBe(200_000);
});

test('an export that fails leaves nothing', async () => {
  const to = join(temporaryFolder(), 'e.csv');
  const stream = { isTerminal: false, columns: 80, write: async () => {} };
  const out = new Output({
    ...{ out: stream, err: stream, json: false, quiet: false },
    monotonicMs: () => 0,
  });
  let count = 0;
  const failing = async () => {
    count += 1;
    if (count > 2) throw new Error('numbered anew');
    return 'line\n';
  };
  await expect(writePieces(failing, { to, force: false, out })).rejects.toThrow('numbered anew');
  expect([existsSync(to), existsSync(`${to}.part`)]).toEqual([false, false]);
  const pieces = ['a\n', 'b\n'];
  await writePieces(async () => pieces.shift(), { to, force: false, out });
  expect(readFileSync(to, 'utf8')).toBe('a\nb\n');
});
