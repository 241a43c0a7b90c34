// The pages in Debian's Chromium: judged by axe, fed with hostile fields, resized, tabbed through, and put in every state.
import { afterAll, beforeAll, describe, expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page, WebSocketRoute } from 'playwright-core';
import {
  closeCodes,
  type PageMessage,
  type Playbill,
  type ServiceMessage,
  type ShownMessage,
  type Welcome,
} from '../src/audience/protocol/messages.ts';
import type { Store } from '../src/base/db/sql.ts';
import { createChannel } from '../src/library/channels/channel-store.ts';
import { addVideos } from '../src/library/videos/video-store.ts';
import { noChromium, pageWaitMs, startBrowser } from './support/browser.ts';
import { engines } from './support/engines.ts';
import { testWith } from './support/needs.ts';
import { startTestPages, type TestPages, userAgent } from './support/page-server.ts';
import { openTestStore } from './support/store.ts';

const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };
/** As much as a desktop shows at twice the size, and the smallest phone (WCAG 1.4.10). */
const zoomed = { width: 640, height: 400 };
const smallest = { width: 320, height: 568 };
/** A phone on its side, and what a phone's keyboard leaves of it upright. */
const lying = { width: 844, height: 390 };
const typing = { width: 390, height: 508 };
const laptop = { width: 1280, height: 720 };
const wide = { width: 1920, height: 1080 };
const widest = { width: 2560, height: 1440 };

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
const upright = 'picture_width = 720, picture_height = 1280';
const plainBill: Playbill = { name: 'Spring launch', start_time: null };
const soon = { start_time: now + 90 * 3_600_000 };
const longName =
  '2026 年春季新品发布会暨全球开发者大会主论坛人工智能与云原生技术的融合创新实践分享';

const started: { store?: Store; pages?: TestPages; browser?: Browser; looks?: string } = {};
/** A page for each language, for whoever only looks: a browser takes longer for a new one than to show the next. */
const lookers = new Map<string, Promise<Page>>();
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
  ids['plain'] = await channel(plainBill.name, {});
  ids['brand'] = await channel(longName, { ...brand, ...soon });
  ids['tech'] = await channel('Developer day', { ...brand, ...soon, theme: 'tech' });
  ids['live'] = await channel('On air', brand, 'live = 1');
  ids['techLive'] = await channel('On air', { ...brand, theme: 'tech' }, 'live = 1');
  ids['ended'] = await channel('It is over', brand, 'last_push_stream_at = 1');
  ids['grey'] = await channel('Grey', { bg_color: '#777777', footer: 'on grey' });
  ids['closed'] = await channel('Quiet', {}, 'chat = 0');
  ids['video'] = await video(ids['ended']);
  ids['upright'] = await channel('Upright', brand, `live = 1, ${upright}`);
  ids['uprightTech'] = await channel('Upright', { theme: 'tech', ...soon }, upright);
  ids['uprightVideo'] = await video(ids['upright'], picture, { width: 720, height: 1_280 });
  ids['uprightOver'] = await channel('Over', brand, `last_push_stream_at = 1, ${upright}`);
  await video(ids['uprightOver'], picture, { width: 720, height: 1_280 });
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
      ['upright', 'watch', desktop, 'light'],
      ['upright', 'm', phone, 'light'],
      ['upright', 'm', lying, 'dark'],
      ['uprightTech', 'm', phone, 'light'],
      ['uprightVideo', 'videos', phone, 'light'],
      ['absent', 'watch', desktop, 'light'],
      ['absent', 'videos', phone, 'dark'],
    ];
  for (const [name, kind, viewport, colorScheme] of looks) {
    test(`/${kind} of ${name}, ${colorScheme}, ${viewport.width} pixels wide`, async () => {
      const troubles: string[] = [];
      const page = await look(`/${kind}/${ids[name]}`, { viewport, colorScheme }, troubles);
      await page.evaluate('looks.fillChat()');
      await page.evaluate(axe);
      const found = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
      const { violations } = found as { violations: { id: string; nodes: { html: string }[] }[] };
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
      expect(troubles.filter(isOfPolicy)).toEqual([]);
    });
  }
});

describe('nothing stands over the edge', () => {
  const names = ['brand', 'tech', 'live', 'closed', 'upright'];
  const pages: [name: string, kind: string][] = [
    ...names.flatMap((name) =>
      ['watch', 'm', 'embed'].map((kind): [string, string] => [name, kind]),
    ),
    ['video', 'videos'],
    ['uprightVideo', 'videos'],
    ['video', 'embed/videos'],
    ['absent', 'watch'],
  ];
  for (const [name, kind] of pages) {
    test(`/${kind} of ${name}, from the smallest phone to a wide desktop`, async () => {
      const page = await look(`/${kind}/${ids[name]}`, { locale: 'zh-CN' });
      for (const viewport of [smallest, phone, zoomed, lying, desktop, wide]) {
        await page.setViewportSize(viewport);
        const over = await looked(page, 'overEdge()');
        expect({ ...viewport, over }).toEqual({ ...viewport, over: [] });
      }
    });
  }
});

describe('whoever touches a recording on a phone', () => {
  for (const [name, viewport] of [
    ['video', phone],
    ['uprightVideo', phone],
    ['video', smallest],
  ] as const)
    test(`has all its controls, of ${name}, ${viewport.width} pixels wide`, async () => {
      const options = { viewport, isMobile: true, hasTouch: true };
      const page = await open(`/videos/${ids[name]}`, options, [], {});
      expect(await page.isVisible('#quality')).toBeTrue();
      expect(await looked(page, 'overEdge()')).toEqual([]);
      await page.context().close();
    });

  test('sees where it is, also where its sound is still off', async () => {
    const page = await look(`/m/${ids['ended']}`, { viewport: phone });
    await page.evaluate("document.body.dataset.state = 'video'");
    // As with a recording that has loaded, which is none here: the page itself would hide them again.
    await page.evaluate(`for (const id of ['unmute', 'seek', 'times']) {
      const element = document.getElementById(id);
      element.hidden = false;
      Object.defineProperty(element, 'hidden', { set() {}, get: () => false });
    }`);
    for (const viewport of [smallest, phone, desktop]) {
      await page.setViewportSize(viewport);
      for (const id of ['time-now', 'seek', 'play'])
        expect({ id, apart: await looked(page, `isApart('unmute', '${id}')`) }).toEqual({
          id,
          apart: true,
        });
    }
  });
});

describe('whoever uses the keyboard', () => {
  test('sees where they are, on every page', async () => {
    for (const path of [
      `/watch/${ids['live']}`,
      `/watch/${ids['techLive']}`,
      `/videos/${ids['video']}`,
    ]) {
      const page = await look(path, { viewport: desktop });
      const seen = new Set<string>();
      for (let step = 0; step < 30; step++) {
        await page.keyboard.press('Tab');
        const { id, outline } = await looked<{ id: string; outline: string }>(page, 'focused()');
        if (id === '') break;
        seen.add(id);
        expect({ path, id, outline }).toEqual({ path, id, outline: 'solid 2px' });
      }
      expect([...seen]).toEqual(expect.arrayContaining(['play', 'mute', 'fullscreen']));
    }
  });
});

