// What a page on another port of the host can do with the console's cookie, in Debian's Chromium: nothing.
import { afterAll, beforeAll, describe, expect } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { noChromium, startBrowser } from './support/browser.ts';
import { engines } from './support/engines.ts';
import { testWith } from './support/needs.ts';
import { signUp } from './support/people.ts';
import { startTestService, type TestService } from './support/service.ts';

const started: { service?: TestService; browser?: Browser; page?: Page } = {};

/** Shows whatever markup its address holds. */
const attacker = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: ({ url }) =>
    new Response(`<!doctype html>${new URL(url).searchParams.get('markup')}`, {
      headers: { 'content-type': 'text/html; charset=utf-8' },
    }),
});
const elsewhere = (markup = '') =>
  `http://127.0.0.1:${attacker.port}/?markup=${encodeURIComponent(markup)}`;

beforeAll(async () => {
  if (noChromium !== undefined) return;
  const service = await startTestService(engines[0] as (typeof engines)[number]);
  const { cookie } = await signUp(service, { user_name: 'ada' });
  const browser = await startBrowser();
  const context = await browser.newContext();
  await context.addCookies(
    cookie.split('; ').map((one) => {
      const [name = '', value = ''] = one.split('=');
      return { name, value, url: service.url, httpOnly: true, sameSite: 'Strict' };
    }),
  );
  Object.assign(started, { service, browser, page: await context.newPage() });
});
afterAll(async () => {
  await started.browser?.close();
  await attacker.stop(true);
  await started.service?.stop();
});

describe('the console’s cookie', () => {
  const parts = () => started as Required<typeof started>;

  const channels = async () =>
    (await parts().service.call('GET', '/v1/activities')).body.meta.total as number;
  /** Requests with the cookie that were refused for where they came from. */
  const refused = async () => {
    const { text } = await parts().service.call('GET', '/metrics', { token: null });
    return Number(/kind="http",reason="foreign_page"\} (\d+)/.exec(text)?.[1]);
  };

  testWith(noChromium, 'serves a page of ours', async () => {
    const { page, service } = parts();
    await page.goto(`${service.url}/livez`);
    const status = await page.evaluate(async () => {
      const headers = { 'content-type': 'application/json' };
      const order = { method: 'POST', headers, body: '{"name":"made"}' };
      return (await fetch('/v1/activities', order)).status;
    });
    expect(status).toBe(200);
    expect(await channels()).toBe(1);
  });

  testWith(noChromium, 'comes along from another port, and is refused there', async () => {
    const { page, service } = parts();
    await page.goto(elsewhere());
    const target = `${service.url}/v1/activities`;
    const before = await refused();
    await page.evaluate(async (url) => {
      const order = { method: 'POST', body: '{"name":"forged"}' } as const;
      await fetch(url, { ...order, mode: 'no-cors', credentials: 'include' });
      await fetch(url, { mode: 'no-cors', credentials: 'include' });
    }, target);
    // Without the cookie they would have been unauthorized: the browser does send it.
    expect(await refused()).toBe(before + 2);
    expect(await channels()).toBe(1);
  });

  testWith(noChromium, 'is of no use to a script that asks first', async () => {
    const { page, service } = parts();
    await page.goto(elsewhere());
    const told = await page.evaluate(async (url) => {
      const headers = { 'content-type': 'application/json' };
      const order = { method: 'POST', headers, body: '{"name":"forged"}' };
      return await fetch(url, { ...order, credentials: 'include' }).then(
        () => 'answered',
        (error: Error) => error.name,
      );
    }, `${service.url}/v1/activities`);
    expect(told).toBe('TypeError');
    expect(await channels()).toBe(1);
  });

  testWith(noChromium, 'is of no use to a form', async () => {
    const { page, service } = parts();
    const target = `${service.url}/v1/activities`;
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const before = await refused();
      await page.goto(
        elsewhere(`<form method="post" action="${target}" enctype="${type}">
          <input name='{"name":"forged","a":"' value='"}'><button>Win</button></form>`),
      );
      const [reply] = await Promise.all([
        page.waitForNavigation({ url: target }),
        page.click('button'),
      ]);
      expect(reply?.status()).toBe(403);
      expect(await refused()).toBe(before + 1);
    }
    expect(await channels()).toBe(1);
  });

  testWith(noChromium, 'shows nothing in a frame', async () => {
    const { page, service } = parts();
    const shown = async (path: string) => {
      await page.goto(elsewhere(`<iframe src="${service.url}${path}"></iframe>`));
      const [, frame] = page.frames();
      return await frame?.content();
    };
    expect(await shown('/livez')).toContain('ok');
    expect(await shown('/v1/activities')).not.toContain('made');
  });
});
