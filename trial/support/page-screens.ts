// Every page that viewers see, in every state, drawn into files and judged: by axe, and by whether it stands over its edge.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Store } from '../../src/base/db/sql.ts';
import { captionFiles } from '../../src/library/captions/caption-files.ts';
import { setCaptions } from '../../src/library/captions/captions-store.ts';
import { givenCaptions } from '../../src/library/captions/given-captions.ts';
import { createChannel } from '../../src/library/channels/channel-store.ts';
import { addVideos } from '../../src/library/videos/video-store.ts';
import { texts } from '../../src/web/pages/texts.ts';
import { startBrowser } from '../../test/support/browser.ts';
import { engines } from '../../test/support/engines.ts';
import { startTestPages, type TestPages } from '../../test/support/page-server.ts';
import { atOnce } from '../../test/support/pictures.ts';
import { openTestStore } from '../../test/support/store.ts';
import type { RoundOptions } from '../../test/support/trial.ts';
import { doorScreens } from './door-screens.ts';
import { look, now, type Screen, type WindowName, windowNames } from './page-screen.ts';

const rightToLeft = 'مؤتمر المطورين 2026 (الجزء الأول)!';
const brand = { pc_logo: '/logo.svg', mobile_logo: '/logo.svg', footer: '© 2026 Example Ltd.' };
const wholeBrand = { ...brand, banner: '/banner.svg', cover_image: '/cover.svg' };

