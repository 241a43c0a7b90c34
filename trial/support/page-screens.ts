// Every page that viewers see, in every state, drawn into files and judged: by axe, and by whether it stands over its edge.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { PageMessage, ShownMessage, Welcome } from '../../src/audience/protocol/messages.ts';
import type { Store } from '../../src/base/db/sql.ts';
import { createChannel } from '../../src/library/channels/channel-store.ts';
import { addVideos } from '../../src/library/videos/video-store.ts';
import type { WatchData } from '../../src/web/pages/page-data.ts';
import { startBrowser } from '../../test/support/browser.ts';
import { engines } from '../../test/support/engines.ts';
import { findingsOf, overEdge } from '../../test/support/page-judge.ts';
import { startTestPages, userAgent } from '../../test/support/page-server.ts';
import { openTestStore } from '../../test/support/store.ts';
import type { RoundOptions } from '../../test/support/trial.ts';

const windows = {
  phone: { width: 390, height: 844 },
  lying: { width: 844, height: 390 },
  tablet: { width: 820, height: 1_180 },
  desktop: { width: 1_280, height: 720 },
  wide: { width: 2_560, height: 1_440 },
} as const;
export type WindowName = keyof typeof windows;
export const windowNames = Object.keys(windows) as WindowName[];

const now = Date.UTC(2026, 4, 4, 12);
const rightToLeft = 'مؤتمر المطورين 2026 (الجزء الأول)!';
const brand = { pc_logo: '/logo.svg', mobile_logo: '/logo.svg', footer: '© 2026 Example Ltd.' };
const wholeBrand = { ...brand, banner: '/banner.svg', cover_image: '/banner.svg' };

interface Screen {
  path: string;
  /** Of the picture that plays there; none where nothing does. */
  picture?: readonly [width: number, height: number];
  /** What a viewer has done there, as a script. */
  done?: string;
}

export async function lookAtPages(options: {
  folder: string;
  windows: readonly WindowName[];
  say: RoundOptions['say'];
}): Promise<{ shown: number; problems: string[] }> {
  const { folder, say } = options;
  mkdirSync(folder, { recursive: true });
  const store = await openTestStore(engines[0] as (typeof engines)[number]);
  const pages = await startTestPages(store, { now: () => now, more: drawings });
  const browser = await startBrowser();
  const problems: string[] = [];
  let shown = 0;
  try {
    const screens = Object.entries(await screensOf(store));
    for (const window of options.windows) {
      for (const [at, [name, screen]] of screens.entries()) {
        // Each look is seen on each page: which comes first goes round.
        const scheme = (at + windowNames.indexOf(window)) % 2 === 0 ? 'light' : 'dark';
        const file = join(folder, `page-${name}-${window}-${scheme}.png`);
        const found = await look(browser, { ...screen, url: pages.url, window, scheme, file });
        problems.push(...found.map((one) => `${name} ${window} ${scheme}: ${one}`));
        shown += 1;
      }
      say(`pages, ${window}`);
    }
  } finally {
    await browser.close();
    await pages.stop();
    await store.close();
  }
  return { shown, problems };
}

async function screensOf(store: Store): Promise<Record<string, Screen>> {
  const channel = async (name: string, set: Record<string, unknown>, sql = '') => {
    const { row } = await store.perform(createChannel, {
      owner: { account_id: 1, manager_id: 0 },
      ...{ name, manager_id: 0, page: { set, clear: [] }, now, idempotency: undefined },
    });
    if (sql !== '') await store.run(`UPDATE channels SET ${sql} WHERE id = $1`, [row.id]);
    return row.id;
  };
  const tall = 'picture_width = 720, picture_height = 1280';
  const landscape = [1_280, 720] as const;
  const upright = [720, 1_280] as const;
  const soon = await channel('Spring launch', { ...wholeBrand, start_time: now + 93_600_000 });
  const live = await channel('Spring launch', wholeBrand, 'live = 1');
  const tallLive = await channel('From the workshop', brand, `live = 1, ${tall}`);
  const arabic = await channel(rightToLeft, { footer: 'شركة المثال' }, 'live = 1');
  const ended = await channel('It is over', brand, 'last_push_stream_at = 1');
  const tech = await channel('Developer day', { ...brand, theme: 'tech' }, 'live = 1');
  const video = await addVideo(store, live, landscape);
  const tallVideo = await addVideo(store, ended, upright);
  const peek = `
    const seek = document.getElementById('seek');
    seek.max = '3605';
    const { left, top, width, height } = seek.getBoundingClientRect();
    const place = { clientX: left + width * 0.6, clientY: top + height / 2, pointerType: 'mouse' };
    seek.dispatchEvent(new PointerEvent('pointermove', place));`;
  const slow = `
    const told = document.getElementById('slow-line');
    told.textContent = 'Your network is too slow for 1080p. A lower quality will help.';
    told.hidden = false;
    // The page itself finds its network good enough.
    Object.defineProperty(told, 'hidden', { set() {}, get: () => false });`;
  const reply = `document.querySelector('#chat-log .reply').click();`;
  return {
    front: { path: '/' },
    soon: { path: `/watch/${soon}` },
    live: { path: `/watch/${live}`, picture: landscape },
    'live-slow': { path: `/watch/${live}`, picture: landscape, done: slow },
    'live-reply': { path: `/watch/${live}`, picture: landscape, done: reply },
    'live-mobile': { path: `/m/${live}`, picture: landscape },
    'live-tech': { path: `/watch/${tech}`, picture: landscape },
    'live-embed': { path: `/embed/${live}`, picture: landscape },
    upright: { path: `/m/${tallLive}`, picture: upright },
    'upright-reply': { path: `/watch/${tallLive}`, picture: upright, done: reply },
    'right-to-left': { path: `/watch/${arabic}`, picture: landscape },
    ended: { path: `/watch/${ended}` },
    video: { path: `/videos/${video}`, picture: landscape, done: peek },
    'video-upright': { path: `/videos/${tallVideo}`, picture: upright, done: peek },
    'video-embed': { path: `/embed/videos/${video}`, picture: landscape, done: slow },
    'video-unplayed': { path: `/videos/${video}` },
    absent: { path: '/watch/999999' },
  };
}

