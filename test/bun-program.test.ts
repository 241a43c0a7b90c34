// Which program of Bun is taken on which machine, and what is said where there is none.
import { beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBun } from '../bin/bun-program.js';
import { temporaryFolder } from './support/engines.ts';

let folder = '';
let from = '';
beforeEach(() => {
  folder = temporaryFolder();
  from = join(folder, 'node_modules/footlight/bin/footlight.js');
  made('node_modules/footlight/bin/footlight.js', '');
});

function made(path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** As npm unpacks a package; the program is as long as one is, and empty. */
function installed(name: string, program?: string): string {
  made(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.4.4' }));
  if (program === undefined) return '';
  const file = made(`node_modules/${name}/${program}`, '');
  truncateSync(file, 2_000_000);
  chmodSync(file, 0o755);
  return file;
}

const linux = { platform: 'linux', arch: 'x64', isMusl: false };

describe('found', () => {
  test.each([
    [linux, '@oven/bun-linux-x64', 'bin/bun'],
    [{ ...linux, arch: 'arm64' }, '@oven/bun-linux-aarch64', 'bin/bun'],
    [{ ...linux, isMusl: true }, '@oven/bun-linux-x64-musl', 'bin/bun'],
    // Where it alone is there.
    [{ ...linux, isMusl: true }, '@oven/bun-linux-x64', 'bin/bun'],
    [{ ...linux, platform: 'darwin', arch: 'arm64' }, '@oven/bun-darwin-aarch64', 'bin/bun'],
    [{ ...linux, platform: 'freebsd' }, '@oven/bun-freebsd-x64', 'bin/bun'],
    [
      { ...linux, platform: 'android', arch: 'arm64' },
      '@oven/bun-linux-aarch64-android',
      'bin/bun',
    ],
    [{ ...linux, platform: 'win32' }, '@oven/bun-windows-x64', 'bin/bun.exe'],
  ])('on %o in %s', (machine, name, program) => {
    installed('bun');
    made('node_modules/bun/bin/bun.exe', 'the install script was not run');
    const file = installed(name, program);
    expect(findBun({ from, ...machine })).toEqual({ file });
  });

  test('where the install script has moved it', () => {
    const file = installed('bun', 'bin/bun.exe');
    installed('@oven/bun-linux-x64');
    expect(findBun({ from, ...linux })).toEqual({ file });
  });
});

describe('not found', () => {
  const problemOn = (machine: typeof linux) => findBun({ from, ...machine }).problem;

  test('the placeholder is no program, and what to install is said', () => {
    installed('bun');
    const file = made('node_modules/bun/bin/bun.exe', 'the install script was not run');
    chmodSync(file, 0o755);
    expect(problemOn(linux)).toBe(
      "Bun's program for this machine is not installed (@oven/bun-linux-x64). It is an optional package: install Footlight again without --omit=optional, or add it: npm install @oven/bun-linux-x64@1.4.4",
    );
  });

  test('glibc does not take what is made for musl', () => {
    installed('bun');
    installed('@oven/bun-linux-x64-musl', 'bin/bun');
    expect(problemOn(linux)).toContain('@oven/bun-linux-x64)');
  });

  test('one that may not be run is named', () => {
    installed('bun');
    chmodSync(installed('@oven/bun-linux-x64', 'bin/bun'), 0o644);
    expect(problemOn(linux)).toContain('may not be run by this user');
  });

  test.each([
    [{ ...linux, arch: 'ia32' }, 'Bun has no program for linux on ia32'],
    [{ ...linux, platform: 'sunos' }, 'Bun has no program for sunos on x64'],
    [linux, 'the package bun is not installed'],
  ])('on %o: %s', (machine, sentence) => {
    expect(problemOn(machine)).toContain(sentence);
  });
});
