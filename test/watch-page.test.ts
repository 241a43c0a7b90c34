// The watch page in Chromium against the real service and a real push: what is seen, and what is in the records.
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout } from 'bun:test';
import type { Browser, BrowserContext } from 'playwright-core';
import { type ClipPush, startClipPush } from '../trial/support/clip-push.ts';
import { isLive, type LiveChannel, newLiveChannel, until } from '../trial/support/live-channel.ts';
import { type ServiceProcess, startProcess } from '../trial/support/service-process.ts';
import { testWith } from './faults/needs.ts';
import { noChromium, startBrowser } from './support/browser.ts';
import { temporaryFolder } from './support/engines.ts';
import {
  newViewer,
  type OrdinaryBrowser,
  startOrdinaryBrowser,
  ViewerPage,
} from './support/viewer-page.ts';

// A browser starts and streams play in real time, on two noisy cores.
setDefaultTimeout(90_000);

const waitMs = 20_000;
/** Long enough to tell who watched from who did not. */
const watchMs = 5_000;
/** A stream that is paused for longer loads no more. */
const restMs = 13_000;
/** Shorter than a session waits for whom it has lost. */
const awayMs = 3_000;
/** Reports are flushed every two seconds. */
const flushedMs = 6_000;
/** What is reported is exact within a second; what plays before the page is welcome is not. */
const lostSecondsMax = 1.5;

const started: { service?: ServiceProcess; browser?: Browser } = {};
const pushes: ClipPush[] = [];
const contexts: BrowserContext[] = [];
const ordinary: OrdinaryBrowser[] = [];

beforeAll(async () => {
  if (noChromium !== undefined) return;
  started.browser = await startBrowser();
  started.service = await startProcess({
    DATA_DIR: temporaryFolder(),
    MIN_FREE_DISK: '10M',
    RECORDS_CALLS_PER_DAY: '0',
  });
});

afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
  for (const browser of ordinary.splice(0)) await browser.stop();
  for (const push of pushes.splice(0)) await push.end();
});

afterAll(async () => {
  await started.browser?.close();
  await started.service?.stop();
});

testWith(
  noChromium,
  'a page turns live, off air and to the video, and is never loaded anew',
  async () => {
    const channel = await newChannel();
    const viewer = await open(channel, await viewerOf());
    await viewer.holds("document.body.dataset.state === 'waiting'");
    await viewer.holds("document.getElementById('viewers').textContent === '1 watching'");
    await viewer.page.evaluate('window.isTheSame = true');
    await goLive(channel);
    await viewer.plays();
    await viewer.holds('video.getVideoPlaybackQuality().totalVideoFrames > 30');
    await viewer.holds("document.getElementById('live-edge').dataset.on === 'true'");
    await Bun.sleep(watchMs);
    await pushes.splice(0)[0]?.end();
    await viewer.holds("document.body.dataset.state === 'video' && video.duration > 1");
    expect(await viewer.page.evaluate('video.paused')).toBe(true);
    // Thousands are shown it, of whom a few will play it.
    await Bun.sleep(awayMs);
    const loaded = 'video.buffered.end(0) / video.duration';
    expect(Number(await viewer.page.evaluate(loaded))).toBeLessThan(0.6);
    await viewer.page.click('#big-play');
    await viewer.holds(`${loaded} > 0.9`);
    await viewer.holds("video.currentTime > 0.5 && document.getElementById('seek').value > 0");
    // Once more on air: whoever looks at the recording is brought back.
    await goLive(channel);
    await viewer.plays();
    expect(await viewer.page.evaluate('isTheSame')).toBe(true);
    expect(viewer.complaints).toEqual([]);
  },
);