describe('nothing moves', () => {
  for (const [name, viewport] of [
    ['a desktop', desktop],
    ['a phone', phone],
  ] as const) {
    test(`on ${name} when the page turns live, ends or shows a video`, async () => {
      const page = await look(`/watch/${ids['brand']}`, { viewport });
      const places: string[] = [];
      for (const state of ['waiting', 'live', 'ended', 'video', 'waiting']) {
        const viewers = state === 'waiting' ? '' : '12,345 watching';
        places.push(await looked(page, `placesIn('${state}', '${viewers}')`));
      }
      expect(new Set(places).size).toBe(1);
    });
  }
});

describe('the window is used', () => {
  const box = (page: Page, id: string) =>
    looked<Record<'left' | 'top' | 'right' | 'bottom', number>>(page, `box('${id}')`);

  test('on a desktop with a banner: title and chat field are in it without scrolling', async () => {
    const page = await look(`/watch/${ids['live']}`, { viewport: laptop });
    for (const viewport of [laptop, wide]) {
      await page.setViewportSize(viewport);
      for (const id of ['player', 'title', 'chat-text', 'chat-send'])
        expect((await box(page, id)).bottom).toBeLessThan(viewport.height);
    }
  });

  for (const viewport of [wide, widest])
    test(`${viewport.width} pixels wide: the picture grows, and the chat is beside it`, async () => {
      const page = await look(`/watch/${ids['plain']}`, { viewport });
      const [player, chat] = [await box(page, 'player'), await box(page, 'chat')];
      expect(player.right - player.left).toBeGreaterThan(viewport.width * 0.75);
      expect(chat.left).toBe(player.right + 16);
      expect(chat.right).toBe(viewport.width - 16);
      expect((await box(page, 'title')).bottom).toBeLessThan(viewport.height);
    });

  test('by an upright show on a phone: it fills it, and the chat lies over it', async () => {
    const page = await look(`/m/${ids['upright']}`, { viewport: phone });
    await looked(page, 'fillChat()');
    const [player, log, text] = [
      await box(page, 'player'),
      await box(page, 'chat-log'),
      await box(page, 'chat-text'),
    ];
    expect(player).toEqual({ left: 0, top: 0, right: phone.width, bottom: phone.height - 60 });
    expect(log.top).toBeGreaterThan(player.bottom / 2);
    expect(log.bottom).toBeLessThan(player.bottom - 50);
    expect(text.top).toBeGreaterThan(player.bottom);
    expect(text.bottom).toBeLessThan(phone.height);
    expect(await looked<boolean>(page, "isApart('play', 'chat-log')")).toBeTrue();
  });

  for (const viewport of [phone, smallest])
    test(`by an upright show, ${viewport.width} pixels wide: nothing that is said of the chat lies on the controls`, async () => {
      const page = await look(`/m/${ids['upright']}`, { viewport });
      await looked(page, 'fillChat()');
      for (const [says, place] of [
        [
          "document.getElementById('chat-notice').textContent = texts.connection_lost",
          'chat-notice',
        ],
        [
          "Object.assign(document.getElementById('chat-slow'), { hidden: false, textContent: texts.slow_mode })",
          'chat-form',
        ],
        [
          "document.getElementById('chat-closed').textContent = texts.muted; document.getElementById('chat').dataset.open = false",
          'chat-closed',
        ],
      ] as const) {
        await page.evaluate(
          `{ const { texts } = JSON.parse(document.getElementById('page').text); ${says} }`,
        );
        expect({
          place,
          apart: await looked<boolean>(page, `isApart('play', '${place}')`),
        }).toEqual({ place, apart: true });
        expect((await box(page, place)).bottom).toBeLessThanOrEqual(viewport.height);
      }
    });

  for (const viewport of [phone, smallest])
    test(`by an upright show, ${viewport.width} pixels wide: what is said of the network lies on nothing`, async () => {
      const page = await look(`/m/${ids['upright']}`, { viewport });
      await page.evaluate(`{
        const { texts } = JSON.parse(document.getElementById('page').text);
        const told = document.getElementById('slow-line');
        told.textContent = texts.slow_line;
        Object.defineProperty(told, 'hidden', { set() {} });
        told.removeAttribute('hidden');
        document.getElementById('unmute').hidden = false;
      }`);
      for (const id of ['title', 'share', 'unmute', 'chat-form'])
        expect({ id, apart: await looked(page, `isApart('slow-line', '${id}')`) }).toEqual({
          id,
          apart: true,
        });
      expect(await page.isVisible('.logo')).toBeFalse();
    });

  test('by what is over on a phone that lies on its side: all that is said of it is in its narrow player', async () => {
    const page = await look(`/watch/${ids['uprightOver']}`, { viewport: lying });
    const player = await box(page, 'player');
    const link = await box(page, 'watch-video');
    expect(player.right - player.left).toBeLessThan(250);
    expect(link.left).toBeGreaterThan(player.left);
    expect(link.right).toBeLessThan(player.right);
  });

  for (const width of [344, 360, 390])
    test(`by what is said of the network, ${width} pixels wide: it lies on no button`, async () => {
      const page = await look(`/m/${ids['live']}`, { viewport: { ...phone, width } });
      await page.evaluate(`{
        const { texts } = JSON.parse(document.getElementById('page').text);
        const told = document.getElementById('slow-line');
        told.textContent = texts.slow_line;
        for (const one of [told, document.getElementById('unmute')]) {
          one.removeAttribute('hidden');
          Object.defineProperty(one, 'hidden', { set() {}, get: () => false });
        }
      }`);
      expect(await looked(page, "isApart('slow-line', 'unmute')")).toBeTrue();
    });

  test('by what is said of the network beside a logo, where there is room for both', async () => {
    const page = await look(`/embed/${ids['live']}`, { viewport: desktop });
    await page.evaluate(`{
      const { texts } = JSON.parse(document.getElementById('page').text);
      const told = document.getElementById('slow-line');
      told.textContent = texts.slow_line;
      Object.defineProperty(told, 'hidden', { set() {} });
      told.removeAttribute('hidden');
    }`);
    for (const width of [1280, 820, 600]) {
      await page.setViewportSize({ width, height: 480 });
      const [logo, corner, told] = [
        await page.locator('.logo').boundingBox(),
        await page.locator('.corner').boundingBox(),
        await page.locator('#slow-line').boundingBox(),
      ];
      if (!logo || !corner || !told) throw new Error('something is not there');
      expect(told.x + told.width).toBeLessThan(logo.x);
      const isBelow = told.y > corner.y + corner.height;
      expect(isBelow || told.x > corner.x + corner.width).toBeTrue();
    }
  });

  test('by an upright show on a phone: whoever answers a line sees all rows of the form', async () => {
    const pinned = { id: 9, author: 'h', nick: 'Anna', at: now, text: 'Please ask. '.repeat(20) };
    const messages = [{ ...pinned, id: 1 }];
    const options = { viewport: phone, isMobile: true, hasTouch: true };
    const page = await open(`/m/${ids['upright']}`, options, [], { messages, pinned });
    await page.tap('#chat-log .reply');
    const [form, ...rows] = [
      await box(page, 'chat-form'),
      await box(page, 'nick'),
      await box(page, 'chat-reply'),
      await box(page, 'chat-send'),
    ];
    for (const { top = 0, bottom = 0 } of rows) {
      expect(top).toBeGreaterThan(form.top);
      expect(bottom).toBeLessThan(form.bottom);
    }
    expect(form.bottom).toBe(phone.height);
    await page.context().close();
  });

  test('by an upright show on a desktop: it has the height, and the chat stays beside it', async () => {
    const page = await look(`/watch/${ids['uprightTech']}`, { viewport: laptop });
    const [player, chat] = [await box(page, 'player'), await box(page, 'chat')];
    expect(player.bottom - player.top).toBe(laptop.height - 32);
    expect(Math.round((player.right - player.left) * (16 / 9))).toBeCloseTo(laptop.height - 32, -1);
    expect(chat.left).toBe(player.right + 16);
    expect(chat.bottom).toBe(player.bottom);
  });

  for (const name of ['live', 'upright'])
    test(`by ${name} on a phone that lies on its side: title and chat field are in it, a banner is not`, async () => {
      const page = await look(`/watch/${ids[name]}`, { viewport: lying });
      for (const width of [lying.width, 998]) {
        await page.setViewportSize({ ...lying, width });
        for (const id of ['player', 'title', 'share', 'chat-text', 'chat-send'])
          expect((await box(page, id)).bottom).toBeLessThan(lying.height);
        for (const part of ['.banner', '.phone']) expect(await page.isVisible(part)).toBeFalse();
      }
    });

  for (const name of ['live', 'upright'])
    test(`by ${name} for who is banned: no place is kept for a chat, or a phone's code`, async () => {
      const page = await look(`/watch/${ids[name]}`, { viewport: laptop });
      await page.evaluate("document.getElementById('chat').hidden = true");
      for (const viewport of [laptop, widest, lying]) {
        await page.setViewportSize(viewport);
        const stage = await page.locator('.stage').boundingBox();
        const { left, right } = await box(page, 'player');
        const [before, behind] = [
          left - (stage?.x ?? 0),
          (stage?.x ?? 0) + (stage?.width ?? 0) - right,
        ];
        expect({ ...viewport, before }).toEqual({ ...viewport, before: behind });
        expect(before).toBeLessThan(20);
        expect(await page.isVisible('.phone')).toBeFalse();
      }
    });

  test('by an upright recording, whose title is in it too, and how to share it', async () => {
    const page = await look(`/videos/${ids['uprightVideo']}`, { viewport: laptop });
    for (const viewport of [phone, laptop]) {
      await page.setViewportSize(viewport);
      const { top, bottom, left, right } = await box(page, 'player');
      expect((bottom - top) / (right - left)).toBeCloseTo(16 / 9, 1);
      const title = await page.locator('h1').boundingBox();
      expect((title?.y ?? 0) + (title?.height ?? 0)).toBeLessThan(viewport.height);
      expect((await box(page, 'share')).bottom).toBeLessThan(viewport.height);
    }
  });

  for (const viewport of [phone, desktop])
    test(`and nothing moves when the picture comes, ${viewport.width} pixels wide`, async () => {
      const places = (page: Page) => looked<string>(page, "placesIn('live', '1 watching')");
      for (const [name, ...size] of [
        ['plain', 854, 480],
        ['upright', 480, 854],
      ] as const) {
        const page = await open(`/watch/${ids[name]}`, { viewport }, [], {});
        const before = await places(page);
        await looked(page, `showPicture(${size})`);
        expect(await places(page)).toBe(before);
        // Only one of another shape than the page was made for.
        await looked(page, `showPicture(${size.toReversed()})`);
        const after = await places(page);
        expect(after).not.toBe(before);
        await page.evaluate("document.getElementById('video').srcObject = null");
        expect(await places(page)).toBe(after);
        await page.context().close();
      }
    });
});

