// The console in Debian's Chromium: a person comes by a link, makes a channel, edits its page and runs it.
import { afterAll, beforeAll, describe, expect } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { makeConsoleLink } from '../src/library/people/console-link-store.ts';
import { noChromium, startBrowser } from './support/browser.ts';
import { startClipPush } from './support/clip-push.ts';
import { engines } from './support/engines.ts';
import { testWith } from './support/needs.ts';
import { hasNoFinding, overEdge } from './support/page-judge.ts';
import { goodPassword } from './support/people.ts';
import { png } from './support/pictures.ts';
import { movingClock, startTestService, type TestService } from './support/service.ts';

const desktop = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

const started: { service?: TestService; browser?: Browser; page?: Page; link?: string } = {};
/** What the browser complains of, the policy above all. */
const troubles: string[] = [];

beforeAll(async () => {
  if (noChromium !== undefined) return;
  const service = await startTestService(engines[0] as (typeof engines)[number], {
    clock: movingClock(),
    // A player that nobody's page has opened would be a viewer.
    settings: { TIME_ZONE: 'Asia/Shanghai', COUNT_DIRECT_PLAYERS: 'true' },
  });
  started.service = service;
  const order = { account_id: 1, now: service.clock.now };
  const { secret } = await service.store.perform(makeConsoleLink, order);
  started.link = `${service.url}/console/link#${secret}`;
  started.browser = await startBrowser();
  const context = await started.browser.newContext({
    viewport: desktop,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
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

/** One person's way: each test goes on where the last one ended. */
function test(name: string, run: (page: Page, service: TestService) => Promise<void>): void {
  testWith(noChromium, name, async () => {
    const { page, service } = started;
    if (!page || !service) throw new Error('the browser is not there');
    await run(page, service);
  });
}

describe('whoever has the first link', () => {
  test('is told what it is for, and what is missing', async (page) => {
    await page.goto(started.link ?? '');
    await page.getByRole('heading', { name: 'Welcome to Footlight' }).waitFor();
    await page.getByRole('button', { name: 'Begin' }).click();
    expect(await page.getByText('Please fill this in.').count()).toBe(3);
    await hasNoFinding(page);
  });

  test('is told what is wrong, at the field', async (page) => {
    await page.getByLabel('Your name').fill('Li Wei');
    await page.getByLabel('User name or email').fill('liwei');
    await page.getByLabel('Password', { exact: true }).fill('short');
    await page.getByRole('button', { name: 'Begin' }).click();
    const field = page.locator('[name="password"][aria-invalid="true"]');
    await field.waitFor();
    expect(await page.evaluate('document.activeElement?.getAttribute("name")')).toBe('password');
  });

  test('signs in by it and stands in the control room of the first channel', async (page) => {
    await page.getByLabel('Password', { exact: true }).fill(goodPassword);
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByText('Waiting for your encoder…').waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/console\/channels\/\d+$/);
    expect(new URL(page.url()).hash).toBe('');
    expect(await page.getByRole('textbox', { name: 'Server' }).inputValue()).toStartWith('rtmp://');
    expect(await page.getByRole('textbox', { name: 'Stream key' }).inputValue()).toMatch(/^•+$/);
  });

  test('cannot use it again', async (page) => {
    const other = await page.context().newPage();
    await other.goto(started.link ?? '');
    await other.getByRole('heading', { name: 'This link does not work any more' }).waitFor();
    await other.close();
  });
});

describe('a channel', () => {
  test('is made in place, and is where one is then', async (page) => {
    await page.getByRole('link', { name: 'Channels' }).click();
    await page.getByRole('button', { name: 'New channel' }).click();
    await page.getByLabel('Name').fill('Spring launch');
    await page.getByRole('button', { name: 'Create channel' }).click();
    await page.getByRole('heading', { name: 'Spring launch' }).waitFor();
    expect(await page.title()).toBe('Spring launch · Control room · Footlight');
  });

  test('is found by its name, and back leads to what was searched for', async (page) => {
    await page.getByRole('link', { name: 'Channels' }).click();
    await page.getByRole('searchbox').fill('spring');
    await page.waitForURL(/q=spring/);
    await page.getByText('My first show').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Spring launch' }).click();
    await page.getByRole('heading', { name: 'Spring launch' }).waitFor();
    const isAtHead = 'document.activeElement?.tagName';
    expect(await page.evaluate(isAtHead)).toBe('H1');
    await page.goBack();
    await page.waitForURL(/q=spring/);
    expect(await page.getByRole('searchbox').inputValue()).toBe('spring');
    await page.goForward();
    await page.getByRole('heading', { name: 'Spring launch' }).waitFor();
  });

  test('is renamed where its name stands, and that is undone', async (page, service) => {
    const nameOf = async () => (await service.call('GET', channelPath(page))).body.name;
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Name of the channel').fill('Summer launch');
    await page.keyboard.press('Enter');
    await page.getByText('Renamed to “Summer launch”').waitFor();
    expect(await nameOf()).toBe('Summer launch');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { name: 'Spring launch' }).waitFor();
    await eventually(async () => (await nameOf()) === 'Spring launch');
  });
});

describe('the page of a channel', () => {
  test('is previewed as it is changed, and is not public', async (page, service) => {
    await page.getByRole('link', { name: 'Page', exact: true }).click();
    await page.getByLabel('Footer').fill('© 2026 <b>Example</b>');
    await page.getByRole('radio', { name: 'Technology' }).check();
    await page.getByLabel('Start', { exact: true }).fill('2027-05-01T13:30');
    const frame = page.frameLocator('iframe');
    await frame.getByText('© 2026 <b>Example</b>').waitFor();
    // The preview follows in steps: the words may come before the theme.
    await frame.locator('html[data-theme="tech"]').waitFor();
    await page.getByText('01/05/2027, 19:30 (Asia/Shanghai) where the service is').waitFor();
    const shown = await (await fetch(`${service.url}/watch/${idIn(page)}`)).text();
    expect(shown).not.toContain('Example');
    await hasNoFinding(page);
  });

  test('is shown as on a phone', async (page) => {
    await page.getByRole('radio', { name: 'Phone' }).check();
    const frame = page.frameLocator('iframe');
    await frame.locator('body.mobile').waitFor();
    await page.getByRole('radio', { name: 'Desktop' }).check();
    await frame.locator('body.watch').waitFor();
  });

  test('says at the field what cannot be understood', async (page) => {
    const banner = page.getByLabel('Banner', { exact: true });
    await banner.fill('/no-such-picture.png');
    await page.getByText('No picture could be loaded from this address.').waitFor();
    await banner.fill('');
    await page.getByText('No picture could be loaded').waitFor({ state: 'detached' });
    await page.getByLabel('Background colour').fill('reddish');
    await page.getByText(/^Must be .*such as/).waitFor();
    await page.getByLabel('Background colour').fill('');
    await page.getByText(/^Must be .*such as/).waitFor({ state: 'detached' });
  });

  test('takes pictures that are chosen or dropped, both at once, and none is public', async (page, service) => {
    const choose = page.getByRole('button', { name: 'Choose a picture: Banner' });
    const chooser = page.waitForEvent('filechooser');
    await choose.focus();
    await page.keyboard.press('Enter');
    await (await chooser).setFiles(pictureFile(png({ width: 1_920, height: 240 })));
    await drop(page, 'Background of the player', png({ width: 64, height: 36 }));
    await page.getByText('Uploaded, 1,920 × 240 pixels. Viewers see it when you save.').waitFor();
    await page.getByText('64 × 36 pixels are fewer than wanted').waitFor();
    const banner = await page.getByLabel('Banner', { exact: true }).inputValue();
    expect(banner).toMatch(/^\/images\/\w{22}\.png$/);
    await page.frameLocator('iframe').locator(`img.banner[src="${banner}"]`).waitFor();
    const backdrop = page.getByLabel('Background of the player', { exact: true });
    expect(await backdrop.inputValue()).toMatch(/^\/images\//);
    const shown = await (await fetch(`${service.url}/watch/${idIn(page)}`)).text();
    expect(shown).not.toContain('/images/');
    await hasNoFinding(page);
  });

  test('says at the field why a picture is not taken, and keeps the one that is there', async (page) => {
    const banner = page.getByLabel('Banner', { exact: true });
    const before = await banner.inputValue();
    const whole = png({ width: 20, height: 12 });
    for (const [bytes, type, why] of [
      [whole.subarray(0, -6), 'image/png', 'The picture breaks off'],
      [Buffer.from('<svg/>'), 'image/svg+xml', 'An SVG can carry scripts'],
      [Buffer.from('text'), 'text/plain', 'This file is not taken'],
      [new Uint8Array(5_000_000), 'image/png', 'The file has 4.8 MB, and at most 4 MB are taken'],
    ] as const) {
      await drop(page, 'Banner', bytes, type);
      const error = page.locator('.field-error', { hasText: why });
      await error.waitFor();
      expect(await banner.getAttribute('aria-describedby')).toBe(await error.getAttribute('id'));
    }
    await hasNoFinding(page);
    expect(await banner.inputValue()).toBe(before);
  });

  test('is not left without a question, and what was changed is kept', async (page) => {
    await page.getByRole('link', { name: 'Control room' }).click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.waitFor();
    await hasNoFinding(page);
    await dialog.getByRole('button', { name: 'Stay' }).click();
    await page.goBack();
    await dialog.waitFor();
    await dialog.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByText('Waiting for your encoder…').waitFor();
    await page.goForward();
    await page.getByText('Not saved yet: your viewers see none of it.').waitFor();
    expect(await page.getByLabel('Footer').inputValue()).toBe('© 2026 <b>Example</b>');
    // By its address alone, as nothing was uploaded since.
    await page.getByText('64 × 36 pixels are fewer than wanted').waitFor();
  });

  test('is public when it is saved', async (page, service) => {
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The page is saved and public').waitFor();
    const shown = await (await fetch(`${service.url}/watch/${idIn(page)}`)).text();
    expect(shown).toContain('© 2026 &lt;b&gt;Example&lt;/b&gt;');
    const [, banner = ''] = /class="banner" src="(.*?)"/.exec(shown) ?? [];
    expect((await fetch(service.url + banner)).headers.get('content-type')).toBe('image/png');
    const { body } = await service.call('GET', channelPath(page));
    expect(body.page.start_time).toBe('2027-05-01 19:30:00');
    await page.locator('.channel-facts').getByText('19:30 Asia/Shanghai').waitFor();
  });
});

describe('the control room', () => {
  test('lets its host speak, pin and delete', async (page, service) => {
    await page.getByRole('link', { name: 'Control room' }).click();
    await page.getByLabel('Say something as the host').fill('Welcome, everybody');
    await page.keyboard.press('Enter');
    const line = page.locator('.chat-line', { hasText: 'Welcome, everybody' });
    await line.getByText('Host', { exact: true }).waitFor();
    await line.getByRole('button').click();
    await page.getByRole('menuitem', { name: 'Pin' }).click();
    await page.locator('.pinned', { hasText: 'Welcome, everybody' }).waitFor();
    await line.getByRole('button').click();
    await page.getByRole('menuitem', { name: 'Delete message' }).waitFor();
    // A line that comes meanwhile takes the menu from nobody.
    await service.call('POST', `/manage/v1/channels/${idIn(page)}/chat/say`, {
      body: { text: 'More is said' },
    });
    await page.locator('.chat-line', { hasText: 'More is said' }).waitFor();
    // Behind Reply and Pin.
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await line.waitFor({ state: 'detached' });
    await page.locator('.pinned').waitFor({ state: 'detached' });
  });

  test('slows a chat down, shows links in it, and takes both back', async (page, service) => {
    const stateOf = async () =>
      (await service.call('GET', `/manage/v1/channels/${idIn(page)}/chat`)).body.slow_seconds;
    await page.getByLabel('Slow chat').selectOption('Slow chat: 30 s');
    await page.getByText('Each viewer may write one line in 30 s').waitFor();
    expect(await stateOf()).toBe(30);
    await page.getByLabel('Say something as the host').fill('Slides: https://example.com/a.');
    await page.keyboard.press('Enter');
    const link = page.locator('.chat-line').getByRole('link', { name: 'https://example.com/a' });
    await link.waitFor();
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer nofollow ugc');
    await hasNoFinding(page);
    expect(await overEdge(page)).toBe(0);
    await page.getByLabel('Slow chat').selectOption('Slow chat: off');
    await page.getByText('Viewers may write as fast as they like').waitFor();
    expect(await stateOf()).toBe(0);
  });

  test('makes a new key only when asked twice', async (page, service) => {
    const keyOf = async () => (await service.call('GET', channelPath(page))).body.rtmp_publish_addr;
    const before = await keyOf();
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Make a new stream key?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await keyOf()).toBe(before);
    await page.getByRole('button', { name: 'New key' }).click();
    await dialog.getByRole('button', { name: 'Make a new key' }).click();
    await page.getByText('The stream key is new.').waitFor();
    expect(await keyOf()).not.toBe(before);
  });

  test('shows what the encoder sends, and whoever looks is not counted', async (page, service) => {
    const { body } = await service.call('GET', channelPath(page));
    const push = await startClipPush(body.rtmp_publish_addr);
    await page.getByText('All is well').waitFor();
    await page.locator('.channel-facts').getByText('On air').waitFor();
    await page.getByText(/^640×360/).waitFor();
    const monitor = page.frameLocator('.monitor iframe');
    await monitor.locator('#player[data-playback="playing"]').waitFor();
    expect(await page.locator('.figure dd').first().textContent()).toBe('0');
    await hasNoFinding(page);
    await page.getByRole('button', { name: 'Clip the last minute' }).click();
    await page.getByText(/^A clip of \d:\d\d is among the videos$/).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Clip from … to …' }).click();
    const form = page.getByRole('form', { name: 'Cut a clip' });
    await form.getByText(/^As “On air for” counts it/).waitFor();
    await form.getByLabel('From', { exact: true }).fill('0:00');
    await form.getByLabel('To', { exact: true }).fill('0:02');
    await hasNoFinding(page);
    const [answer] = await Promise.all([
      page.waitForResponse((one) => one.url().endsWith('/clips')),
      form.getByRole('button', { name: 'Cut a clip' }).click(),
    ]);
    expect(await answer.json()).toMatchObject({ from_ms: 0 });
    await form.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await push.end();
    await page.getByText('Waiting for your encoder…').waitFor();
    const visitors = await service.call('POST', `${channelPath(page)}/visitors`, { body: {} });
    expect(visitors.body).toEqual([]);
  });

  test('says when the service cannot be reached, and goes on when it is back', async (page) => {
    await page.context().setOffline(true);
    await page.getByText('Footlight cannot be reached. Trying again…').waitFor();
    await page.context().setOffline(false);
    await page
      .getByText('Footlight cannot be reached. Trying again…')
      .waitFor({ state: 'detached' });
  });
});

describe('the video that the push became', () => {
  const tab = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).last();
  const row = (page: Page) => page.getByRole('row').nth(1);
  const choose = async (page: Page, word: string) => {
    await row(page)
      .getByRole('button', { name: /^What can be done with/ })
      .click();
    await page.getByRole('menuitem', { name: word }).click();
  };

  test('is listed with its channel, plays, and tells of its files', async (page) => {
    await tab(page, 'Videos').click();
    await row(page)
      .getByRole('button', { name: /^Spring launch 20/ })
      .click();
    const dialog = page.getByRole('dialog', { name: /^Spring launch 20/ });
    await page.frameLocator('.video-frame').locator('video').waitFor();
    await dialog.getByText('As it was recorded').waitFor();
    await hasNoFinding(page);
    await dialog.getByLabel('To', { exact: true }).fill('0:00');
    await dialog.getByRole('button', { name: 'Cut a clip' }).click();
    await dialog.getByText('Two times like 1:05, the first before the second.').waitFor();
    await dialog.getByLabel('To', { exact: true }).fill('0:01');
    await dialog.getByRole('button', { name: 'Cut a clip' }).click();
    const toast = page.locator('.toast').getByText(/^A clip of \d:\d\d is among the videos$/);
    await toast.waitFor();
    await dialog.waitFor({ state: 'detached' });
  });

  test('is renamed where its name stands, found by it, and that is undone', async (page) => {
    await choose(page, 'Rename');
    await page.getByLabel('Name of the video').fill('The gala');
    await page.keyboard.press('Enter');
    await page.getByText('Renamed to “The gala”').waitFor();
    await page.getByRole('searchbox').fill('gala');
    await page.waitForURL(/q=gala/);
    await row(page).getByRole('button', { name: 'The gala', exact: true }).waitFor();
    await page.getByRole('searchbox').fill('');
    await page.waitForURL(/videos$/);
    await page.getByRole('button', { name: 'Undo' }).click();
    await row(page)
      .getByRole('button', { name: /^Spring launch 20/ })
      .waitFor();
  });

  test('is deleted without a question, and is back with one press', async (page, service) => {
    const count = async () => (await service.call('GET', '/v1/videos')).body.meta.total;
    const before = await count();
    await choose(page, 'Delete');
    await page.getByText(/^“Spring launch 20.*” is deleted$/).waitFor();
    expect(await count()).toBe(before - 1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await row(page)
      .getByRole('button', { name: /^Spring launch 20/ })
      .waitFor();
    await eventually(async () => (await count()) === before);
  });

  test('is downloaded under its name', async (page) => {
    const [download] = await Promise.all([page.waitForEvent('download'), choose(page, 'Download')]);
    expect(download.suggestedFilename()).toMatch(/^Spring launch 20.*\.mp4$/);
    await download.cancel();
    await tab(page, 'Control room').click();
  });
});

describe('every view', () => {
  const views = ['/console/channels', '/console/videos', '', '/page', '/shows', '/videos'];
  for (const [size, viewport] of Object.entries({ desktop, phone }))
    for (const colorScheme of ['light', 'dark'] as const)
      test(`is accessible and within its edges on a ${size}, ${colorScheme}`, async (page, service) => {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        const channel = new URL(page.url()).pathname.replace(/(\/\d+).*$/, '$1');
        for (const view of views) {
          const path = view.startsWith('/console') ? view : channel + view;
          await page.goto(service.url + path);
          await page.locator('main h1').waitFor();
          await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
          await hasNoFinding(page);
          expect({ path, over: await overEdge(page) }).toEqual({ path, over: 0 });
        }
        await page.goto(service.url + channel);
      });

  test('has its menus within the window, wherever their buttons are', async (page) => {
    await page.setViewportSize(phone);
    for (const name of ['More', 'Your account']) {
      await page.getByRole('button', { name }).click();
      const box = await page.getByRole('menu').boundingBox();
      const { x = -1, width = 0 } = box ?? {};
      expect({ name, isLeft: x >= 0, isRight: x + width <= phone.width }).toEqual({
        name,
        isLeft: true,
        isRight: true,
      });
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
    }
  });

  test('speaks Chinese, and remembers it', async (page) => {
    await page.setViewportSize(desktop);
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitemradio', { name: '简体中文' }).click();
    await page.getByRole('link', { name: '导播台' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: '导播台' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
    await page.getByRole('button', { name: '我的账户' }).click();
    await page.getByRole('menuitemradio', { name: 'English' }).click();
  });
});

test('a channel that was deleted is brought back', async (page, service) => {
  const path = channelPath(page);
  const statusOf = async () => (await service.call('GET', path)).status;
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Delete channel' }).click();
  await page.getByText('“Spring launch” is deleted, with its videos and records').waitFor();
  expect(new URL(page.url()).pathname).toBe('/console/channels');
  expect(await statusOf()).toBe(404);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('heading', { name: 'Spring launch' }).waitFor();
  expect(await statusOf()).toBe(200);
});

test('whoever signs out is asked to sign in, and is back where they were', async (page) => {
  const address = page.url();
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await hasNoFinding(page);
  await page.getByLabel('User name').fill('liwei');
  await page.getByLabel('Password', { exact: true }).fill('something else');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('User name and password do not belong together.').waitFor();
  await page.getByLabel('Password', { exact: true }).fill(goodPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Waiting for your encoder…').waitFor();
  expect(page.url()).toBe(address);
});

test('the policy of the page had nothing to forbid, and no script failed', async () => {
  expect(troubles.filter((text) => /Content Security|Error:/.test(text))).toEqual([]);
});

function idIn(page: Page): string {
  return /channels\/(\d+)/.exec(page.url())?.[1] ?? '';
}

function channelPath(page: Page): string {
  return `/v1/activities/${idIn(page)}`;
}

async function eventually(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await Bun.sleep(20);
}

function pictureFile(bytes: Uint8Array, mimeType = 'image/png') {
  return { name: 'picture', mimeType, buffer: Buffer.from(bytes) };
}

/** A file that somebody drags onto the field of that name. */
async function drop(page: Page, name: string, bytes: Uint8Array, type?: string): Promise<void> {
  const { mimeType, buffer } = pictureFile(bytes, type);
  const dataTransfer = await page.evaluateHandle(`(() => {
    const made = new DataTransfer();
    const bytes = Uint8Array.from(atob('${buffer.toString('base64')}'), (one) => one.charCodeAt(0));
    made.items.add(new File([bytes], 'picture', { type: '${mimeType}' }));
    return made;
  })()`);
  const field = page.locator('.picture-field', { has: page.getByLabel(name, { exact: true }) });
  await field.dispatchEvent('dragover', { dataTransfer });
  await field.dispatchEvent('drop', { dataTransfer });
}
