// Lists of the console in Debian's Chromium: what was deleted and comes back, and the visits of some days.
import { afterAll, beforeAll, describe, expect } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { makeConsoleLink } from '../src/library/people/console-link-store.ts';
import { noChromium, pageWaitMs, startBrowser } from './support/browser.ts';
import { engines } from './support/engines.ts';
import { until } from './support/live-channel.ts';
import { testWith } from './support/needs.ts';
import { hasNoFinding, overEdge } from './support/page-judge.ts';
import { browserCookies, cookieOf, goodPassword, signUp } from './support/people.ts';
import { addVideos, addVisits } from './support/scenarios.ts';
import { startTestService, type TestService } from './support/service.ts';

const desktop = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };
const dayMs = 86_400_000;

const started: { service?: TestService; browser?: Browser; page?: Page } = {};

beforeAll(async () => {
  if (noChromium !== undefined) return;
  const engine = engines[0] as (typeof engines)[number];
  // The browser's clock is the machine's.
  const service = await startTestService(engine, { now: Date.now() });
  started.service = service;
  const order = { account_id: 1, now: service.clock.now };
  const { secret } = await service.store.perform(makeConsoleLink, order);
  const body = { link: secret, user_name: 'liwei', name: 'Li Wei', password: goodPassword };
  const reply = await service.call('POST', '/manage/v1/links/use', { token: null, body });
  await service.call('PUT', '/v1/activities/1', { body: { name: 'Spring launch' } });
  await addVideos(service, [
    { name: 'Rehearsal', channel_id: 1 },
    { name: 'Keynote', channel_id: 1 },
  ]);
  const at = service.clock.now;
  await addVisits(service, 1, [
    { viewer_id: 'long ago', nick: 'Anna', at: at - 90 * dayMs, watch_ms: 60_000 },
    { viewer_id: 'this month', nick: 'Ben', at: at - 20 * dayMs, watch_ms: 60_000 },
    { viewer_id: 'this week', nick: 'Chen', at: at - 4 * dayMs, watch_ms: 60_000 },
    { viewer_id: 'now', nick: 'Dora', at: at - 1_000, watch_ms: 1_000 },
  ]);
  started.browser = await startBrowser();
  started.page = await pageOf(service, cookieOf(reply));
});

afterAll(async () => {
  await started.browser?.close();
  await started.service?.stop();
});

async function pageOf(service: TestService, cookies: string): Promise<Page> {
  const context = await started.browser?.newContext({ viewport: desktop, locale: 'en-GB' });
  if (!context) throw new Error('the browser is not there');
  await context.addCookies(browserCookies(cookies, service));
  return await context.newPage();
}

/** One person's way: each test goes on where the last one ended. */
function test(name: string, run: (page: Page, service: TestService) => Promise<void>): void {
  testWith(noChromium, name, async () => {
    const { page, service } = started;
    if (!page || !service) throw new Error('the browser is not there');
    await run(page, service);
  });
}

describe('what was deleted', () => {
  test('has no place where nothing was', async (page, service) => {
    await page.goto(`${service.url}/console/videos`);
    await page.getByText('Keynote').waitFor();
    expect(await page.getByRole('link', { name: 'Deleted' }).count()).toBe(0);
    await page.goto(`${service.url}/console/channels?state=deleted`);
    await page.getByText('Nothing is deleted').waitFor();
  });

  test('of videos is found the next day, says until when, and comes back', async (page, service) => {
    await service.call('DELETE', '/manage/v1/videos/1');
    await page.goto(`${service.url}/console/videos`);
    await page.getByRole('link', { name: 'Deleted' }).click();
    await page.getByRole('cell', { name: 'Rehearsal of “Spring launch”' }).waitFor();
    await page.getByRole('columnheader', { name: 'Can be restored until' }).waitFor();
    await hasNoFinding(page);
    await page.getByRole('button', { name: 'Restore “Rehearsal”' }).click();
    await page.getByText('“Rehearsal” is back').waitFor();
    await page.getByText('Nothing is deleted').waitFor();
    expect((await service.call('GET', '/v1/videos/1')).status).toBe(200);
  });

  test('of channels is found though there is no other, and comes back', async (page, service) => {
    await service.call('DELETE', '/v1/activities/1');
    await page.goto(`${service.url}/console/channels`);
    await page.getByRole('heading', { name: 'Put on your first show' }).waitFor();
    await page.getByRole('link', { name: 'Deleted 1' }).click();
    await page.getByRole('cell', { name: 'Spring launch Videos: 2' }).waitFor();
    await hasNoFinding(page);
    await page.getByRole('button', { name: 'Restore “Spring launch”' }).click();
    await page.getByText('“Spring launch” is back').waitFor();
    await page.getByRole('link', { name: 'All 1' }).click();
    await page.getByRole('link', { name: 'Spring launch' }).waitFor();
  });

  test('of channels is for who may bring them back', async (_, service) => {
    const manager_id = await service.newManager('anna');
    const { cookie } = await signUp(service, { user_name: 'anna', manager_id });
    const page = await pageOf(service, cookie);
    await page.goto(`${service.url}/console/channels?state=deleted`);
    await page.getByRole('heading', { name: 'Channels', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /Restore/ }).count()).toBe(0);
    await page.context().close();
  });
});

