// hls.js in Debian's Chromium plays what the service sends: live, through a cut, to the end, and as a video.
import { afterAll, afterEach, beforeAll, expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { readFlvFile } from '../src/stream/formats/flv-file.ts';
import { clipOf } from '../src/stream/rtmp/paced-push.ts';
import {
  noChromium,
  type PageServer,
  pageWaitMs,
  servePage,
  startBrowser,
} from './support/browser.ts';
import { type ClipPush, startClipPush } from './support/clip-push.ts';
import { temporaryFolder } from './support/engines.ts';
import {
  isLive,
  type LiveChannel,
  newLiveChannel,
  until,
  videosOf,
} from './support/live-channel.ts';
import { testWith } from './support/needs.ts';
import { type ServiceProcess, startProcess } from './support/service-process.ts';

/** Parts of 200 ms, a margin and what a loaded machine adds; hls.js alone stays at 1.1 s and more. */
const behindSecondsMax = 1;

const started: { service?: ServiceProcess; browser?: Browser; pages?: PageServer } = {};
const pushes: ClipPush[] = [];

beforeAll(async () => {
  if (noChromium !== undefined) return;
  started.pages = await servePage(join(import.meta.dir, 'browser/player-page.ts'));
  started.browser = await startBrowser();
  started.service = await startProcess({ DATA_DIR: temporaryFolder(), MIN_FREE_DISK: '10M' });
});

afterEach(async () => {
  for (const push of pushes.splice(0)) await push.end();
});

afterAll(async () => {
  await started.browser?.close();
  await started.pages?.stop();
  await started.service?.stop();
});

testWith(
  noChromium,
  'a push plays near the live edge, ends, and plays again as a video',
  async () => {
    const { service } = running();
    const channel = await live();
    const page = await open(channel.playlistUrl, { live: true });
    await holds(page, 'player.video.currentTime > 0 && player.video.readyState > 2');
    await holds(page, `player.behind() < ${behindSecondsMax}`);
    const from = await shownUntil(page);
    await holds(page, `player.video.currentTime > ${from + 2}`);
    await pushes[0]?.end();
    // Chromium does not tell the end of what ran dry within a picture of it, as on a busy machine.
    await holds(page, 'player.video.ended || player.behind() < 0.05');
    expect(await page.evaluate('player.errors')).toEqual([]);
    await page.close();

    await until(async () => (await videosOf(service, channel.id)).length === 1, {
      withinMs: pageWaitMs,
      otherwise: 'the push did not become a video',
    });
    const [video] = await videosOf(service, channel.id);
    const replay = await open(video?.m3u8 ?? '');
    // Faster than it was made, so that the test is.
    await replay.evaluate('player.video.playbackRate = 4');
    await holds(replay, 'player.video.ended');
    const seconds = Number(await replay.evaluate('player.video.duration'));
    expect(Math.abs(seconds - (video?.duration ?? 0))).toBeLessThan(1);
    expect(await replay.evaluate('player.errors')).toEqual([]);
    await replay.close();
  },
);

testWith(noChromium, 'a push that is cut and comes back plays on', async () => {
  const channel = await live();
  const page = await open(channel.playlistUrl, { live: true });
  await holds(page, 'player.video.currentTime > 0 && player.video.readyState > 2');
  pushes.splice(0)[0]?.publisher.cut();
  // It runs dry before the push is back.
  await holds(page, 'player.video.readyState < 3');
  const from = await shownUntil(page);
  pushes.push(await startClipPush(channel.publishUrl));
  await holds(page, `player.video.currentTime > ${from + 3} && player.video.readyState > 2`);
  await holds(page, `player.behind() < ${behindSecondsMax}`);
  expect(await page.evaluate('player.errors')).toEqual([]);
  await page.close();
});

const noEncoder = noChromium ?? (Bun.which('ffmpeg') === null ? 'it needs ffmpeg' : undefined);

testWith(noEncoder, 'a stream with a key frame each 10 s can be joined between two', async () => {
  const channel = await live(clipOf(readFlvFile(readFileSync(await longGopClip()))));
  const [push] = pushes;
  // By now the newest segment is not the one that began with the key frame.
  await until(() => (push?.sentMs() ?? 0) > 5_000, {
    withinMs: pageWaitMs,
    otherwise: 'the push does not go on',
  });
  const page = await open(channel.playlistUrl, { live: true });
  await holds(page, 'player.video.getVideoPlaybackQuality().totalVideoFrames > 10');
  // It did not wait for the next key frame: that one was still to come.
  expect(await page.evaluate('player.first.picture < player.first.edge')).toBe(true);
  const from = await shownUntil(page);
  await holds(page, `player.video.currentTime > ${from + 5}`);
  expect(await page.evaluate('player.errors')).toEqual([]);
  await page.close();
});

function running(): { service: ServiceProcess; browser: Browser; pages: PageServer } {
  const { service, browser, pages } = started;
  if (!service || !browser || !pages) throw new Error('the service or the browser did not start');
  return { service, browser, pages };
}

async function live(clip?: Parameters<typeof startClipPush>[1]): Promise<LiveChannel> {
  const { service } = running();
  const channel = await newLiveChannel(service);
  pushes.push(await startClipPush(channel.publishUrl, clip));
  await until(() => isLive(service, channel.id), {
    withinMs: pageWaitMs,
    otherwise: 'the channel is not live',
  });
  return channel;
}

async function open(stream: string, { live = false } = {}): Promise<Page> {
  const { browser, pages } = running();
  const page = await browser.newPage();
  const query = new URLSearchParams({ stream, ...(live && { live: '' }) });
  await page.goto(`${pages.url}?${query}`);
  return page;
}

/** Waits in the page until the expression is true; what hls.js complained about is told where it never is. */
async function holds(page: Page, expression: string): Promise<void> {
  try {
    await page.waitForFunction(expression, undefined, { timeout: pageWaitMs });
  } catch (error) {
    const state = await page.evaluate(
      '({ time: player.video.currentTime, ready: player.video.readyState, behind: player.behind(), errors: player.errors })',
    );
    throw new Error(`never came: ${expression}; ${JSON.stringify(state)}`, { cause: error });
  }
}

async function shownUntil(page: Page): Promise<number> {
  return Number(await page.evaluate('player.video.currentTime'));
}

async function longGopClip(): Promise<string> {
  const file = join(temporaryFolder(), 'long-gop.flv');
  const child = Bun.spawn([
    ...['ffmpeg', '-v', 'error', '-nostdin', '-f', 'lavfi', '-i', 'testsrc=320x180:r=30:d=20'],
    ...['-f', 'lavfi', '-i', 'sine=d=20', '-c:v', 'libx264', '-preset', 'ultrafast'],
    ...['-pix_fmt', 'yuv420p', '-g', '300', '-sc_threshold', '0', '-c:a', 'aac', file],
  ]);
  expect(await child.exited).toBe(0);
  return file;
}
