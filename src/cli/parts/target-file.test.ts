// Files that commands write: whole or not at all, never over another unasked, gone on with where they were cut.
import { expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
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
const dataDir = temporaryFolder();

test('a download that was cut goes on where it was, and is the same', async () => {
  const path = join(temporaryFolder(), 'v.mp4');
  const target = { path, force: false, dataDir };
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
  writeFileSync(`${path}.part`, new Uint8Array(100_000).fill(7), { mode: 0o600 });
  const { source } = sourceOf(long);
  expect(await download(source, { path, force: false, dataDir }, nothing)).toMatchObject({
    resumedAt: 0,
  });
  expect(Buffer.compare(readFileSync(path), long)).toBe(0);
});

test('what somebody else may have put in its way is not written to, nor gone on with', async () => {
  const folder = temporaryFolder();
  const victim = join(folder, 'victim');
  const planted: Record<string, (part: string) => void> = {
    'a link': (part) => symlinkSync(victim, part),
    'a link to nothing': (part) => symlinkSync(join(folder, 'absent'), part),
    'another name of a file': (part) => linkSync(victim, part),
    'a file that others write': (part) => {
      writeFileSync(part, long.subarray(0, 100_000));
      chmodSync(part, 0o666);
    },
    'a pipe': (part) => void Bun.spawnSync(['mkfifo', '-m', '600', part]),
  };
  for (const [what, plant] of Object.entries(planted)) {
    writeFileSync(victim, long.subarray(0, 100_000), { mode: 0o600 });
    const path = join(folder, `${what}.mp4`);
    plant(`${path}.part`);
    const { resumedAt } = await download(
      sourceOf(long).source,
      { path, force: false, dataDir },
      nothing,
    );
    const { mode } = lstatSync(path);
    expect({ what, resumedAt, mode: mode & 0o777, isFile: lstatSync(path).isFile() }).toEqual({
      ...{ what, resumedAt: 0, mode: 0o600, isFile: true },
    });
    expect(Buffer.compare(readFileSync(path), long)).toBe(0);
    expect(readFileSync(victim).length).toBe(100_000);
  }
  expect(existsSync(join(folder, 'absent'))).toBe(false);
});

test('what is there stays, unless it is said that it may go', async () => {
  const path = join(temporaryFolder(), 'v.mp4');
  writeFileSync(path, 'mine');
  const { source, asked } = sourceOf(long);
  await expect(download(source, { path, force: false, dataDir }, nothing)).rejects.toThrow(
    '--force',
  );
  expect([readFileSync(path, 'utf8'), asked]).toEqual(['mine', []]);
  await download(source, { path, force: true, dataDir }, nothing);
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
  await expect(writePieces(failing, { to, force: false, dataDir, out })).rejects.toThrow(
    'numbered anew',
  );
  expect([existsSync(to), existsSync(`${to}.part`)]).toEqual([false, false]);
  const pieces = ['a\n', 'b\n'];
  await writePieces(async () => pieces.shift(), { to, force: false, dataDir, out });
  expect(readFileSync(to, 'utf8')).toBe('a\nb\n');
});

test('no file is written into the data folder, however it is spelled', async () => {
  const outside = temporaryFolder();
  const inside = join(outside, 'data');
  mkdirSync(join(inside, 'recordings', 'one'), { recursive: true });
  for (const name of ['footlight.db', 'footlight.db-wal']) writeFileSync(join(inside, name), name);
  symlinkSync(inside, join(outside, 'link'));
  symlinkSync(join(inside, 'footlight.db'), join(outside, 'database'));
  // What the folder itself leads to is the service's too.
  mkdirSync(join(outside, 'disk'));
  writeFileSync(join(outside, 'disk', 'node-name'), 'one');
  symlinkSync(join(outside, 'disk'), join(inside, 'uploads'));
  symlinkSync(join(outside, 'disk', 'node-name'), join(inside, 'node-name'));
  const paths = [
    join(inside, 'footlight.db'),
    join(inside, 'footlight.db-wal'),
    join(inside, 'new.tar'),
    join(inside, 'recordings', 'one', 'new.mp4'),
    `${inside}/../${basename(inside)}/./recordings/../footlight.db`,
    join(outside, 'link', 'footlight.db'),
    `${outside}/link/recordings/one/../new.tar`,
    join(outside, 'database'),
    join(outside, 'disk', 'new.tar'),
    join(outside, 'disk', 'node-name'),
  ];
  for (const dataDir of [inside, join(outside, 'link'), `${inside}/`])
    for (const path of paths) {
      const { source, asked } = sourceOf(long);
      const said = 'which is the service’s';
      await expect(download(source, { path, force: true, dataDir }, nothing)).rejects.toThrow(said);
      expect(asked).toEqual([]);
    }
  expect(readFileSync(join(inside, 'footlight.db'), 'utf8')).toBe('footlight.db');
  expect(readdirSync(join(outside, 'disk'))).toEqual(['node-name']);
  // Beside it, and under a name that only begins as its own does.
  for (const path of [join(outside, 'data.tar'), join(dirname(inside), 'database.tar')])
    await download(sourceOf(long).source, { path, force: false, dataDir: inside }, nothing);
});
