// The door of a channel that not everybody may watch, in Chromium: typed through, shown in frames, judged, and shut again.
import { expect } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { noChromium, pageWaitMs } from './support/browser.ts';
import { temporaryFolder } from './support/engines.ts';
import type { LiveChannel } from './support/live-channel.ts';
import { testWith } from './support/needs.ts';
import { cutOff, hasNoFinding, overEdge } from './support/page-judge.ts';
import { Theatre } from './support/theatre.ts';
import { startOrdinaryBrowser, ViewerPage } from './support/viewer-page.ts';

const theatre = new Theatre();
const password = 'open sesame';

function test(name: string, run: () => Promise<void>): void {
  testWith(noChromium, name, run);
}

const setAccess = ({ id }: LiveChannel, body: object) =>
  theatre.service.call('PUT', `/manage/v1/channels/${id}/access`, { body });

async function typePassword(page: Pick<Page, 'fill' | 'click'>, text: string): Promise<void> {
  await page.fill('#door-field', text);
  await page.click('form button');
}

test('who types the password sees the show, and the door again once it is another', async () => {
  const channel = await theatre.live();
  await setAccess(channel, { kind: 'password', password });
  const context = await theatre.viewer();
  const viewer = await ViewerPage.open(context, `${theatre.service.url}/watch/${channel.id}`);
  const { page } = viewer;
  await typePassword(page, 'open');
  await page.waitForSelector('#door-word');
  const field = page.locator('#door-field');
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(await field.getAttribute('aria-describedby')).toBe('door-word');
  await typePassword(page, password);
  await viewer.plays();
  // With parts, by names that say nothing of the next.
  const names = await page.evaluate(
    `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.m4s'))`,
  );
  expect((names as string[]).every((name) => /\/hls\/\w+\/[\w-]{22}\./.test(name))).toBe(true);
  await setAccess(channel, { kind: 'password', password: 'another one' });
  await page.waitForSelector('#door-field', { timeout: pageWaitMs });
  expect(viewer.complaints).toEqual([]);
});

/** Another site than 127.0.0.1, and on this machine: Chromium shows pages of it in no other's frames. */
function siteWith(embed: string) {
  const text = `<!doctype html><title>x</title><iframe width="640" height="360" src="${embed}"></iframe>`;
  const headers = { 'content-type': 'text/html' };
  return Bun.serve({ port: 0, fetch: () => new Response(text, { headers }) });
}

/** Inside the frame the show is on, and its picture moves. */
async function playsInFrame(page: Page): Promise<void> {
  const live = page.frameLocator('iframe').locator('body[data-state="live"]');
  await live.waitFor({ timeout: pageWaitMs });
  const playing = page.frames().find((one) => one.url().includes('/embed/'));
  await expect(
    playing?.evaluate(
      `new Promise((resolve) => {
        const look = () => (document.querySelector('video').currentTime > 0 ? resolve(true) : setTimeout(look, 50));
        look();
      })`,
    ),
  ).resolves.toBe(true);
}

test('in a frame of another site the door opens, too', async () => {
  const channel = await theatre.live();
  await setAccess(channel, { kind: 'password', password });
  const context = await theatre.viewer();
  const page = await context.newPage();
  const elsewhere = siteWith(`${theatre.service.url}/embed/${channel.id}`);
  await page.goto(`http://localhost:${elsewhere.port}/`);
  const frame = page.frameLocator('iframe');
  await frame.locator('#door-field').fill(password);
  await frame.locator('form button').click();
  await playsInFrame(page);
  await elsewhere.stop(true);
});

test('where the browser blocks cookies of other sites a frame keeps its pass for the next visit', async () => {
  const channel = await theatre.live();
  const { service } = theatre;
  await setAccess(channel, { kind: 'form', form: form.slice(0, 1) });
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'Default'));
  const profile = { block_third_party_cookies: true, cookie_controls_mode: 1 };
  writeFileSync(join(folder, 'Default/Preferences'), JSON.stringify({ profile }));
  const browser = await startOrdinaryBrowser(folder);
  const elsewhere = siteWith(`${service.url}/embed/${channel.id}`);
  try {
    const page = await browser.context.newPage();
    await page.goto(`http://localhost:${elsewhere.port}/`);
    const frame = page.frameLocator('iframe');
    await frame.getByLabel('Your name').fill('Li Wei');
    await frame.locator('form button').click();
    await playsInFrame(page);
    expect(await browser.context.cookies()).toEqual([]);
    await page.goto(`http://localhost:${elsewhere.port}/next`);
    await playsInFrame(page);
    const path = `/manage/v1/channels/${channel.id}`;
    const { body } = await service.call('GET', `${path}/registrations`);
    expect(body.registrations).toHaveLength(1);
    const { viewer_id, id } = body.registrations[0];
    const { body: seen } = await service.call('GET', `${path}/visitors`);
    expect(seen.visitors.map(({ visitor_id }: { visitor_id: string }) => visitor_id)).toEqual([
      viewer_id,
    ]);
    // One that was taken back is forgotten: the door stays, and asks.
    await service.call('POST', `${path}/access/revoke`, { body: { registration: id } });
    await frame.getByText('Your access was taken back.').waitFor({ timeout: pageWaitMs });
    await page.goto(`http://localhost:${elsewhere.port}/later`);
    await frame.getByLabel('Your name').waitFor();
    expect(await frame.locator('#door-word').count()).toBe(0);
  } finally {
    await browser.stop();
    await elsewhere.stop(true);
  }
});

