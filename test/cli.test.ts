// The command line as people type it, beside a running service, on both engines.
import { afterAll, describe, expect, test } from 'bun:test';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scopes as everyScope } from '../src/base/api/caller.ts';
import { networkHost } from '../src/base/lib/network-address.ts';
import { program, run as runProcess } from './support/command-line.ts';
import { engines, temporaryFolder } from './support/engines.ts';
import { callByCookie, cookieOf, goodPassword } from './support/people.ts';
import { addVideos } from './support/scenarios.ts';
import { startTestService } from './support/service.ts';
import { runTyped as run } from './support/typed-line.ts';

for (const engine of engines) {
  describe(engine.name, async () => {
    // The command line goes by the machine's own clock.
    const service = await startTestService(engine, { now: Date.now() });
    const { settings } = service;
    afterAll(() => service.stop());

    test('a token that is created works at once, and once revoked no more', async () => {
      const made = await runProcess(settings, 'token', 'create', '--name', 'for a test');
      const token = made.out.trim().split('\n').at(-1) ?? '';
      expect((await service.call('GET', '/v1/activities', { token })).status).toBe(200);
      const listed = (await runProcess(settings, 'token', 'list')).lines();
      const { id, scopes } = listed.find(({ name }) => name === 'for a test');
      // What the first token has: it may have been lost.
      expect(scopes).toEqual([...everyScope]);
      expect(JSON.stringify(listed)).not.toContain(token);
      expect((await runProcess(settings, 'token', 'revoke', String(id))).code).toBe(0);
      expect((await service.call('GET', '/v1/activities', { token })).status).toBe(401);
      expect((await runProcess(settings, 'token', 'revoke', String(id))).code).toBe(3);
    });

    test('a token may have scopes, an end and a manager of its own', async () => {
      const manager = (await run(settings, 'manager', 'create', '--username', 'anna')).lines()[0];
      const words = [
        '--scopes',
        'channels:read',
        '--expires-in',
        '30d',
        '--manager',
        String(manager.id),
      ];
      const token = (await run(settings, 'token', 'create', ...words)).out.trim();
      expect((await service.call('GET', '/v1/activities', { token })).body.meta.total).toBe(0);
      expect((await service.call('GET', '/v1/videos', { token })).status).toBe(403);
      service.clock.now += 31 * 86_400_000;
      expect((await service.call('GET', '/v1/activities', { token })).status).toBe(401);
      service.clock.now -= 31 * 86_400_000;
    });

    test.each([
      [['token', 'create', '--manager', '99'], 'No manager 99 in account 1', 3],
      [['token', 'create', '--account', '99'], 'No account 99', 3],
      [['token', 'create', '--scopes', 'everything'], 'there is no scope "everything"', 2],
      [['token', 'create', '--expires-in', 'soon'], '--expires-in must be such as', 2],
      [['token', 'create', '--colour', 'red'], '--colour', 2],
      [['token', 'revoke'], 'the token id must be given', 2],
      [['console-link', '--account', '99'], 'No account 99', 3],
      [['person', 'invite', '--manager', '99'], 'No such manager: 99', 3],
      [['person', 'reset', '99'], 'No person 99', 3],
      [['person', 'remove'], 'the person id must be given', 2],
      [['person', 'end-sessions', 'ada'], 'the person id must be a whole number', 2],
      [['account', 'create'], '--name must be given', 2],
      [
        ['account', 'create', '--name', 'x', '--plan', 'gold'],
        '--plan must be traffic or standard',
        2,
      ],
      [['account', 'set', '99', '--plan', 'traffic'], 'No account 99', 3],
      [['manager', 'create', '--username', 'twice', '--account', '99'], 'No account 99', 3],
      [['manager', 'rename', '99', '--username', 'x'], 'No manager 99', 3],
      [['manager', 'remove', '99'], 'No manager 99', 3],
      [['import', 'sessions', '--channel', '99', program], 'there is no channel 99', 3],
      [['import', 'sessions', '--channel', '1', '/no/such/file'], '/no/such/file', 1],
      [['import', 'videos'], 'FILE must be given', 2],
      [['token', 'create', '30d'], '"30d" is one word too many', 2],
      [['token', 'list', '--account', '7'], '--account', 2],
      [['serve', '--port', '9000'], '--port', 2],
      [['manager', 'create', '--username', 'x'.repeat(256)], 'at most 255 characters', 2],
      [['dance'], 'there is no command "dance"', 2],
    ])('%j says what is wrong', async (words, sentence, code) => {
      const ran = await run(settings, ...words);
      expect(ran.err).toContain(sentence);
      expect(ran.code).toBe(code);
    });

    test("an account's plan decides about the play addresses from the next request on", async () => {
      const account = (await run(settings, 'account', 'create', '--name', 'Second')).lines()[0];
      expect(account.plan).toBe('standard');
      const token = (
        await run(settings, 'token', 'create', '--account', String(account.id))
      ).out.trim();
      const { body } = await service.call('POST', '/v1/activities', { token, body: { name: 'c' } });
      expect(body).not.toHaveProperty('hls_play_addr');
      await run(
        settings,
        'account',
        'set',
        String(account.id),
        '--plan',
        'traffic',
        '--auto-save-live-video',
        'false',
      );
      expect(
        (await service.call('GET', `/v1/activities/${body.id}`, { token })).body,
      ).toHaveProperty('hls_play_addr');
      expect(
        (await service.call('GET', '/v1/videos', { token })).body.meta.auto_save_live_video,
      ).toBe(false);
      const listed = (await run(settings, 'account', 'list')).lines();
      expect(listed.find(({ id }) => id === account.id)).toMatchObject({
        name: 'Second',
        plan: 'traffic',
        auto_save_live_video: false,
      });
    });

    test('a manager that is removed leaves its channels with manager 0 and its tokens dead', async () => {
      const { id } = (await run(settings, 'manager', 'create', '--username', 'ben')).lines()[0];
      expect((await run(settings, 'manager', 'create', '--username', 'ben')).err).toContain(
        'is taken',
      );
      const token = (await run(settings, 'token', 'create', '--manager', String(id))).out.trim();
      const made = await service.call('POST', '/v1/activities', {
        token,
        body: { name: 'of ben' },
      });
      await run(settings, 'manager', 'rename', String(id), '--username', 'benno');
      const listed = await service.call('GET', `/v1/activities?manager=${id}`);
      expect(listed.body.activities[0]).toMatchObject({
        id: made.body.id,
        manager: id,
        manager_username: 'benno',
      });
      const before = (await service.call('GET', '/v1/activities?manager=0')).body.meta.total;
      expect((await run(settings, 'manager', 'remove', String(id))).code).toBe(0);
      expect((await service.call('GET', '/v1/activities', { token })).status).toBe(401);
      expect((await service.call('GET', `/v1/activities?manager=${id}`)).body.meta.total).toBe(0);
      expect((await service.call('GET', '/v1/activities?manager=0')).body.meta.total).toBe(
        before + 1,
      );
      expect((await run(settings, 'manager', 'list', '--account', '1')).out).not.toContain('benno');
    });

    test('a person is made by a link, listed, reset, signed out and removed', async () => {
      const linkOf = ({ out }: { out: string }) => {
        expect(out).toMatch(/^\S+\/console\/link#[0-9A-Za-z]{43}\n$/);
        return out.trim().split('#')[1];
      };
      const use = (body: object) =>
        service.call('POST', '/manage/v1/links/use', { token: null, body });
      const password = goodPassword;
      const first = linkOf(await run(settings, 'console-link'));
      const ada = await use({ link: first, user_name: 'ada', password });
      expect(ada.body).toMatchObject({ person: { user_name: 'ada' }, manager: null });
      const [{ id: manager_id }] = (
        await run(settings, 'manager', 'create', '--username', 'mia')
      ).lines();
      const words = ['--manager', String(manager_id), '--name', 'Mia'];
      const link = linkOf(await run(settings, 'person', 'invite', ...words));
      expect((await run(settings, 'person', 'list')).lines()).toMatchObject([
        { user_name: 'ada', manager_id: 0 },
        { invitation: expect.any(Number), manager_id, name: 'Mia' },
      ]);
      const mia = await use({ link, user_name: 'mia', password });
      const id = String(mia.body.person.id);
      const me = () => callByCookie(service, 'GET', '/manage/v1/me', { cookie: cookieOf(mia) });
      expect((await me()).body.manager.username).toBe('mia');
      expect((await run(settings, 'person', 'end-sessions', id)).lines()).toEqual([
        { id: Number(id), ended: 1 },
      ]);
      expect((await me()).status).toBe(401);
      const reset = linkOf(await run(settings, 'person', 'reset', id));
      expect((await use({ link: reset, password: 'another good one' })).status).toBe(200);
      expect((await run(settings, 'person', 'remove', id)).code).toBe(0);
      const listed = await run(settings, 'person', 'list', '--account', '1');
      expect(listed.lines()).toMatchObject([{ user_name: 'ada' }]);
      expect(listed.out).not.toContain('argon2');
      const last = await run(settings, 'person', 'remove', String(ada.body.person.id));
      expect([last.code, last.err]).toEqual([4, expect.stringContaining('last person')]);
    });

    test('videos are listed, deleted, listed as such and restored', async () => {
      const made = await service.call('POST', '/v1/activities', { body: { name: 'filmed' } });
      const channel = String(made.body.id);
      const [first, second] = await addVideos(service, [
        { name: 'One of two', channel_id: made.body.id },
        { name: 'Two of two', channel_id: made.body.id },
      ]);
      const video = (...words: string[]) => run(service.settings, 'video', ...words);
      const listed = (await video('list', '--channel', channel)).lines();
      expect(listed.map(({ id, name }) => [id, name])).toEqual([
        [second, 'Two of two'],
        [first, 'One of two'],
      ]);
      const found = (await video('list', '--title', 'one OF')).lines();
      expect(found).toMatchObject([{ id: first, act_id: made.body.id, manager: 0 }]);
      expect((await video('delete', String(first))).lines()).toEqual([
        { id: first, name: 'One of two', result: 'success' },
      ]);
      expect((await service.call('GET', `/v1/videos/${first}`)).status).toBe(404);
      const again = await video('delete', String(first));
      expect([again.code, again.err]).toEqual([3, 'footlight: No such video\n']);
      expect((await video('deleted')).lines()).toMatchObject([{ id: first, channel: 'filmed' }]);
      expect((await video('restore', String(first))).lines()).toEqual([
        { id: first, name: 'One of two' },
      ]);
      expect((await service.call('GET', `/v1/videos/${first}`)).status).toBe(200);
      expect((await video('deleted')).out).toBe('');
      expect((await video('restore', '999999')).err).toBe('footlight: No video 999999\n');
    });

    test('history is imported beside the running service, once', async () => {
      const channel = (await service.call('POST', '/v1/activities', { body: { name: 'imported' } }))
        .body;
      const folder = temporaryFolder();
      const sessions = join(folder, 'sessions.ndjson');
      const record = {
        record_id: 7,
        user_id: 'u1',
        nick: '小明',
        online_time: '25:00:00',
        watch_time: '24:30:00',
        first_login_time: '2026-05-01 19:29',
        last_online_time: '2026-05-02 20:29',
        device: 'PC',
      };
      writeFileSync(sessions, `${JSON.stringify(record)}\nbroken\n`);
      const first = await run(
        settings,
        'import',
        'sessions',
        '--channel',
        String(channel.id),
        sessions,
      );
      expect(first.lines()).toEqual([{ lines: 2, added: 1, known: 0, bad: 1 }]);
      expect(first.err).toContain('line 2: the line is not a JSON object');
      expect(first.code).toBe(1);
      const again = await run(
        settings,
        'import',
        'sessions',
        '--channel',
        String(channel.id),
        sessions,
      );
      expect(again.lines()).toEqual([{ lines: 2, added: 0, known: 1, bad: 1 }]);
      const records = await service.call('POST', `/v1/activities/${channel.id}/userRecords`);
      expect(records.body).toEqual([
        expect.objectContaining({
          user_id: 'u1',
          nick: '小明',
          watch_time: '24:30:00',
          online_time: '25:00:00',
          first_login_time: '2026-05-01 19:29',
        }),
      ]);
      const visitors = await service.call('POST', `/v1/activities/${channel.id}/visitors`, {
        body: { filter: '1' },
      });
      expect(visitors.body).toEqual([
        expect.objectContaining({ visitor_id: 'u1', watch_time: '24:30:00', visit_times: 1 }),
      ]);

      const videos = join(folder, 'videos.ndjson');
      const video = {
        id: 5001,
        act_id: 812,
        name: 'Old show',
        video_url: 'https://cdn.example.com/a.mp4',
        duration: '61',
        upload_time: '2025-01-02 03:04:05',
      };
      writeFileSync(
        videos,
        [
          video,
          { ...video, id: 5000, name: 'Older', upload_time: '2024-01-02 03:04:05' },
          { ...video, id: 5002, act_id: 99_999 },
        ]
          .map((one) => JSON.stringify(one))
          .join('\n'),
      );
      const brought = await run(
        settings,
        'import',
        'videos',
        '--channel',
        `812=${channel.id}`,
        videos,
      );
      expect(brought.lines()).toEqual([{ lines: 3, added: 2, known: 0, bad: 1 }]);
      expect(brought.err).toContain('line 3: act_id must be a channel of the account');
      const list = await service.call('GET', `/v1/videos?act_id=${channel.id}`);
      expect(list.body.meta.total).toBe(2);
      expect(list.body.videos[0]).toMatchObject({
        name: 'Old show',
        act_id: channel.id,
        video_url: 'https://cdn.example.com/a.mp4',
        duration: 61,
        upload_time: '2025-01-02 03:04:05',
      });
      expect(
        (
          await run(settings, 'import', 'videos', '--channel', `812=${channel.id}`, videos)
        ).lines()[0].added,
      ).toBe(0);
    });
  });
}

describe('the first start', () => {
  test('prints an address, a token and a curl that works, and keeps its folder to its owner', async () => {
    const folder = join(temporaryFolder(), 'data');
    const settings = { DATA_DIR: folder, PORT: '0', HOST: '127.0.0.1' };
    const wrong = { WEBHOOK_PRIVATE_TARGET: 'all', EVNT_DAYS: '3', FOOTLIGHT_TOKEN: 'x' };
    const first = await serve({ ...settings, ...wrong });
    const token = /footlight_\w+/.exec(first.greeting)?.[0] ?? '';
    const [, header, body, url] =
      /curl -H '(Authorization: Bearer \w+)' .* -d '(.*)' (\S+)$/m.exec(first.greeting) ?? [];
    const reply = await fetch(url ?? '', {
      method: 'POST',
      headers: { authorization: header?.split(': ')[1] ?? '', 'content-type': 'application/json' },
      body: body ?? '',
    });
    expect(reply.status).toBe(200);
    // First of all a link for a person, and no channel but the one that was just made.
    const [, link] =
      /^Open this link.*\n\n +\S+\/console\/link#(\w{43})\n/.exec(first.greeting) ?? [];
    const use = (user_name: string) =>
      fetch(new URL('/manage/v1/links/use', url), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ link, user_name, password: goodPassword }),
      });
    expect((await use('ada')).status).toBe(200);
    expect((await use('eve')).status).toBe(404);
    const listed = await fetch(url ?? '', { headers: { authorization: `Bearer ${token}` } });
    expect(await listed.json()).toMatchObject({ activities: [{ name: 'My first channel' }] });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const file of new Bun.Glob('*').scanSync({ cwd: folder })) {
      expect({ file, mode: statSync(join(folder, file)).mode & 0o077 }).toEqual({ file, mode: 0 });
    }
    expect(await first.stop()).toBe(0);
    const second = await serve(settings);
    expect(second.greeting).not.toContain('footlight_');
    expect(second.greeting).not.toContain('console');
    expect(second.greeting).toContain('npx footlight token create');
    expect(await second.stop()).toBe(0);
    expect(first.log() + second.log()).not.toContain(token);
    // What was meant as a setting, and is none, is said; a program's own token is its own affair.
    const ignored = (log: string) =>
      Array.from(log.matchAll(/"variable":"(\w+)","meant":"(\w+)"/g), ([, ...names]) => names);
    expect(ignored(first.log())).toEqual([
      ['WEBHOOK_PRIVATE_TARGET', 'WEBHOOK_PRIVATE_TARGETS'],
      ['EVNT_DAYS', 'EVENT_DAYS'],
    ]);
    expect(ignored(second.log())).toEqual([]);
  });

  test('prints addresses that others on the network reach, where there is a network', async () => {
    const first = await serve({ DATA_DIR: join(temporaryFolder(), 'data'), PORT: '0' });
    const [, address = '', , here] =
      /^ {2}address +(\S+)( \(on this machine also (\S+)\))?$/m.exec(first.greeting) ?? [];
    const { hostname, port } = new URL(address);
    expect(hostname).toBe(networkHost('0.0.0.0') ?? 'localhost');
    expect(here ?? address).toBe(`http://localhost:${port}`);
    for (const path of ['/console/link#', '/docs', '/v1/activities'])
      expect(first.greeting).toContain(`${address}${path}`);
    expect(first.greeting).toContain(`rtmp://${hostname}:`);
    expect((await fetch(`${address}/livez`)).status).toBe(200);
    expect(await first.stop()).toBe(0);
  });

  test('of a service without people says how to make one, and makes no channel', async () => {
    const settings = { DATA_DIR: join(temporaryFolder(), 'data'), PORT: '0', HOST: '127.0.0.1' };
    const first = await serve(settings);
    const [, address = ''] = /address +(\S+)/.exec(first.greeting) ?? [];
    const [, token = ''] = /token +(footlight_\w+)/.exec(first.greeting) ?? [];
    const listed = await fetch(`${address}/v1/activities`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await listed.json()).toMatchObject({ meta: { total: 0 } });
    expect(await first.stop()).toBe(0);
    const second = await serve(settings);
    expect(second.greeting).toContain('npx footlight console-link');
    expect(second.greeting).not.toContain('/console/link#');
    expect(await second.stop()).toBe(0);
  });

  test.each([
    [{ PORT: '99999' }, 'PORT must be 0 to 65535 (got "99999")'],
    [{ TIME_ZONE: 'Mars' }, 'TIME_ZONE must be a time zone'],
    [{ DATABASE_URL: 'mysql://root:secret@x' }, 'DATABASE_URL must start with postgres://'],
    [
      { PUBLIC_URL: 'live.example.com' },
      'PUBLIC_URL must be an address that starts with http:// or https:// (got "live.example.com")',
    ],
  ])('%j is refused with a sentence', async (settings, sentence) => {
    const ran = await runProcess(
      { DATA_DIR: temporaryFolder(), ...settings } as Record<string, string>,
      'serve',
    );
    expect(ran.err).toContain(sentence);
    expect(ran.err).not.toContain('secret');
    expect(ran.code).toBe(1);
  });
});

async function serve(settings: Record<string, string>) {
  const child = Bun.spawn([process.execPath, program, 'serve'], {
    env: { PATH: process.env['PATH'] ?? '', RTMP_PORT: '0', ...settings },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let log = '';
  const logged = new Response(child.stderr).text().then((text) => {
    log = text;
  });
  let greeting = '';
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    greeting += chunk;
    if (greeting.endsWith('\n\n') || greeting.includes('token create\n')) break;
  }
  return {
    greeting,
    log: () => log,
    stop: async () => {
      child.kill('SIGTERM');
      await logged;
      return await child.exited;
    },
  };
}