describe('what runs from right to left', () => {
  const name = 'مؤتمر المطورين 2026 (الجزء الأول)!';
  const line = { author: 'v', at: now };
  const messages: ShownMessage[] = [
    { ...line, id: 0, nick: 'Anna', text: 'Hello (everybody)!' },
    { ...line, id: 1, nick: 'محمد', text: 'متى (الجزء 2)؟', host: true },
    { ...line, id: 2, nick: 'Tom', text: 'שלום לכולם!' },
    { ...line, id: 3, nick: 'דנה', text: 'Good evening.' },
    { ...line, id: 4, nick: 'דנה', text: '1, 2' },
  ];

  for (const [viewport, sql] of [
    [desktop, 'live = 1'],
    [phone, `live = 1, ${upright}`],
  ] as const)
    test(`stands as it is read, and so does what is beside it, ${viewport.width} pixels wide`, async () => {
      const id = await channel(name, { footer: 'شركة المثال.\nAll rights reserved.' }, sql);
      const service: SaidService = {
        messages,
        pinned: { ...line, id: 9, nick: 'Anna', text: 'أهلا بكم!', host: true },
        playbill: { name, start_time: null },
      };
      const page = await open(`/watch/${id}`, { viewport }, [], service);
      await holds(page, "document.querySelectorAll('#chat-log li').length === 5");
      const order = (selector: string) => looked<string>(page, `order('${selector}')`);
      const lines = messages.map(({ id }) => order(`#chat-log [data-id="${id}"]`));
      expect(await Promise.all(lines)).toEqual([
        '.author first last time',
        'time last first .host .author',
        'time last first .author',
        '.author first last time',
        '.author first last time',
      ]);
      expect(await order('#pinned-line')).toBe('time last first .host .author');
      expect(await order('h1')).toBe('last first');
      for (const field of ['nick', 'chat-text']) {
        await page.fill(`#${field}`, 'مرحبا');
        const direction = `getComputedStyle(document.getElementById('${field}')).direction`;
        expect(await page.evaluate(direction)).toBe('rtl');
      }
      // The parts of a line keep their distance, whichever way each runs.
      expect(await looked(page, 'gapMin()')).toBeGreaterThan(3);
      expect(await looked(page, 'replySides()')).toEqual([
        'right',
        'left',
        'left',
        'right',
        'right',
      ]);
      await page.context().close();
    });
});

