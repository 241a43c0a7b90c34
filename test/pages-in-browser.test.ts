// The pages in Debian's Chromium: judged by axe, fed with hostile fields, resized, tabbed through, and put in every state.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { createChannel } from '../src/channels/channel-store.ts';
import type { Store } from '../src/db/sql.ts';
import { addVideos } from '../src/videos/video-store.ts';
import { testWith } from './faults/needs.ts';
import { noChromium, startBrowser } from './support/browser.ts';
import { engines } from './support/engines.ts';
import { startTestPages, type TestPages, userAgent } from './support/page-server.ts';
import { openTestStore } from './support/store.ts';

// A browser starts, on two noisy cores.
setDefaultTimeout(60_000);

const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };
/** As much as a desktop shows at twice the size, and the smallest phone (WCAG 1.4.10). */
const zoomed = { width: 640, height: 400 };
const smallest = { width: 320, height: 568 };

const now = Date.UTC(2026, 4, 4, 12);
const picture = '/picture.svg';
const brand = {
  pc_logo: picture,
  mobile_logo: picture,
  banner: picture,
  cover_image: picture,
  live_img: picture,
  footer: '© 2026 Example Ltd.',
};
const soon = { start_time: now + 90 * 3_600_000 };
const longName =
  '2026 年春季新品发布会暨全球开发者大会主论坛人工智能与云原生技术的融合创新实践分享';

const started: { store?: Store; pages?: TestPages; browser?: Browser; looks?: string } = {};
const ids: Record<string, number> = {};

beforeAll(async () => {
  if (noChromium !== undefined) return;
  const store = await openTestStore(engines[0] as (typeof engines)[number]);
  started.store = store;
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 9"><path fill="#fff" d="M0 0h16v9H0z"/></svg>';
  const headers = { 'content-type': 'image/svg+xml' };
  started.pages = await startTestPages(store, {
    now: () => now,
    more: { [picture]: () => ({ headers: { ...headers }, body: svg }) },
  });
  started.browser = await startBrowser();
  const script = join(import.meta.dir, 'browser/page-looks.ts');
  const built = await Bun.build({ entrypoints: [script], target: 'browser', format: 'iife' });
  started.looks = (await built.outputs[0]?.text()) ?? '';
  ids['plain'] = await channel('Spring launch', {});
  ids['brand'] = await channel(longName, { ...brand, ...soon });
  ids['tech'] = await channel('Developer day', { ...brand, ...soon, theme: 'tech' });
  ids['live'] = await channel('On air', brand, 'live = 1');
  ids['techLive'] = await channel('On air', { ...brand, theme: 'tech' }, 'live = 1');
  ids['ended'] = await channel('It is over', brand, 'last_push_stream_at = 1');
  ids['grey'] = await channel('Grey', { bg_color: '#777777', footer: 'on grey' });
  ids['closed'] = await channel('Quiet', {}, 'chat = 0');
  ids['video'] = await video(ids['ended']);
  ids['absent'] = 999_999;
});

afterAll(async () => {
  await started.browser?.close();
  await started.pages?.stop();
  await started.store?.close();
});

function test(name: string, run: () => Promise<void>): void {
  testWith(noChromium, name, run);
}

describe('axe finds nothing to complain of', () => {
  const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
  const looks: [name: string, kind: string, viewport: typeof desktop, scheme: 'light' | 'dark'][] =
    [
      ['plain', 'watch', desktop, 'light'],
      ['brand', 'watch', desktop, 'dark'],
      ['tech', 'watch', desktop, 'light'],
      ['techLive', 'watch', desktop, 'light'],
      ['live', 'watch', desktop, 'light'],
      ['ended', 'watch', desktop, 'light'],
      ['grey', 'watch', desktop, 'light'],
      ['brand', 'm', phone, 'light'],
      ['live', 'm', phone, 'dark'],
      ['tech', 'm', phone, 'light'],
      ['closed', 'm', phone, 'light'],
      ['live', 'embed', zoomed, 'light'],
      ['brand', 'embed', zoomed, 'light'],
      ['video', 'videos', desktop, 'light'],
      ['video', 'videos', phone, 'dark'],
      ['video', 'embed/videos', zoomed, 'light'],
      ['absent', 'watch', desktop, 'light'],
      ['absent', 'videos', phone, 'dark'],
    ];
  for (const [name, kind, viewport, colorScheme] of looks) {
    test(`/${kind} of ${name}, ${colorScheme}, ${viewport.width} pixels wide`, async () => {
      const troubles: string[] = [];
      const opened = await open(`/${kind}/${ids[name]}`, { viewport, colorScheme }, troubles);
      await opened.evaluate('looks.fillChat()');
      await opened.evaluate(axe);
      const found = await opened.evaluate('axe.run(document, { resultTypes: ["violations"] })');
      const { violations } = found as { violations: { id: string; nodes: { html: string }[] }[] };
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
      expect(troubles.filter(isOfPolicy)).toEqual([]);
      await opened.context().close();
    });
  }
});

describe('nothing stands over the edge', () => {
  const names = ['brand', 'tech', 'live', 'closed'];
  const pages: [name: string, kind: string][] = [
    ...names.flatMap((name) =>
      ['watch', 'm', 'embed'].map((kind): [string, string] => [name, kind]),
    ),
    ['video', 'videos'],
    ['video', 'embed/videos'],
    ['absent', 'watch'],
  ];
  for (const [name, kind] of pages) {
    test(`/${kind} of ${name}, from the smallest phone to a desktop`, async () => {
      const page = await open(`/${kind}/${ids[name]}`, { locale: 'zh-CN' });
      for (const viewport of [smallest, phone, zoomed, desktop]) {
        await page.setViewportSize(viewport);
        const over = await looked(page, 'overEdge()');
        expect({ ...viewport, over }).toEqual({ ...viewport, over: [] });
      }
      await page.context().close();
    });
  }
});

