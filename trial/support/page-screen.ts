// One page that viewers see, as it is looked at: in a window, with what is told and played there; drawn into a file and judged.
import type { Browser, Page } from 'playwright-core';
import {
  closeCodes,
  type PageMessage,
  type Refusal,
  type ShownMessage,
  type Welcome,
} from '../../src/audience/protocol/messages.ts';
import type { WatchData } from '../../src/web/pages/page-data.ts';
import { drawWhole, troublesOf } from '../../test/support/page-judge.ts';
import { userAgent } from '../../test/support/page-server.ts';

const windows = {
  smallest: { width: 320, height: 568 },
  phone: { width: 390, height: 844 },
  lying: { width: 844, height: 390 },
  tablet: { width: 820, height: 1_180 },
  desktop: { width: 1_280, height: 720 },
  wide: { width: 2_560, height: 1_440 },
} as const;
export type WindowName = keyof typeof windows;
export const windowNames = Object.keys(windows) as WindowName[];

/** When all of it happens. */
export const now = Date.UTC(2026, 4, 4, 12);

export interface Screen {
  path: string;
  /** Of the picture that plays there; none where nothing does. */
  picture?: readonly [width: number, height: number];
  /** Why the service does not let the viewer in. */
  refusal?: Refusal;
  /** What a viewer has done there, or what has happened, before the picture comes. */
  begun?(page: Page): Promise<unknown>;
  /** And after that. */
  done?(page: Page): Promise<unknown>;
}

const line = { author: 'v', nick: 'Li Wei', at: now };
const question = { ...line, text: 'Will there be a recording?' };
const messages: ShownMessage[] = [
  { ...line, id: 1, author: 'h', nick: 'Anna', text: 'Welcome, everybody!', host: true },
  { ...question, id: 2 },
  {
    ...line,
    id: 3,
    author: 'h',
    nick: 'Anna',
    text: 'Yes, here, right after the show: https://example.com/more',
    host: true,
    reply: { id: 2, quote: question },
  },
  { ...line, id: 4, author: 'w', nick: 'محمد', text: 'شكرا جزيلا (على كل شيء)!' },
  {
    ...line,
    id: 5,
    author: 'x',
    nick: '',
    text: 'A longer line, so that it is seen how one breaks where the column is narrow and people have much to say.',
  },
  { ...line, id: 6, author: 'me', text: 'Thanks', reply: { id: 0 } },
];
const welcome: Welcome = {
  type: 'welcome',
  resume: '1.1',
  viewer: { nick: 'Tom', fixed: false, muted: false, author: 'me' },
  beat_ms: 10_000,
  live: false,
  viewers: 1_204,
  chat: {
    open: true,
    slow_seconds: 0,
    messages,
    pinned: {
      ...line,
      id: 9,
      author: 'h',
      nick: 'Anna',
      text: 'Questions at the end, please',
      host: true,
    },
  },
  video: null,
  playbill: { name: '', start_time: null },
};

interface Look extends Screen {
  url: string;
  window: WindowName;
  scheme: 'light' | 'dark';
  file: string | undefined;
}

/** What is wrong with a page; it is drawn into the file, where there is one, in any case. */
export async function look(browser: Browser, asked: Look): Promise<string[]> {
  const { url, path, picture, refusal, begun, done, window, scheme, file } = asked;
  const hasTouch = window !== 'desktop' && window !== 'wide';
  const context = await browser.newContext({
    userAgent,
    ...{ viewport: windows[window], isMobile: hasTouch, hasTouch, colorScheme: scheme },
    ...{ locale: 'en-GB', timezoneId: 'Europe/Berlin', reducedMotion: 'reduce' },
  });
  try {
    const page = await context.newPage();
    const troubles: string[] = [];
    page.on('pageerror', ({ message }) => troubles.push(message));
    await answerFor(page, refusal);
    await page.goto(url + path);
    if (refusal) await page.locator('#message').waitFor();
    else if (await page.locator('#chat-log').count())
      await page.locator('#chat-log .message').last().waitFor();
    await begun?.(page);
    if (picture) await showPicture(page, picture);
    await done?.(page);
    if (file) await draw(page, { path: file, hasTouch });
    return [...troubles, ...(await troublesOf(page, { hasTouch }))];
  } finally {
    await context.close();
  }
}

/** Of what plays as much as one sees at once; all else is read to its end. */
async function draw(page: Page, asked: { path: string; hasTouch: boolean }): Promise<void> {
  if (await page.locator('#player').count())
    await page.screenshot({ path: asked.path, animations: 'disabled' });
  else await drawWhole(page, asked);
}

/** There is no service behind the page: its chat is answered here, and its media never comes. */
async function answerFor(page: Page, refusal: Refusal | undefined): Promise<void> {
  await page.route(/\/(?:hls|media)\//, () => {});
  await page.routeWebSocket('**/audience', (socket) => {
    socket.onMessage(async (text) => {
      const { type }: PageMessage = JSON.parse(String(text));
      if (type !== 'hello') return;
      if (refusal) {
        socket.send(JSON.stringify({ type: 'refused', reason: refusal }));
        await socket.close({ code: closeCodes.refused });
        return;
      }
      // As the page was made, which is all that is known here.
      const made = await page.evaluate<Pick<WatchData, 'live' | 'title' | 'start_time'>>(
        "JSON.parse(document.getElementById('page').text)",
      );
      const { live, title: name, start_time } = made;
      socket.send(JSON.stringify({ ...welcome, live, playbill: { name, start_time } }));
    });
  });
}

/** As if it played: a drawing in the place of what never comes. */
async function showPicture(page: Page, [width, height]: readonly [number, number]): Promise<void> {
  await page.evaluate(`(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: ${width}, height: ${height} });
    const pen = canvas.getContext('2d');
    const sky = pen.createLinearGradient(0, 0, 0, ${height});
    sky.addColorStop(0, '#9ec7e8');
    sky.addColorStop(0.6, '#f3d9b1');
    sky.addColorStop(1, '#50433a');
    pen.fillStyle = sky;
    pen.fillRect(0, 0, ${width}, ${height});
    pen.fillStyle = '#2b3440';
    pen.beginPath();
    pen.arc(${width / 2}, ${height * 0.42}, ${Math.min(width, height) * 0.16}, 0, 7);
    pen.ellipse(${width / 2}, ${height}, ${Math.min(width, height) * 0.34}, ${height * 0.36}, 0, 0, 7);
    pen.fill();
    const video = document.getElementById('video');
    const isThere = new Promise((resolve) => video.addEventListener('loadedmetadata', resolve, { once: true }));
    video.srcObject = canvas.captureStream(10);
    await isThere;
    await video.play().catch(() => {});
    await new Promise((resolve) => requestAnimationFrame(resolve));
  })()`);
}
