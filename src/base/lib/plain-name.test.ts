// Names of files and folders: those that this program gives, and those that lead elsewhere.
import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { isPlainName, pathIn } from './plain-name.ts';
import { randomText } from './secret.ts';

test('names as they are given are taken', () => {
  const recording = `${Date.now().toString(36)}-${randomBytes(8).toString('hex')}`;
  for (const name of [recording, randomBytes(16).toString('hex'), randomText(128)])
    expect(pathIn('/data', name)).toBe(`/data/${name}`);
});

test.each(['', '.', '..', '../a', '/a', 'a/b', 'a/..', 'a\\b', 'a\0b', 'a\n', '-a', 'a.b', 'ａ'])(
  'no path is made of %j',
  (name) => {
    expect(isPlainName(name)).toBeFalse();
    expect(() => pathIn('/data', name)).toThrow('is no name of a file of ours');
  },
);

test('nor of one that is too long for a disk', () => {
  expect(() => pathIn('/data', 'a'.repeat(61))).toThrow('is no name');
});
