// People, who they are and where they have signed in: by their own cookies, by tokens, and beside a second service.
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
import { startTestService } from '../../../test/support/service.ts';
import { openTestStore } from '../../../test/support/store.ts';
import { managerScopes, scopes } from '../../base/api/caller.ts';
import { removeManager } from '../access/manager-store.ts';
import { endPersonSessions, removePerson } from './person-store.ts';

const unauthorized = { status: 401, code: 401001 };
const wrongPassword = { status: 401, code: 401010 };
const noAccess = { status: 403, code: 403001 };
const noPermission = { status: 403, code: 403002 };
const noPerson = { status: 404, code: 404011 };
const lastPerson = { status: 409, code: 409010 };

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

for (const engine of engines) {
  describe(engine.name, async () => {
    const many = { SIGN_INS_PER_PERSON: '100000', SIGN_INS_PER_NETWORK: '100000' };
    const service = await startTestService(engine, { settings: many });
    afterAll(() => service.stop());
    const { clock, store } = service;
    const ada = await signUp(service, { user_name: 'ada' });
    const anna = await service.newManager('anna');
    const get = (path: string, cookie: string) =>
      callByCookie(service, 'GET', `/manage/v1${path}`, { cookie });
    const post = (path: string, cookie: string, body: object = {}) =>
      callByCookie(service, 'POST', `/manage/v1${path}`, { cookie, body });
    const put = (path: string, cookie: string, body: object) =>
      callByCookie(service, 'PUT', `/manage/v1${path}`, { cookie, body });

    describe('who asks', () => {
      test('as a person of the account may do everything', async () => {
        const { body } = await get('/me', ada.cookie);
        expect(body).toEqual({
          person: { id: ada.id, name: 'ada', user_name: 'ada' },
          account: { id: 1, name: 'first', plan: 'traffic' },
          manager: null,
          scopes: [...scopes],
          time_zone: 'UTC',
          now: '2026-05-04 12:00:00',
        });
      });

      test('as a manager’s person may do what a manager’s token may', async () => {
        const person = await signUp(service, { user_name: 'annas', manager_id: anna });
        const { body } = await get('/me', person.cookie);
        expect(body.manager).toEqual({ id: anna, username: 'anna' });
        expect(body.scopes).toEqual([...managerScopes]);
        const own = { cookie: person.cookie, body: { name: 'annas show' } };
        await callByCookie(service, 'POST', '/v1/activities', own);
        const others = { cookie: ada.cookie, body: { name: 'adas show' } };
        const { body: adas } = await callByCookie(service, 'POST', '/v1/activities', others);
        const { cookie } = person;
        const listed = await callByCookie(service, 'GET', '/v1/activities', { cookie });
        expect(listed.body.activities).toMatchObject([{ name: 'annas show', manager: anna }]);
        const reached = await callByCookie(service, 'PUT', `/v1/activities/${adas.id}`, own);
        expectError(reached, { status: 404, code: 404002 });
        expectError(await get('/people', person.cookie), noAccess);
      });

      test('by a token is no person', async () => {
        const token = await service.newToken({ scopes: ['videos:read'], manager_id: anna });
        const { body } = await service.call('GET', '/manage/v1/me', { token });
        expect(body).toMatchObject({
          person: null,
          manager: { id: anna, username: 'anna' },
          scopes: ['videos:read'],
        });
        expectError(await service.call('GET', '/manage/v1/me/sessions'), noPermission);
      });

      test('is told the time anew each time, and who they are, not who asked before', async () => {
        const eve = await signUp(service, { user_name: 'eve' });
        // Nothing is written in between, so answers that may be remembered are.
        const version = store.version();
        const namedTo = async (cookie: string) => (await get('/me', cookie)).body.person.user_name;
        expect([await namedTo(ada.cookie), await namedTo(eve.cookie)]).toEqual(['ada', 'eve']);
        const sessionOf = async (cookie: string) =>
          (await get('/me/sessions', cookie)).body.sessions[0].id;
        expect(await sessionOf(ada.cookie)).not.toBe(await sessionOf(eve.cookie));
        clock.now += 5_000;
        expect((await get('/me', ada.cookie)).body.now).toBe('2026-05-04 12:00:05');
        expect(store.version()).toBe(version);
      });

      test('may take another name', async () => {
        const { body } = await put('/me', ada.cookie, { name: ' Ada L. ' });
        expect(body.person).toEqual({ id: ada.id, name: 'Ada L.', user_name: 'ada' });
        expect((await put('/me', ada.cookie, {})).body.person.name).toBe('Ada L.');
      });
    });

    describe('a new password', () => {
      test('needs the old one, and ends the other sessions', async () => {
        const { cookie } = await signUp(service, { user_name: 'changing' });
        const other = cookieOf(await signIn(service, 'changing'));
        const password = 'a newer password';
        expectError(await put('/me', cookie, { password }), {
          status: 400,
          code: 400002,
          fields: ['old_password'],
        });
        const wrong = await put('/me', cookie, { password, old_password: 'not the old one' });
        expectError(wrong, wrongPassword);
        const bad = await put('/me', cookie, { password: 'changing', old_password: goodPassword });
        expectError(bad, { status: 400, code: 400001, fields: ['password'] });
        expect((await get('/me', other)).status).toBe(200);
        const changed = await put('/me', cookie, { password, old_password: goodPassword });
        expect(changed.status).toBe(200);
        expect((await get('/me', cookie)).status).toBe(200);
        expectError(await get('/me', other), unauthorized);
        expectError(await signIn(service, 'changing'), wrongPassword);
        expect((await signIn(service, 'changing', { password })).status).toBe(200);
      });

      test('is not found by who guesses the old one by a session that was left open', async () => {
        const settings = { SIGN_INS_PER_PERSON: '6' };
        const elsewhere = await startTestService(engine, { settings });
        const { cookie } = await signUp(elsewhere, { user_name: 'left open' });
        const guess = (old_password: string) =>
          callByCookie(elsewhere, 'PUT', '/manage/v1/me', {
            cookie,
            body: { password: 'a newer password', old_password },
          });
        for (const old of ['a guess', 'another']) expectError(await guess(old), wrongPassword);
        const third = await guess(goodPassword);
        expectError(third, { status: 429, code: 429001 });
        // Elsewhere the person signs in as ever.
        expect((await signIn(elsewhere, 'left open')).status).toBe(200);
        elsewhere.clock.now += Number(third.headers.get('retry-after')) * 1_000;
        expect((await guess(goodPassword)).status).toBe(200);
        await elsewhere.stop();
      });

      test('makes a reset that is open useless', async () => {
        const { id, cookie } = await signUp(service, { user_name: 'reset and changed' });
        const { body } = await post(`/people/${id}/reset`, ada.cookie);
        const link = body.link.split('#')[1];
        await put('/me', cookie, { password: 'a newer password', old_password: goodPassword });
        const used = await service.call('POST', '/manage/v1/links/use', {
          token: null,
          body: { link, password: 'an attacker’s own' },
        });
        expectError(used, { status: 404, code: 404010 });
      });
    });

    describe('sessions', () => {
      test('are listed with where and by what, the one that asks marked', async () => {
        const { cookie } = await signUp(service, { user_name: 'at home' });
        clock.now += 60_000;
        const headers = { 'user-agent': firefox };
        const other = cookieOf(await signIn(service, 'at home', { headers }));
        const { body } = await get('/me/sessions', other);
        expect(body.sessions).toMatchObject([
          { address: '127.0.0.1', device: 'PC', browser: 'Firefox', current: true },
          { address: '127.0.0.1', device: 'Other', browser: 'Other', current: false },
        ]);
        const [, first] = body.sessions;
        expect((await post(`/me/sessions/${first.id}/end`, other)).body).toEqual({
          result: 'success',
        });
        expectError(await get('/me', cookie), unauthorized);
        expectError(await post(`/me/sessions/${first.id}/end`, other), {
          status: 404,
          code: 404012,
        });
      });

      test('may be ended all but this one, and nobody else’s', async () => {
        const { cookie } = await signUp(service, { user_name: 'careful' });
        const others = [await signIn(service, 'careful'), await signIn(service, 'careful')];
        expect((await post('/me/sessions/end-others', cookie)).body).toEqual({ ended: 2 });
        for (const other of others) expectError(await get('/me', cookieOf(other)), unauthorized);
        expect((await get('/me', cookie)).status).toBe(200);
        expect((await get('/me', ada.cookie)).status).toBe(200);
      });

      test('say at most once a minute that they are used: other answers stay remembered', async () => {
        const { cookie } = await signUp(service, { user_name: 'busy' });
        const shown = async () =>
          (await get('/me/sessions', cookie)).body.sessions[0].last_used_at as string;
        const first = await shown();
        clock.now += 59_000;
        await get('/me', cookie);
        const version = store.version();
        for (let count = 0; count < 5; count += 1) expect(await shown()).toBe(first);
        expect(store.version()).toBe(version);
        clock.now += 1_000;
        while ((await shown()) === first);
      });

      test('of a person are ended by the account', async () => {
        const { id, cookie } = await signUp(service, { user_name: 'ended' });
        expect((await post(`/people/${id}/end-sessions`, ada.cookie)).body).toEqual({ ended: 1 });
        expectError(await get('/me', cookie), unauthorized);
        expect((await signIn(service, 'ended')).status).toBe(200);
      });

      test('are refused at once where another process has ended them or removed their person', async () => {
        const { DATA_DIR = '', DATABASE_URL = '' } = service.settings;
        const fresh = async () => ({ DATA_DIR, DATABASE_URL });
        const beside = await openTestStore({ ...engine, fresh });
        const one = await signUp(service, { user_name: 'one' });
        const two = await signUp(service, { user_name: 'two' });
        for (const { cookie } of [one, two]) expect((await get('/me', cookie)).status).toBe(200);
        await beside.perform(endPersonSessions, { account_id: undefined, person_id: one.id });
        expectError(await get('/me', one.cookie), unauthorized);
        expect((await get('/me', two.cookie)).status).toBe(200);
        await beside.perform(removePerson, { account_id: undefined, person_id: two.id });
        expectError(await get('/me', two.cookie), unauthorized);
        await beside.close();
      });
    });

    describe('people', () => {
      test('are invited, listed and removed', async () => {
        const invited = await post('/people/invite', ada.cookie, { manager_id: anna, name: 'Ann' });
        expect(invited.body.link).toStartWith(`${service.url}/console/link#`);
        const open = async () => (await get('/people', ada.cookie)).body.invitations;
        expect(await open()).toMatchObject([
          { name: 'Ann', manager: { id: anna, username: 'anna' } },
        ]);
        const joined = await service.call('POST', '/manage/v1/links/use', {
          token: null,
          body: {
            link: invited.body.link.split('#')[1],
            user_name: 'ann',
            password: goodPassword,
          },
        });
        expect(joined.body.person).toMatchObject({ name: 'Ann', user_name: 'ann' });
        expect(await open()).toEqual([]);
        const { id } = joined.body.person;
        const listed = (await get('/people', ada.cookie)).body.people;
        expect(listed.find((one: { id: number }) => one.id === id)).toMatchObject({
          name: 'Ann',
          manager: { id: anna, username: 'anna' },
        });
        expect((await post(`/people/${id}/remove`, ada.cookie)).status).toBe(200);
        expectError(await get('/me', cookieOf(joined)), unauthorized);
        expectError(await signIn(service, 'ann'), wrongPassword);
        expectError(await post(`/people/${id}/remove`, ada.cookie), noPerson);
      });

      test('are not invited for a manager of another account, nor after the invitation is withdrawn', async () => {
        const account_id = await service.newAccount();
        const manager_id = await service.newManager('theirs', account_id);
        expectError(await post('/people/invite', ada.cookie, { manager_id }), {
          status: 404,
          code: 404001,
        });
        const { body } = await post('/people/invite', ada.cookie);
        const { id } = (await get('/people', ada.cookie)).body.invitations.at(-1);
        await post(`/people/invitations/${id}/withdraw`, ada.cookie);
        const link = body.link.split('#')[1];
        const looked = await service.call('POST', '/manage/v1/links/look', {
          token: null,
          body: { link },
        });
        expectError(looked, { status: 404, code: 404010 });
      });

      test('of the account’s own side are never all removed, not even two at once', async () => {
        const account_id = await service.newAccount();
        const one = await signUp(service, { user_name: 'left', account_id });
        expectError(await post(`/people/${one.id}/remove`, one.cookie), lastPerson);
        const two = await signUp(service, { user_name: 'right', account_id });
        const replies = await Promise.all([
          post(`/people/${two.id}/remove`, one.cookie),
          post(`/people/${one.id}/remove`, two.cookie),
        ]);
        const statuses = replies.map(({ status }) => status);
        expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      });

      test('of a manager are gone with the manager', async () => {
        const id = await service.newManager('leaving');
        const person = await signUp(service, { user_name: 'leaver', manager_id: id });
        await store.perform(removeManager, { id, now: clock.now });
        expectError(await get('/me', person.cookie), unauthorized);
        expectError(await signIn(service, 'leaver'), wrongPassword);
        // The name is free for somebody else.
        await signUp(service, { user_name: 'leaver' });
      });

      test('are managed by a token as well', async () => {
        const { body } = await service.call('GET', '/manage/v1/people');
        expect(body.people.length).toBeGreaterThan(3);
        const invited = await service.call('POST', '/manage/v1/people/invite', { body: {} });
        expect(invited.body.link).toContain('/console/link#');
      });
    });
  });
}
