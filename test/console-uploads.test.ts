// Uploads in the console, in Debian's Chromium: a file goes up, is paused, cut and gone on with, and becomes a video.
import { afterAll, beforeAll, expect } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { makeConsoleLink } from '../src/library/people/console-link-store.ts';
import { noChromium, startBrowser } from './support/browser.ts';
import { engines, temporaryFolder } from './support/engines.ts';
import { testWith } from './support/needs.ts';
import { hasNoFinding, overEdge } from './support/page-judge.ts';
import { goodPassword } from './support/people.ts';
import { png } from './support/pictures.ts';
import { movingClock, startTestService, type TestService } from './support/service.ts';
import { filmOf } from './support/uploads.ts';

const film = { bytes: 6_000_000, name: 'The long film.mp4' };

const started: {
  service?: TestService;
  browser?: Browser;
  page?: Page;
  devtools?: CDPSession;
  channel?: number;
} = {};
const folder = temporaryFolder();
const troubles: string[] = [];

beforeAll(async () => {
  if (noChromium !== undefined) return;
  const service = await startTestService(engines[0] as (typeof engines)[number], {
    clock: movingClock(),
    settings: { MIN_FREE_DISK: '1M' },
  });
  started.service = service;
  writeFileSync(join(folder, film.name), await filmOf(film.bytes));
  writeFileSync(join(folder, 'picture.mp4'), png({ width: 64, height: 36 }));
  const { secret } = await service.store.perform(makeConsoleLink, {
    account_id: 1,
    now: service.clock.now,
  });
  started.browser = await startBrowser();
  const page = await (await started.browser.newContext({ locale: 'en-GB' })).newPage();
  started.page = page;
  page.on('pageerror', ({ message }) => troubles.push(message));
  page.on('console', (line) => {
    if (/Content Security Policy/.test(line.text())) troubles.push(line.text());
  });
  await page.goto(`${service.url}/console/link#${secret}`);
  await page.getByLabel('Your name').fill('Li Wei');
  await page.getByLabel('User name or email').fill('liwei');
  await page.getByLabel('Password', { exact: true }).fill(goodPassword);
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.waitForURL(/\/console\/channels\/\d+/);
  started.channel = Number(/channels\/(\d+)/.exec(page.url())?.[1]);
});

afterAll(async () => {
  await started.browser?.close();
  await started.service?.stop();
});

/** One person's way: each test goes on where the last one ended. */
function test(name: string, run: (page: Page, service: TestService) => Promise<void>): void {
  testWith(noChromium, name, async () => {
    const { page, service } = started;
    if (!page || !service) throw new Error('the browser is not there');
    await run(page, service);
  });
}

const line = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Uploads' }).getByRole('listitem').filter({ hasText: name });

async function choose(page: Page, name: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await (await chooser).setFiles(join(folder, name));
}

/** As over a slow line, so that there is time to do something meanwhile. */
async function slowDown(page: Page, bytesPerSecond: number): Promise<void> {
  // Of several sessions the slowest would count.
  started.devtools ??= await page.context().newCDPSession(page);
  await started.devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond,
  });
}

async function uploadsOf(service: TestService) {
  return (await service.call('GET', '/manage/v1/uploads')).body.uploads as {
    state: string;
    offset: number;
  }[];
}

test('a file is paused, and what has come of it stays', async (page, service) => {
  await page.goto(`${service.url}/console/channels/${started.channel}/videos`);
  await slowDown(page, 400_000);
  await choose(page, film.name);
  await line(page, film.name)
    .getByText(/^Uploading · [1-9]/)
    .waitFor();
  await hasNoFinding(page);
  await line(page, film.name).getByRole('button', { name: 'Pause' }).click();
  await line(page, film.name)
    .getByText(/^Paused · /)
    .waitFor();
  const [upload] = await uploadsOf(service);
  expect(upload).toMatchObject({ state: 'coming' });
  expect(upload?.offset).toBeLessThan(film.bytes);
});

