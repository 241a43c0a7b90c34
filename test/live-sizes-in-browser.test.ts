// A push in several sizes, as viewers see it: in Chromium, on the page, with a real encoder's clip.
import { expect } from 'bun:test';
import { isTranscoderInstalled } from '../src/stream/recording/worker/transcoder.ts';
import { noChromium } from './support/browser.ts';
import { startClipPush } from './support/clip-push.ts';
import { ladderClip, ladderPids, variantsAt, wantLadder } from './support/ladder-stage.ts';
import { isLive, type LiveChannel, until, videosOf } from './support/live-channel.ts';
import { testWith } from './support/needs.ts';
import { noFfmpeg } from './support/recorded-clip.ts';
import { Theatre } from './support/theatre.ts';
import { ViewerPage } from './support/viewer-page.ts';

const needed =
  noChromium ??
  noFfmpeg ??
  (isTranscoderInstalled() ? undefined : 'it needs the transcoder (node-av)');
const theatre = new Theatre();

const plays = 'video.currentTime > 0 && !video.paused && video.readyState > 2';
const shows = (size: number) => `video.videoHeight === ${size} && ${plays}`;
const chosen = "document.getElementById('quality').selectedOptions[0]?.text";

async function onAir(): Promise<LiveChannel> {
  await wantLadder(theatre.service, true);
  const channel = await theatre.newChannel();
  theatre.pushes.push(await startClipPush(channel.publishUrl, ladderClip()));
  await until(() => isLive(theatre.service, channel.id), {
    withinMs: 45_000,
    otherwise: 'the channel is not live',
  });
  return channel;
}

async function watching(channel: LiveChannel): Promise<ViewerPage> {
  const viewer = await theatre.open(channel, await theatre.viewer());
  await viewer.plays();
  return viewer;
}

function test(name: string, run: () => Promise<void>): void {
  testWith(needed, name, run, 240_000);
}

// First: on a busy machine jobs wait long behind those of other recordings.
test('its recording has the sound alone, too: a viewer goes there and back', async () => {
  const channel = await onAir();
  const viewer = await watching(channel);
  await viewer.sees(12);
  const push = theatre.pushes.pop();
  await push?.end();
  const list = async () => {
    const [video] = await videosOf(theatre.service, channel.id);
    const all = video?.m3u8.replace('index.m3u8', 'all.m3u8?still=1');
    return all === undefined ? [] : (await variantsAt(all)).map(({ url }) => new URL(url).pathname);
  };
  await until(async () => (await list()).some((name) => name.endsWith('/still.m3u8')), {
    withinMs: 60_000,
    otherwise: 'it is not listed',
  });
  const [video] = await videosOf(theatre.service, channel.id);
  const recorded = await ViewerPage.open(
    await theatre.viewer(),
    `${theatre.service.url}/videos/${video?.id}`,
  );
  const { page } = recorded;
  await page.click('#big-play');
  // On a busy machine it would be over before the other size has come.
  await page.evaluate('video.loop = true');
  await recorded.holds(shows(504));
  await page.selectOption('#quality', '0');
  await recorded.holds(`${shows(144)} && player.dataset.picture !== 'moving'`);
  expect(await page.evaluate(chosen)).toBe('Sound only');
  // The last picture stays for a moment.
  expect(await page.evaluate("document.getElementById('last-picture').width")).toBe(896);
  await page.selectOption('#quality', '504');
  await recorded.holds(`${shows(504)} && player.dataset.picture === 'moving'`);
  expect([...viewer.complaints, ...recorded.complaints]).toEqual([]);
});

test('a viewer has each size while it is live, and what the line carries', async () => {
  const viewer = await watching(await onAir());
  const { page } = viewer;
  await viewer.holds("document.getElementById('quality').options.length === 5");
  expect(await page.locator('#quality option').allTextContents()).toEqual([
    expect.stringMatching(/^Auto/),
    '504p',
    '480p',
    '360p',
    'Sound only',
  ]);
  for (const size of [480, 360, 504]) {
    await page.selectOption('#quality', String(size));
    await viewer.holds(shows(size));
    expect(await page.evaluate(chosen)).toBe(`${size}p`);
  }
  await page.selectOption('#quality', 'auto');
  await viewer.holds(plays);
  expect(viewer.complaints).toEqual([]);
});

test('who watches a size goes on when its encoder is killed, and who watches the source sees nothing', async () => {
  const channel = await onAir();
  const small = await watching(channel);
  await small.page.selectOption('#quality', '360');
  // Where a busy machine has left that size out, it watches another by now.
  await small.sees(Number(await small.page.evaluate('mediaSeconds()')) + 4);
  const large = await watching(channel);
  await large.page.selectOption('#quality', '504');
  await large.holds(shows(504));
  for (const pid of ladderPids()) process.kill(pid, 'SIGKILL');
  for (const viewer of [small, large])
    await viewer.sees(Number(await viewer.page.evaluate('mediaSeconds()')) + 8);
  expect(await large.page.evaluate('video.videoHeight')).toBe(504);
  expect([...small.complaints, ...large.complaints]).toEqual([]);
});
