// Viewers in Chromium with known behaviour, at a real push: what their pages reported is in the records.
import { expect } from 'bun:test';
import type { Span } from '../src/audience/records/span.ts';
import { lengthMs } from '../src/audience/records/stretches.ts';
import { noChromium } from './support/browser.ts';
import { type LiveChannel, until } from './support/live-channel.ts';
import { testWith } from './support/needs.ts';
import { beatMs, Theatre } from './support/theatre.ts';
import type { ViewerPage } from './support/viewer-page.ts';

/** Of media: two beats, and what comes between. */
const showSeconds = (beatMs / 1_000) * 2.5;
/** Shorter than a session waits for whom it has lost. */
const awayMs = 3_000;
/** Reports are flushed at once; a busy machine takes its time. */
const flushedMs = 20_000;
/** What the player's events and the witnesses tell a little apart. */
const witnessSecondsMax = 1;
const beatSeconds = beatMs / 1000;

const theatre = new Theatre();

testWith(
  noChromium,
  'who watches, who pauses, who only looks and who loads anew is told exactly',
  async () => {
    const channel = await theatre.live();
    const { clock } = theatre;
    const openedAt = clock.now;
    const watcher = await theatre.open(channel, await theatre.viewer());
    const pauser = await theatre.open(channel, await theatre.viewer());
    const looker = await theatre.open(channel, await theatre.viewer({ mayPlay: false }));
    const reloader = await theatre.open(channel, await theatre.viewer());
    const allInAt = clock.now;
    await looker.holds("!document.getElementById('big-play').hidden");
    for (const viewer of [watcher, pauser, reloader]) await viewer.sees(showSeconds / 2);
    await pauser.page.click('#play');
    const pausedAt = clock.now;
    await reloader.leaves(() => reloader.page.reload());
    await reloader.plays();
    await watcher.sees(showSeconds);
    const shownSeconds = (clock.now - allInAt) / 1000;
    const viewers = [watcher, pauser, looker, reloader];
    for (const viewer of viewers) await viewer.closes();

    const records = await recordsOf(channel, viewers);
    const [watched, paused, looked] = records.map(({ watch }) => watch);
    expect(looked).toBe(0);
    expect(watched).toBeGreaterThan(0);
    expect(paused).toBeGreaterThan(0);
    expect(paused).toBeLessThanOrEqual((pausedAt - openedAt) / 1000);
    for (const { online } of records)
      expect(online).toBeLessThanOrEqual((clock.now - openedAt) / 1000);
    // Who loads the page anew is away meanwhile.
    for (const { online } of records.slice(0, 3))
      expect(online).toBeGreaterThanOrEqual(shownSeconds - 1);
    let visitors: readonly Seconds[] = [];
    // What was told late may come with a later flush, which writes both.
    const agree = async () => {
      const latest = await recordsOf(channel, viewers);
      visitors = await visitorsOf(channel);
      return visitors.every(({ watch }, at) => watch === latest[at]?.watch);
    };
    await until(agree, { withinMs: flushedMs, otherwise: 'a visitor has another sum' });
    // A reload is the same visit.
    expect(visitors.map(({ visits }) => visits)).toEqual([1, 1, 1, 1]);

    const spans = await spansOf(channel);
    const latest = await recordsOf(channel, viewers);
    expect(spans.map((all) => Math.floor(lengthMs(all) / 1000))).toEqual(
      latest.map(({ watch }) => watch),
    );
    const shows = new Set(spans.flat().map(({ show }) => show));
    expect(shows.size).toBe(1);
    expect(spans[1]?.at(-1)?.to).toBeLessThanOrEqual(pausedAt + 1_000);
    for (const { show, from, to, position } of spans.flat()) {
      expect(from).toBeGreaterThanOrEqual(openedAt);
      expect(to).toBeLessThanOrEqual(clock.now);
      // A picture is shown after it was taken, to a second, and not before its show.
      expect(position).toBeLessThanOrEqual(from - show + 1_000);
      expect(position).toBeGreaterThanOrEqual(0);
    }
    // Somebody came when the show was on, and did not see it from its beginning.
    expect(Math.max(...spans.flat().map(({ position }) => position))).toBeGreaterThan(0);
  },
);

