// Captions in Chromium against the real service: chosen, shown at their time, kept for the next video, and for nobody who may not watch.
import { beforeAll, expect } from 'bun:test';
import type { BrowserContext, Page } from 'playwright-core';
import { noChromium } from './support/browser.ts';
import { playPlaylistsNatively } from './support/native-playlists.ts';
import { testWith } from './support/needs.ts';
import { hasNoFinding, overEdge } from './support/page-judge.ts';
import { fileOf } from './support/pictures.ts';
import { noFfmpeg } from './support/recorded-clip.ts';
import { onDatabaseOf } from './support/scenarios.ts';
import { addShownVideo } from './support/shown-video.ts';
import { Theatre } from './support/theatre.ts';
import { ViewerPage } from './support/viewer-page.ts';

const needed = noChromium ?? noFfmpeg;
const theatre = new Theatre();
const seconds = 60;
/** By their captions: none, English, or several. */
const videos = { none: 0, one: 0, several: 0 };
const channels = { one: 0, several: 0 };

/** Other words every ten seconds. */
function captionsSaying(words: string): string {
  const top = '00:59.000 --> 00:59.900 line:0\n(applause)';
  const cues = Array.from(
    { length: seconds / 10 },
    (_, n) => `00:${n}0.000 --> 00:${n}9.500\n${words} ${n}`,
  );
  return `WEBVTT\n\n${[...cues, top].join('\n\n')}\n`;
}

async function setCaptions(video: number, language: string, words: string): Promise<void> {
  const body = fileOf(Buffer.from(captionsSaying(words)), 'text/vtt');
  const path = `/manage/v1/videos/${video}/captions/${language}`;
  expect((await theatre.service.call('PUT', path, { body })).status).toBe(200);
}

beforeAll(async () => {
  if (needed !== undefined) return;
  for (const name of ['none', 'one', 'several'] as const) {
    const { id: channelId } = await theatre.newChannel();
    if (name !== 'none') channels[name] = channelId;
    const { id } = await addShownVideo(theatre.service, { channelId, seconds });
    videos[name] = id;
  }
  await setCaptions(videos.one, 'en', 'Good evening');
  await setCaptions(videos.several, 'en-GB', 'Good evening');
  await setCaptions(videos.several, 'de', 'Guten Abend');
  await setCaptions(videos.several, 'ar', 'مساء الخير يا أصدقاء');
});

function test(name: string, run: () => Promise<void>): void {
  testWith(needed, name, run);
}

/** Playing from the middle on, or waiting for whoever opens it. */
async function open(context: BrowserContext, path: string, { plays = true } = {}) {
  const viewer = await ViewerPage.open(context, theatre.service.url + path);
  if (!plays) return viewer;
  await viewer.page.click('#big-play');
  await viewer.holds('video.currentTime > 0 && !video.paused && video.readyState > 2');
  return viewer;
}

const at = (video: number, moment = 32) => `/videos/${video}?t=${moment}`;
/** What stands over the picture now; null where nothing does. */
const shown =
  "([...video.textTracks].find(({ mode }) => mode === 'showing')?.activeCues?.[0]?.text ?? null)";
const isShown = (text: string | null) => `${shown} === ${JSON.stringify(text)}`;
const isSeen = async (page: Page, ...ids: string[]) =>
  await Promise.all(ids.map((id) => page.isVisible(`#${id}`)));
