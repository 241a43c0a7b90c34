// A viewer with too many pages, a name that a link gave, and names that reach over to their neighbours, in Chromium.
import { afterAll, afterEach, beforeAll, expect } from 'bun:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { addMessage } from '../src/audience/chat/chat-store.ts';
import { viewerSecretOf } from '../src/audience/viewers/viewer-secret-store.ts';
import { watchLinkQuery } from '../src/audience/viewers/watch-link.ts';
import { noChromium, startBrowser } from './support/browser.ts';
import { engines } from './support/engines.ts';
import { newLiveChannel } from './support/live-channel.ts';
import { testWith } from './support/needs.ts';
import { TestPage, ticketsOf } from './support/page.ts';
import { userAgent } from './support/page-server.ts';
import { movingClock, startTestService, type TestService } from './support/service.ts';
import { enterAnew, entry } from './support/store.ts';
import { refusalsOf } from './support/strangers.ts';
import { ViewerPage } from './support/viewer-page.ts';

const started: { service?: TestService; browser?: Browser } = {};
const contexts: BrowserContext[] = [];

beforeAll(async () => {
  const [sqlite] = engines;
  if (noChromium !== undefined || !sqlite) return;
  started.browser = await startBrowser();
  started.service = await startTestService(sqlite, {
    clock: movingClock(),
    settings: { SESSIONS_PER_VIEWER: '2' },
  });
});
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});
afterAll(async () => {
  await started.browser?.close();
  await started.service?.stop();
});

const notices = {
  'en-GB': 'You have this page open too often. Click anywhere to be back in the chat here.',
  'zh-CN': '您打开的页面过多，此页已断开；点击任意处即可恢复。',
};

for (const locale of ['en-GB', 'zh-CN'] as const)
  testWith(
    noChromium,
    `a page that makes room says so, and is back when it is clicked (${locale})`,
    async () => {
      const { service } = running();
      const { id } = await newLiveChannel(service);
      const context = await viewer({ locale });
      const open = () => ViewerPage.open(context, `${service.url}/watch/${id}`);
      const pages = [await welcomed(await open()), await welcomed(await open())];
      const before = (await refusalsOf(service))['page sessions'] ?? 0;
      pages.push(await welcomed(await open()));
      const first = await crowdedOut(pages, locale);
      await keep(first.page, `crowded-out-${locale}`);
      // The others are used, and it stays away: back by itself it would push them out.
      for (const { page } of pages.filter((one) => one !== first)) await page.click('#chat-log');
      expect((await refusalsOf(service))['page sessions']).toBe(before + 1);
      await first.page.click('#chat-log');
      await crowdedOut(
        pages.filter((one) => one !== first),
        locale,
      );
      const again = JSON.stringify(notices[locale]);
      await first.holds(`document.getElementById('chat-notice').textContent !== ${again}`);
      expect((await refusalsOf(service))['page sessions']).toBe(before + 2);
      expect(pages.flatMap(({ complaints }) => complaints)).toEqual([]);
    },
  );

testWith(
  noChromium,
  'a name that a link gave is shown, and there is no way to change it',
  async () => {
    const { service } = running();
    const { id: channel_id } = await newLiveChannel(service);
    const secret = await viewerSecretOf(service.store, 1);
    const expires = Math.ceil(service.clock.now / 1_000) + 3_600;
    const link = (nick: string) =>
      `${service.url}/watch/${channel_id}?${watchLinkQuery(secret, { channel_id, uid: 'u-1', nick, phone: '', expires })}`;
    const context = await viewer();
    const named = await welcomed(await ViewerPage.open(context, link('\u202EAda Lovelace')));
    const shown = () =>
      named.page.evaluate(`({
      given: document.getElementById('nick-given').innerText.replace(/\\s+/g, ' '),
      isAsked: document.getElementById('nick').checkVisibility(),
    })`);
    expect(await shown()).toEqual({ given: 'Nickname Ada Lovelace', isAsked: false });
    await keep(named.page, 'given-name');
    // A page that is loaded anew goes on with its session; a later link has another name.
    await named.page.reload();
    await welcomed(named);
    expect(await shown()).toEqual({ given: 'Nickname Ada Lovelace', isAsked: false });
    await named.page.goto(link('Grace'));
    await welcomed(named);
    expect(await shown()).toEqual({ given: 'Nickname Grace', isAsked: false });
    await named.page.goto(`${service.url}/watch/${channel_id}`);
    await welcomed(named);
    expect(await shown()).toMatchObject({ isAsked: true });
  },
);