export async function lookAtPages(options: {
  /** Without one nothing is drawn. */
  folder?: string;
  windows: readonly WindowName[];
  say: RoundOptions['say'];
}): Promise<{ shown: number; problems: string[] }> {
  const { folder, say } = options;
  if (folder) mkdirSync(folder, { recursive: true });
  const store = await openTestStore(engines[0] as (typeof engines)[number]);
  const pages = await startTestPages(store, {
    now: () => now,
    more: drawings,
    media: { '/recordings/:id/captions/:file': captionFiles({ store }) },
  });
  const browser = await startBrowser();
  const problems: string[] = [];
  let shown = 0;
  try {
    const screens = Object.entries(await screensOf(store, pages));
    for (const window of options.windows) {
      for (const [at, [name, screen]] of screens.entries()) {
        // Each look is seen on each page: which comes first goes round.
        const scheme = (at + windowNames.indexOf(window)) % 2 === 0 ? 'light' : 'dark';
        const file = folder && join(folder, `page-${name}-${window}-${scheme}.png`);
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

const owner = { account_id: 1, manager_id: 0 };
const landscape = [1_280, 720] as const;
const upright = [720, 1_280] as const;

async function screensOf(store: Store, pages: TestPages): Promise<Record<string, Screen>> {
  const channel = async (name: string, set: Record<string, unknown>, sql = '') => {
    const { row } = await store.perform(createChannel, {
      owner,
      ...{ name, manager_id: 0, page: { set, clear: [] }, now, idempotency: undefined },
    });
    if (sql !== '') await store.run(`UPDATE channels SET ${sql} WHERE id = $1`, [row.id]);
    return row.id;
  };
  const tall = 'picture_width = 720, picture_height = 1280';
  const soon = await channel('Spring launch', { ...wholeBrand, start_time: now + 93_600_000 });
  const live = await channel('Spring launch', wholeBrand, 'live = 1');
  const plain = await channel('Spring launch', {}, 'live = 1');
  const tallLive = await channel('From the workshop', brand, `live = 1, ${tall}`);
  const arabic = await channel(rightToLeft, { footer: 'شركة المثال' }, 'live = 1');
  const ended = await channel('It is over', brand, 'last_push_stream_at = 1');
  const tallEnded = await channel('From the workshop', brand, `last_push_stream_at = 1, ${tall}`);
  const tech = await channel('Developer day', { ...brand, theme: 'tech' }, 'live = 1');
  const video = await addVideo(store, live, landscape);
  const tallVideo = await addVideo(store, ended, upright);
  const tallShow = await addVideo(store, tallEnded, upright);
  for (const of of [video, tallVideo, tallShow]) await addCaptions(store, of);
  const { slow_line_smaller, slow_line, slow_line_sound, slow_line_video } = texts.en.client;
  const tooSlow = slow_line_smaller.replace('{quality}', '1080p');
  const reply = does(`document.querySelector('#chat-log .reply').click();`);
  const onLive = { path: `/watch/${live}`, picture: landscape };
  const onVideo = { path: `/videos/${video}`, picture: landscape };
  return {
    front: { path: '/' },
    soon: { path: `/watch/${soon}` },
    live: onLive,
    'live-slow': { ...onLive, done: saysSlow(tooSlow) },
    'live-slow-longest': { ...onLive, path: `/m/${live}`, done: saysSlow(slow_line) },
    'live-sound': { ...onLive, done: onlySound(slow_line_sound) },
    'live-sound-upright': {
      ...{ path: `/m/${tallLive}`, picture: upright },
      done: onlySound(slow_line_sound),
    },
    'live-reply': { ...onLive, done: reply },
    'live-share': { ...onLive, done: share },
    'live-banned': { path: `/watch/${live}`, refusal: 'banned' },
    'live-banned-plain': { path: `/watch/${plain}`, refusal: 'banned' },
    'live-banned-upright': { path: `/m/${tallLive}`, refusal: 'banned' },
    'live-banned-embed': { path: `/embed/${live}`, refusal: 'banned' },
    'live-mobile': { ...onLive, path: `/m/${live}` },
    'live-tech': { path: `/watch/${tech}`, picture: landscape },
    'live-embed': { ...onLive, path: `/embed/${live}` },
    'live-embed-slow': { ...onLive, path: `/embed/${live}`, done: saysSlow(slow_line) },
    upright: { path: `/m/${tallLive}`, picture: upright },
    'upright-reply': { path: `/watch/${tallLive}`, picture: upright, done: reply },
    'right-to-left': { path: `/watch/${arabic}`, picture: landscape },
    ended: { path: `/watch/${ended}` },
    video: { ...onVideo, done: peek },
    'video-upright': { path: `/videos/${tallVideo}`, picture: upright, done: peek },
    'video-embed': {
      ...{ path: `/embed/videos/${video}`, picture: landscape },
      done: saysSlow(slow_line_video),
    },
    'video-unplayed': { path: `/videos/${video}` },
    'video-captions': { ...onVideo, done: withCaptions('en') },
    'video-captions-quiet': { ...onVideo, done: withCaptions('en', quiet) },
    'video-captions-choice': { ...onVideo, done: withCaptions('de', onChoice) },
    'video-captions-right-to-left': { ...onVideo, done: withCaptions('ar') },
    'video-captions-embed': {
      ...{ path: `/embed/videos/${video}`, picture: landscape },
      done: withCaptions('en'),
    },
    'video-captions-upright': {
      ...{ path: `/videos/${tallVideo}`, picture: upright },
      done: withCaptions('en'),
    },
    'ended-captions-upright': {
      ...{ path: `/watch/${tallEnded}`, picture: upright },
      begun: (page) => page.locator('#watch-video').click(),
      done: withCaptions('en'),
    },
    absent: { path: '/watch/999999' },
    ...(await doorScreens({
      ...{ store, pages, channel, rightToLeft },
      brands: { whole: wholeBrand, plain: brand, tech: { ...wholeBrand, theme: 'tech' } },
    })),
  };
}

const does = (script: string) => (page: Page) => page.evaluate(script);

const peek = does(`
  const seek = document.getElementById('seek');
  seek.max = '3605';
  const { left, top, width, height } = seek.getBoundingClientRect();
  const place = { clientX: left + width * 0.6, clientY: top + height / 2, pointerType: 'mouse' };
  seek.dispatchEvent(new PointerEvent('pointermove', place));`);

const share = async (page: Page) => {
  await page.locator('#share').click();
  await page.locator('#share-qr summary').click();
};

const saysSlow = (text: string) =>
  does(`
    const told = document.getElementById('slow-line');
    told.textContent = ${JSON.stringify(text)};
    told.hidden = false;
    // The page itself finds its network good enough.
    Object.defineProperty(told, 'hidden', { set() {}, get: () => false });`);

/** As where the line carries no pictures: the last of them stands. */
const onlySound = (text: string) => async (page: Page) => {
  await page.evaluate(`
    const video = document.getElementById('video');
    const last = document.getElementById('last-picture');
    Object.assign(last, { width: video.videoWidth, height: video.videoHeight, hidden: false });
    last.getContext('2d').drawImage(video, 0, 0);
    document.getElementById('player').dataset.picture = 'none';`);
  await saysSlow(text)(page);
};

const withCaptions =
  (language: string, then: (page: Page) => Promise<unknown> = async () => {}) =>
  async (page: Page) => {
    await page.locator('#captions-choice').selectOption(language);
    await page.evaluate(untilCue);
    await then(page);
  };

const untilCue = `new Promise((resolve) => {
  const tracks = [...document.querySelectorAll('track')].map(({ track }) => track);
  const look = () => tracks.some(({ activeCues }) => activeCues?.length > 0) && resolve();
  for (const track of tracks) track.addEventListener('cuechange', look);
  look();
})`;

/** Nobody has moved for a while. */
const quiet = does(`
  document.activeElement.blur();
  const { dataset } = document.getElementById('player');
  const hold = () => { if (dataset.quiet !== 'true') dataset.quiet = 'true'; };
  new MutationObserver(hold).observe(document.getElementById('player'), { attributes: true });
  hold();`);

/** By the keyboard. */
const onChoice = async (page: Page) => {
  await page.locator('#speed').focus();
  await page.keyboard.press('Tab');
  await page.locator('#captions-choice').focus();
};

const spoken = {
  en: 'Good evening, and welcome to the launch of everything that we have made since the last one.',
  de: 'Guten Abend.',
  ar: 'مساء الخير، وأهلا بكم جميعا (من كل مكان)!',
};

/** Of three languages, all through it. */
async function addCaptions(store: Store, video_id: number): Promise<void> {
  for (const [language, said] of Object.entries(spoken)) {
    const file = Buffer.from(`WEBVTT\n\n00:00.000 --> 01:00:00.000\n${said}\n`);
    const made = atOnce(givenCaptions(file, { type: 'text/vtt', language }));
    await store.perform(setCaptions, { video_id, owner, made });
  }
}

async function addVideo(
  store: Store,
  channel_id: number,
  [width, height]: readonly [number, number],
): Promise<number> {
  const none = { m3u8_480: '', m3u8_720: '', m3u8_1080: '', cover_url: '/cover.svg' };
  const media = { video_url: '', m3u8: '/media/list.m3u8', ...none };
  const times = { upload_time: now, start_time: now, end_time: now + 3_605_000 };
  const size = { width, height, duration: 3_605, video_size: 734_003_200 };
  const named = { channel_id, external_id: `of ${channel_id}`, name: 'Spring launch 2026-05-04' };
  const video = { ...named, ...media, ...times, ...size };
  await store.perform(addVideos, { account_id: 1, videos: [video] });
  const last = await store.one<{ id: number }>('SELECT max(id) AS id FROM videos');
  return last?.id ?? 0;
}

const svg = (body: string) => () => ({
  headers: { 'content-type': 'image/svg+xml' },
  body: `<svg xmlns="http://www.w3.org/2000/svg" ${body}</svg>`,
});
const cover = (height: number) =>
  svg(
    `viewBox="0 0 960 ${height}" preserveAspectRatio="xMidYMid slice"><rect width="960" height="${height}" fill="#27446b"/><text x="480" y="${height / 2 + 20}" text-anchor="middle" font-family="sans-serif" font-size="64" fill="#fff">Spring launch</text>`,
  );
const drawings = {
  '/logo.svg': svg(
    'viewBox="0 0 120 40"><rect width="120" height="40" rx="8" fill="#fff"/><text x="60" y="27" text-anchor="middle" font-family="sans-serif" font-size="20">Lantern</text>',
  ),
  '/banner.svg': cover(240),
  '/cover.svg': cover(540),
};