const shot = async (page: Page, name: string) => {
  if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/${name}.png` });
};

test('of one language there is a button; what is chosen holds after a reload', async () => {
  const context = await theatre.viewer();
  const viewer = await open(context, at(videos.one));
  const { page } = viewer;
  expect(await isSeen(page, 'captions', 'captions-pick')).toEqual([true, false]);
  // Nobody has asked for them yet, so they are not even loaded.
  expect(await page.evaluate(shown)).toBe(null);
  await page.click('#captions');
  await viewer.holds(isShown('Good evening 3'));
  expect(await page.getAttribute('#captions', 'aria-label')).toBe('Hide captions');
  await page.reload();
  await page.click('#big-play');
  await viewer.holds(isShown('Good evening 3'));
  // Elsewhere in the recording something else is said.
  await page.evaluate('video.currentTime = 51');
  await viewer.holds(isShown('Good evening 5'));
  await page.click('#captions');
  await viewer.holds(isShown(null));
  await page.reload();
  await viewer.holds('video.readyState > 1');
  expect(await page.getAttribute('#captions', 'data-on')).toBe('false');
  expect(await page.evaluate(shown)).toBe(null);
  expect(viewer.complaints).toEqual([]);
});

test('of several there is a choice, which holds for the next video in another form of the language', async () => {
  const context = await theatre.viewer();
  const viewer = await open(context, at(videos.several));
  const { page } = viewer;
  expect(await isSeen(page, 'captions', 'captions-pick')).toEqual([false, true]);
  expect(await page.locator('#captions-choice option').allTextContents()).toEqual([
    'Off',
    'العربية',
    'Deutsch',
    'British English',
  ]);
  await page.selectOption('#captions-choice', 'de');
  await viewer.holds(isShown('Guten Abend 3'));
  await page.selectOption('#captions-choice', 'en-GB');
  await viewer.holds(isShown('Good evening 3'));
  const next = await open(context, `/embed/videos/${videos.one}?t=32`);
  await next.holds(isShown('Good evening 3'));
  const silent = await open(context, at(videos.none));
  expect(await isSeen(silent.page, 'captions', 'captions-pick')).toEqual([false, false]);
  await page.selectOption('#captions-choice', 'Off');
  await viewer.holds(isShown(null));
  expect([viewer, next, silent].flatMap(({ complaints }) => complaints)).toEqual([]);
});

test('the key c shows those that the viewer is likely to read, and hides them', async () => {
  const context = await theatre.viewer();
  const viewer = await open(context, at(videos.several));
  const { page } = viewer;
  await page.focus('#player');
  const answers = () =>
    page.evaluate("['answer', 'announce'].map((id) => document.getElementById(id).textContent)");
  await page.keyboard.press('c');
  await viewer.holds(isShown('Good evening 3'));
  expect(await answers()).toEqual(Array(2).fill('Captions: British English'));
  await page.keyboard.press('c');
  await viewer.holds(isShown(null));
  expect(await answers()).toEqual(Array(2).fill('Captions off'));
  await page.selectOption('#captions-choice', 'ar');
  await viewer.holds(isShown('مساء الخير يا أصدقاء 3'));
  await page.focus('#player');
  await page.keyboard.press('c');
  await page.keyboard.press('c');
  // Those that were shown last.
  await viewer.holds(isShown('مساء الخير يا أصدقاء 3'));
  await shot(page, 'arabic');
  expect(viewer.complaints).toEqual([]);
});

test('they stand above the bar, and low where that has faded', async () => {
  const context = await theatre.viewer();
  const viewer = await open(context, at(videos.one));
  const { page } = viewer;
  await page.click('#captions');
  await viewer.holds(isShown('Good evening 3'));
  await page.evaluate('video.pause()');
  await page.mouse.move(0, 0);
  const frame = await page.locator('#player').boundingBox();
  const bar = await page.locator('#controls .row').boundingBox();
  if (!frame || !bar) throw new Error('there is no player');
  await shot(page, 'above the bar');
  const above = await paintedRows(page);
  expect(above.to).toBeLessThan(bar.y - frame.y);
  // Nobody moves; but the bar is there for as long as what was pressed on it has the focus.
  await holdQuiet(page);
  expect(await paintedRows(page)).toEqual(above);
  await page.evaluate('document.activeElement.blur()');
  const low = await paintedRows(page);
  expect(low.from).toBeGreaterThan(above.to);
  // The button that turns the sound on stands above the bar.
  await page.evaluate(
    "document.getElementById('unmute').hidden = false; document.getElementById('play').focus()",
  );
  const unmute = await page.locator('#unmute').boundingBox();
  expect((await paintedRows(page)).to).toBeLessThan((unmute?.y ?? 0) - frame.y);
  await page.evaluate(
    "document.getElementById('unmute').hidden = true; document.activeElement.blur()",
  );
  // What stands at the top stays there.
  await page.evaluate('video.currentTime = 59.7');
  await viewer.holds(isShown('(applause)'));
  const high = await paintedRows(page);
  expect(high.from).toBeLessThan(frame.height / 20);
  expect(viewer.complaints).toEqual([]);
});

/** As if it played and nobody moved, whatever the page’s own timers say of what is paused. */
async function holdQuiet(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    const { dataset } = document.getElementById('player');
    const hold = () => {
      if (dataset.playback !== 'playing') dataset.playback = 'playing';
      if (dataset.quiet !== 'true') dataset.quiet = 'true';
    };
    new MutationObserver(hold).observe(document.getElementById('player'), { attributes: true });
    hold();
  })()`);
}

/** Of the player, where captions are painted, which the browser tells nobody: what differs from the same without them. */
async function paintedRows(page: Page): Promise<{ from: number; to: number }> {
  const picture = async (opacity: number) => {
    await page.evaluate(`(() => {
      const sheet = new CSSStyleSheet();
      // What goes on loading is drawn on the bar.
      sheet.replaceSync(
        '#video::-webkit-media-text-track-container { transition: none; opacity: ${opacity} }' +
        '#seek { visibility: hidden }');
      document.adoptedStyleSheets = [sheet];
      // The bar fades.
      return Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => {});
    })()`);
    return (await page.locator('#player').screenshot()).toString('base64');
  };
  const [seen, without] = [await picture(1), await picture(0)];
  return (await page.evaluate(`(async () => {
    const pixels = async (data) => {
      const image = new Image();
      image.src = 'data:image/png;base64,' + data;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height);
    };
    const [one, other] = [await pixels('${seen}'), await pixels('${without}')];
    // In the middle, where the bar is empty.
    const [left, right] = [0.42, 0.48].map((share) => Math.floor(one.width * share) * 4);
    const rows = Array.from({ length: one.height }, (_, y) => y).filter((y) => {
      const row = y * one.width * 4;
      for (let at = row + left; at < row + right; at++) if (one.data[at] !== other.data[at]) return true;
      return false;
    });
    return { from: rows[0] ?? 0, to: rows.at(-1) ?? 0 };
  })()`)) as { from: number; to: number };
}

