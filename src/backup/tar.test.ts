// Our heads of tar entries, read by a program that we did not write, and back by ourselves.
import { expect, test } from 'bun:test';
import { closeSync, openSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/engines.ts';
import { testWith } from '../../test/support/needs.ts';
import { blockBytes, endBytes, entryHead, readHead } from './tar.ts';

const changedAt = Date.UTC(2026, 4, 4, 12) / 1000;
const sizes = [0, 1, 512, 8 * 1024 ** 3 - 1, 8 * 1024 ** 3, 9 * 1024 ** 4];

test.each(sizes)('an entry of %i bytes is what it was', async (size) => {
  const head = entryHead({ name: 'recordings/a-b/source.mp4', size, changedAt });
  const blocks = Array.from({ length: head.length / blockBytes }, (_, at) =>
    head.subarray(at * blockBytes, (at + 1) * blockBytes),
  );
  const [first = new Uint8Array(), ...more] = blocks;
  const next = async () => more.shift() ?? new Uint8Array(blockBytes);
  expect(await readHead(first, next)).toEqual({
    ...{ name: 'recordings/a-b/source.mp4', size, changedAt },
  });
});

test.each(['', 'with space', 'ü', 'x'.repeat(101)])('%j is no name', (name) => {
  expect(() => entryHead({ name, size: 1, changedAt })).toThrow('name of an entry');
});

const noTar = Bun.which('tar') ? undefined : 'it needs tar';

testWith(noTar, 'tar lists entries, those beyond 8 GB too', async () => {
  const file = join(temporaryFolder(), 'sparse.tar');
  const names = sizes.slice(0, 5).map((size) => ({ name: `of/${size}`, size, changedAt }));
  const handle = openSync(file, 'w');
  let at = 0;
  for (const entry of names) {
    const head = entryHead(entry);
    writeSync(handle, head, 0, head.length, at);
    at += head.length + Math.ceil(entry.size / blockBytes) * blockBytes;
  }
  closeSync(handle);
  // Holes: nothing of it is on the disk.
  truncateSync(file, at + endBytes);
  const { stdout, exitCode } = Bun.spawnSync(['tar', '--utc', '-tvf', file]);
  expect(exitCode).toBe(0);
  const lines = stdout.toString().trim().split('\n');
  expect(lines.map((line) => line.split(/\s+/).toSpliced(1, 1))).toEqual(
    names.map(({ name, size }) => ['-rw-------', String(size), '2026-05-04', '12:00', name]),
  );
});
