// The door of a channel that not everybody may watch, in Chromium: typed through, shown in frames, judged, and shut again.
import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { noChromium, pageWaitMs } from './support/browser.ts';
import type { LiveChannel } from './support/live-channel.ts';
import { testWith } from './support/needs.ts';
import { hasNoFinding, overEdge } from './support/page-judge.ts';
import { Theatre } from './support/theatre.ts';
import { ViewerPage } from './support/viewer-page.ts';

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

test('in a frame of another site the door opens, too', async () => {
  const channel = await theatre.live();
  await setAccess(channel, { kind: 'password', password });
  const context = await theatre.viewer();
  const page = await context.newPage();
  const embed = `${theatre.service.url}/embed/${channel.id}`;
  // Another site than 127.0.0.1, and on this machine: Chromium shows pages of it in no other's frames.
  const elsewhere = Bun.serve({
    port: 0,
    fetch: () =>
      new Response(
        `<!doctype html><title>x</title><iframe width="640" height="360" src="${embed}"></iframe>`,
        { headers: { 'content-type': 'text/html' } },
      ),
  });
  await page.goto(`http://localhost:${elsewhere.port}/`);
  const frame = page.frameLocator('iframe');
  await frame.locator('#door-field').fill(password);
  await frame.locator('form button').click();
  await frame.locator('body[data-state="live"]').waitFor({ timeout: pageWaitMs });
  const playing = page.frames().find((one) => one.url().includes('/embed/'));
  await expect(
    playing?.evaluate(
      `new Promise((resolve) => {
        const look = () => (document.querySelector('video').currentTime > 0 ? resolve(true) : setTimeout(look, 50));
        look();
      })`,
    ),
  ).resolves.toBe(true);
  await elsewhere.stop(true);
});

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
    }
});