describe('whoever uses the keyboard', () => {
  test('sees where they are, on every page', async () => {
    for (const path of [
      `/watch/${ids['live']}`,
      `/watch/${ids['techLive']}`,
      `/videos/${ids['video']}`,
    ]) {
      const page = await open(path, { viewport: desktop });
      const seen = new Set<string>();
      for (let step = 0; step < 30; step++) {
        await page.keyboard.press('Tab');
        const { id, outline } = await looked<{ id: string; outline: string }>(page, 'focused()');
        if (id === '') break;
        seen.add(id);
        expect({ path, id, outline }).toEqual({ path, id, outline: 'solid 2px' });
      }
      expect([...seen]).toEqual(expect.arrayContaining(['play', 'mute', 'fullscreen']));
      await page.context().close();
    }
  });
});

describe('nothing moves', () => {
  for (const [name, viewport] of [
    ['a desktop', desktop],
    ['a phone', phone],
  ] as const) {
    test(`on ${name} when the page turns live, ends or shows a video`, async () => {
      const page = await open(`/watch/${ids['brand']}`, { viewport });
      const places: string[] = [];
      for (const state of ['waiting', 'live', 'ended', 'video', 'waiting']) {
        const viewers = state === 'waiting' ? '' : '12,345 watching';
        places.push(await looked(page, `placesIn('${state}', '${viewers}')`));
      }
      expect(new Set(places).size).toBe(1);
      await page.context().close();
    });
  }
});

describe('hostile fields', () => {
  const hostile = [
    '<script>window.hurt=1</script>',
    '"><img src=x onerror=window.hurt=1>',
    "'-window.hurt=1-'",
    '</title><script>window.hurt=1</script>',
    '</script><script>window.hurt=1</script>',
    '</style><style>body{display:none}</style>',
    '<!--<script>',
    'javascript:window.hurt=1',
    '//x"onerror="window.hurt=1',
    'red;}body{display:none}',
    '\u2028window.hurt=1\u2029',
    '{{constructor.constructor("window.hurt=1")()}}',
  ];
  for (const text of hostile) {
    test(`${JSON.stringify(text)} is text and nothing else`, async () => {
      const fields = Object.keys(brand).map((name) => [name, text]);
      const set = { ...Object.fromEntries(fields), bg_color: text, theme: 'default' };
      // Past the checks of the interface: what an older version or an import has let in.
      const id = await channel(text, set, 'last_push_stream_at = 1');
      const paths = [
        `/watch/${id}`,
        `/m/${id}`,
        `/embed/${id}`,
        `/videos/${await video(id, text)}`,
      ];
      const troubles: string[] = [];
      const page = await open('/watch/999999', { viewport: desktop }, troubles);
      for (const path of paths) {
        await page.goto((started.pages?.url ?? '') + path);
        expect(await page.evaluate('window.hurt')).toBeUndefined();
        expect(await page.evaluate('getComputedStyle(document.body).display')).toBe('flex');
        expect(await page.title()).toBe(text.replaceAll(/[\t\n\f\r ]+/g, ' '));
        expect(await page.locator('script:not([src]):not([type])').count()).toBe(0);
      }
      expect(troubles.filter(isOfPolicy)).toEqual([]);
      await page.context().close();
    });
  }
});

async function channel(name: string, set: Record<string, unknown>, sql = ''): Promise<number> {
  const { store } = started;
  const made = await store?.perform(createChannel, {
    owner: { account_id: 1, manager_id: 0 },
    name,
    manager_id: 0,
    page: { set, clear: [] },
    now,
    idempotency: undefined,
  });
  const id = made?.row.id ?? 0;
  if (sql !== '') await store?.run(`UPDATE channels SET ${sql} WHERE id = $1`, [id]);
  return id;
}

async function video(channel_id: number, text = picture): Promise<number> {
  const media = {
    video_url: text,
    m3u8: text,
    m3u8_480: '',
    m3u8_720: `${text}?720`,
    m3u8_1080: '',
  };
  const times = { upload_time: now, start_time: now, end_time: now };
  const one = {
    channel_id,
    external_id: `of ${channel_id}`,
    name: text === picture ? longName : text,
    video_size: 734_003_200,
    duration: 3_605,
    width: 1_280,
    height: 720,
    cover_url: text,
    ...media,
    ...times,
  };
  await started.store?.perform(addVideos, { account_id: 1, videos: [one] });
  const last = await started.store?.one<{ id: number }>('SELECT max(id) AS id FROM videos');
  return last?.id ?? 0;
}

function isOfPolicy(trouble: string): boolean {
  return trouble.includes('Content Security Policy');
}

async function open(
  path: string,
  options: BrowserContextOptions,
  troubles: string[] = [],
): Promise<Page> {
  const context = await started.browser?.newContext({ userAgent, locale: 'en-GB', ...options });
  if (!context) throw new Error('the browser is not there');
  const page = await context.newPage();
  page.on('console', (message) => troubles.push(message.text()));
  page.on('pageerror', (error) => troubles.push(error.message));
  await page.goto((started.pages?.url ?? '') + path);
  await page.evaluate(started.looks ?? '');
  return page;
}

async function looked<T>(page: Page, call: string): Promise<T> {
  return await page.evaluate<T>(`looks.${call}`);
}
