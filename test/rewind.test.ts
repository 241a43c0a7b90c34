// Going back in a show while it is on: the real service with real pushes, by its lists and in Chromium.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { readSpans, type Span } from '../src/audience/records/span.ts';
import { setAccount } from '../src/library/access/account-store.ts';
import { noChromium } from './support/browser.ts';
import { startClipPush, testClip } from './support/clip-push.ts';
import { type Engine, engines, temporaryFolder } from './support/engines.ts';
import { type LiveChannel, newLiveChannel, until, videosOf } from './support/live-channel.ts';
import { type MediaPlaylist, readMediaPlaylist } from './support/media-playlist.ts';
import { testWith } from './support/needs.ts';
import { noFfmpeg } from './support/recorded-clip.ts';
import { movingClock, startTestService, type TestService } from './support/service.ts';
import { Theatre } from './support/theatre.ts';
import { ViewerPage } from './support/viewer-page.ts';

/** A piece of the list is six seconds; that it is whole the next segment shows. */
const listedWithinMs = 30_000;

describe('the list of a show', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService(engines[0] as Engine, {
      settings: { MIN_FREE_DISK: '10M' },
      clock: movingClock(),
    });
  });
  afterAll(() => service.stop());

  const firstOf = ({ playlistUrl }: LiveChannel) => new URL('show.m3u8', playlistUrl);
  const listOf = async (channel: LiveChannel): Promise<[MediaPlaylist, URL] | undefined> => {
    const first = await fetch(firstOf(channel));
    if (first.status === 404) return undefined;
    const [name = ''] = /^show-.*/m.exec(await first.text()) ?? [];
    const url = new URL(name, first.url);
    return [readMediaPlaylist(await (await fetch(url)).text()), url];
  };

  test('is there while it is on and until it is a video, and has all of it', async () => {
    const channel = await newLiveChannel(service);
    const push = await startClipPush(channel.publishUrl);
    const isListed = async () => (await fetch(firstOf(channel))).status === 200;
    await until(isListed, { withinMs: listedWithinMs, otherwise: 'nothing is listed' });
    const [before, url] = (await listOf(channel)) ?? [];
    expect(before?.isEnded).toBe(false);
    await push.end();
    const videos = () => videosOf(service, channel.id);
    await until(async () => (await videos()).length > 0, {
      withinMs: listedWithinMs,
      otherwise: 'no video is made',
    });
    const isEnded = async () => (await listOf(channel))?.[0].isEnded === true;
    await until(isEnded, { withinMs: listedWithinMs, otherwise: 'the list does not end' });
    const [after] = (await listOf(channel)) ?? [];
    expect(after?.segments.slice(0, before?.segments.length)).toEqual(before?.segments as never);
    const [video] = await videos();
    const ms = after?.segments.reduce((sum, { durationMs }) => sum + durationMs, 0) ?? 0;
    expect(Math.round(ms / 1000)).toBe(video?.duration as number);
    // The live list has dates, and these are the same.
    expect(after?.segments[0]?.startsAt).toBeDefined();
    const piece = await fetch(new URL(after?.segments.at(-1)?.uri ?? '', url));
    expect(piece.headers.get('cache-control')).toContain('immutable');
    expect((await piece.bytes()).length).toBe(Number(piece.headers.get('content-length')));
    // What is deleted is not shown any more.
    const gone = await service.call('DELETE', `/v1/activities/${channel.id}`);
    expect(gone.status).toBe(200);
    expect((await fetch(firstOf(channel))).status).toBe(404);
    expect((await fetch(new URL(after?.segments[0]?.uri ?? '', url))).status).toBe(404);
  });

  test('is not there where nothing is recorded', async () => {
    const channel = await newLiveChannel(service);
    expect((await fetch(firstOf(channel))).status).toBe(404);
  });
});

/** A show whose first seconds are of one colour, and all that follows of another. */
const firstSeconds = 10;
const lateSeconds = 34;
/** Slower than two taps that mean one thing. */
const tapEveryMs = 1_000;

const unchanged = { name: undefined, plan: undefined, live_ladder: undefined };

const theatre = new Theatre();

