// What holds for every command: help, JSON, exit codes, words that are misspelt, and no folder made by one that reads.
import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import pkg from '../package.json' with { type: 'json' };
import { sqliteFile } from '../src/base/db/store.ts';
import { loadedGroups } from '../src/cli/line/commands.ts';
import type { Command } from '../src/cli/parts/command.ts';
import { exitCodes } from '../src/cli/parts/exit-codes.ts';
import { temporaryFolder } from './support/engines.ts';
import { read } from './support/repository.ts';
import { typed } from './support/typed-line.ts';

const groups = await loadedGroups();
const commands = groups.flatMap((group) => group.commands);
/** It runs until a signal, and makes what it needs. */
const isService = ({ name }: Command) => name === 'serve';

/** It goes on until a signal, once there is a database. */
const isEndless = (one: Command) => isService(one) || one.name === 'event follow';

/** It asks for none, or says itself that there is none. */
const isWithoutDatabase = ({ name }: Command) => name === 'doctor' || name === 'backup verify';

/** A line that can be read: each needed option and word with some value. */
function lineOf({ name, words, options }: Command): string[] {
  const value = (shown: string) => {
    if (shown === 'N' || shown === 'ID') return '1';
    if (shown === 'NETWORK') return '192.0.2.7';
    if (shown === 'FILE') return import.meta.path;
    return shown.split('|')[0] ?? '';
  };
  const needed = Object.entries(options).filter(([, { isNeeded }]) => isNeeded);
  return [
    ...name.split(' '),
    ...Object.values(words).map((one) => value(one.value)),
    ...needed.flatMap(([option, one]) => [`--${option}`, value(one.value)]),
    ...(name === 'publish' ? ['--channel', '1'] : []),
    ...(name === 'chat remove' ? ['--ids', '1'] : []),
  ];
}

test('each command is in the group of its first word, once', () => {
  const misplaced = groups.flatMap(({ word, commands }) =>
    commands.filter(({ name }) => name.split(' ')[0] !== word).map(({ name }) => name),
  );
  expect(misplaced).toEqual([]);
  const names = commands.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(60);
});

test('each has help with its options, an example that can be read, and the exit codes', async () => {
  for (const command of commands) {
    const { code, out } = await typed({}, [...command.name.split(' '), '--help']);
    expect({ name: command.name, code }).toEqual({ name: command.name, code: 0 });
    for (const option of [...Object.keys(command.options), 'json', 'quiet', 'help'])
      expect(out).toContain(`--${option}`);
    for (const { meaning } of Object.values(exitCodes)) expect(out).toContain(meaning);
    for (const example of command.examples) {
      expect(out).toContain(`npx footlight ${example}`);
      expect(example).toStartWith(command.name);
    }
  }
});

test('with --json each says what is wrong in one line', async () => {
  for (const command of commands) {
    const { code, out, err } = await typed({}, [...command.name.split(' '), '--json', '--wrong']);
    expect({ name: command.name, code, out, err: JSON.parse(err) }).toEqual({
      ...{ name: command.name, code: 2, out: '' },
      err: { error: 'usage', code: 2, message: 'there is no option --wrong' },
    });
  }
});

test('one that reads makes no folder, and says that there is no database', async () => {
  const readers = commands.filter(
    (one) => (one.audit === 'nothing' || one.isTaken) && !isService(one) && !isWithoutDatabase(one),
  );
  expect(readers.length).toBeGreaterThan(20);
  const DATA_DIR = join(temporaryFolder(), 'data');
  for (const command of [...readers, ...commands.filter(({ name }) => name === 'channel page')]) {
    const { code, out, err } = await typed({ DATA_DIR }, [...lineOf(command), '--json']);
    expect({ name: command.name, code, out, err }).toEqual({
      ...{ name: command.name, code: 5, out: '' },
      err: expect.stringContaining(`there is no database in ${DATA_DIR}`),
    });
  }
  expect(existsSync(DATA_DIR)).toBe(false);
});

test('with --json each prints JSON lines and nothing else', async () => {
  const DATA_DIR = temporaryFolder();
  await typed({ DATA_DIR }, ['channel', 'create', '--name', 'one']);
  const quick = commands.filter(
    (one) => !isEndless(one) && !['demo', 'publish', 'doctor'].includes(one.name),
  );
  const done: string[] = [];
  for (const command of quick) {
    const { code, out, err } = await typed({ DATA_DIR }, [...lineOf(command), '--json']);
    // What it names may not be there; then that is the line.
    for (const text of [out, err])
      for (const line of text.split('\n').filter((one) => one !== ''))
        expect({ name: command.name, is: typeof JSON.parse(line) }).toEqual({
          name: command.name,
          is: 'object',
        });
    if (code === 0) done.push(command.name);
  }
  expect(done).toContain('token create');
  expect(done).toContain('channel show');
  expect(done.length).toBeGreaterThan(25);
});