const form = [
  { name: 'name', label: 'Your name', kind: 'text', required: true },
  { name: 'email', label: 'Email address', kind: 'email', required: true },
  { name: 'phone', label: 'هاتف', kind: 'phone' },
  { name: 'guests', label: 'How many come with you', kind: 'number' },
  { name: 'size', label: 'T-shirt', kind: 'choice', choices: ['Small', 'Large'], required: true },
  { name: 'terms', label: 'I have read the house rules', kind: 'tick', required: true },
  { name: 'news', label: 'Tell me of other shows', kind: 'tick' },
];

async function fillIn(page: Pick<Page, 'getByLabel' | 'getByRole'>): Promise<void> {
  await page.getByLabel('Your name').fill('Li Wei');
  await page.getByLabel('T-shirt').selectOption('Large');
  await page.getByLabel('I have read the house rules').check();
}

test('who registers sees the show, is told of each mistake, and is in the records', async () => {
  const channel = await theatre.live();
  await setAccess(channel, { kind: 'form', form });
  const context = await theatre.viewer();
  const viewer = await ViewerPage.open(context, `${theatre.service.url}/watch/${channel.id}`);
  const { page } = viewer;
  const register = page.getByRole('button', { name: 'Register and watch' });
  await fillIn(page);
  await page.getByLabel('Email address').fill('li.wei@');
  await register.click();
  const wrong = page.getByText('This does not look like an email address.');
  await wrong.waitFor();
  const email = page.getByLabel('Email address');
  expect(await page.locator('input:focus').getAttribute('name')).toBe('email');
  expect(await page.locator('.wrong').count()).toBe(1);
  // All that was right is still there.
  expect(await page.getByLabel('Your name').inputValue()).toBe('Li Wei');
  expect(await page.getByLabel('T-shirt').inputValue()).toBe('Large');
  expect(await page.getByLabel('I have read the house rules').isChecked()).toBe(true);
  await hasNoFinding(page);
  await email.fill('li.wei@example.com');
  await register.click();
  await viewer.plays();
  const path = `/manage/v1/channels/${channel.id}`;
  const { body } = await theatre.service.call('GET', `${path}/registrations`);
  const answers = {
    ...{ name: 'Li Wei', email: 'li.wei@example.com', size: 'Large', terms: true, news: false },
  };
  expect(body.registrations).toMatchObject([{ answers, visit_times: 1 }]);
  // They come back without it.
  await page.reload();
  await viewer.plays();
  await theatre.service.call('POST', `${path}/access/revoke`, {
    body: { registration: body.registrations[0].id },
  });
  await page.getByText('Your access was taken back.').waitFor({ timeout: pageWaitMs });
  expect(viewer.complaints).toEqual([]);
});

test('a form is right for everybody, in each look, each way of writing, and works without scripts', async () => {
  const channel = await theatre.newChannel();
  await setAccess(channel, { kind: 'form', form });
  const { url, call } = theatre.service;
  for (const [theme, path, look] of [
    ['default', 'watch', { isPhone: true }],
    ['default', 'watch', { locale: 'zh-CN' }],
    ['default', 'watch', { isDark: true }],
    ['tech', 'embed', { isPhone: true }],
    ['tech', 'watch', {}],
  ] as const) {
    const { isPhone = false, isDark = false, locale = 'en-GB' } = { ...look } as Look;
    await call('PUT', `/v1/activities/${channel.id}/page`, { body: { theme } });
    const context = await theatre.viewer({ isPhone, locale });
    const page = await context.newPage();
    await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' });
    await page.goto(`${url}/${path}/${channel.id}`);
    await page.locator('.registration button').click();
    await page.locator('.wrong').first().waitFor();
    await shoot(page, `form ${theme} ${path} ${Object.keys(look)}`);
    const wrong = await page.locator('.wrong').allInnerTexts();
    expect(wrong).toEqual(Array(4).fill(locale === 'zh-CN' ? '此项必填。' : 'This is needed.'));
    // Whoever reads from right to left finds the words where their lines begin.
    expect(await page.getByText('هاتف').evaluate((label) => label.matches(':dir(rtl)'))).toBe(true);
    await hasNoFinding(page);
    expect(await overEdge(page)).toBe(0);
  }
});

interface Look {
  isPhone?: boolean;
  isDark?: boolean;
  locale?: string;
}

/** For whoever wants to look at it. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['SHOTS'];
  if (folder)
    await page.screenshot({ path: `${folder}/${name.replace(/\W+/g, '-')}.png`, fullPage: true });
}

test('a door is right for everybody, in each look, and works without scripts', async () => {
  const channel = await theatre.newChannel();
  const signed = await theatre.newChannel();
  await setAccess(channel, { kind: 'password', password });
  await setAccess(signed, { kind: 'signed' });
  const { url, call } = theatre.service;
  for (const theme of ['default', 'tech'])
    for (const [id, isPhone] of [
      [channel.id, true],
      [channel.id, false],
      [signed.id, true],
    ] as const) {
      await call('PUT', `/v1/activities/${id}/page`, { body: { theme } });
      const context = await theatre.viewer({ isPhone });
      const page = await context.newPage();
      await page.goto(`${url}/watch/${id}`);
      if (id === channel.id) await typePassword(page, `no ${theme} ${isPhone}`);
      await page.waitForSelector('h1');
      await hasNoFinding(page);
      expect(await overEdge(page)).toBe(0);
      expect(await cutOff(page)).toEqual([]);
      await page.setViewportSize({ width: 320, height: 568 });
      expect(await cutOff(page)).toEqual([]);
    }
});