describe('while somebody types on a phone', () => {
  const onPhone = { viewport: phone, isMobile: true, hasTouch: true };
  const seen = (page: Page) =>
    page.evaluate<boolean>(`['player', 'chat-log', 'chat-text', 'chat-send'].every((id) => {
      const { top, bottom, height } = document.getElementById(id).getBoundingClientRect();
      const { offsetTop, height: seen } = window.visualViewport;
      return height > 30 && top >= offsetTop - 1 && bottom <= offsetTop + seen + 1;
    })`);
  const talk: ShownMessage[] = Array.from({ length: 40 }, (_, id) => ({
    ...{ id, author: 'v', nick: 'Li Wei', at: now },
    text: `line ${id}`,
  }));
  const isLastSeen = `(() => {
    const { scrollHeight, scrollTop, clientHeight } = document.getElementById('chat-log');
    return scrollHeight - scrollTop - clientHeight < 2;
  })()`;

  for (const name of ['live', 'upright', 'tech'])
    test(`the picture of ${name} and what is said stay in sight, and all is as before when they are done`, async () => {
      const page = await open(`/m/${ids[name]}`, onPhone, [], { messages: talk });
      await holds(page, "document.querySelectorAll('#chat-log li').length === 40");
      const before = await looked(page, "placesIn('live', '1 watching')");
      await page.tap('#chat-text');
      // As browsers do that make the page smaller for a keyboard.
      await page.setViewportSize(typing);
      await holds(page, "document.body.dataset.typing === 'true'");
      expect(await seen(page)).toBeTrue();
      expect(await page.evaluate(isLastSeen)).toBeTrue();
      await page.setViewportSize(phone);
      await holds(page, "document.body.dataset.typing === 'false'");
      await page.evaluate('document.activeElement.blur()');
      expect(await looked(page, "placesIn('live', '1 watching')")).toEqual(before);
      await page.context().close();
    });

  for (const name of ['live', 'upright'])
    test(`so they do beside ${name} where the keyboard leaves little of a small phone`, async () => {
      const options = { ...onPhone, viewport: smallest };
      const pinned = {
        ...(talk[0] as ShownMessage),
        text: 'Questions go into the chat. '.repeat(4),
      };
      const service = { messages: talk, pinned, slow_seconds: 30 };
      const page = await open(`/m/${ids[name]}`, options, [], service);
      await holds(page, "document.querySelectorAll('#chat-log li').length === 40");
      await page.tap('#chat-text');
      for (const height of [268, 330, 400]) {
        await page.setViewportSize({ ...smallest, height });
        await holds(page, `visualViewport.height === ${height}`);
        await holds(page, "document.body.dataset.typing === 'true'");
        expect({ height, seen: await seen(page) }).toEqual({ height, seen: true });
      }
      await page.context().close();
    });

  test('so they do where the keyboard lies over the page and moves it', async () => {
    // As WebKit tells it: the page is as tall as ever, and less of it is seen.
    const early = `
      const seen = Object.assign(new EventTarget(), { width: 390, height: 844, scale: 1, offsetTop: 0 });
      Object.defineProperty(window, 'visualViewport', { get: () => seen });`;
    const page = await open(`/m/${ids['live']}`, onPhone, [], { messages: talk, early });
    await holds(page, "document.querySelectorAll('#chat-log li').length === 40");
    await page.tap('#chat-text');
    const say = (words: string) =>
      page.evaluate(
        `Object.assign(visualViewport, ${words}).dispatchEvent(new Event('resize')), document.body.dataset.typing`,
      );
    // The browser's bars, and somebody who looks closer.
    expect(await say('{ height: 760 }')).toBe('false');
    expect(await say('{ height: 400, scale: 2 }')).toBe('false');
    expect(await say('{ height: 480, scale: 1, offsetTop: 300 }')).toBe('true');
    expect(await seen(page)).toBeTrue();
    expect(await say('{ height: 844, offsetTop: 0 }')).toBe('false');
    await page.context().close();
  });

  test('the button that sends leaves the keyboard where it is', async () => {
    const service: SaidService = {};
    const page = await open(`/m/${ids['live']}`, onPhone, [], service);
    await holds(page, "document.getElementById('viewers').textContent !== ''");
    await page.tap('#chat-text');
    await page.keyboard.type('hello');
    await page.tap('#chat-send');
    await holds(page, "document.getElementById('chat-text').value === ''");
    expect(await page.evaluate('document.activeElement.id')).toBe('chat-text');
    expect(service.heard).toContainEqual({ type: 'chat', text: 'hello' });
    await page.context().close();
  });
});

test('the form of the chat stands in the middle of its card', async () => {
  const page = await look(`/watch/${ids['plain']}`, {});
  for (const viewport of [smallest, phone, desktop]) {
    await page.setViewportSize(viewport);
    const [left, right] = await looked<number[]>(page, 'formMargins()');
    expect({ ...viewport, right }).toEqual({ ...viewport, right: left });
  }
});

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

describe('hostile fields', () => {
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
      const page = await look('/watch/999999', { viewport: desktop }, troubles);
      for (const path of paths) {
        await page.goto((started.pages?.url ?? '') + path);
        expect(await page.evaluate('window.hurt')).toBeUndefined();
        expect(await page.evaluate('getComputedStyle(document.body).display')).toBe('flex');
        expect(await page.title()).toBe(text.replaceAll(/[\t\n\f\r ]+/g, ' '));
        expect(await page.locator('script:not([src]):not([type])').count()).toBe(0);
      }
      expect(troubles.filter(isOfPolicy)).toEqual([]);
    });
  }
});