test('who may not watch gets none, and who has a pass sees them', async () => {
  const { service } = theatre;
  const path = `/manage/v1/videos/${videos.one}`;
  const file = `/recordings/${videos.one}/captions/en.vtt`;
  await service.call('PUT', `${path}/access`, { body: { kind: 'signed' } });
  expect((await fetch(service.url + file)).status).toBe(403);
  const { embed_url } = (await service.call('POST', `${path}/play-link`, { body: {} })).body;
  const { pathname, searchParams } = new URL(embed_url);
  const pass = searchParams.get('pass') ?? '';
  const answer = await fetch(`${service.url}/pass/${pass}${file}`);
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
  const viewer = await open(await theatre.viewer(), `${pathname}?pass=${pass}&t=32`);
  await viewer.page.click('#captions');
  await viewer.holds(isShown('Good evening 3'));
  await service.call('PUT', `${path}/access`, { body: { kind: 'open' } });
  expect(viewer.complaints).toEqual([]);
});

test('on a channel’s page they are those of the recording, and what is live has none', async () => {
  const { service } = theatre;
  await onDatabaseOf(service, async (sql) => {
    await sql.run('UPDATE channels SET last_push_stream_at = 1 WHERE id = $1', [channels.one]);
  });
  const context = await theatre.viewer();
  const viewer = await open(context, `/watch/${channels.one}`, { plays: false });
  const { page } = viewer;
  expect(await isSeen(page, 'captions', 'captions-pick')).toEqual([false, false]);
  await page.click('#watch-video');
  await viewer.holds('video.currentTime > 0 && video.readyState > 2');
  await page.click('#captions');
  await viewer.holds(isShown('Good evening 0'));
  expect(viewer.complaints).toEqual([]);
});

test('where the chat lies over the picture they stand above it', async () => {
  const viewer = await open(await theatre.viewer({ isPhone: true }), `/watch/${channels.one}`, {
    plays: false,
  });
  const { page } = viewer;
  await page.tap('#watch-video');
  await viewer.holds('video.currentTime > 0 && video.readyState > 2');
  await page.tap('#captions');
  await viewer.holds(isShown('Good evening 0'));
  // As of an upright picture, which fills the phone.
  await page.evaluate("video.pause(); document.body.dataset.shape = 'tall'");
  const frame = await page.locator('#player').boundingBox();
  const said = await page.locator('#chat-empty').boundingBox();
  if (!frame || !said) throw new Error('there is no chat');
  expect(said.y).toBeLessThan(frame.y + frame.height);
  const { to } = await paintedRows(page);
  expect(frame.y + to).toBeLessThan(said.y);
  // Much is said, and a line is pinned above it.
  await page.evaluate(`{
    document.getElementById('chat-log').innerHTML = '<li class="message">Hello</li>'.repeat(40);
    document.getElementById('pinned-line').textContent = 'Questions at the end, please. '.repeat(9);
    document.getElementById('chat-pinned').hidden = false;
  }`);
  const pinned = await page.locator('#chat-pinned').boundingBox();
  const above = await paintedRows(page);
  expect(frame.y + above.to).toBeLessThan(pinned?.y ?? 0);
  expect(viewer.complaints).toEqual([]);
});

test('a browser that plays playlists by itself shows them, too', async () => {
  const context = await theatre.viewer();
  await playPlaylistsNatively(context);
  const viewer = await open(context, at(videos.one));
  await viewer.page.click('#captions');
  await viewer.holds(isShown('Good evening 3'));
  // Full screen the phone's own player has a choice; what is chosen there is chosen here.
  await viewer.page.evaluate("video.textTracks[0].mode = 'disabled'");
  await viewer.holds("document.getElementById('captions').dataset.on === 'false'");
  expect(viewer.complaints).toEqual([]);
});

for (const isPhone of [false, true])
  test(`the bar with a choice of captions fits ${isPhone ? 'a phone' : 'a desktop'}`, async () => {
    const context = await theatre.viewer({ isPhone });
    const viewer = await open(context, at(videos.several));
    const { page } = viewer;
    await page.selectOption('#captions-choice', 'ar');
    await viewer.holds(isShown('مساء الخير يا أصدقاء 3'));
    await page.evaluate('video.pause()');
    await hasNoFinding(page);
    expect(await overEdge(page)).toBe(0);
    await shot(page, isPhone ? 'phone' : 'desktop');
    if (isPhone) await page.setViewportSize({ width: 320, height: 568 });
    const frame = await page.locator('#player').boundingBox();
    const fullscreen = await page.locator('#fullscreen').boundingBox();
    if (!frame || !fullscreen) throw new Error('there is no bar');
    expect(fullscreen.x + fullscreen.width).toBeLessThanOrEqual(frame.x + frame.width);
    if (isPhone) await shot(page, 'smallest');
    expect(viewer.complaints).toEqual([]);
  });
