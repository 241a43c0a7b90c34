// A line that carries no picture of what is live, in Chromium: the sound goes on, the page says so, and the picture comes back.
import { expect } from 'bun:test';
import { isTranscoderInstalled } from '../src/stream/recording/worker/transcoder.ts';
import { noChromium } from './support/browser.ts';
import { startClipPush } from './support/clip-push.ts';
import { ladderClip, variantsAt, wantLadder } from './support/ladder-stage.ts';
import { type LiveChannel, until } from './support/live-channel.ts';
import { testWith } from './support/needs.ts';
import { noFfmpeg } from './support/recorded-clip.ts';
import { startShapedLine } from './support/shaped-line.ts';
import { Theatre } from './support/theatre.ts';
import { ViewerPage } from './support/viewer-page.ts';

const needed =
  noChromium ??
  noFfmpeg ??
  (isTranscoderInstalled() ? undefined : 'it needs the transcoder (node-av)');
const theatre = new Theatre();
/** Bits a second: any page is here at once. */
const goodLine = 160_000_000;

async function live({ hasLadder = true, clip = ladderClip() } = {}): Promise<LiveChannel> {
  await wantLadder(theatre.service, hasLadder);
  const channel = await theatre.newChannel();
  theatre.pushes.push(await startClipPush(channel.publishUrl, clip));
  await until(async () => (await fetch(channel.playlistUrl)).status === 200, {
    withinMs: 45_000,
    otherwise: 'it is not live',
  });
  return channel;
}

const hasPicture = "player.dataset.picture === 'moving' && video.videoHeight > 144";
const isWithout = "player.dataset.picture === 'none'";
const isTold = "!document.getElementById('slow-line').hidden";

testWith(
  needed,
  'the sound goes on over a line that carries no picture, and the picture comes back by itself',
  async () => {
    const channel = await live();
    const down = { bitsPerSecond: goodLine };
    const line = await startShapedLine(Number(new URL(theatre.service.url).port), { down });
    try {
      const viewer = await ViewerPage.open(
        await theatre.viewer(),
        `${line.url}/watch/${channel.id}`,
      );
      const { page } = viewer;
      await viewer.plays();
      await viewer.holds(hasPicture);
      await page.evaluate('video.muted = false; video.volume = 0.4;');
      const [sound] = (await variantsAt(channel.playlistUrl)).slice(-1);
      const bitsPerSecond = 2 * Number(sound?.attributes['BANDWIDTH']);
      line.shape({ down: { bitsPerSecond } });
      // Of a line that becomes slow another sentence is said before.
      const text = 'Your network carries the sound only. The picture comes back by itself.';
      const isSaid = `document.getElementById('slow-line').textContent === '${text}'`;
      await viewer.holds(`${isWithout} && ${isTold} && ${isSaid}`);
      expect(await page.textContent('#quality option')).toBe('Auto (Sound only)');
      const from = Number(await page.evaluate('mediaSeconds()'));
      await viewer.sees(from + 4);
      line.shape({ down: { bitsPerSecond: goodLine } });
      await viewer.holds(`${hasPicture} && !(${isTold})`);
      const kept = await page.evaluate('[video.muted, video.volume]');
      expect(kept).toEqual([false, 0.4]);
      expect(viewer.complaints).toEqual([]);
    } finally {
      line.close();
    }
  },
);

testWith(
  needed,
  'who wants the sound only has it, and is told nothing of their network',
  async () => {
    const channel = await live();
    const viewer = await theatre.open(channel, await theatre.viewer());
    const { page } = viewer;
    await viewer.plays();
    await viewer.holds(hasPicture);
    const names = await page.locator('#quality option').allTextContents();
    expect(names.at(-1)).toBe('Sound only');
    await page.selectOption('#quality', '0');
    await viewer.holds(isWithout);
    expect(await page.evaluate(isTold)).toBe(false);
    await page.selectOption('#quality', 'auto');
    await viewer.holds(hasPicture);
    expect(viewer.complaints).toEqual([]);
  },
);

for (const hasLadder of [false, true])
  testWith(
    needed,
    `pictures as small as the black one are shown, ${hasLadder ? 'beside' : 'without'} the sound alone`,
    async () => {
      const channel = await live({ hasLadder, clip: ladderClip('256x144') });
      const viewer = await theatre.open(channel, await theatre.viewer());
      await viewer.plays();
      await viewer.holds('video.videoHeight === 144');
      expect(await viewer.page.evaluate('player.dataset.picture')).toBe('moving');
      expect(viewer.complaints).toEqual([]);
    },
  );