describe('what the service says', () => {
  test('of names and words in the chat is text and nothing else', async () => {
    const troubles: string[] = [];
    const messages = hostile.map((text, id) => ({ id, author: text, nick: text, text, at: now }));
    const page = await open(`/watch/${ids['plain']}`, {}, troubles, { messages });
    await holds(page, `document.querySelectorAll('#chat-log li').length === ${messages.length}`);
    const shown = await page.evaluate(
      "[...document.querySelectorAll('#chat-log li')].map(({ children: [a, b] }) => [a.textContent, b.textContent])",
    );
    expect(shown).toEqual(hostile.map((text) => [text, text]));
    expect(await page.evaluate('window.hurt')).toBeUndefined();
    expect(await page.locator('#chat-log :is(img, script, style)').count()).toBe(0);
    expect(troubles.filter(isOfPolicy)).toEqual([]);
    await page.context().close();
  });

  test('of addresses in the chat is links that lead to what they say, and break no line', async () => {
    const long = `https://example.com/${'a'.repeat(400)}?b=${'c%20'.repeat(15)}`;
    const texts = [
      'see https://example.com/a_(b), please',
      '<a href="https://example.com/">javascript:window.hurt=1</a>',
      // What a page is told is cleaned before; one that is not cannot turn an address around either.
      '\u202eemoh//:sptth https://example.com/turned \u05d0\u05d1',
      'https://bank.example@example.com/ https://user:word@example.com/',
      long,
    ];
    const messages = texts.map((text, id) => ({ id, author: 'a', nick: 'Li Wei', text, at: now }));
    const troubles: string[] = [];
    const page = await open(`/m/${ids['plain']}`, { viewport: smallest }, troubles, {
      messages,
      pinned: { id: 9, author: 'a', nick: 'Anna', text: 'https://example.com/pinned', at: now },
    });
    await holds(page, `document.querySelectorAll('#chat-log li').length === ${texts.length}`);
    const shown = await page.locator('#chat-log .text').allTextContents();
    expect(shown).toEqual(texts);
    expect(await looked(page, 'links("#chat")')).toEqual(
      ['/pinned', '/a_(b)', '/', '/turned', long].map((path) => ({
        href: new URL(path, 'https://example.com').href,
        target: '_blank',
        rel: 'noopener noreferrer nofollow ugc',
        runs: 'ltr',
      })),
    );
    expect(await looked(page, 'overEdge()')).toEqual([]);
    // The page that opens knows nothing of ours, and ours stays.
    const { context, referrers } = { context: page.context(), referrers: [] as string[] };
    await context.route('https://example.com/**', async (route) => {
      referrers.push(`${(await route.request().allHeaders())['referer']}`);
      await route.fulfill({ contentType: 'text/html', body: '<title>there</title>' });
    });
    const opened = context.waitForEvent('page');
    await page.locator('#chat-log a').first().click();
    const other = await opened;
    await holds(other, "document.title === 'there'");
    expect(await other.evaluate('[window.opener, document.referrer]')).toEqual([null, '']);
    expect(referrers).toEqual(['undefined']);
    expect(await page.evaluate('window.hurt')).toBeUndefined();
    expect(troubles.filter(isOfPolicy)).toEqual([]);
    await page.context().close();
  });

  test('is answered by its button or the keys, quoted above the answer, and not when it is gone', async () => {
    const line = { author: 'v', nick: 'Li Wei', at: now };
    const quote = { author: 'v', nick: 'Li Wei', text: hostile.join(' ') };
    const messages: ShownMessage[] = [
      { ...line, id: 7, text: 'When does it begin?' },
      { ...line, id: 8, author: 'h', nick: 'Anna', text: 'At eight', reply: { id: 7, quote } },
      { ...line, id: 9, text: 'Thanks', reply: { id: 3 } },
    ];
    const service: SaidService = { messages };
    const troubles: string[] = [];
    const page = await open(`/watch/${ids['plain']}`, {}, troubles, service);
    await holds(page, "document.querySelectorAll('#chat-log li').length === 3");
    const quotes = page.locator('#chat-log .quote');
    expect(await quotes.allTextContents()).toEqual([
      `Li Wei: ${quote.text}`,
      'Reply to a removed message',
    ]);
    expect(await page.evaluate('window.hurt')).toBeUndefined();
    expect(await looked(page, 'overEdge()')).toEqual([]);
    // It leads to the line that it is of.
    await quotes.first().click();
    expect(await page.evaluate('document.activeElement.closest("li").dataset.id')).toBe('7');
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Reply to Anna');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('chat-text');
    expect(await page.textContent('#chat-reply-text')).toBe('Reply to Anna: At eight');
    await page.keyboard.press('Escape');
    expect(await page.isVisible('#chat-reply')).toBe(false);
    // By the tab key there is one stop for the log, however many lines it has.
    await page.focus('#chat-log');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest("#chat-log")')).toBeNull();

    await page.getByRole('button', { name: 'Reply to Li Wei' }).first().click();
    await page.keyboard.type('Now');
    await page.keyboard.press('Enter');
    await holds(page, "document.getElementById('chat-text').value === ''");
    expect(service.heard?.filter(({ type }) => type === 'chat')).toEqual([
      { type: 'chat', text: 'Now', reply_to: 7 },
    ]);
    expect(await page.isVisible('#chat-reply')).toBe(false);
    await page.getByRole('button', { name: 'Reply to Li Wei' }).first().click();
    service.socket?.send(
      JSON.stringify({ type: 'chat_removed', ids: [7] } satisfies ServiceMessage),
    );
    await holds(page, "document.querySelectorAll('#chat-log li').length === 2");
    expect(await quotes.allTextContents()).toEqual([
      'Reply to a removed message',
      'Reply to a removed message',
    ]);
    expect(await page.isVisible('#chat-reply')).toBe(false);
    expect(troubles.filter(isOfPolicy)).toEqual([]);
    await page.context().close();
  });

  test('of the host has a badge, and what is pinned stands above the chat until it is not', async () => {
    const line = { id: 7, author: 'h', nick: 'Anna', at: now };
    const messages: ShownMessage[] = [
      { ...line, text: 'Welcome, everybody', host: true },
      { ...line, id: 8, author: 'v', nick: 'Li Wei', text: 'Hello' },
    ];
    const pinned: ShownMessage = { ...line, id: 3, text: hostile.join(' '), host: true };
    const service: SaidService = { messages, pinned };
    const page = await open(`/watch/${ids['plain']}`, {}, [], service);
    await holds(page, "document.querySelectorAll('#chat-log li').length === 2");
    const badges = page.locator('#chat-log .message:has(.host)');
    // Heard as it is seen: names, badge and words are not one word.
    expect(await badges.allTextContents()).toEqual([expect.stringMatching(/^Anna Host Welcome/)]);
    expect(await page.locator('#chat-log').ariaSnapshot()).toMatch(
      /text: Anna Host Welcome, everybody\n.*text: Li Wei Hello\n/s,
    );
    const above = page.getByRole('complementary', { name: 'Pinned message' });
    expect(await above.locator('.text').textContent()).toBe(pinned.text);
    expect(await above.locator(':is(img, script, style)').count()).toBe(0);
    expect(await page.evaluate('window.hurt')).toBeUndefined();
    // However long it is, the chat has its place, and it can be read to its end.
    expect(await looked<boolean>(page, "isApart('chat-pinned', 'chat-log')")).toBeTrue();
    const say = (message: ServiceMessage) => service.socket?.send(JSON.stringify(message));
    say({ type: 'chat_pinned', message: { ...line, text: 'Questions, please' } });
    await holds(page, "document.getElementById('pinned-line').innerText.includes('Questions')");
    expect(await above.locator('.host').count()).toBe(0);
    expect(await page.locator('#announce').textContent()).toBe('Pinned: Questions, please');
    say({ type: 'chat_pinned', message: null });
    await above.waitFor({ state: 'hidden' });
    await page.context().close();
  });

  test('last stays in sight when a line is pinned above it, unless a reader has gone back', async () => {
    const line = { author: 'a', nick: 'Li Wei', at: now };
    const messages = Array.from({ length: 50 }, (_, id) => ({ ...line, id, text: `line ${id}` }));
    const pinned: ShownMessage = { id: 99, author: 'h', nick: 'Anna', text: 'Hello', at: now };
    const service: SaidService = { messages, pinned };
    const page = await open(`/watch/${ids['plain']}`, {}, [], service);
    const log = "document.getElementById('chat-log')";
    const below = `${log}.scrollHeight - ${log}.clientHeight - ${log}.scrollTop`;
    await holds(page, `${log}.children.length === 50`);
    await holds(page, `${below} < 2`);
    const say = (message: ServiceMessage) => service.socket?.send(JSON.stringify(message));
    say({ type: 'chat_pinned', message: { ...pinned, id: 100, text: 'Hello '.repeat(30) } });
    await holds(page, "document.getElementById('pinned-line').innerText.length > 100");
    await holds(page, `${below} < 2`);
    await page.evaluate(`${log}.scrollTop = 200`);
    // The scrolling is told with the next picture.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    say({ type: 'chat_pinned', message: null });
    await page.locator('#chat-pinned').waitFor({ state: 'hidden' });
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    expect(await page.evaluate(`${log}.scrollTop`)).toBe(200);
    await page.context().close();
  });

  test('of a slow chat is seen, and what is typed too soon stays until it can be said', async () => {
    const own = { id: 1, author: 'me', nick: '', text: 'the first', at: now - 10_000 };
    const service: SaidService = { hasClock: true, slow_seconds: 30, messages: [own] };
    const page = await open(`/watch/${ids['plain']}`, {}, [], service);
    const line = page.locator('#chat-slow');
    const field = page.getByRole('textbox', { name: 'Say something' });
    const typed = () => field.inputValue();
    const say = async (text: string) => {
      await field.fill(text);
      await field.press('Enter');
    };
    const heard = () => service.heard?.filter(({ type }) => type === 'chat');
    // It was read again when the page was loaded.
    await holds(page, "document.getElementById('chat-slow').textContent.endsWith('in 20 s')");
    await say('too soon');
    expect([await typed(), heard() ?? []]).toEqual(['too soon', []]);
    // It stands above the field already, so it is only said.
    expect(await page.textContent('#announce')).toEndWith('you can write again in 20 s');
    expect(await page.textContent('#chat-notice')).toBe('');
    await page.clock.fastForward(20_000);
    expect(await line.textContent()).toBe('Slow chat: one message in 30 s');
    await field.press('Enter');
    expect([await typed(), heard()]).toEqual(['', [{ type: 'chat', text: 'too soon' }]]);
    // Its other page was faster.
    const refused: ServiceMessage = { type: 'notice', notice: 'slow_down', wait_ms: 25_000 };
    service.socket?.send(JSON.stringify(refused));
    await holds(page, "document.getElementById('chat-text').value === 'too soon'");
    expect(await line.textContent()).toBe('Slow chat: you can write again in 25 s');
    expect(await page.textContent('#announce')).toBe('Slow chat: you can write again in 25 s');
    expect(await page.textContent('#chat-notice')).toBe('');
    service.socket?.send(JSON.stringify({ type: 'chat_slow', slow_seconds: 0 }));
    await line.waitFor({ state: 'hidden' });
    await say('at once');
    expect(heard()).toHaveLength(2);
    await page.context().close();
  });

  test('is missed until it can be heard again', async () => {
    const service: SaidService = { hasClock: true };
    const page = await open(`/watch/${ids['plain']}`, {}, [], service);
    const notice = "document.getElementById('chat-notice').textContent";
    await holds(page, "document.getElementById('viewers').textContent !== ''");
    service.isAway = true;
    await service.socket?.close({ code: 1012 });
    await holds(page, `${notice} === 'Connection lost. Trying again…'`);
    // Longer than other notices stay.
    await page.clock.fastForward(7_000);
    expect(await page.evaluate(notice)).toBe('Connection lost. Trying again…');
    service.isAway = false;
    service.playbill = { name: 'Renamed meanwhile', start_time: null };
    await page.evaluate("dispatchEvent(new Event('online'))");
    await holds(page, `${notice} === 'Connected again'`);
    expect(await page.title()).toBe('Renamed meanwhile');
    await page.context().close();
  });

  test('against a name does not keep it from being told with the next words', async () => {
    const service: SaidService = {};
    const page = await open(`/watch/${ids['plain']}`, {}, [], service);
    await holds(page, "document.getElementById('viewers').textContent !== ''");
    await page.fill('#nick', 'Ann');
    await page.press('#nick', 'Tab');
    await holds(page, "document.getElementById('nick').dataset.told === 'Ann'");
    service.socket?.send(JSON.stringify({ type: 'notice', notice: 'slow_down' }));
    await holds(
      page,
      "document.getElementById('chat-notice').textContent.startsWith('Not so fast')",
    );
    await page.fill('#chat-text', 'hello');
    await page.press('#chat-text', 'Enter');
    await holds(page, "document.getElementById('chat-text').value === ''");
    const name: PageMessage = { type: 'nick', nick: 'Ann' };
    const said = service.heard?.filter(({ type }) => type !== 'report');
    expect(said).toEqual([name, name, { type: 'chat', text: 'hello' }]);
    await page.context().close();
  });

  test('of a rehearsal leaves the page waiting for the show', async () => {
    const service: SaidService = { playbill: { name: longName, ...soon }, hasClock: true };
    const page = await open(`/watch/${ids['brand']}`, {}, [], service);
    await holds(page, "document.getElementById('viewers').textContent !== ''");
    service.socket?.send(JSON.stringify({ type: 'live', live: true }));
    await holds(page, "document.body.dataset.state === 'live'");
    service.socket?.send(JSON.stringify({ type: 'video', id: 7 }));
    service.socket?.send(JSON.stringify({ type: 'live', live: false }));
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))');
    // Longer than a player that stands still is waited for.
    await page.clock.fastForward(5_000);
    await holds(page, "document.body.dataset.state === 'waiting'");
    service.socket?.send(JSON.stringify({ type: 'video', id: 8 }));
    await holds(page, "document.getElementById('watch-video').href.endsWith('/videos/8')");
    expect(await page.evaluate('document.body.dataset.state')).toBe('waiting');
    await page.context().close();
  });

  test('whoever asks for the recording hears it, unless they have silenced the player themselves', async () => {
    const service: SaidService = { hasClock: true };
    const page = await open(`/watch/${ids['brand']}`, {}, [], service);
    const say = (message: ServiceMessage) => service.socket?.send(JSON.stringify(message));
    const isMuted = "document.getElementById('video').muted";
    await holds(page, "document.getElementById('viewers').textContent !== ''");
    say({ type: 'live', live: true });
    await holds(page, "document.body.dataset.state === 'live'");
    say({ type: 'video', id: 7 });
    say({ type: 'live', live: false });
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))');
    await page.clock.fastForward(5_000);
    await holds(page, "document.body.dataset.state === 'video'");
    expect(await page.evaluate(isMuted)).toBeTrue();
    await page.keyboard.press('k');
    await holds(page, `!${isMuted}`);
    await page.keyboard.press('m');
    await holds(page, isMuted);
    for (const _ of ['pauses', 'plays']) await page.keyboard.press('k');
    await holds(page, "!document.getElementById('video').paused");
    expect(await page.evaluate(isMuted)).toBeTrue();
    await page.context().close();
  });

  for (const [locale, waiting, watching, here] of [
    ['en-GB', ['1 waiting', '2,345 waiting'], '2,345 watching', '2,345 here'],
    ['zh-CN', ['1 人在等', '2,345 人在等'], '2,345 人在看', '2,345 人在这里'],
  ] as const)
    test(`of how many are here is that they wait before the show, watch it then, and are here when it is over, in ${locale}`, async () => {
      const service: SaidService = { playbill: { name: longName, ...soon } };
      const page = await open(`/watch/${ids['brand']}`, { locale }, [], service);
      const shows = (text: string) =>
        holds(page, `document.getElementById('viewers').textContent === '${text}'`);
      const say = (message: ServiceMessage) => service.socket?.send(JSON.stringify(message));
      await shows(waiting[0]);
      say({ type: 'viewers', count: 2_345 });
      await shows(waiting[1]);
      say({ type: 'live', live: true });
      await shows(watching);
      say({ type: 'playbill', playbill: { name: longName, start_time: null } });
      say({ type: 'live', live: false });
      await shows(here);
      await page.context().close();
    });

  test('of a channel that was deleted is said in its place', async () => {
    const service: SaidService = {};
    const page = await open(`/watch/${ids['plain']}`, {}, [], service);
    await holds(page, "document.getElementById('viewers').textContent !== ''");
    service.socket?.send(JSON.stringify({ type: 'refused', reason: 'gone' }));
    await service.socket?.close({ code: closeCodes.refused, reason: 'gone' });
    const said = 'There is no such channel any more.';
    await holds(page, `document.body.innerText.includes(${JSON.stringify(said)})`);
    await page.context().close();
  });

  test('of the recording is seen by a page that slept through the show', async () => {
    const service: SaidService = {};
    const page = await open(`/watch/${ids['plain']}`, {}, [], service);
    await holds(page, "document.getElementById('viewers').textContent !== ''");
    expect(await page.evaluate('document.body.dataset.state')).toBe('waiting');
    service.socket?.send(JSON.stringify({ type: 'video', id: 7 }));
    await holds(page, "document.body.dataset.state === 'video'");
    await page.context().close();
  });

  test('of another name and another start is seen at once', async () => {
    const service: SaidService = { playbill: { name: 'It is over', start_time: null } };
    const page = await open(`/watch/${ids['ended']}`, {}, [], service);
    await holds(page, "document.getElementById('viewers').textContent !== ''");
    const says = (playbill: Playbill) =>
      service.socket?.send(JSON.stringify({ type: 'playbill', playbill }));
    expect(await page.textContent('#announce')).toBe('');
    says({ name: '<b>Once more</b>', start_time: now + 26 * 3_600_000 });
    await holds(page, "document.body.dataset.state === 'waiting'");
    expect(await page.isVisible('#countdown-days')).toBeTrue();
    expect(await page.textContent('#countdown-days')).toBe('1');
    expect(await page.textContent('#start-time')).toContain('5 May 2026');
    expect(await page.textContent('#announce')).toContain('It now starts Tuesday');
    expect([await page.title(), await page.textContent('h1')]).toEqual([
      '<b>Once more</b>',
      '<b>Once more</b>',
    ]);
    // Sooner, then not at all.
    says({ name: 'Once more', start_time: now + 3_600_000 });
    await holds(page, "document.getElementById('countdown-days-part').hidden");
    expect(await page.isVisible('#countdown')).toBeTrue();
    says({ name: 'Once more', start_time: null });
    await holds(page, "document.body.dataset.state === 'ended'");
    await page.context().close();
  });

  test('of a start that is put off goes on with the countdown, also in a frame', async () => {
    const start_time = now + 1_500;
    const service: SaidService = { playbill: { name: 'a', start_time }, hasClock: true };
    const page = await open(`/embed/${await channel('a', { start_time })}`, {}, [], service);
    await page.clock.fastForward(1_500);
    await holds(page, "document.getElementById('countdown').hidden");
    expect(await page.isVisible('text=The broadcast has not begun yet')).toBeTrue();
    const playbill = { name: 'a', start_time: now + 3_600_000 };
    service.socket?.send(JSON.stringify({ type: 'playbill', playbill }));
    await holds(page, "!document.getElementById('countdown').hidden");
    expect(await page.isVisible('text=The broadcast has not begun yet')).toBeFalse();
    await page.context().close();
  });

  test('is not asked for before somebody opens the page', async () => {
    const service: SaidService = {
      early: `Object.defineProperty(document, 'prerendering', { get: () => !window.isOpened });`,
    };
    const page = await open(`/watch/${ids['plain']}`, {}, [], service);
    // Its script has run by now.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))');
    expect(service.socket === undefined).toBeTrue();
    await page.evaluate(
      "window.isOpened = true; document.dispatchEvent(new Event('prerenderingchange'))",
    );
    await holds(page, "document.getElementById('viewers').textContent === '1 waiting'");
    await page.context().close();
  });
});

