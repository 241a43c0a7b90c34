// Signing in and out, and one-time links: who gets in, and who tries in vain.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import {
  callByCookie,
  cookieOf,
  goodPassword,
  signIn,
  signUp,
} from '../../../test/support/people.ts';
import { expectError } from '../../../test/support/scenarios.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';
import { removeManager } from '../access/manager-store.ts';
import { invitePerson, makeConsoleLink, resetPerson } from './console-link-store.ts';
import { makeConsoleSecret } from './console-secret.ts';
import { startSession } from './console-session-store.ts';
import { findSecrets, removePerson } from './person-store.ts';
import { signInLimits } from './sign-in-limits.ts';

const unauthorized = { status: 401, code: 401001 };
const wrong = { status: 401, code: 401010 };
const noLink = { status: 404, code: 404010 };
const tooMany = { status: 429, code: 429001 };

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

for (const engine of engines) {
  describe(engine.name, async () => {
    const settings = { SIGN_INS_PER_PERSON: '12', SIGN_INS_PER_NETWORK: '1000' };
    const service = await startTestService(engine, { settings });
    afterAll(() => service.stop());
    const { clock, store } = service;
    /** Enough time that all tries are there again. */
    const rest = () => {
      clock.now += hourMs;
    };
    const me = (cookie: string) => callByCookie(service, 'GET', '/manage/v1/me', { cookie });
    const look = (link: string) =>
      service.call('POST', '/manage/v1/links/look', { token: null, body: { link } });
    const use = (body: object) =>
      service.call('POST', '/manage/v1/links/use', { token: null, body });
    const consoleLink = async (account_id = 1) =>
      (await store.perform(makeConsoleLink, { account_id, now: clock.now })).secret;

    describe('the first link', () => {
      test('makes the first person, signs them in and makes a channel to push to', async () => {
        const link = await consoleLink();
        const looked = await look(link);
        expect(looked.body).toMatchObject({ for: 'first', manager: null, user_name: '' });
        const used = await use({ link, user_name: ' Ada@Example.com ', password: goodPassword });
        expect(used.body).toMatchObject({
          person: { name: 'Ada@Example.com', user_name: 'Ada@Example.com' },
          account: { id: 1, name: 'first', plan: 'traffic' },
          manager: null,
          time_zone: 'UTC',
        });
        const cookie = cookieOf(used);
        expect((await me(cookie)).body).toEqual(used.body);
        const listed = await callByCookie(service, 'GET', '/v1/activities', { cookie });
        expect(listed.body.activities).toMatchObject([
          { name: 'My first show', rtmp_publish_addr: expect.stringContaining('/live/') },
        ]);
      });

      test('is not good again, nor is one that was made before the first person', async () => {
        const account_id = await service.newAccount();
        const [early, late] = [await consoleLink(account_id), await consoleLink(account_id)];
        const password = goodPassword;
        expect((await use({ link: late, user_name: 'late', password })).status).toBe(200);
        expectError(await use({ link: late, user_name: 'late again', password }), noLink);
        expectError(await look(late), noLink);
        expectError(await use({ link: early, user_name: 'early', password }), noLink);
      });

      test('made when somebody is there makes another person and no channel', async () => {
        const link = await consoleLink();
        expect((await look(link)).body.for).toBe('invite');
        const used = await use({ link, user_name: 'second', name: 'Two', password: goodPassword });
        expect(used.body.person).toMatchObject({ name: 'Two', user_name: 'second' });
        const cookie = cookieOf(used);
        const listed = await callByCookie(service, 'GET', '/v1/activities', { cookie });
        expect(listed.body.meta.total).toBe(1);
      });
    });

    describe('a link', () => {
      test('is used by one of two at once', async () => {
        const account_id = await service.newAccount();
        const link = await consoleLink(account_id);
        const password = goodPassword;
        const replies = await Promise.all(
          ['one', 'two', 'three'].map((user_name) => use({ link, user_name, password })),
        );
        expect(replies.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
        const won = replies.find(({ status }) => status === 200);
        const cookie = won ? cookieOf(won) : '';
        const people = await callByCookie(service, 'GET', '/manage/v1/people', { cookie });
        expect(people.body.people).toHaveLength(1);
      });

      test.each([
        ['first', hourMs],
        ['invite', 7 * dayMs],
      ] as const)('that is for %p ends in time', async (kind, lastsMs) => {
        const startedAt = clock.now;
        const account_id = await service.newAccount();
        const order = { account_id, manager_id: 0, name: '', now: clock.now };
        const link =
          kind === 'first'
            ? await consoleLink(account_id)
            : (await store.perform(invitePerson, order)).secret;
        clock.now = startedAt + lastsMs - 1;
        expect((await look(link)).status).toBe(200);
        clock.now = startedAt + lastsMs;
        expectError(await look(link), noLink);
        expectError(await use({ link, user_name: 'too late', password: goodPassword }), noLink);
        clock.now = startedAt;
      });

      test('that nobody made, or nobody could make, is told apart from none', async () => {
        for (const link of [makeConsoleSecret(), 'x', '☃'.repeat(50)]) {
          expectError(await look(link), noLink);
          expectError(await use({ link, user_name: 'x', password: goodPassword }), noLink);
        }
      });

      test('stays good where the user name is taken, in whatever letters, or is absent', async () => {
        const link = await consoleLink();
        const password = goodPassword;
        const taken = [
          'ada@example.com',
          'ADA@EXAMPLE.COM',
          'ａｄａ@example.com',
          'a\u200bda@example.com',
        ];
        for (const user_name of [...taken, '\u200b'])
          expectError(await use({ link, user_name, password }), {
            status: 400,
            code: 400001,
            fields: ['user_name'],
          });
        expectError(await use({ link, password }), {
          status: 400,
          code: 400002,
          fields: ['user_name'],
        });
        // As many as may be tried: each is a run of Argon2id.
        const last = await use({ link, user_name: 'Ada Two', password });
        expectError(last, tooMany);
        clock.now += Number(last.headers.get('retry-after')) * 1_000;
        expect((await use({ link, user_name: 'Ada Two', password })).status).toBe(200);
      });

      test.each(['short', '7 chars', 'Password1', 'aaaaaaaaaaaa', 'Some Body', 'x'.repeat(201)])(
        'takes no bad password, and does not repeat it: %p',
        async (password) => {
          const link = await consoleLink();
          const reply = await use({ link, user_name: 'some body', password });
          expectError(reply, { status: 400, code: 400001, fields: ['password'] });
          expect(reply.text).not.toContain(password);
        },
      );

      test('of an invitation is no more once its manager is removed', async () => {
        const id = await service.newManager('leaving');
        const order = { account_id: 1, manager_id: id, name: 'Lea', now: clock.now };
        const { secret: link } = await store.perform(invitePerson, order);
        expect((await look(link)).body).toMatchObject({
          for: 'invite',
          manager: { id, username: 'leaving' },
          name: 'Lea',
        });
        await store.perform(removeManager, { id, now: clock.now });
        expectError(await look(link), noLink);
        expectError(await use({ link, user_name: 'lea', password: goodPassword }), noLink);
      });
    });

    describe('a reset', () => {
      test('sets a new password, ends every session and is good once', async () => {
        const { id, cookie } = await signUp(service, { user_name: 'forgetful' });
        const reset = { account_id: 1, person_id: id, now: clock.now };
        const { secret: former } = await store.perform(resetPerson, reset);
        const { secret: link } = await store.perform(resetPerson, reset);
        expectError(await look(former), noLink);
        expect((await look(link)).body).toMatchObject({ for: 'reset', user_name: 'forgetful' });
        const used = await use({ link, password: 'another good one' });
        expect(used.body.person.user_name).toBe('forgetful');
        expect((await me(cookieOf(used))).status).toBe(200);
        expectError(await me(cookie), unauthorized);
        expectError(await signIn(service, 'forgetful'), wrong);
        expectError(await use({ link, password: 'yet another one' }), noLink);
        const again = await signIn(service, 'forgetful', { password: 'another good one' });
        expect(again.status).toBe(200);
      });

      test('is no more once the person is removed', async () => {
        const { id } = await signUp(service, { user_name: 'gone' });
        const reset = { account_id: 1, person_id: id, now: clock.now };
        const { secret: link } = await store.perform(resetPerson, reset);
        await store.perform(removePerson, { account_id: 1, person_id: id });
        expectError(await use({ link, password: goodPassword }), noLink);
      });
    });

    describe('who signs in', () => {
      test('may write their user name in any letters, and gets a cookie of their own', async () => {
        rest();
        const reply = await signIn(service, '  ADA@example.com ');
        expect(reply.body.person.user_name).toBe('Ada@Example.com');
        const [session = '', browser = ''] = reply.headers.getSetCookie();
        expect(session).toMatch(
          /^footlight_console=[0-9A-Za-z]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
        );
        expect(browser).toMatch(
          /^footlight_browser=\S+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
        );
        expect(reply.headers.get('x-frame-options')).toBe('DENY');
        expect(reply.headers.get('cache-control')).toBe('no-store');
      });

      test('is told the same and costs the same, whether the name or the password is wrong', async () => {
        rest();
        const runs = async () => {
          const text = (await service.call('GET', '/metrics', { token: null })).text;
          return Number(/^footlight_password_runs_total (\d+)$/m.exec(text)?.[1]);
        };
        const tried = async (user_name: string) => {
          const before = await runs();
          const reply = await signIn(service, user_name, { password: 'not the password' });
          expectError(reply, wrong);
          return { message: reply.body.errors.message, runs: (await runs()) - before };
        };
        const known = await tried('Ada@Example.com');
        expect(known.runs).toBe(1);
        expect(await tried('nobody at all')).toEqual(known);
      });

      test('never gets a session that was brought along', async () => {
        rest();
        const planted = makeConsoleSecret();
        const headers = { cookie: `footlight_console=${planted}` };
        const reply = await signIn(service, 'ada@example.com', { headers });
        expect(cookieOf(reply)).not.toContain(planted);
        expectError(await me(`footlight_console=${planted}`), unauthorized);
        // Nor does one that was good before stay so.
        const again = await signIn(service, 'ada@example.com', {
          headers: { cookie: cookieOf(reply) },
        });
        expect((await me(cookieOf(again))).status).toBe(200);
        expectError(await me(cookieOf(reply)), unauthorized);
      });

      test('is not kept out by a cookie of the same name that another port has set', async () => {
        rest();
        const cookie = cookieOf(await signIn(service, 'ada@example.com'));
        for (const planted of ['x', makeConsoleSecret()])
          expect((await me(`footlight_console=${planted}; ${cookie}`)).status).toBe(200);
        // Of two that are good nobody works in the other's name, and signing in ends both.
        const other = cookieOf(await signIn(service, 'ada@example.com'));
        expectError(await me(`${other}; ${cookie}`), unauthorized);
        const headers = { cookie: `${other}; ${cookie}` };
        const again = cookieOf(await signIn(service, 'ada@example.com', { headers }));
        expect((await me(`${other}; ${again}`)).status).toBe(200);
      });

      test('signs out, and the cookie is good no more', async () => {
        rest();
        const cookie = cookieOf(await signIn(service, 'ada@example.com'));
        const out = await callByCookie(service, 'POST', '/manage/v1/sign-out', {
          cookie,
          body: {},
        });
        expect(out.body).toEqual({ result: 'success' });
        expect(out.headers.getSetCookie()).toEqual([
          'footlight_console=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
        ]);
        expectError(await me(cookie), unauthorized);
        // Whoever has signed out already may do so again.
        const again = await service.call('POST', '/manage/v1/sign-out', { token: null, body: {} });
        expect(again.status).toBe(200);
      });

      test('has a session that ends when it is not used for thirty days', async () => {
        rest();
        const cookie = cookieOf(await signIn(service, 'ada@example.com'));
        const startedAt = clock.now;
        clock.now = startedAt + 29 * dayMs;
        expect((await me(cookie)).status).toBe(200);
        await used(service, cookie);
        clock.now = startedAt + 58 * dayMs;
        expect((await me(cookie)).status).toBe(200);
        await used(service, cookie);
        clock.now = startedAt + 88 * dayMs;
        expectError(await me(cookie), unauthorized);
      });

      test('has fifty sessions at most: the one used longest ago ends', async () => {
        rest();
        const { id: person_id, cookie } = await signUp(service, { user_name: 'everywhere' });
        const { password_hash = '' } = (await findSecrets(store, person_id)) ?? {};
        const start = async () => {
          clock.now += 1;
          const browser = { address: '192.0.2.1', user_agent: '', now: clock.now };
          const expires_at = clock.now + dayMs;
          const session = { ...browser, hash: crypto.randomUUID(), expires_at };
          await store.perform(startSession, { person_id, password_hash, session });
        };
        for (let count = 1; count < signInLimits.sessionsMax; count += 1) await start();
        expect((await me(cookie)).status).toBe(200);
        await start();
        expectError(await me(cookie), unauthorized);
      });
    });

    describe('who guesses', () => {
      /** Tries until there are none left; how many there were. */
      const guess = async (user_name: string, headers: Record<string, string> = {}) => {
        for (let count = 0; ; count += 1) {
          const reply = await signIn(service, user_name, { password: 'a wrong guess', headers });
          if (reply.status === 429) return { count, reply };
          expectError(reply, wrong);
        }
      };
      const third = 4;

      test('has a few tries, then must wait, as long as is told', async () => {
        rest();
        const { count, reply } = await guess('second');
        expect(count).toBe(third);
        expectError(reply, tooMany);
        // Not even the right password helps: that would tell that it is.
        expectError(await signIn(service, 'second'), tooMany);
        clock.now += Number(reply.headers.get('retry-after')) * 1_000;
        expect((await signIn(service, 'second')).status).toBe(200);
      });

      test('is held up in the same way where nobody has the name', async () => {
        rest();
        expect((await guess('nobody of this name')).count).toBe(third);
      });

      test('does not keep out who has signed in by this browser before', async () => {
        rest();
        const { cookie } = await signUp(service, { user_name: 'the owner' });
        await guess('the owner');
        expectError(await signIn(service, 'the owner'), tooMany);
        expect((await signIn(service, 'the owner', { headers: { cookie } })).status).toBe(200);
        // With a browser of somebody else, or a mark that nobody signed, it is as without.
        const other = await signUp(service, { user_name: 'the other' });
        const forged = cookie.replace(/footlight_browser=console1\.\d+/, (text) => `${text}1`);
        for (const header of [other.cookie, forged])
          expectError(await signIn(service, 'the owner', { headers: { cookie: header } }), tooMany);
      });

      test('by a browser that is known has a few tries as well', async () => {
        rest();
        const { cookie } = await signUp(service, { user_name: 'stolen browser' });
        expect((await guess('stolen browser', { cookie })).count).toBe(third);
        // Others are not held up by it.
        expect((await signIn(service, 'stolen browser')).status).toBe(200);
      });

      test('whose names are taken, by an invitation, is held up by network and account', async () => {
        const elsewhere = await startTestService(engine, {
          settings: { SIGN_INS_PER_NETWORK: '9', TRUSTED_PROXIES: '127.0.0.1' },
        });
        const { cookie } = await signUp(elsewhere, { user_name: 'ada' });
        const account_id = await elsewhere.newAccount();
        const order = { account_id, manager_id: 0, name: '', now: elsewhere.clock.now };
        const invitation = async () => (await elsewhere.store.perform(invitePerson, order)).secret;
        const tryName = async (user_name: string, from: string) =>
          await elsewhere.call('POST', '/manage/v1/links/use', {
            token: null,
            headers: { 'x-forwarded-for': from },
            body: { link: await invitation(), user_name, password: goodPassword },
          });
        // Each by an invitation of its own, which has tries of its own.
        for (let tries = 0; tries < 3; tries += 1)
          expectError(await tryName('ada', '203.0.113.1'), {
            status: 400,
            code: 400001,
            fields: ['user_name'],
          });
        expectError(await tryName('ada', '203.0.113.1'), tooMany);
        // Nor does it help to have another network: it is the account's.
        expectError(await tryName('ada', '203.0.113.2'), tooMany);
        const headers = { 'x-forwarded-for': '203.0.113.1' };
        expectError(await signIn(elsewhere, 'ada', { headers }), tooMany);
        // The owner comes in, and who has a name of their own does when it is their turn.
        const known = await signIn(elsewhere, 'ada', { headers: { ...headers, cookie } });
        expect(known.status).toBe(200);
        elsewhere.clock.now += 400_000;
        expect((await tryName('somebody new', '203.0.113.2')).status).toBe(200);
        expect((await tryName('another new', '203.0.113.2')).status).toBe(200);
        await elsewhere.stop();
      });

      test('at many names is held up by the network, and is counted', async () => {
        const elsewhere = await startTestService(engine, {
          settings: { SIGN_INS_PER_NETWORK: '9' },
          hasDearPasswords: true,
        });
        const { cookie } = await signUp(elsewhere, { user_name: 'ada' });
        const kept = await elsewhere.store.one<{ password_hash: string }>(
          'SELECT password_hash FROM persons',
        );
        const { memoryCost, timeCost } = signInLimits.hash;
        expect(kept?.password_hash).toStartWith(`$argon2id$v=19$m=${memoryCost},t=${timeCost},`);
        const statuses: number[] = [];
        for (const name of ['a', 'b', 'c', 'd', 'ada'])
          statuses.push((await signIn(elsewhere, name)).status);
        expect(statuses).toEqual([401, 401, 401, 429, 429]);
        const { text } = await elsewhere.call('GET', '/metrics', { token: null });
        expect(text).toContain('footlight_refusals_total{kind="sign_in",reason="network"} 2\n');
        // The browser that is known comes in from the same network.
        expect((await signIn(elsewhere, 'ada', { headers: { cookie } })).status).toBe(200);
        await elsewhere.stop();
      });
    });

    test('no secret is kept: neither of sessions and links nor passwords', async () => {
      const cookie = cookieOf(await signIn(service, 'ada@example.com'));
      const link = await consoleLink();
      const rows = [
        ...(await store.all<object>('SELECT * FROM persons')),
        ...(await store.all<object>('SELECT * FROM console_sessions')),
        ...(await store.all<object>('SELECT * FROM console_links')),
      ];
      const text = JSON.stringify(rows);
      expect(rows.length).toBeGreaterThan(10);
      for (const secret of [sessionIn(cookie), link, goodPassword]) {
        expect(text).not.toContain(secret);
        expect(service.logLines.join('\n')).not.toContain(secret);
      }
      const [{ password_hash = '' } = {}] = await store.all<{ password_hash: string }>(
        'SELECT password_hash FROM persons',
      );
      expect(password_hash).toStartWith('$argon2id$');
    });
  });
}

function sessionIn(cookie: string): string {
  return /footlight_console=(\w+)/.exec(cookie)?.[1] ?? '';
}

/** Resolves when it is written that a session was just used: nobody waits for it. */
async function used(service: TestService, cookie: string): Promise<void> {
  const { clock } = service;
  for (;;) {
    const { body } = await callByCookie(service, 'GET', '/manage/v1/me/sessions', { cookie });
    const shown = body.sessions.find(({ current }: { current: boolean }) => current).last_used_at;
    if (Date.parse(`${shown.replace(' ', 'T')}Z`) === clock.now) return;
  }
}
