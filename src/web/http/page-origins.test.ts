// Requests by the console's cookie that pages of others make: forms, scripts, frames, other ports of the host.
import { afterAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { callByCookie, cookieOf, goodPassword, signUp } from '../../../test/support/people.ts';
import { expectError } from '../../../test/support/scenarios.ts';
import { startTestService } from '../../../test/support/service.ts';

const [engine] = engines;
if (!engine) throw new Error('there is no engine');
const service = await startTestService(engine);
afterAll(() => service.stop());
const { cookie } = await signUp(service, { user_name: 'ada' });
const json = 'application/json';
const foreignPage = { status: 403, code: 403010 };

const channels = async () =>
  (await callByCookie(service, 'GET', '/v1/activities', { cookie })).body.meta.total as number;

/** A create as somebody sends it with the person's cookie. */
const create = (headers: Record<string, string>, body = '{"name":"made"}') =>
  service.call('POST', '/v1/activities', { token: null, body, headers: { cookie, ...headers } });

describe('a write by the cookie', () => {
  test('is done for a page of ours', async () => {
    const before = await channels();
    const reply = await create({ origin: service.url, 'sec-fetch-site': 'same-origin' });
    expect(reply.status).toBe(200);
    expect((await create({ origin: service.url })).status).toBe(200);
    expect(await channels()).toBe(before + 2);
  });

  const port = Number(new URL(service.url).port);
  const refused: [string, Record<string, string>][] = [
    ['without Origin', {}],
    ['from another site', { origin: 'https://attacker.example' }],
    ['from another port of the host', { origin: `http://127.0.0.1:${port + 1}` }],
    ['from the host without a port', { origin: 'http://127.0.0.1' }],
    ['from the host by another scheme', { origin: `https://127.0.0.1:${port}` }],
    ['from a name of the same address', { origin: `http://localhost:${port}` }],
    ['from a name that begins like ours', { origin: `${service.url}.attacker.example` }],
    ['from a frame without an origin', { origin: 'null' }],
    ['with an empty Origin', { origin: '' }],
    ['with two origins', { origin: `${service.url} https://attacker.example` }],
    [
      'that the browser says is of another site',
      { origin: service.url, 'sec-fetch-site': 'cross-site' },
    ],
    [
      'that the browser says is of a neighbour',
      { origin: service.url, 'sec-fetch-site': 'same-site' },
    ],
    ['as a form', { origin: service.url, 'content-type': 'application/x-www-form-urlencoded' }],
    ['as a form with a file', { origin: service.url, 'content-type': 'multipart/form-data' }],
    ['as plain text', { origin: service.url, 'content-type': 'text/plain' }],
    [
      'as text that ends like JSON',
      { origin: service.url, 'content-type': 'text/plain; application/json' },
    ],
    ['without a type', { origin: service.url, 'content-type': '' }],
  ];
  test.each(refused)('%s is refused', async (_, headers) => {
    const before = await channels();
    expectError(await create({ 'content-type': json, ...headers }), foreignPage);
    expect(await channels()).toBe(before);
  });

  test('that deletes needs no type, and all the rest', async () => {
    const { body } = await create({ origin: service.url });
    const remove = (headers: Record<string, string>) =>
      service.call('DELETE', `/v1/activities/${body.id}`, {
        token: null,
        headers: { cookie, ...headers },
      });
    for (const headers of [
      {},
      { 'content-type': json },
      { origin: 'null' },
      { origin: 'https://attacker.example' },
      { origin: service.url, 'content-type': 'text/plain' },
      { origin: service.url, 'sec-fetch-site': 'same-site' },
    ] as Record<string, string>[])
      expectError(await remove(headers), foreignPage);
    expect((await remove({ origin: service.url })).status).toBe(200);
  });

  test('with a token beside it is the token’s', async () => {
    const headers = { cookie, origin: 'https://attacker.example' };
    const body = { name: 'by token' };
    expect((await service.call('POST', '/v1/activities', { body, headers })).status).toBe(200);
    const token = await service.newToken({ scopes: ['channels:read'] });
    const own = { cookie, origin: service.url };
    const reply = await service.call('POST', '/v1/activities', { token, body, headers: own });
    expectError(reply, { status: 403, code: 403001 });
  });

  test('is counted where it is refused', async () => {
    const { text } = await service.call('GET', '/metrics', { token: null });
    const [, count] =
      /footlight_refusals_total\{kind="http",reason="foreign_page"\} (\d+)/.exec(text) ?? [];
    expect(Number(count)).toBeGreaterThanOrEqual(refused.length);
  });
});

describe('a read by the cookie', () => {
  test.each([
    { origin: 'https://attacker.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site' },
  ])('with %j is refused', async (headers) => {
    const reply = await service.call('GET', '/v1/activities', {
      token: null,
      headers: { cookie, ...headers } as Record<string, string>,
    });
    expectError(reply, foreignPage);
  });

  test('is for our own pages alone: no frame shows it, no other origin reads it', async () => {
    for (const headers of [{}, { origin: service.url }, { 'sec-fetch-site': 'none' }]) {
      const reply = await callByCookie(service, 'GET', '/v1/activities', {
        cookie,
        headers: headers as Record<string, string>,
      });
      expect(reply.status).toBe(200);
      expect(reply.headers.get('x-frame-options')).toBe('DENY');
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
      expect(reply.headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(reply.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  test('a preflight is not answered', async () => {
    const reply = await fetch(`${service.url}/v1/activities`, {
      method: 'OPTIONS',
      headers: { origin: 'https://attacker.example', 'access-control-request-method': 'POST' },
    });
    expect(reply.status).toBe(405);
    expect(reply.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('signing in', () => {
  const body = { user_name: 'ada', password: goodPassword };
  const from = (headers: Record<string, string>) =>
    service.call('POST', '/manage/v1/sign-in', { token: null, body, headers });

  test('from another’s page is refused: nobody is signed in as somebody else', async () => {
    for (const headers of [
      { origin: 'https://attacker.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ] as Record<string, string>[]) {
      const reply = await from(headers);
      expectError(reply, foreignPage);
      expect(reply.headers.getSetCookie()).toEqual([]);
    }
  });

  test('from our own, or from a program, is not', async () => {
    expect((await from({ origin: service.url })).status).toBe(200);
    expect((await from({})).status).toBe(200);
  });

  test('out from another’s page, or without a word of whose it is, is refused', async () => {
    const sent: Record<string, string>[] = [
      { origin: 'http://127.0.0.1:1' },
      {},
      { origin: service.url, 'content-type': 'text/plain' },
      { origin: service.url, 'content-type': '' },
    ];
    for (const headers of sent) {
      const reply = await service.call('POST', '/manage/v1/sign-out', {
        token: null,
        body: '{}',
        headers: { cookie, ...headers },
      });
      expectError(reply, foreignPage);
    }
    expect((await callByCookie(service, 'GET', '/manage/v1/me', { cookie })).status).toBe(200);
  });
});

test('with PUBLIC_URL our pages come from there too, and over HTTPS the cookie is bound to the host', async () => {
  const settings = { PUBLIC_URL: 'https://live.example.com/shows' };
  const secure = await startTestService(engine, { settings });
  const person = await signUp(secure, { user_name: 'ada' });
  const body = { user_name: 'ada', password: goodPassword };
  const reply = await secure.call('POST', '/manage/v1/sign-in', { token: null, body });
  for (const set of reply.headers.getSetCookie()) {
    expect(set).toMatch(
      /^__Host-footlight_\w+=\S+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(set).not.toContain('Domain');
  }
  const from = (origin: string) =>
    callByCookie(secure, 'POST', '/v1/activities', {
      cookie: person.cookie,
      body: { name: 'x' },
      headers: { origin },
    });
  expect((await from('https://live.example.com')).status).toBe(200);
  expect((await from(secure.url)).status).toBe(200);
  expectError(await from('http://live.example.com'), foreignPage);
  // A neighbour below the same domain can set the plain name, which is not looked at.
  const plain = person.cookie.replaceAll('__Host-', '');
  const me = await callByCookie(secure, 'GET', '/manage/v1/me', { cookie: plain });
  expectError(me, { status: 401, code: 401001 });
  expect(cookieOf(reply)).toContain('__Host-footlight_console=');
  await secure.stop();
});
