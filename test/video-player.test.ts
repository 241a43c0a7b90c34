// The player of a recording in Chromium against the real service: sizes, speed, places in it, fingers and slow lines.
import { beforeAll, expect } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { storyboardOf, storyboardText } from '../src/stream/recording/storyboard.ts';
import { noChromium } from './support/browser.ts';
import { playPlaylistsNatively } from './support/native-playlists.ts';
import { testWith } from './support/needs.ts';
import { noFfmpeg, outside } from './support/recorded-clip.ts';
import { addShownVideo, type ShownVideo } from './support/shown-video.ts';
import { Theatre } from './support/theatre.ts';
import { ViewerPage } from './support/viewer-page.ts';

const needed = noChromium ?? noFfmpeg;
const theatre = new Theatre();
const videoSeconds = 60;
let both: ShownVideo;

beforeAll(async () => {
  if (needed !== undefined) return;
  const { id } = await theatre.newChannel();
  const options = { channelId: id, seconds: videoSeconds, isSmaller: true };
  both = await addShownVideo(theatre.service, options);
});

function test(name: string, run: () => Promise<void>): void {
  testWith(needed, name, run);
}

async function open(context: BrowserContext, path = `/videos/${both.id}`): Promise<ViewerPage> {
  return await ViewerPage.open(context, theatre.service.url + path);
}

async function openPlaying(context: BrowserContext, path?: string): Promise<ViewerPage> {
  const viewer = await open(context, path);
  await viewer.page.click('#big-play');
  await viewer.holds(plays);
  return viewer;
}

const plays = 'video.currentTime > 0 && !video.paused && video.readyState > 2';
const chosen = "document.getElementById('quality').selectedOptions[0]?.text";

test('a viewer chooses a size or leaves it to the line, which says what it plays', async () => {
  const context = await theatre.viewer();
  const viewer = await openPlaying(context);
  const { page } = viewer;
  expect(await page.locator('#quality option').allTextContents()).toEqual([
    expect.stringMatching(/^Auto/),
    '720p',
    '480p',
  ]);
  // Whichever that is: a busy machine is a slow line, too.
  const saysSize = `${chosen} === 'Auto (' + video.videoHeight + 'p)'`;
  await viewer.holds(saysSize);
  for (const size of [480, 720, 480]) {
    const at = Number(await page.evaluate('video.currentTime'));
    await page.selectOption('#quality', String(size));
    await viewer.holds(`video.videoHeight === ${size} && ${plays}`);
    // It goes on where it stood.
    expect(Number(await page.evaluate('video.currentTime'))).toBeGreaterThanOrEqual(at);
    expect(await page.evaluate(chosen)).toBe(`${size}p`);
    // What plays now is not the line's choice.
    expect(await page.locator('#quality option').first().textContent()).toBe('Auto');
  }
  await page.selectOption('#quality', 'auto');
  await viewer.holds(saysSize);
  expect(viewer.complaints).toEqual([]);
});

test('the size that was chosen is that of the next video too', async () => {
  const context = await theatre.viewer();
  const first = await openPlaying(context);
  await first.page.selectOption('#quality', '480');
  const next = await openPlaying(context, `/embed/videos/${both.id}`);
  await next.holds(`video.videoHeight === 480 && ${chosen} === '480p'`);
  expect(next.complaints).toEqual([]);
});

test('a browser that plays playlists by itself has the same choice', async () => {
  const context = await theatre.viewer();
  await playPlaylistsNatively(context, { 480: '480' });
  const viewer = await openPlaying(context);
  await viewer.holds(`${chosen} === 'Auto (720p)'`);
  await viewer.page.selectOption('#quality', '480');
  await viewer.holds(`video.videoHeight === 480 && ${plays}`);
  expect(viewer.complaints).toEqual([]);
});

test('a recording is played faster, by its list or by the keys, and the next one too', async () => {
  const context = await theatre.viewer();
  const first = await openPlaying(context);
  await first.page.selectOption('#speed', '1.5');
  await first.holds('video.playbackRate === 1.5 && video.preservesPitch');
  await first.page.keyboard.press('Tab');
  await first.page.focus('#player');
  await first.page.keyboard.press('>');
  await first.holds(
    "video.playbackRate === 1.75 && document.getElementById('speed').value === '1.75'",
  );
  expect(await first.page.textContent('#answer')).toBe('1.75×');
  expect(await first.page.textContent('#announce')).toBe('Speed 1.75×');
  await first.page.keyboard.press('<');
  await first.holds('video.playbackRate === 1.5');
  // Another size is loaded anew, and as fast.
  await first.page.selectOption('#quality', '480');
  await first.holds(`video.videoHeight === 480 && video.playbackRate === 1.5 && ${plays}`);
  const next = await openPlaying(context, `/embed/videos/${both.id}`);
  await next.holds(`video.playbackRate === 1.5 && ${plays}`);
  expect([...first.complaints, ...next.complaints]).toEqual([]);
});

