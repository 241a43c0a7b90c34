// The console over HTTP: one document for all of its views, what it frames, its files.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { signUp } from '../../../test/support/people.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';

import { createAccount } from '../../library/access/account-store.ts';
import { createManager } from '../../library/access/manager-store.ts';

const started: { service?: TestService; id?: number; cookie?: string } = {};
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch((started.service?.url ?? '') + path, { headers, redirect: 'manual' });

beforeAll(async () => {
  const service = await startTestService(engines[0] as (typeof engines)[number]);
  const made = await service.call('POST', '/v1/activities', { body: { name: 'Show' } });
  const { cookie } = await signUp(service, { user_name: 'ada' });
  Object.assign(started, { service, id: made.body.id, cookie });
});

afterAll(async () => {
  await started.service?.stop();
});

describe('the document', () => {
  test.each(['/console', '/console/', '/console/channels/7/page', '/console/no/such/view'])(
    'of %s is the same, framed by nobody and never kept',
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('x-frame-options')).toBe('DENY');
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toContain('unsafe');
      expect(await response.text()).toContain('<div id="console">');
    },
  );

  test('is out of reach for other windows and sites, and asks a browser for nothing', async () => {
    const { headers } = await get('/console');
    expect(Object.fromEntries(headers)).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
    const features = (headers.get('permissions-policy') ?? '').split(', ');
    expect(features).toContain('camera=()');
    expect(features).toContain('display-capture=()');
    expect(features.every((feature) => feature.endsWith('=()'))).toBeTrue();
    const rules = new Map(
      (headers.get('content-security-policy') ?? '')
        .split('; ')
        .map((rule) => rule.split(/ (.*)/s) as [string, string]),
    );
    expect(rules.get('default-src')).toBe("'none'");
    expect(rules.get('connect-src')).toBe("'self'");
    expect(rules.get('form-action')).toBe("'none'");
    expect(rules.get('base-uri')).toBe("'none'");
  });

  test('comes in the looks that were chosen', async () => {
    const plain = await (await get('/console', { 'accept-language': 'zh-CN' })).text();
    expect(plain).toContain('<html lang="zh-CN" data-language="zh" data-scheme="system">');
    const chosen = { cookie: 'footlight_look=dark.en', 'accept-language': 'zh-CN' };
    const text = await (await get('/console', chosen)).text();
    expect(text).toContain('<html lang="en" data-language="en" data-scheme="dark">');
  });
});

test('its first paint weighs less than 150 KB, also over plain HTTP', async () => {
  const page = await (await get('/console')).text();
  const files = [...page.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, file]) => file ?? '');
  expect(files).toHaveLength(2);
  let bytes = (await sentOf('/console')).bytes;
  for (const file of files) {
    const { bytes: weight, headers } = await sentOf(file);
    expect(headers.get('cache-control')).toContain('immutable');
    expect(headers.get('content-encoding')).toBe('gzip');
    bytes += weight;
  }
  expect(bytes).toBeLessThan(150_000);
});

/** What goes over the line, not what a browser makes of it. */
async function sentOf(path: string) {
  const response = await fetch((started.service?.url ?? '') + path, {
    headers: { 'accept-encoding': 'gzip' },
    decompress: false,
  });
  return { headers: response.headers, bytes: (await response.arrayBuffer()).byteLength };
}

describe('what the console frames', () => {
  test('stands in no frame but ours', async () => {
    for (const path of ['/console/preview', `/console/watch/${started.id}`]) {
      const response = await get(path, { cookie: started.cookie ?? '' });
      expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'self'");
      expect(response.headers.get('x-frame-options')).toBe('SAMEORIGIN');
      expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
  });

  test('of a channel is its player, which lets nobody in', async () => {
    const response = await get(`/console/watch/${started.id}`, { cookie: started.cookie ?? '' });
    const text = await response.text();
    expect(text).toContain('<body class="embed"');
    expect(/"ticket":"([^"]*)"/.exec(text)?.[1]).toBe('');
    expect(response.headers.get('set-cookie')).toBeNull();
  });

  test.each(['0', '999999', 'x', '1%2f2'])('of channel %s is nothing', async (id) => {
    const headers = { cookie: started.cookie ?? '' };
    expect((await get(`/console/watch/${id}`, headers)).status).toBe(404);
  });

  test('of a channel is for nobody who has not signed in, nor for others than its own', async () => {
    const { service, id } = started;
    if (!service) throw new Error('there is no service');
    const path = `/console/watch/${id}`;
    for (const headers of [{}, { cookie: 'footlight_session=nobody' }] as const) {
      const response = await get(path, headers);
      expect([response.status, response.headers.get('location')]).toEqual([303, '/console']);
      expect(await response.text()).toBe('');
    }
    const { store, clock } = service;
    const order = { name: 'theirs', plan: 'standard', now: clock.now } as const;
    const account_id = await store.perform(createAccount, order);
    const manager = { account_id: 1, username: 'mae', now: clock.now };
    const manager_id = await store.perform(createManager, manager);
    for (const one of [
      { user_name: 'bob', account_id },
      { user_name: 'mae', manager_id },
    ]) {
      const { cookie } = await signUp(service, one);
      expect((await get(path, { cookie })).status).toBe(404);
    }
  });
});

test.each(['console.js', '..%2fconsole-routes.ts', 'console-0.js'])(
  'there is no file %s',
  async (file) => {
    expect((await get(`/console/assets/${file}`)).status).toBe(404);
  },
);