describe('on the page of a show', () => {
  const test = (name: string, run: () => Promise<void>) =>
    testWith(noChromium ?? noFfmpeg, name, run);
  /** Red before, blue behind. */
  const redness = `(() => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 1;
    const context = canvas.getContext('2d');
    context.drawImage(video, 0, 0, 1, 1);
    const [red, , blue] = context.getImageData(0, 0, 1, 1).data;
    return red > blue ? 'red' : 'blue';
  })()`;
  const isRed = `${redness} === 'red'`;
  const isBlue = `${redness} === 'blue'`;
  const isAtEdge = "document.getElementById('live-edge').dataset.on === 'true'";
  const isBehind =
    "!document.getElementById('behind').hidden && !video.paused && video.readyState > 2";
  const seek = "document.getElementById('seek')";

  /** Comes when what is shown is blue. */
  async function lateViewer(kind: string, options?: Parameters<Theatre['viewer']>[0]) {
    const channel = await theatre.newChannel();
    const push = await startClipPush(channel.publishUrl, colourClip());
    theatre.pushes.push(push);
    while (push.sentMs() < lateSeconds * 1000) await Bun.sleep(100);
    const context = await theatre.viewer(options);
    const url = `${theatre.service.url}/${kind}/${channel.id}`;
    const viewer = await ViewerPage.open(context, url);
    await viewer.plays();
    await viewer.holds(`!${seek}.hidden && ${isAtEdge} && ${isBlue}`);
    return { channel, push, viewer };
  }

  test('who comes late sees its beginning, and what is live again', async () => {
    const { viewer } = await lateViewer('watch');
    const { page } = viewer;
    await page.focus('#seek');
    await page.keyboard.press('Home');
    await viewer.holds(`${isRed} && ${isBehind} && video.currentTime < ${firstSeconds}`);
    expect(await page.textContent('#behind')).toMatch(/^−(0:[2-5]\d|1:\d\d)$/);
    expect(await page.getAttribute('#seek', 'aria-valuetext')).toMatch(/^0:\d\d, .* behind live$/);
    // What stands there is of now.
    expect(await page.textContent('#viewers')).toBe('1 watching');
    await page.keyboard.press('End');
    await viewer.holds(`${isAtEdge} && ${isBlue}`);
    await page.keyboard.press('j');
    await viewer.holds(isBehind);
    await page.click('#live-edge');
    await viewer.holds(`${isAtEdge} && document.getElementById('behind').hidden`);
    expect(viewer.complaints).toEqual([]);
  });

  test('where nothing is recorded one goes back as far as what is live reaches', async () => {
    const { store } = theatre.service;
    const keeps = (auto_save_live_video: boolean) =>
      store.perform(setAccount, { id: 1, ...unchanged, auto_save_live_video });
    await keeps(false);
    const channel = await theatre.live();
    await keeps(true);
    const viewer = await theatre.open(channel, await theatre.viewer());
    const { page } = viewer;
    await viewer.plays();
    await viewer.holds(`!${seek}.hidden && ${isAtEdge}`);
    await page.focus('#seek');
    await page.keyboard.press('Home');
    await viewer.holds(isBehind);
    expect(await page.textContent('#behind')).toMatch(/^−0:(0[6-9]|1\d)$/);
    expect(await page.isVisible('#times')).toBe(false);
    // It stays there while the list goes on.
    await viewer.sees(6);
    expect(await page.textContent('#behind')).toMatch(/^−0:(0[6-9]|1\d)$/);
    await page.keyboard.press('End');
    await viewer.holds(isAtEdge);
    expect(viewer.complaints).toEqual([]);
  });

  test('who is behind at its end goes on in the recording, and has been seen to watch what was earlier', async () => {
    const { channel, push, viewer } = await lateViewer('embed', { isPhone: true });
    const { page } = viewer;
    const box = await page.locator('#seek').boundingBox();
    if (!box) throw new Error('there is no bar');
    // A finger that finds the controls faded asks for them first.
    do {
      await page.touchscreen.tap(box.x + 8, box.y + box.height / 2);
      await Bun.sleep(tapEveryMs);
    } while (await page.evaluate("document.getElementById('behind').hidden"));
    await viewer.holds(`${isRed} && ${isBehind}`);
    await viewer.holds('video.currentTime > 3');
    const at = Number(await page.evaluate('video.currentTime'));
    await push.end();
    await viewer.holds("document.body.dataset.state === 'video' && video.duration > 30");
    await viewer.holds(
      `!video.paused && video.readyState > 2 && video.currentTime > ${at} && ${isRed}`,
    );
    // Nobody has to look for where they were.
    expect(Number(await page.evaluate('video.currentTime'))).toBeLessThan(lateSeconds);
    const { store } = theatre.service;
    const show = await store.one<{ begin_at: number; end_at: number }>(
      'SELECT begin_at, end_at FROM shows WHERE channel_id = $1 AND end_at IS NOT NULL',
      [channel.id],
    );
    const spans = async () => {
      const row = 'SELECT spans FROM sessions WHERE channel_id = $1';
      const found = await store.one<{ spans: string | null }>(row, [channel.id]);
      return readSpans(found?.spans ?? '');
    };
    const { begin_at = 0, end_at = 0 } = show ?? {};
    const isEarlier = ({ from, position }: Span) =>
      position < firstSeconds * 1000 && from - begin_at > lateSeconds * 1000;
    await until(async () => (await spans()).some(isEarlier), {
      withinMs: listedWithinMs,
      otherwise: 'what was earlier is not among what was watched',
    });
    const watched = await spans();
    // First what was live, then the beginning.
    expect(watched[0]?.position).toBeGreaterThan((lateSeconds - 10) * 1000);
    expect(Math.max(...watched.map(({ to }) => to))).toBeLessThanOrEqual(end_at + 10_000);
    expect(viewer.complaints).toEqual([]);
  });
});

function colourClip() {
  const file = join(temporaryFolder(), 'colours.flv');
  const colour = (name: string, seconds: number) =>
    ['-f', 'lavfi', '-i', `color=${name}:size=160x90:rate=10:duration=${seconds}`] as const;
  const made = Bun.spawnSync([
    ...['ffmpeg', '-v', 'error', ...colour('red', firstSeconds), ...colour('blue', 110)],
    ...['-f', 'lavfi', '-i', `sine=frequency=330:sample_rate=48000:duration=${firstSeconds + 110}`],
    ...['-filter_complex', '[0][1]concat[v]', '-map', '[v]', '-map', '2:a', '-c:v', 'libx264'],
    ...['-preset', 'ultrafast', '-tune', 'zerolatency', '-pix_fmt', 'yuv420p', '-g', '20'],
    ...['-c:a', 'aac', '-b:a', '24k', file],
  ]);
  expect(made.stderr.toString()).toBe('');
  return testClip(file);
}