test('a pointer on the bar is shown what lies there, and so is a finger', async () => {
  const size = { width: 192, height: 108 };
  const board = storyboardText(storyboardOf(videoSeconds), size);
  writeFileSync(join(both.folder, 'storyboard.vtt'), board);
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=192x108:r=1', '-frames:v', '1'];
  const sheet = join(both.folder, 'storyboard0.jpg');
  outside('ffmpeg', ['-v', 'error', ...picture, '-vf', 'tile=10x10', '-y', sheet]);
  const viewer = await open(await theatre.viewer());
  const { page } = viewer;
  await viewer.holds('video.readyState > 0');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const bar = await page.locator('#seek').boundingBox();
  if (!bar) throw new Error('there is no bar');
  const moveTo = (share: number) =>
    page.mouse.move(bar.x + 7 + share * (bar.width - 14), bar.y + bar.height / 2);
  const isSeen = (id: string) => page.isVisible(`#${id}`);
  expect(await isSeen('seek-peek')).toBe(false);
  await moveTo(0.5);
  await viewer.holds("!document.getElementById('seek-picture').hidden");
  // The 16th of 30, each of two seconds.
  const found = `(({ backgroundImage, backgroundPosition }) => [backgroundImage, backgroundPosition].join(' '))(
    getComputedStyle(document.getElementById('seek-picture')))`;
  expect(await page.evaluate(found)).toMatch(/\/storyboard0\.jpg"\) -960px -108px$/);
  expect(await page.textContent('#seek-time')).toBe('0:30');
  await moveTo(1);
  expect(await page.textContent('#seek-time')).toBe('1:00');
  // It stays in the player at both ends.
  for (const share of [0, 1]) {
    await moveTo(share);
    const frame = await page.locator('#player').boundingBox();
    const peek = await page.locator('#seek-peek').boundingBox();
    if (!frame || !peek) throw new Error('there is nothing to be seen');
    expect(peek.x).toBeGreaterThanOrEqual(frame.x);
    expect(peek.x + peek.width).toBeLessThanOrEqual(frame.x + frame.width);
  }
  await page.mouse.move(bar.x + 100, bar.y - 200);
  expect(await isSeen('seek-peek')).toBe(false);
  expect(asked.filter((path) => path.endsWith('.vtt'))).toHaveLength(1);

  // A finger that drags: its bar says where it is, and lets go.
  await page.evaluate(`
    const bar = document.getElementById('seek');
    bar.value = '12';
    bar.dispatchEvent(new Event('input'));`);
  expect([await isSeen('seek-picture'), await page.textContent('#seek-time')]).toEqual([
    true,
    '0:12',
  ]);
  await page.evaluate("document.getElementById('seek').dispatchEvent(new Event('change'))");
  expect(await isSeen('seek-peek')).toBe(false);
  expect(viewer.complaints).toEqual([]);
});

test('an address begins where it says, and one that says nonsense at the beginning', async () => {
  const context = await theatre.viewer();
  for (const [moment, seconds] of [
    ['45', 45],
    ['45s', 45],
    ['0:45', 45],
    ['90', 0],
    ['x', 0],
  ] as const) {
    const viewer = await open(context, `/videos/${both.id}?t=${moment}`);
    await viewer.holds(`Math.abs(video.currentTime - ${seconds}) < 1 && video.readyState > 1`);
    const said = await viewer.page.textContent('#time-now');
    expect([moment, said]).toEqual([moment, seconds === 0 ? '0:00' : '0:45']);
    await viewer.page.close();
  }
});

test('a recording is shared from where it stands', async () => {
  const context = await theatre.viewer();
  const viewer = await open(context, `/videos/${both.id}?t=45`);
  const { page } = viewer;
  await viewer.holds('video.currentTime >= 45');
  const url = `${theatre.service.url}/videos/${both.id}`;
  await page.click('#share');
  expect(await page.inputValue('#share-link')).toBe(url);
  const note = page.locator('#share-note');
  await page.click('#share-copy');
  await note.filter({ hasText: /./ }).waitFor();
  await page.getByLabel('From 0:45').check();
  // That is another link.
  expect(await note.textContent()).toBe('');
  expect(await page.inputValue('#share-link')).toBe(`${url}?t=45`);
  await page.click('#share-copy');
  await note.filter({ hasText: /./ }).waitFor();
  await page.click('#share-close');
  await page.click('#share');
  expect([await page.inputValue('#share-link'), await note.textContent()]).toEqual([url, '']);
  // Of the beginning there is nothing to choose.
  const beginning = await open(context);
  await beginning.page.click('#share');
  expect(await beginning.page.isVisible('#share-from')).toBe(false);
  expect([...viewer.complaints, ...beginning.complaints]).toEqual([]);
});

test('two taps beside the middle go back or on, one shows the controls alone', async () => {
  const context = await theatre.viewer({ isPhone: true });
  const viewer = await open(context, `/videos/${both.id}?t=20`);
  const { page } = viewer;
  await viewer.holds('video.readyState > 1');
  await page.tap('#big-play');
  await viewer.holds(plays);
  // The page's clock goes when the test says so, however slow the machine is.
  await page.evaluate(`
    video.pause();
    const began = performance.now();
    window.later = 0;
    performance.now = () => began + later;`);
  const box = await page.locator('#video').boundingBox();
  if (!box) throw new Error('there is no picture');
  const tap = (share: number, times: number, afterMs = 100) =>
    page.evaluate(`(() => {
      later += ${afterMs};
      const clientX = ${box.x + share * box.width};
      for (let time = 0; time < ${times}; time++)
        for (const name of ['pointerdown', 'pointerup'])
          video.dispatchEvent(new PointerEvent(name, { pointerType: 'touch', clientX, bubbles: true }));
    })()`);
  const at = async () => Math.round(Number(await page.evaluate('video.currentTime')));
  const answer = () =>
    page.evaluate(
      "(({ textContent, dataset }) => [textContent, dataset.place])(document.getElementById('answer'))",
    );
  const begin = await at();
  await tap(0.9, 1);
  expect(await at()).toBe(begin);
  // Too late to be the second of two.
  await tap(0.9, 1, 400);
  expect(await at()).toBe(begin);
  await tap(0.9, 1);
  expect([await at(), await answer()]).toEqual([begin + 10, ['+10 s', 'right']]);
  await tap(0.9, 1);
  expect([await at(), await answer()]).toEqual([begin + 20, ['+20 s', 'right']]);
  await tap(0.1, 3, 600);
  expect([await at(), await answer()]).toEqual([begin, ['−20 s', 'left']]);
  await page.evaluate("video.dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))");
  await tap(0.5, 2, 1_000);
  expect(await at()).toBe(begin);
  expect(await page.evaluate('document.fullscreenElement')).toBe(null);
  expect(viewer.complaints).toEqual([]);
});

test('where there is another screen it plays there, from where it stood, and comes back', async () => {
  const context = await theatre.viewer();
  // Chromium finds screens by itself, of which there are none here: what it would say of one is said in its place.
  await context.addInitScript(`
    const remote = Object.assign(new EventTarget(), {
      state: 'disconnected',
      become(state) {
        this.state = state;
        this.dispatchEvent(new Event(state === 'connected' ? 'connect' : 'disconnect'));
      },
      watchAvailability: async (tell) => { tell(true); return 1; },
      cancelWatchAvailability: async () => {},
      prompt: async () => {
        if (!window.chosen) throw new DOMException('', 'NotAllowedError');
        remote.become('connected');
      },
    });
    Object.defineProperty(HTMLMediaElement.prototype, 'remote', { get: () => remote });`);
  const viewer = await openPlaying(context, `/videos/${both.id}?t=30`);
  const { page } = viewer;
  const isHere = "video.src.startsWith('blob:')";
  expect(await page.evaluate(isHere)).toBe(true);
  // Who would not choose one watches on as before.
  await page.click('#cast');
  await viewer.holds(`${isHere} && video.currentTime >= 30 && ${plays}`);
  expect(await page.isVisible('#cast-note')).toBe(false);
  await page.evaluate('window.chosen = true');
  await page.click('#cast');
  // A list where the browser plays lists, else the file.
  await viewer.holds(
    `/^http.*\\/(?:all\\.m3u8|video\\.mp4)$/.test(video.src) && video.currentTime >= 30 && ${plays}`,
  );
  await viewer.holds(
    "!document.getElementById('cast-note').hidden && !video.disableRemotePlayback",
  );
  await page.evaluate("video.remote.become('disconnected')");
  await viewer.holds(
    `${isHere} && video.disableRemotePlayback && video.currentTime >= 30 && ${plays}`,
  );
  expect(await page.isVisible('#cast-note')).toBe(false);
  expect(viewer.complaints).toEqual([]);
});

test('without another screen there is no button', async () => {
  const viewer = await openPlaying(await theatre.viewer());
  expect(await viewer.page.isVisible('#cast')).toBe(false);
});
