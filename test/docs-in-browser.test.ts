// `/docs` in Chromium: on phone and desktop, light and dark, by keyboard; search, copying, and trying an operation for real.
import { afterAll, beforeAll, describe, expect } from 'bun:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { noChromium, startBrowser } from './support/browser.ts';
import { engines } from './support/engines.ts';
import { testWith } from './support/needs.ts';
import { hasNoFinding, overEdge } from './support/page-judge.ts';
import { startTestService } from './support/service.ts';

const [sqlite] = engines;
if (!sqlite) throw new Error('there is no engine');
const service = await startTestService(sqlite);
let browser: Browser;
beforeAll(async () => {
  if (!noChromium) browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await service.stop();
});

const shapes = [
  { name: 'a phone in the dark', viewport: { width: 375, height: 700 }, colorScheme: 'dark' },
  { name: 'a desktop in the light', viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
] as const;

/** A page on which nothing may go wrong: what the policy refuses and what a script throws is noted. */
async function open(options: Parameters<Browser['newContext']>[0] = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems: string[] = [];
  const sent: { method: string; path: string; token: string }[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    const { authorization = '' } = request.headers();
    sent.push({ method: request.method(), path: `${pathname}${search}`, token: authorization });
  });
  return { context, page, problems, sent };
}

const long = ['/docs/guides/settings', '/docs/guides/commands', '/docs/guides/production'];

const go = (page: Page, path: string) => page.goto(`${service.url}${path}`);

describe('on', () => {
  for (const { name, ...shape } of shapes)
    testWith(noChromium, `${name} every kind of page is whole`, async () => {
      const { context, page, problems } = await open(shape);
      for (const path of [
        '/docs/live',
        '/docs/guides/webhooks-and-events',
        '/docs/guides/calling',
      ]) {
        await go(page, path);
        await hasNoFinding(page);
        expect([path, await overEdge(page)]).toEqual([path, 0]);
      }
      // Long ones, which are made of the same parts.
      for (const path of [...long, '/docs', '/docs/channels', '/docs/events']) {
        await go(page, path);
        expect([path, await overEdge(page)]).toEqual([path, 0]);
      }
      expect(problems).toEqual([]);
      await context.close();
    });

  testWith(noChromium, 'a phone and a desktop names in tables are not cut', async () => {
    for (const { viewport } of shapes) {
      const { context, page } = await open({ viewport });
      await go(page, '/docs/guides/settings');
      const lines = await page.evaluate<number[]>(
        `[...document.querySelectorAll('td:first-child > code')].map((one) => one.getClientRects().length)`,
      );
      expect(lines.length).toBeGreaterThan(90);
      expect(Math.max(...lines)).toBe(1);
      await context.close();
    }
  });

  testWith(noChromium, 'a phone the contents are behind a button', async () => {
    const { context, page, problems } = await open({ viewport: shapes[0].viewport });
    await go(page, '/docs/channels');
    expect(await page.locator('nav').isVisible()).toBeFalse();
    await page.getByRole('button', { name: 'Contents' }).click();
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.waitForURL('**/docs/webhooks');
    expect(problems).toEqual([]);
    await context.close();
  });
});

testWith(noChromium, 'the search finds by the keyboard, and asks the service once', async () => {
  const { context, page, sent, problems } = await open();
  await go(page, '/docs');
  await page.keyboard.press('/');
  await page.keyboard.type('show ended');
  await page.locator('search li').first().waitFor();
  expect(await page.locator('search li[aria-selected=true]').textContent()).toContain('show.ended');
  await hasNoFinding(page, 'header');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('404002');
  await page.getByRole('option', { name: '404002' }).first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs/errors#404002');
  expect(sent.filter(({ path }) => path === '/docs/search.json')).toHaveLength(1);
  expect(problems).toEqual([]);
  await context.close();
});