describe('a database that is not of this version', () => {
  test('is not changed by one that reads, which says so', async () => {
    const DATA_DIR = temporaryFolder();
    await typed({ DATA_DIR }, ['channel', 'create', '--name', 'one']);
    const { Database } = await import('bun:sqlite');
    const steps = (change: string) => {
      const db = new Database(sqliteFile({ dataDir: DATA_DIR }));
      db.exec(change);
      const { step } = db.query('SELECT MAX(step) AS step FROM migrations').get() as {
        step: number;
      };
      db.close();
      return step;
    };
    const before = steps('DELETE FROM migrations WHERE step = (SELECT MAX(step) FROM migrations)');
    const older = await typed({ DATA_DIR }, ['channel', 'list']);
    expect([older.code, older.err]).toEqual([5, expect.stringContaining('of an older Footlight')]);
    expect(steps('SELECT 1')).toBe(before);
    steps("INSERT INTO migrations (step, name) VALUES (9999, 'later')");
    const newer = await typed({ DATA_DIR }, ['channel', 'list']);
    expect([newer.code, newer.err]).toEqual([5, expect.stringContaining('by a newer Footlight')]);
  });
});

test.each([
  [['chanel', 'list'], 'there is no command "chanel list"; did you mean channel?'],
  [['channel', 'lsit'], 'there is no command "channel lsit"; did you mean channel list?'],
  [['channel', 'dance'], 'there is no command "channel dance"; there are list, show, create'],
  [['channel'], 'channel is a group of commands; there are list, show'],
  [['vido'], 'there is no command "vido"; did you mean video?'],
  [['dance'], 'there is no command "dance"\n'],
  [['channel', 'list', '--acount', '1'], 'there is no option --acount; did you mean --account?'],
  [['channel', 'list', '--colour'], 'there is no option --colour\n'],
  [['channel', 'create', '--name'], '--name must have a value behind it'],
  [['channel', 'create', '--name', '--json'], 'write --name=--json'],
  [['channel', 'list', '--live=yes'], '--live takes no value'],
  [['channel', 'page', '1', '--set', 'theme'], '--set must be such as theme=tech'],
  [['token', 'create', '--scopes', 'chanels:read'], 'did you mean channels:read?'],
  [['event', 'list', '--type', 'chanel.live'], 'did you mean channel.live?'],
  [['event', 'follow', '--after', '7'], '--after must be the position of an event, such as 31.7'],
  [['show', 'report', '--channel', 'x'], '--channel must be a whole number (got "x")'],
])('%j says what was meant', async (words, sentence) => {
  const { code, err } = await typed({ DATA_DIR: join(temporaryFolder(), 'none') }, words);
  expect(err).toContain(sentence);
  expect(code).toBe(2);
});

test('help and version are said without settings, and without a database', async () => {
  const wrong = { PORT: 'x', DATA_DIR: '/no/such' };
  expect(await typed(wrong, ['--version'])).toMatchObject({ code: 0, out: `${pkg.version}\n` });
  expect((await typed(wrong, ['--version', '--json'])).lines()).toEqual([{ version: pkg.version }]);
  const { out } = await typed(wrong, []);
  for (const { word } of groups) expect(out).toContain(`\n  ${word} `);
  for (const words of [['--help'], ['-h'], ['help']])
    expect((await typed(wrong, words)).out).toBe(out);
  const group = await typed(wrong, ['job', '--help']);
  expect(group.out).toBe(
    [
      'usage: npx footlight job COMMAND [OPTIONS]',
      '',
      '  job list [--state waiting|running|done|failed]',
      '      What is being made of recordings: mp4, cover, variants.',
      '  job retry ID',
      '      Let a failed job begin again, as if it had never been tried.',
      '',
      'Options and an example: npx footlight job COMMAND --help',
      '',
    ].join('\n'),
  );
  expect((await typed(wrong, ['help', 'job'])).out).toBe(group.out);
  expect((await typed(wrong, ['help', 'job', 'list'])).out).toBe(
    (await typed(wrong, ['job', 'list', '-h'])).out,
  );
});

test('help loads nothing of the service', () => {
  const loaded = new Set<string>();
  const load = (file: string) => {
    if (loaded.has(file)) return;
    loaded.add(file);
    // What is imported when it is typed does not count.
    for (const [, path = ''] of read(file).matchAll(
      /^import (?!type )[^;]*?from '(\.[^']+\.ts)'/gms,
    ))
      load(normalize(join(dirname(file), path)));
  };
  load('src/cli/footlight.ts');
  expect(loaded.has('src/cli/line/command-help.ts')).toBe(true);
  const heavy = ['src/config.ts', 'src/operations.ts', 'src/main.ts', 'src/base/db/store.ts'];
  expect(heavy.filter((file) => loaded.has(file))).toEqual([]);
  expect(loaded.size).toBeLessThan(30);
});