testWith(noChromium, 'sound, keys and chat do what they say', async () => {
  const channel = await live();
  const one = await open(channel, await viewerOf());
  const other = await open(channel, await viewerOf({ isPhone: true }));
  await one.plays();
  expect(await one.page.evaluate('video.muted')).toBe(true);
  await one.page.click('#unmute');
  expect(await one.page.evaluate('video.muted')).toBe(false);
  await one.holds("document.getElementById('unmute').hidden");
  await one.page.keyboard.press('m');
  expect(await one.page.evaluate('video.muted')).toBe(true);
  await one.page.keyboard.press('k');
  await one.holds("video.paused && document.getElementById('play').ariaLabel === 'Play'");
  await one.page.keyboard.press('Space');
  await one.plays();

  await one.page.fill('#nick', 'Ann');
  await one.page.focus('#chat-text');
  const words = 'km f<img src=x onerror=alert(1)> 1';
  await one.page.keyboard.type(words);
  await one.page.keyboard.press('Enter');
  await other.page.waitForSelector('#chat-log .message');
  expect(await other.page.textContent('#chat-log .text')).toBe(words);
  expect(await other.page.textContent('#chat-log .author')).toBe('Ann');
  await one.page.waitForSelector('#chat-log .message.own');
  expect(await one.page.inputValue('#chat-text')).toBe('');
  expect(await one.page.evaluate('!video.paused && video.muted')).toBe(true);
  await one.holds("document.getElementById('viewers').textContent === '2 watching'");
  expect([...one.complaints, ...other.complaints]).toEqual([]);
});

testWith(noChromium, 'a finger asks for the controls before it uses them', async () => {
  const channel = await live();
  const viewer = await open(channel, await viewerOf({ isPhone: true }));
  await viewer.plays();
  const place = await viewer.page.locator('#play').boundingBox();
  if (!place) throw new Error('there is no button');
  const tap = () => viewer.page.touchscreen.tap(place.x + 10, place.y + 10);
  await viewer.holds("player.dataset.quiet === 'true'");
  await tap();
  await Bun.sleep(500);
  expect(await viewer.page.evaluate('[player.dataset.quiet, video.paused]')).toEqual([
    'false',
    false,
  ]);
  await tap();
  await viewer.holds('video.paused');
  // Safari's click does not say what made it.
  await viewer.page.evaluate(`
    video.dispatchEvent(new PointerEvent('pointerdown', { pointerType: 'touch', bubbles: true }));
    video.dispatchEvent(new MouseEvent('click', { bubbles: true }));`);
  expect(await viewer.page.evaluate('video.paused')).toBe(true);
});

testWith(noChromium, 'a decoder that breaks is begun anew, and plays on', async () => {
  const channel = await live();
  const viewer = await open(channel, await viewerOf());
  await viewer.plays();
  await viewer.page.evaluate(`
    window.emptied = 0;
    video.addEventListener('emptied', () => { window.emptied += 1; });
    const { appendBuffer } = SourceBuffer.prototype;
    SourceBuffer.prototype.appendBuffer = function (bytes) {
      if (window.emptied === 0) throw new DOMException('', 'InvalidStateError');
      appendBuffer.call(this, bytes);
    };`);
  await viewer.holds('emptied > 0');
  await viewer.plays();
});

testWith(noChromium, 'who may not play and does not ask to loads nothing for long', async () => {
  const channel = await live();
  const looker = await open(channel, await viewerOf({ mayPlay: false }));
  await looker.holds("!document.getElementById('big-play').hidden && video.readyState > 1");
  await Bun.sleep(restMs);
  const asked: string[] = [];
  looker.page.on('request', (request) => asked.push(request.url()));
  await Bun.sleep(awayMs);
  expect(asked).toEqual([]);
});

testWith(
  noChromium,
  'who watches, who pauses, who only looks and who loads anew is told exactly',
  async () => {
    const channel = await live();
    const watcher = await open(channel, await viewerOf());
    const pauser = await open(channel, await viewerOf());
    const looker = await open(channel, await viewerOf({ mayPlay: false }));
    await Promise.all([watcher.plays(), pauser.plays()]);
    await looker.holds("!document.getElementById('big-play').hidden");
    await Bun.sleep(watchMs);
    await pauser.page.click('#play');
    await watcher.leaves(() => watcher.page.reload());
    await watcher.plays();
    await Bun.sleep(watchMs);
    const viewers = [watcher, pauser, looker];
    for (const viewer of viewers) await viewer.closes();

    const [watched, paused, looked] = await recordsOf(channel, viewers);
    expect(looked?.watch).toBe(0);
    expect(looked?.online).toBeGreaterThanOrEqual((2 * watchMs) / 1000);
    expect(paused?.watch).toBeLessThan(watched?.watch ?? 0);
    // A reload is the same visit.
    expect((await visitorsOf(channel)).map(({ visits }) => visits)).toEqual([1, 1, 1]);
  },
);

