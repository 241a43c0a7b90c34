import { expect, test } from 'bun:test';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/engines.ts';
import { readNodeName } from './node-name.ts';

test('a service keeps its name, in a folder that it makes for itself', async () => {
  const folder = join(temporaryFolder(), 'data');
  const name = await readNodeName(folder);
  expect(name).toMatch(/^\w{10,}$/);
  expect(await readNodeName(folder)).toBe(name);
  expect(statSync(join(folder, 'node-name')).mode & 0o777).toBe(0o600);
});

test('services on other folders have other names', async () => {
  const names = await Promise.all([temporaryFolder(), temporaryFolder()].map(readNodeName));
  expect(new Set(names).size).toBe(2);
});

test('a name that a crash has left empty is made anew', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'node-name'), '\n');
  const name = await readNodeName(folder);
  expect(name).not.toBe('');
  expect(await readNodeName(folder)).toBe(name);
});
