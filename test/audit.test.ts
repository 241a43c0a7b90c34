// The audit log in the console, in Debian's Chromium: read, narrowed by clicks, searched, paged, in both languages.
import { afterAll, beforeAll, expect } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { makeConsoleLink } from '../src/library/people/console-link-store.ts';
import { noChromium, startBrowser } from './support/browser.ts';
import { engines } from './support/engines.ts';
import { testWith } from './support/needs.ts';
import { hasNoFinding, overEdge } from './support/page-judge.ts';
import { browserCookies, callByCookie, cookieOf, goodPassword } from './support/people.ts';
import { startTestService, type TestService } from './support/service.ts';

const desktop = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

const started: { service?: TestService; browser?: Browser; page?: Page } = {};
/** What the browser complains of, the policy above all. */
const troubles: string[] = [];

beforeAll(async () => {
  if (noChromium !== undefined) return;
  const service = await startTestService(engines[0] as (typeof engines)[number]);
  started.service = service;
  const order = { account_id: 1, now: service.clock.now };
  const { secret } = await service.store.perform(makeConsoleLink, order);
  const body = { link: secret, user_name: 'liwei', name: 'Li Wei', password: goodPassword };
  const reply = await service.call('POST', '/manage/v1/links/use', { token: null, body });
  await doSomething(service, cookieOf(reply));
  started.browser = await startBrowser();
  const context = await started.browser.newContext({ viewport: desktop, locale: 'en-GB' });
  await context.addCookies(browserCookies(cookieOf(reply), service));
  started.page = await context.newPage();
  started.page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(message.text());
  });
  started.page.on('pageerror', (error) => troubles.push(error.message));
});

afterAll(async () => {
  await started.browser?.close();
  await started.service?.stop();
});

/** A person and a program each do some of what there is to do. */
async function doSomething(service: TestService, cookie: string): Promise<void> {
  const byPerson = (method: string, path: string, body?: object) =>
    callByCookie(service, method, path, { cookie, ...(body && { body }) });
  for (let at = 0; at < 55; at++)
    await service.call('POST', '/v1/activities', { body: { name: `Lesson ${at}` } });
  const { body } = await byPerson('POST', '/v1/activities', { name: 'Launch' });
  await byPerson('PUT', `/v1/activities/${body.id}`, { name: 'Spring launch' });
  await byPerson('PUT', `/v1/activities/${body.id}/page`, { footer: 'ours', bg_color: '#fff' });
  await byPerson('POST', '/manage/v1/people/invite', { name: 'Ben' });
  await byPerson('POST', '/manage/v1/tokens', { name: 'the shop', scopes: ['channels:read'] });
  await byPerson('GET', `/manage/v1/channels/${body.id}/visitors.csv`);
}

/** One person's way: each test goes on where the last one ended. */
function test(name: string, run: (page: Page, service: TestService) => Promise<void>): void {
  testWith(noChromium, name, async () => {
    const { page, service } = started;
    if (!page || !service) throw new Error('the browser is not there');
    await run(page, service);
  });
}

async function look(page: Page, { url }: TestService, value: string): Promise<void> {
  await page.context().addCookies([{ name: 'footlight_look', value, url: `${url}/console` }]);
  await page.goto(`${url}/console/account/audit`);
}

const cell = (page: Page, name: string | RegExp) => page.getByRole('cell', { name });

test('it says who did what, the newest first', async (page, service) => {
  await page.goto(`${service.url}/console/account`);
  await page.getByRole('link', { name: 'Audit log' }).click();
  const rows = page.getByRole('row');
  await cell(page, 'downloaded the visitors of “Spring launch”').waitFor();
  expect(await rows.nth(1).textContent()).toContain('downloaded the visitors of “Spring launch”');
  await cell(page, 'renamed the channel “Launch” to “Spring launch”').waitFor();
  await cell(page, 'made the token “the shop”').waitFor();
  await cell(page, /Set: footer, bg_color/).waitFor();
  await hasNoFinding(page);
  expect(await overEdge(page)).toBeLessThanOrEqual(0);
});

test('older pages are behind it, and the newest is one click away', async (page) => {
  await page.getByRole('link', { name: 'Older' }).click();
  await cell(page, 'used a one-time link and signed in').waitFor();
  await page.getByRole('link', { name: 'Newest' }).click();
  await cell(page, 'made the token “the shop”').waitFor();
});

test('a click on a channel, a name and a kind narrows it, and a chip widens it again', async (page) => {
  await page.getByRole('link', { name: '“Spring launch”' }).first().click();
  await page.waitForURL(/channel=\d+/);
  await cell(page, /Lesson/)
    .first()
    .waitFor({ state: 'detached' });
  await cell(page, 'made the channel “Launch”').waitFor();
  await page.getByRole('row').last().getByRole('link', { name: 'Channels' }).click();
  await page.waitForURL(/group=channels/);
  await cell(page, /downloaded/).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Li Wei' }).first().click();
  await page.waitForURL(/person=1/);
  await hasNoFinding(page);
  await page.getByRole('link', { name: 'Do not narrow to Channels' }).click();
  await cell(page, /downloaded/).waitFor();
  await page.getByRole('link', { name: 'Show everything' }).click();
  await cell(page, 'made the token “the shop”').waitFor();
});

test('it is searched, and says where nothing fits', async (page) => {
  await page.getByRole('searchbox').fill('lesson 17');
  await cell(page, 'made the channel “Lesson 17”').waitFor();
  await page.getByRole('searchbox').fill('no such thing');
  await page.getByText('Nothing here fits').waitFor();
  await hasNoFinding(page);
  await page.getByRole('searchbox').fill('');
  await page.getByLabel('Kind').selectOption({ label: 'Tokens' });
  await page.waitForURL(/group=tokens/);
  await cell(page, 'made the token “the shop”').waitFor();
});

test('it is read on a phone, in the dark and in Chinese', async (page, service) => {
  await page.setViewportSize(phone);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${service.url}/console/account/audit`);
  await cell(page, 'made the token “the shop”').waitFor();
  expect(await overEdge(page)).toBeLessThanOrEqual(0);
  await hasNoFinding(page);
  await look(page, service, 'dark.zh');
  await cell(page, '将频道“Launch”重命名为“Spring launch”').waitFor();
  expect(await overEdge(page)).toBeLessThanOrEqual(0);
  await hasNoFinding(page);
  expect(troubles).toEqual([]);
});
