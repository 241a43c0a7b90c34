// What a page on another port of the host can do with the console's cookie, in Debian's Chromium: nothing.
import { afterAll, beforeAll, describe, expect } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { noChromium, startBrowser } from './support/browser.ts';
import { engines } from './support/engines.ts';
import { testWith } from './support/needs.ts';
import { browserCookies, goodPassword, signUp } from './support/people.ts';
import { startTestService, type TestService } from './support/service.ts';
import { newViewer } from './support/viewer-page.ts';

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
  await context.addCookies(browserCookies(cookie, service));
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

  testWith(noChromium, 'shows no console in a frame', async () => {
    const { page, service } = parts();
    await page.goto(elsewhere(`<iframe src="${service.url}/console/channels"></iframe>`));
    const [, frame] = page.frames();
    expect(await frame?.content()).not.toContain('Footlight');
  });

  testWith(noChromium, 'opens no stream of events to another port', async () => {
    const { page, service } = parts();
    await page.goto(elsewhere());
    const before = await refused();
    const address = `${service.url}/manage/v1/channels/1/live`;
    const told = await page.evaluate(`new Promise((resolve) => {
      const events = new EventSource('${address}', { withCredentials: true });
      events.onopen = () => resolve('opened');
      events.onerror = () => resolve('refused');
    })`);
    expect(told).toBe('refused');
    expect(await refused()).toBe(before + 1);
  });

  testWith(noChromium, 'guesses no password through the browser of another', async () => {
    const { page, service } = parts();
    await page.goto(elsewhere());
    const before = await refused();
    await page.evaluate(async (url) => {
      const body = '{"user_name":"ada","password":"a guess"}';
      await fetch(url, { method: 'POST', mode: 'no-cors', body });
    }, `${service.url}/manage/v1/sign-in`);
    expect(await refused()).toBe(before + 1);
  });

  testWith(noChromium, 'is not one that another port has set', async () => {
    const { service, browser } = parts();
    const context = await browser.newContext();
    const page = await context.newPage();
    const [name = ''] = (await signUp(service, { user_name: 'bob' })).cookie.split('=');
    const known = 'a'.repeat(43);
    await page.goto(elsewhere());
    await page.evaluate(`document.cookie = '${name}=${known}; path=/'`);
    await page.goto(`${service.url}/livez`);
    const body = JSON.stringify({ user_name: 'bob', password: goodPassword });
    const status = await page.evaluate(async (text) => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch('/manage/v1/sign-in', { method: 'POST', headers, body: text })).status;
    }, body);
    expect(status).toBe(200);
    const cookie = `${name}=${known}`;
    const asThey = await service.call('GET', '/manage/v1/me', { token: null, headers: { cookie } });
    expect(asThey.status).toBe(401);
    await context.close();
  });

  testWith(noChromium, 'of a manager reaches no show of another', async () => {
    const { service, browser } = parts();
    const manager_id = await service.newManager('carol');
    const { cookie } = await signUp(service, { user_name: 'carol', manager_id });
    const context = await browser.newContext();
    await context.addCookies(browserCookies(cookie, service));
    const page = await context.newPage();
    await page.goto(`${service.url}/livez`);
    const statuses = await page.evaluate(async () => {
      const paths = ['/v1/activities/1/report', '/manage/v1/channels/1/shows'];
      return await Promise.all(paths.map(async (path) => (await fetch(path)).status));
    });
    expect(statuses).toEqual([404, 404]);
    await context.close();
  });
});

describe('a page of another port', () => {
  testWith(noChromium, 'is not let in among the viewers', async () => {
    const { browser, service } = started as Required<typeof started>;
    const context = await newViewer(browser);
    const page = await context.newPage();
    await page.goto(elsewhere());
    const heard = await page.evaluate(`new Promise((resolve) => {
      const socket = new WebSocket('${service.url.replace('http', 'ws')}/audience');
      const said = [];
      socket.onopen = () => socket.send('{"type":"hello","ticket":"none"}');
      socket.onmessage = ({ data }) => said.push(JSON.parse(data).type);
      socket.onclose = () => resolve(said);
    })`);
    await context.close();
    expect(heard).not.toContain('welcome');
    const { text } = await service.call('GET', '/metrics', { token: null });
    const [, refused] = /kind="page",reason="origin"\} (\d+)/.exec(text) ?? [];
    expect(refused).toBe('1');
  });
});
