// Watch links as the examples of docs/your-own-users.md and the command line make them.
import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readWatchLink } from '../src/audience/viewers/watch-link.ts';
import { openCommandStore } from '../src/base/db/store.ts';
import { createFirstAccount } from '../src/library/access/account-store.ts';
import { operations } from '../src/operations.ts';
import { engines, temporaryFolder } from './support/engines.ts';
import { testWith } from './support/needs.ts';
import { newChannel } from './support/store.ts';

const root = join(import.meta.dir, '..');
const program = join(root, 'src/cli/footlight.ts');

async function run(command: string[], settings: Record<string, string>) {
  const env = { PATH: process.env['PATH'] ?? '', ...settings };
  const child = Bun.spawn(command, { env, stdout: 'pipe', stderr: 'pipe' });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { out: out.trim(), err, code };
}

describe('the example in', () => {
  const page = readFileSync(join(root, 'docs/your-own-users.md'), 'utf8');
  const secret = 'a viewer secret';

  for (const [language, interpreter, file] of [
    ['js', 'node', 'link.mjs'],
    ['python', 'python3', 'link.py'],
    ['php', 'php', 'link.php'],
  ] as const) {
    const example = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? '';

    test(`${language} has at most 12 lines`, () => {
      expect(example).not.toBe('');
      expect(example.trimEnd().split('\n').length).toBeLessThanOrEqual(12);
    });

    // PHP alone is no part of the machines that test; where it is, it is tried too.
    if (language === 'php' && !Bun.which('php')) continue;
    const lacking = Bun.which(interpreter) ? undefined : `${interpreter} is not installed`;
    testWith(lacking, `${language} names its user`, async () => {
      const path = join(temporaryFolder(), file);
      writeFileSync(path, example);
      const { out, err } = await run([interpreter, path], { VIEWER_SECRET: secret });
      expect(err).toBe('');
      const { pathname, searchParams } = new URL(out);
      expect(pathname).toBe('/watch/1');
      const viewer = { viewer_id: 'u-42', nick: '李伟', phone: '' };
      expect(readWatchLink(secret, searchParams, 1, Date.now())).toEqual(viewer);
      const dayMs = 86_400_000;
      expect(readWatchLink(secret, searchParams, 1, Date.now() + dayMs)).toBe('expired');
    });
  }
});

for (const engine of engines) {
  describe(engine.name, async () => {
    const settings = await engine.fresh();
    const store = await openCommandStore(
      {
        dataDir: settings.DATA_DIR,
        databaseUrl: settings.DATABASE_URL,
        deadlineMs: 10_000,
        connectionsMax: 1,
      },
      operations,
    );
    await store.perform(createFirstAccount, { now: 0 });
    const channel_id = await newChannel(store);
    await store.close();

    const footlight = (...words: string[]) => run([process.execPath, program, ...words], settings);
    const linkOf = (...words: string[]) =>
      footlight('viewer-link', '--channel', String(channel_id), '--uid', 'u-42', ...words);

    test('the command makes a link that names its user for a day, until the secret is changed', async () => {
      const secret = (await footlight('account', 'secret', '1')).out;
      expect(secret).toMatch(/^\w{43}$/);
      const { out } = await linkOf('--nick', '李 伟', '--phone', '+86 138 0000 0000');
      const { origin, pathname, searchParams } = new URL(out);
      expect([origin, pathname]).toEqual(['http://localhost:8080', `/watch/${channel_id}`]);
      const read = (key: string, at: number) => readWatchLink(key, searchParams, channel_id, at);
      const viewer = { viewer_id: 'u-42', nick: '李 伟', phone: '+86 138 0000 0000' };
      expect(read(secret, Date.now())).toEqual(viewer);
      expect(read(secret, Date.now() + 86_400_000)).toBe('expired');

      const changed = (await footlight('account', 'secret', '1', '--rotate')).out;
      expect(changed).not.toBe(secret);
      expect((await footlight('account', 'secret', '1')).out).toBe(changed);
      expect(read(changed, Date.now())).toBe('wrong');
    });

    test('the link may end sooner and begin with another address', async () => {
      const { out } = await linkOf(
        '--expires-in',
        '10m',
        '--base-url',
        'https://live.example.com/',
      );
      expect(out).toStartWith(`https://live.example.com/watch/${channel_id}?uid=u-42&expires=`);
      const left = Number(new URL(out).searchParams.get('expires')) * 1_000 - Date.now();
      expect(left).toBeGreaterThan(500_000);
      expect(left).toBeLessThanOrEqual(600_000);
    });

    test.each([
      [['viewer-link', '--uid', 'u'], '--channel must be given', 2],
      [['viewer-link', '--channel', '1'], '--uid must be given', 2],
      [['viewer-link', '--channel', '99', '--uid', 'u'], 'No channel 99', 3],
      [
        ['viewer-link', '--channel', '1', '--uid', 'u'.repeat(65)],
        '--uid must be one line of at most 64 characters',
        2,
      ],
      [['viewer-link', '--channel', '1', '--uid', 'u', '--nick', 'a\nb'], '--nick must be one', 2],
      [['viewer-link', '--channel', '1', '--uid', 'u', '--expires-in', 'soon'], '--expires-in', 2],
      [['viewer-link', '--channel', '1', '--uid', 'u', '--base-url', 'x'], '--base-url must be', 2],
      [['account', 'secret', '99'], 'No account 99', 3],
      [['account', 'secret'], 'the account id must be given', 2],
    ])('%j says what is wrong', async (words, sentence, code) => {
      const ran = await footlight(...words);
      expect(ran.err).toContain(sentence);
      expect({ code: ran.code, out: ran.out }).toEqual({ code, out: '' });
    });
  });
}