testWith(
  noChromium,
  'the language of examples is chosen once, and what is seen is copied',
  async () => {
    const { context, page, problems } = await open();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await go(page, '/docs/channels');
    const section = page.locator('#createChannel');
    await section.getByRole('button', { name: 'Python' }).click();
    await go(page, '/docs/videos');
    const shown = page.locator('#listVideos .code[data-language=python]');
    expect(await shown.isVisible()).toBeTrue();
    expect(await page.locator('#listVideos .code[data-language=curl]').isVisible()).toBeFalse();
    await shown.getByRole('button').click();
    await shown.getByText('Copied').waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toStartWith('import json, os, urllib.request');
    expect(copied).toContain(`${service.url}/v1/videos`);
    expect(problems).toEqual([]);
    await context.close();
  },
);

testWith(noChromium, 'an operation is tried with one’s own token, and never without', async () => {
  const { context, page, sent, problems } = await open();
  const calls = () => sent.filter(({ path }) => path.startsWith('/v1/'));
  await go(page, '/docs/channels');

  const create = page.locator('#createChannel');
  await create.getByRole('button', { name: 'Try it' }).click();
  await create.getByRole('button', { name: 'Send POST request' }).click();
  await create.getByText('without one nothing is sent').waitFor();
  expect(calls()).toEqual([]);

  await create.getByLabel(/Your token/).fill(service.token);
  await create.getByLabel('name (body, required)').fill('Tried from the page');
  await create.getByRole('button', { name: 'Send POST request' }).click();
  await create.getByText('This changes something').waitFor();
  expect(calls()).toEqual([]);
  await create.getByRole('button', { name: 'Create a channel' }).click();
  await create.getByText('200 OK').waitFor();
  await hasNoFinding(page, '#createChannel');
  const [made] = (await service.call('GET', '/v1/activities')).body.activities;
  expect(made.name).toBe('Tried from the page');

  const list = page.locator('#listChannels');
  await list.getByRole('button', { name: 'Try it' }).click();
  await list.getByLabel('live (query)').fill('0');
  await list.getByRole('button', { name: 'Send GET request' }).click();
  await list.getByText('200 OK').waitFor();
  expect(await list.getByRole('group', { name: 'Answer', exact: true }).textContent()).toContain(
    'Tried from the page',
  );
  // A long line scrolls within its box, whose button stands above it.
  const boxes = await page.evaluate<Record<'form' | 'box' | 'copyEnd' | 'line', number>>(`(() => {
    const at = (name) => document.querySelector('#listChannels .trial' + name).getBoundingClientRect();
    const text = document.querySelector('#listChannels .trial .outcome pre');
    const line = text.getBoundingClientRect().top + parseFloat(getComputedStyle(text).paddingTop);
    return { form: at('').right, box: at(' .outcome .code').right, copyEnd: at(' .outcome .copy').bottom, line };
  })()`);
  expect(boxes.box).toBeLessThan(boxes.form);
  expect(boxes.copyEnd).toBeLessThanOrEqual(boxes.line);
  expect(calls()).toEqual([
    { method: 'POST', path: '/v1/activities', token: `Bearer ${service.token}` },
    { method: 'GET', path: '/v1/activities?live=0', token: `Bearer ${service.token}` },
  ]);

  // The token is there on the next page, which was not left for it, and back.
  await page.locator('nav').getByRole('link', { name: 'Videos and clips' }).click();
  await page.waitForURL('**/docs/videos');
  const videos = page.locator('#listVideos');
  await videos.getByRole('button', { name: 'Try it' }).click();
  await videos.getByRole('button', { name: 'Send GET request' }).click();
  await videos.getByText('200 OK').waitFor();
  await page.goBack();
  await create.getByRole('button', { name: 'Try it' }).waitFor();
  expect(await page.title()).toBe('Channels and pages · Footlight');
  const kept = await page.evaluate<string>(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }])',
  );
  expect(kept).not.toContain(service.token);
  expect(await context.cookies()).toEqual([]);
  expect(problems).toEqual([]);
  await context.close();
});

testWith(noChromium, 'without scripts all examples are there', async () => {
  const context: BrowserContext = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await go(page, '/docs/channels');
  const languages = page.locator('#createChannel .code[data-language]');
  for (const code of await languages.all()) expect(await code.isVisible()).toBeTrue();
  expect(await page.locator('#createChannel button.try').isVisible()).toBeFalse();
  await context.close();
});