test('when the time has come and nothing has begun, the page says so', async () => {
  const start_time = now + 60_000;
  const service: SaidService = { playbill: { name: 'a', start_time }, hasClock: true };
  const page = await open(`/watch/${await channel('a', { start_time })}`, {}, [], service);
  expect(await page.isVisible('#countdown')).toBeTrue();
  await page.clock.fastForward(60_000);
  await holds(page, "document.getElementById('countdown').hidden");
  expect(await page.isVisible('text=The broadcast has not begun yet')).toBeTrue();
  await page.context().close();
});

describe('a browser that cannot play', () => {
  /** As in a browser without media sources that knows no HLS either. */
  const withoutMedia = `
    delete window.MediaSource; delete window.ManagedMediaSource; delete window.WebKitMediaSource;
    HTMLMediaElement.prototype.canPlayType = () => '';`;

  test('says so, and shows no controls of a player that there is not', async () => {
    const service: SaidService = { early: withoutMedia };
    const page = await open(`/watch/${ids['live']}`, {}, [], service);
    await holds(page, "!document.getElementById('unsupported').hidden");
    expect(await page.isVisible('text=This browser cannot play the stream')).toBeTrue();
    expect(await page.isVisible('#controls')).toBeFalse();
    expect(await page.isVisible('#not-started')).toBeFalse();
    // It is not tried in vain, over and over.
    const tried = "[document.getElementById('video').src, player.dataset.playback]";
    expect(await page.evaluate(tried)).toEqual(['', 'idle']);
    await page.context().close();
  });

  test('still counts down, talks and links to the recording', async () => {
    const service: SaidService = { early: withoutMedia, playbill: { name: longName, ...soon } };
    const page = await open(`/m/${ids['brand']}`, { viewport: phone }, [], service);
    await holds(page, "!document.getElementById('countdown').hidden");
    expect(await looked<boolean>(page, "isApart('unsupported', 'countdown')")).toBeTrue();
    await holds(page, "document.getElementById('viewers').textContent !== ''");
    await page.fill('#chat-text', 'hello');
    await page.press('#chat-text', 'Enter');
    await holds(page, "document.getElementById('chat-text').value === ''");
    expect(service.heard).toContainEqual({ type: 'chat', text: 'hello' });
    for (const message of [
      { type: 'live', live: true },
      { type: 'playbill', playbill: { name: longName, start_time: null } },
      { type: 'live', live: false },
      { type: 'video', id: 7 },
    ])
      service.socket?.send(JSON.stringify(message));
    await page.waitForSelector('#watch-video[href="/videos/7"]', { state: 'visible' });
    expect(await page.textContent('#announce')).toBe('The recording can be watched now');
    await page.context().close();
  });

  test('plays the file of a video', async () => {
    const page = await open(`/videos/${ids['video']}`, {}, [], { early: withoutMedia });
    await holds(page, `document.getElementById('video').src.endsWith('${picture}')`);
    expect(await page.isVisible('#unsupported')).toBeFalse();
    await page.context().close();
  });

  test('is asked for its scripts, where it has turned them off', async () => {
    const options = { javaScriptEnabled: false, userAgent, locale: 'en-GB' };
    const context = await started.browser?.newContext(options);
    const page = await context?.newPage();
    for (const path of [`/watch/${ids['live']}`, `/embed/${ids['brand']}`]) {
      await page?.goto((started.pages?.url ?? '') + path);
      expect(await page?.isVisible('noscript .note')).toBeTrue();
      expect(await page?.textContent('noscript .note')).toStartWith('Please turn on JavaScript');
      // It would come later, and say less.
      const display = "getComputedStyle(document.getElementById('not-started')).display";
      expect(await page?.evaluate(display)).toBe('none');
    }
    await context?.close();
  });

  test('says so after a while, where the script does not run', async () => {
    const broken: [path: string, from: RegExp, to: string][] = [
      // It knows no modules, does not understand the script, or never gets it.
      ['**/watch/*', / type="module"/, ' type="text/unknown"'],
      ['**/assets/watch-*.js', /^/, '}'],
      ['**/watch/*', /watch-\w+\.js/, 'watch-0.js'],
    ];
    /** The style sheet is the page's only clock then. */
    const afterMs = (ms: number) =>
      `for (const one of document.getAnimations()) { one.pause(); one.currentTime = ${ms}; }`;
    const opened = broken.map(async ([path, from, to]) => {
      const context = await started.browser?.newContext({ userAgent, locale: 'en-GB' });
      const page = await context?.newPage();
      await page?.route(path, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: (await response.text()).replace(from, to) });
      });
      await page?.goto(`${started.pages?.url}/watch/${ids['live']}`);
      await page?.evaluate(afterMs(7_999));
      expect(await page?.isVisible('#not-started')).toBeFalse();
      await page?.evaluate(afterMs(8_000));
      expect(await page?.isVisible('text=The player has not started')).toBeTrue();
      expect(await page?.isVisible('#controls')).toBeFalse();
      await context?.close();
    });
    await Promise.all(opened);
  });
});