testWith(
  noChromium,
  'two tabs, a lost network and a frozen page count once and never too much',
  async () => {
    const channel = await theatre.live();
    const both = await theatre.viewer();
    const left = await theatre.open(channel, both);
    const right = await theatre.open(channel, both);
    const dropped = await theatre.open(channel, await theatre.viewer());
    const frozen = await theatre.open(channel, (await theatre.ordinaryBrowser()).context);
    const viewers = [left, right, dropped, frozen];
    for (const viewer of viewers) await viewer.sees(awayMs / 1000);
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

testWith(noChromium, 'a silent loss is short by at most one beat, and never over', async () => {
  const channel = await theatre.live();
  const { clock } = theatre;
  const browser = await theatre.ordinaryBrowser();
  const openedAt = clock.now;
  const vanishing = await theatre.open(channel, browser.context);
  const witness = await theatre.open(channel, await theatre.viewer({ mayPlay: false }));
  await witness.holds("document.getElementById('viewers').textContent === '2 watching'");
  await vanishing.holds(`sessionStorage.reported >= ${beatMs}`);
  // Between two beats.
  await Bun.sleep(beatMs / 2);
  await vanishing.vanishes(async () => browser.vanish());
  const thereSeconds = (clock.now - openedAt) / 1000;
  // The service lets it go after half a minute, by its own clock; the witness goes on with its beats meanwhile.
  clock.rate = 5;
  await witness.holds("document.getElementById('viewers').textContent === '1 watching'");
  clock.rate = 1;
  await witness.closes();

  const [lost] = await recordsOf(channel, [vanishing, witness], beatSeconds);
  expect(lost?.watch).toBeGreaterThanOrEqual(beatSeconds - witnessSecondsMax);
  // Until its last word, not until it was missed.
  expect(lost?.online).toBeLessThanOrEqual(thereSeconds);
});

/** Seconds of one session or visitor; whole ones, so up to one is cut off. */
interface Seconds {
  watch: number;
  online: number;
  visits: number;
}

/**
 * The sessions of these viewers, in the order they entered. Resolves when each has what its page reported, to the
 * second, as the next flush writes it; and that is what its player played, but for what could not be told any more.
 */
async function recordsOf(
  { id }: LiveChannel,
  viewers: readonly ViewerPage[],
  untoldSecondsMax = 0,
): Promise<readonly Seconds[]> {
  const played = viewers.map((viewer) => {
    const { playingSeconds, mediaSeconds, unheardSeconds, reportedSeconds, lateSeconds } = viewer;
    const heard = Math.min(playingSeconds, mediaSeconds) - unheardSeconds;
    const seen = heard - witnessSecondsMax - untoldSecondsMax;
    return {
      most: Math.min(playingSeconds + 0.3, reportedSeconds),
      least: Math.floor(Math.max(seen, reportedSeconds - 1) - lateSeconds),
      playingSeconds,
      mediaSeconds,
      unheardSeconds,
      reportedSeconds,
      lateSeconds,
    };
  });
  let records: readonly Seconds[] = [];
  const isTold = async () => {
    const path = `/v1/activities/${id}/userRecords`;
    const { body } = await theatre.service.call('POST', path, { body: { filter_watch_time: 0 } });
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

/** What each session watched when, in the order they entered. */
async function spansOf({ id }: LiveChannel): Promise<Span[][]> {
  const path = `/manage/v1/channels/${id}/sessions.ndjson`;
  const { text } = await theatre.service.call('GET', path);
  const lines = text.trim().split('\n');
  return lines.map((line) => {
    const { watched } = JSON.parse(line) as {
      watched: Record<keyof Span | 'position_ms', string>[];
    };
    return watched.map(({ show, from, to, position_ms }) => ({
      show: Date.parse(show),
      from: Date.parse(from),
      to: Date.parse(to),
      position: Number(position_ms),
    }));
  });
}

/** In the order they first entered. */
async function visitorsOf({ id }: LiveChannel): Promise<Seconds[]> {
  const path = `/v1/activities/${id}/visitors`;
  const { body } = await theatre.service.call('POST', path, { body: { direction: 'asc' } });
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