describe('the period of visits', () => {
  const names = async (page: Page, expected: string[]) => {
    const cells = page.locator('.audience-list[aria-busy="false"] td.head');
    const isShown = async () => {
      const shown = await cells.allInnerTexts();
      return shown.map((text) => text.trim().split('\n')[0]).join() === expected.join();
    };
    await until(isShown, { withinMs: pageWaitMs, otherwise: `the list is not ${expected}` });
  };

  test('is in the address, and the interface is asked for it', async (page, service) => {
    await page.goto(`${service.url}/console/channels/1/audience`);
    await names(page, ['Dora', 'Chen', 'Ben', 'Anna']);
    for (const [period, expected, query] of [
      ['Today', ['Dora'], '?list=sessions&period=today'],
      ['7 days', ['Dora', 'Chen'], '?list=sessions&period=7d'],
      ['30 days', ['Dora', 'Chen', 'Ben'], '?list=sessions&period=30d'],
      ['All time', ['Dora', 'Chen', 'Ben', 'Anna'], '?list=sessions'],
    ] as const) {
      await page.getByRole('link', { name: period }).click();
      await names(page, [...expected]);
      expect(new URL(page.url()).search).toBe(query);
    }
  });

  test('may be from a day to a day, and says which are wrong', async (page, service) => {
    const day = (before: number) =>
      new Date(service.clock.now - before * dayMs).toISOString().slice(0, 10);
    await page.getByRole('link', { name: 'From – to' }).click();
    await page.getByLabel('First day').fill(day(10));
    await page.getByLabel('Last day').fill(day(30));
    await page.getByText('The first day is after the last one.').waitFor();
    await hasNoFinding(page);
    await page.getByLabel('First day').fill(day(30));
    await page.getByLabel('Last day').fill(day(3));
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await names(page, ['Chen', 'Ben']);
    await page.reload();
    await names(page, ['Chen', 'Ben']);
    expect(await page.getByLabel('First day').inputValue()).toBe(day(30));
    await page.goto(`${page.url().split('?')[0]}?list=sessions&to=2001-01-01`);
    await page.getByText('Nobody came in this period').waitFor();
  });

  test('goes with the list of visitors, who are of all time', async (page) => {
    await page.getByRole('link', { name: 'Visitors' }).click();
    await names(page, ['Dora', 'Chen', 'Ben', 'Anna']);
    expect(new URL(page.url()).search).toBe('');
  });
});

describe('every list', () => {
  for (const [size, viewport] of Object.entries({ desktop, phone }))
    for (const colorScheme of ['light', 'dark'] as const)
      test(`is accessible and within its edges on a ${size}, ${colorScheme}`, async (page, service) => {
        await service.call('DELETE', '/manage/v1/videos/2');
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        for (const path of [
          'videos?state=deleted',
          'channels?state=deleted',
          'channels/1/audience?list=sessions&from=2026-01-01',
        ]) {
          await page.goto(`${service.url}/console/${path}`);
          await page.locator('main h1').waitFor();
          await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
          await hasNoFinding(page);
          expect({ path, over: await overEdge(page) }).toEqual({ path, over: 0 });
        }
        await service.call('POST', '/manage/v1/videos/2/restore', { body: {} });
      });
});