/** Stands for the service behind a page's connection. */
interface SaidService {
  messages?: ShownMessage[];
  pinned?: ShownMessage | null;
  slow_seconds?: number;
  /** That of the page, where it is not the plain one. */
  playbill?: Playbill;
  /** Runs before the page's own script. */
  early?: string;
  /** The page's clock is the test's to turn on, by `page.clock`. */
  hasClock?: boolean;
  isAway?: boolean;
  /** What the page has said since its hello. */
  heard?: PageMessage[];
  /** The latest; its page is welcome. */
  socket?: WebSocketRoute;
}

function welcome(service: SaidService): Welcome {
  const { messages = [], pinned = null, slow_seconds = 0, playbill = plainBill } = service;
  return {
    type: 'welcome',
    resume: '1.1',
    viewer: { nick: '', fixed: false, muted: false, author: 'me' },
    beat_ms: 10_000,
    live: false,
    viewers: 1,
    chat: { open: true, slow_seconds, messages, pinned },
    video: null,
    playbill,
  };
}

async function answer(page: Page, service: SaidService): Promise<void> {
  await page.addInitScript(service.early ?? '');
  if (service.hasClock) await page.clock.install({ time: now });
  await page.routeWebSocket('**/audience', (socket) => {
    if (service.isAway) {
      socket.close({ code: 1011 });
      return;
    }
    socket.onMessage((text) => {
      const message: PageMessage = JSON.parse(String(text));
      if (message.type !== 'hello') {
        service.heard = [...(service.heard ?? []), message];
        return;
      }
      service.socket = socket;
      socket.send(JSON.stringify(welcome(service)));
    });
  });
}