const hostile = [
  ['\u202Enimda', 'a name that is turned around'],
  ['Ann', '\u202Ethis line is turned around\u202C and ends'],
  ['Bob\u2067', 'a name that opens an isolate and never closes it'],
  ['مدير', 'a name from right to left: 1, 2, 3'],
  ['Eve', 'مرحبا, a line from right to left (3)'],
  ['\u3164\u200B', 'a name of nothing'],
  [`Z${'\u0351\u033D\u0489'.repeat(12)}algo`, `p${'\u0310\u0316'.repeat(40)}iles up`],
  ['👨‍👩‍👧‍👦 family', 'flags 🏴󠁧󠁢󠁳󠁣󠁴󠁿🇩🇪 and می‌خواهم क्‍ष'],
  ['﷽﷽﷽﷽', '𒐫𒐫𒐫𒐫 wide ones ﷽﷽﷽﷽﷽﷽﷽﷽'],
] as const;

for (const isPhone of [false, true])
  testWith(
    noChromium,
    `names and lines stay in their places on a ${isPhone ? 'phone' : 'desktop'}, also old ones`,
    async () => {
      const { service } = running();
      const { id: channel_id } = await newLiveChannel(service);
      const { store } = service;
      // As rows from before were written: nothing was taken out of them.
      for (const [n, [nick, text]] of hostile.entries()) {
        const viewer_id = `old ${n}`;
        const at = service.clock.now;
        await enterAnew(store, channel_id, [entry(viewer_id, at)]);
        await store.perform(addMessage, { channel_id, viewer_id, nick, text, at });
      }
      // And as they are taken now.
      const sign = await ticketsOf(service);
      for (const [nick, text] of hostile) {
        const page = new TestPage(service.url, { ticket: sign(channel_id) });
        await page.welcome();
        page.say({ type: 'nick', nick });
        page.say({ type: 'chat', text });
        await page.next('chat', ({ messages }) => messages.some(({ at }) => at > 0));
        await page.leave();
      }
      const shown = await ViewerPage.open(
        await viewer({ isPhone }),
        `${service.url}/${isPhone ? 'm' : 'watch'}/${channel_id}`,
      );
      await shown.holds(
        `document.querySelectorAll('#chat-log .message').length === ${hostile.length * 2}`,
      );
      await keep(shown.page, `new-names-${isPhone ? 'phone' : 'desktop'}`);
      await shown.page.evaluate("document.getElementById('chat-log').scrollTop = 0");
      await keep(shown.page, `old-names-${isPhone ? 'phone' : 'desktop'}`);
      expect(await shown.page.evaluate(misplaced)).toEqual([]);
      expect(shown.complaints).toEqual([]);
    },
  );

/**
 * A line reads name, text, time, from the left or from the right as its text does. Where they stand on one line, each
 * begins where the one before has ended; and none is beside the chat.
 */
const misplaced = `[...document.querySelectorAll('#chat-log .message')].filter((message) => {
  const isFromRight = getComputedStyle(message).direction === 'rtl';
  const asRead = ({ top, left, right }) =>
    isFromRight ? { top, start: -right, end: -left } : { top, start: left, end: right };
  const [chat] = message.parentElement.getClientRects();
  const [author, text, time] = ['.author', '.text', 'time'].map((name) => {
    const boxes = [...message.querySelector(name).getClientRects()];
    return { first: asRead(boxes[0]), last: asRead(boxes.at(-1)), boxes };
  });
  const follows = (before, after) =>
    after.first.top > before.last.top + 5 || after.first.start >= before.last.end - 1;
  const isWithin = ({ boxes }) => boxes.every(({ left, right }) => left >= chat.left && right <= chat.right);
  return !(follows(author, text) && follows(text, time) && [author, text, time].every(isWithin));
}).map(({ innerText }) => innerText)`;

/** The one of the pages that says so, sooner or later. */
async function crowdedOut(pages: ViewerPage[], locale: keyof typeof notices): Promise<ViewerPage> {
  for (let looks = 0; looks < 400; looks += 1) {
    for (const page of pages) {
      const notice = await page.page.evaluate("document.getElementById('chat-notice').textContent");
      if (notice === notices[locale]) return page;
    }
    await Bun.sleep(50);
  }
  throw new Error('no page makes room');
}

function running(): { service: TestService; browser: Browser } {
  const { service, browser } = started;
  if (!service || !browser) throw new Error('the service or the browser did not start');
  return { service, browser };
}

async function viewer({ isPhone = false, locale = 'en-GB' } = {}): Promise<BrowserContext> {
  const viewport = isPhone ? { width: 390, height: 844 } : { width: 1280, height: 800 };
  const context = await running().browser.newContext({ userAgent, locale, viewport });
  contexts.push(context);
  return context;
}

async function welcomed(page: ViewerPage): Promise<ViewerPage> {
  await page.holds("document.getElementById('viewers').textContent !== ''");
  return page;
}

/** For people to look at, where a folder is named. */
async function keep(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES_DIR'];
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