test('it goes on after a cut by itself, and by hand after the page was loaded anew', async (page, service) => {
  await line(page, film.name).getByRole('button', { name: 'Go on' }).click();
  await line(page, film.name)
    .getByText(/^Uploading · /)
    .waitFor();
  await page.context().setOffline(true);
  await line(page, film.name)
    .getByText(/^Interrupted/)
    .waitFor();
  await page.context().setOffline(false);
  await line(page, film.name)
    .getByText(/^Uploading · /)
    .waitFor();
  await line(page, film.name).getByRole('button', { name: 'Pause' }).click();
  await page.reload();
  await line(page, 'The long film')
    .getByText(/^Not going on\./)
    .waitFor();
  const [before] = await uploadsOf(service);
  expect(before?.offset).toBeGreaterThan(0);
  await choose(page, film.name);
  await line(page, film.name)
    .getByText(/^Uploading · /)
    .waitFor();
  expect(await uploadsOf(service)).toHaveLength(1);
});

test('it goes on while one looks at something else, and becomes a video', async (page, service) => {
  await slowDown(page, -1);
  await page.getByRole('link', { name: 'Control room' }).click();
  await page.getByText('“The long film” is among the videos').waitFor();
  await page.getByRole('link', { name: 'Videos', exact: true }).last().click();
  await page.getByRole('row').getByRole('button', { name: 'The long film', exact: true }).waitFor();
  const [video, ...others] = (await service.call('GET', '/v1/videos')).body.videos;
  expect(others).toEqual([]);
  expect(video).toMatchObject({ name: 'The long film', act_id: started.channel });
  await line(page, film.name).getByRole('button', { name: 'Dismiss' }).click();
  await page.getByRole('region', { name: 'Uploads' }).waitFor({ state: 'detached' });
});

test('a file that is no video says what it is, in the language of the person', async (page, service) => {
  await choose(page, 'picture.mp4');
  await line(page, 'picture').getByText('This is a PNG picture, not a video').waitFor();
  await hasNoFinding(page);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await overEdge(page)).toBe(0);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('menuitemradio', { name: '简体中文' }).click();
  await page.getByText('这是PNG 图片，不是视频').waitFor();
  await page.getByRole('button', { name: '我的账户' }).click();
  await page.getByRole('menuitemradio', { name: 'English' }).click();
  expect((await service.call('GET', '/v1/videos')).body.meta.total).toBe(1);
});

test('where the channel is not known it is asked for, and one that was begun can be removed', async (page, service) => {
  await page.getByRole('link', { name: 'Videos', exact: true }).first().click();
  await page.getByRole('heading', { name: 'Videos', level: 1 }).waitFor();
  await slowDown(page, 200_000);
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Upload to which channel?' });
  await dialog.getByLabel('Search channels').fill('first');
  await dialog.getByRole('radio', { name: 'My first show' }).check();
  await hasNoFinding(page);
  const chooser = page.waitForEvent('filechooser');
  await dialog.getByRole('button', { name: 'Choose a file' }).click();
  await (await chooser).setFiles(join(folder, film.name));
  await dialog.waitFor({ state: 'detached' });
  await line(page, film.name)
    .getByText(/^Uploading · [1-9]/)
    .waitFor();
  await line(page, film.name).getByRole('button', { name: 'Remove' }).click();
  while ((await uploadsOf(service)).some(({ state }) => state === 'coming')) await Bun.sleep(20);
});

test('who signs out sends nothing more, and who signs in next in this tab begins anew', async (page, service) => {
  await page.getByRole('link', { name: 'Channels', exact: true }).click();
  await page.getByRole('link', { name: 'My first show' }).first().click();
  await page.getByRole('link', { name: 'Videos', exact: true }).last().click();
  await choose(page, film.name);
  await line(page, film.name)
    .getByText(/^Uploading · [1-9]/)
    .waitFor();
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('User name').fill('liwei');
  await page.getByLabel('Password', { exact: true }).fill(goodPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await line(page, 'The long film')
    .getByText(/^Not going on\./)
    .waitFor();
  expect((await uploadsOf(service)).filter(({ state }) => state === 'coming')).toHaveLength(1);
});

test('the policy of the page had nothing to forbid, and no script failed', async () => {
  expect(troubles).toEqual([]);
});