async function addVideo(
  store: Store,
  channel_id: number,
  [width, height]: readonly [number, number],
): Promise<number> {
  const none = { m3u8_480: '', m3u8_720: '', m3u8_1080: '', cover_url: '/banner.svg' };
  const media = { video_url: '', m3u8: '/media/list.m3u8', ...none };
  const times = { upload_time: now, start_time: now, end_time: now + 3_605_000 };
  const size = { width, height, duration: 3_605, video_size: 734_003_200 };
  const named = { channel_id, external_id: `of ${channel_id}`, name: 'Spring launch 2026-05-04' };
  const video = { ...named, ...media, ...times, ...size };
  await store.perform(addVideos, { account_id: 1, videos: [video] });
  const last = await store.one<{ id: number }>('SELECT max(id) AS id FROM videos');
  return last?.id ?? 0;
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
  file: string;
}

/** What is wrong with a page; it is drawn into the file in any case. */
async function look(browser: Browser, asked: Look): Promise<string[]> {
  const { url, path, picture, done, window, scheme, file } = asked;
  const hasTouch = window === 'phone' || window === 'lying' || window === 'tablet';
  const context = await browser.newContext({
    userAgent,
    ...{ viewport: windows[window], isMobile: hasTouch, hasTouch, colorScheme: scheme },
    ...{ locale: 'en-GB', timezoneId: 'Europe/Berlin', reducedMotion: 'reduce' },
  });
  try {
    const page = await context.newPage();
    const troubles: string[] = [];
    page.on('pageerror', ({ message }) => troubles.push(message));
    await answerFor(page);
    await page.goto(url + path);
    const lines = page.locator('#chat-log .message');
    if (await page.locator('#chat-log').count()) await lines.last().waitFor();
    if (picture) await showPicture(page, picture);
    await page.evaluate(done ?? '');
    troubles.push(...(await findingsOf(page)));
    const over = await overEdge(page);
    if (over > 0) troubles.push(`it is ${over} pixels wider than its window`);
    await page.screenshot({ path: file, animations: 'disabled' });
    return troubles;
  } finally {
    await context.close();
  }
}

/** There is no service behind the page: its chat is answered here, and its media never comes. */
async function answerFor(page: Page): Promise<void> {
  await page.route(/\/(?:hls|media)\//, () => {});
  await page.routeWebSocket('**/audience', (socket) => {
    socket.onMessage(async (text) => {
      const { type }: PageMessage = JSON.parse(String(text));
      if (type !== 'hello') return;
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

const svg = (body: string) => () => ({
  headers: { 'content-type': 'image/svg+xml' },
  body: `<svg xmlns="http://www.w3.org/2000/svg" ${body}</svg>`,
});
const drawings = {
  '/logo.svg': svg(
    'viewBox="0 0 120 40"><rect width="120" height="40" rx="8" fill="#fff"/><text x="60" y="27" text-anchor="middle" font-family="sans-serif" font-size="20">Lantern</text>',
  ),
  '/banner.svg': svg(
    'viewBox="0 0 960 240" preserveAspectRatio="xMidYMid slice"><rect width="960" height="240" fill="#27446b"/><text x="480" y="140" text-anchor="middle" font-family="sans-serif" font-size="64" fill="#fff">Spring launch</text>',
  ),
};