/** Waits until the expression is true in the page. */
async function holds(page: Page, expression: string): Promise<void> {
  const deadline = Date.now() + pageWaitMs;
  while (!(await page.evaluate(expression))) {
    if (Date.now() > deadline) throw new Error(`never came: ${expression}`);
    await Bun.sleep(50);
  }
}

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

async function video(
  channel_id: number,
  text = picture,
  size = { width: 1_280, height: 720 },
): Promise<number> {
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
    ...size,
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

/** Of whoever only looks, and leaves nothing behind that the next would see. */
interface Looker {
  viewport?: typeof desktop;
  colorScheme?: 'light' | 'dark';
  locale?: string;
}

async function look(
  path: string,
  { viewport = desktop, colorScheme = 'light', locale = 'en-GB' }: Looker,
  troubles: string[] = [],
): Promise<Page> {
  const made = lookers.get(locale) ?? newPage({ locale });
  lookers.set(locale, made);
  const page = await made;
  page.removeAllListeners('console').removeAllListeners('pageerror');
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme });
  await show(page, path, troubles);
  return page;
}

/** A viewer of their own, whose page the test closes. */
async function open(
  path: string,
  options: BrowserContextOptions,
  troubles: string[],
  service: SaidService,
): Promise<Page> {
  const page = await newPage({ locale: 'en-GB', ...options });
  await answer(page, service);
  await show(page, path, troubles);
  return page;
}

async function newPage(options: BrowserContextOptions): Promise<Page> {
  const context = await started.browser?.newContext({ userAgent, ...options });
  if (!context) throw new Error('the browser is not there');
  return await context.newPage();
}

async function show(page: Page, path: string, troubles: string[]): Promise<void> {
  page.on('console', (message) => troubles.push(message.text()));
  page.on('pageerror', (error) => troubles.push(error.message));
  await page.goto((started.pages?.url ?? '') + path);
  await page.evaluate(started.looks ?? '');
}

async function looked<T>(page: Page, call: string): Promise<T> {
  return await page.evaluate<T>(`looks.${call}`);
}
