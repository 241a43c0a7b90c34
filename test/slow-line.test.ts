// What viewers are told in Chromium when their network is too slow for the real service's streams, and when they are not.
import { beforeAll, expect } from 'bun:test';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { noChromium } from './support/browser.ts';
import { testWith } from './support/needs.ts';
import { noFfmpeg } from './support/recorded-clip.ts';
import { type ShapedLine, startShapedLine } from './support/shaped-line.ts';
import { addShownVideo, type ShownVideo } from './support/shown-video.ts';
import { Theatre } from './support/theatre.ts';
import { ViewerPage } from './support/viewer-page.ts';

const needed = noChromium ?? noFfmpeg;
const theatre = new Theatre();
const videoSeconds = 60;
/** Bits a second: any page is here at once. */
const goodLine = 160_000_000;
/** Longer than a segment lasts, so that it stalls at each. */
const slowAnswerMs = 5_000;
let video: ShownVideo;

beforeAll(async () => {
  if (needed !== undefined) return;
  const { id } = await theatre.newChannel();
  video = await addShownVideo(theatre.service, {
    channelId: id,
    seconds: videoSeconds,
    isSmaller: true,
  });
});

function test(name: string, run: (line: ShapedLine) => Promise<void>): void {
  testWith(needed, name, async () => {
    const down = { bitsPerSecond: goodLine };
    const line = await startShapedLine(Number(new URL(theatre.service.url).port), { down });
    try {
      await run(line);
    } finally {
      line.close();
    }
  });
}

const isTold = "!document.getElementById('slow-line').hidden";
const plays = '!video.paused && video.readyState > 2 && video.currentTime > 0';
/** The controls are not among them: the bar to go back comes when there is something to go back to. */
const boxes = `JSON.stringify(['player', 'video'].map((id) => {
  const { x, y, width, height } = document.getElementById(id).getBoundingClientRect();
  return [x, y, width, height];
}))`;

async function open(context: BrowserContext, url: string): Promise<ViewerPage> {
  const viewer = await ViewerPage.open(context, url);
  // Each time that those who hear the page are told something.
  await viewer.page.evaluate(`
    window.heard = [];
    const announced = document.getElementById('announce');
    new MutationObserver(() => heard.push(announced.textContent)).observe(announced, { childList: true });`);
  return viewer;
}

test('a push that the line is too slow for is told of once, and no more when it is well again', async (line) => {
  const channel = await theatre.live();
  const viewer = await open(await theatre.viewer(), `${line.url}/watch/${channel.id}`);
  await viewer.plays();
  const before = await viewer.page.evaluate(boxes);
  const from = line.downBytes;
  await viewer.sees(5);
  // A good deal less than it needs, whatever that is here.
  line.shape({ down: { bitsPerSecond: ((line.downBytes - from) * 8) / 5 / 2 } });
  await viewer.holds(isTold);
  const text = String(await viewer.page.textContent('#slow-line'));
  expect(text).toStartWith('Your network is too slow for this stream.');
  expect(await viewer.page.evaluate(boxes)).toBe(before as string);
  line.shape({ down: { bitsPerSecond: goodLine } });
  await viewer.holds(`!(${isTold}) && ${plays}`);
  const heard = (await viewer.page.evaluate('heard')) as string[];
  expect(heard.filter((one) => one === text)).toEqual([text]);
  expect(viewer.complaints).toEqual([]);
});

test('a service that is slow to answer is not the viewer’s network', async (line) => {
  const channel = await theatre.live();
  const viewer = await open(await theatre.viewer(), `${line.url}/watch/${channel.id}`);
  await viewer.plays();
  await viewer.page.evaluate(`
    window.starvedTicks = 0;
    window.wasTold = false;
    setInterval(() => {
      wasTold ||= ${isTold};
      if (/stalled|loading/.test(player.dataset.playback)) starvedTicks += 1;
    }, 100);`);
  await viewer.page.route('**/*.m4s', async (route) => {
    await Bun.sleep(slowAnswerMs);
    await route.continue().catch(() => {});
  });
  // For longer than would be told of, were it the line.
  await viewer.holds('starvedTicks >= 120');
  expect(await viewer.page.evaluate('wasTold')).toBe(false);
  await viewer.page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a recording of a size that the line is too slow for is told of, with the way out', async (line) => {
  const viewer = await open(await theatre.viewer(), `${line.url}/videos/${video.id}`);
  const { page } = viewer;
  await page.selectOption('#quality', '720');
  const bytes = statSync(join(video.folder, 'source.mp4')).size;
  line.shape({ down: { bitsPerSecond: (bytes * 8) / videoSeconds / 2 } });
  await page.click('#big-play');
  await viewer.holds(isTold);
  expect(await page.textContent('#slow-line')).toBe(
    'Your network is too slow for 720p. A lower quality will help.',
  );
  // Who pauses it knows what they do.
  await page.evaluate('video.pause()');
  await viewer.holds(`!(${isTold})`);
  await page.evaluate('video.play()');
  line.shape({ down: { bitsPerSecond: goodLine } });
  await page.selectOption('#quality', '480');
  await viewer.holds(`video.videoHeight === 480 && ${plays} && !(${isTold})`);
  expect(viewer.complaints).toEqual([]);
});

test('over a long way there and back it is loaded by whole segments, and plays on', async (line) => {
  const channel = await theatre.live();
  line.shape({ down: { delayMs: 150 }, up: { delayMs: 150 } });
  const context = await theatre.viewer();
  const asked: string[] = [];
  context.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const viewer = await open(context, `${line.url}/watch/${channel.id}`);
  await viewer.plays();
  await viewer.sees(6);
  expect(asked.filter((path) => /\/\d+\.m4s$/.test(path)).length).toBeGreaterThan(2);
  expect(asked.filter((path) => /\/\d+\.\d+\.m4s$/.test(path))).toEqual([]);
  expect(viewer.complaints).toEqual([]);
});