testWith(
  noChromium,
  'two tabs, a lost network and a frozen page count once and never too much',
  async () => {
    const channel = await live();
    const both = await viewerOf();
    const left = await open(channel, both);
    const right = await open(channel, both);
    const dropped = await open(channel, await viewerOf());
    const frozen = await open(channel, (await ordinaryBrowser()).context);
    const viewers = [left, right, dropped, frozen];
    for (const viewer of viewers) await viewer.plays();
    await Bun.sleep(awayMs);
    await dropped.page.context().setOffline(true);
    await frozen.freezes();
    await Bun.sleep(awayMs);
    await dropped.page.context().setOffline(false);
    await frozen.thaws();
    for (const viewer of [dropped, frozen]) await viewer.plays();
    await Bun.sleep(awayMs);
    for (const viewer of viewers) await viewer.closes();

    await recordsOf(channel, viewers);
    const [tabs, ...others] = await visitorsOf(channel);
    expect(tabs?.visits).toBe(2);
    expect(tabs?.watch).toBeLessThan(left.playingSeconds + right.playingSeconds - awayMs / 1000);
    // Who comes back in time goes on with the visit.
    expect(others.map(({ visits }) => visits)).toEqual([1, 1]);
  },
);

function running(): { service: ServiceProcess; browser: Browser } {
  const { service, browser } = started;
  if (!service || !browser) throw new Error('the service or the browser did not start');
  return { service, browser };
}

function newChannel(): Promise<LiveChannel> {
  return newLiveChannel(running().service);
}

async function live(): Promise<LiveChannel> {
  const channel = await newChannel();
  await goLive(channel);
  return channel;
}

async function goLive(channel: LiveChannel): Promise<void> {
  pushes.push(await startClipPush(channel.publishUrl));
  await until(() => isLive(running().service, channel.id), {
    withinMs: waitMs,
    otherwise: 'the channel is not live',
  });
}

async function viewerOf(options?: Parameters<typeof newViewer>[1]): Promise<BrowserContext> {
  const context = await newViewer(running().browser, options);
  contexts.push(context);
  return context;
}

/** Resolves when the service knows of it, so that records stand in the order of opening. */
async function open({ id }: LiveChannel, context: BrowserContext): Promise<ViewerPage> {
  const viewer = await ViewerPage.open(context, `${running().service.url}/watch/${id}`);
  await viewer.holds("document.getElementById('viewers').textContent !== ''");
  return viewer;
}

async function ordinaryBrowser(): Promise<OrdinaryBrowser> {
  const browser = await startOrdinaryBrowser(temporaryFolder());
  ordinary.push(browser);
  return browser;
}

/** Seconds of one session or visitor; whole ones, so up to one is cut off. */
interface Seconds {
  watch: number;
  online: number;
  visits: number;
}

/**
 * The sessions of these viewers, in the order they entered. Resolves when each has what its player played, to
 * the second: the page has reported it when it was closed, and the next flush writes it.
 */
async function recordsOf(
  { id }: LiveChannel,
  viewers: readonly ViewerPage[],
): Promise<readonly Seconds[]> {
  const played = viewers.map(({ playingSeconds, mediaSeconds }) => ({
    most: playingSeconds + 0.3,
    least: Math.floor(Math.min(playingSeconds, mediaSeconds) - lostSecondsMax),
  }));
  let records: readonly Seconds[] = [];
  const isTold = async () => {
    const path = `/v1/activities/${id}/userRecords`;
    const { body } = await running().service.call('POST', path, { body: { filter_watch_time: 0 } });
    records = body.map(seconds).toReversed();
    return records.length === viewers.length && records.every(isExact);
  };
  const isExact = ({ watch, online }: Seconds, at: number) => {
    const { most = 0, least = 0 } = played[at] ?? {};
    return watch <= online && watch <= most && watch >= least;
  };
  await until(isTold, { withinMs: flushedMs, otherwise: 'it is not told' }).catch((error) => {
    const told = JSON.stringify({ played, records });
    throw new Error(`the records are not what was played: ${told}`, { cause: error });
  });
  return records;
}

/** In the order they first entered. */
async function visitorsOf({ id }: LiveChannel): Promise<Seconds[]> {
  const path = `/v1/activities/${id}/visitors`;
  const { body } = await running().service.call('POST', path, { body: { direction: 'asc' } });
  return body.map(seconds);
}

/** Of a watch record or a visitor, interface 2.4 and 2.5. */
function seconds(row: { watch_time: string; online_time?: string; visit_times?: number }): Seconds {
  const count = (text: string) => text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return {
    watch: count(row.watch_time),
    online: count(row.online_time ?? '0'),
    visits: row.visit_times ?? 1,
  };
}
