// What viewers on slow lines see: the watch page in Chromium, with the ladder and with the source alone.
import type { Browser } from 'playwright-core';
import { isTranscoderInstalled } from '../src/stream/recording/worker/transcoder.ts';
import { noChromium, startBrowser } from '../test/support/browser.ts';
import { temporaryFolder } from '../test/support/engines.ts';
import { problemsOf } from '../test/support/ladder-stage.ts';
import { newLiveChannel } from '../test/support/live-channel.ts';
import { late } from '../test/support/machine-pace.ts';
import { type PlaylistPlayer, startPlaylistPlayer } from '../test/support/playlist-player.ts';
import { noFfmpeg } from '../test/support/recorded-clip.ts';
import { footlight, type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { type LineShape, type ShapedLine, startShapedLine } from '../test/support/shaped-line.ts';
import { encodings, type Show, startTimePublisher } from '../test/support/time-publisher.ts';
import { demand, type Figures, type RoundOptions, type Trial } from '../test/support/trial.ts';
import { soundHeight, type Watched, watchedOf, watchLine } from './support/watched-line.ts';

export const trial: Trial = {
  sentence:
    'slow and changing lines in Chromium, ladder and source alone: stalls, sizes, latency; 12 minutes',
  rounds: 1,
  run: async (options) => {
    const lacking = noChromium ?? noFfmpeg ?? noTranscoder;
    if (lacking) throw new Error(lacking);
    return await lineRounds(options, { lines, show, seconds: 60 });
  },
};

export const noTranscoder = isTranscoderInstalled()
  ? undefined
  : 'it needs the transcoder (node-av)';

interface Step {
  afterSeconds: number;
  shape: LineShape;
}

interface TriedLine {
  name: string;
  shape: LineShape;
  /** What becomes of it, from the first picture on. */
  steps?: readonly Step[];
  /** With the ladder it is watched without a stall that anybody minds. */
  mustHold: boolean;
}

/** Half of the delay each way. */
function line(downKbits: number, upKbits: number, roundTripMs: number): LineShape {
  const delayMs = roundTripMs / 2;
  return {
    down: { bitsPerSecond: downKbits * 1_000, delayMs },
    up: { bitsPerSecond: upKbits * 1_000, delayMs },
  };
}

/** Rates and round trips are those of WebPageTest's profiles (connectivity.ini): "3G Slow", "DSL", "3G". */
export const lines: readonly TriedLine[] = [
  { name: '400 kbit/s', shape: line(400, 400, 400), mustHold: true },
  { name: '1 Mbit/s', shape: line(1_000, 384, 50), mustHold: true },
  { name: '3G', shape: line(1_600, 768, 300), mustHold: true },
  {
    name: 'changing',
    shape: line(6_000, 1_000, 60),
    steps: [
      { afterSeconds: 15, shape: line(800, 384, 60) },
      { afterSeconds: 35, shape: line(6_000, 1_000, 60) },
      { afterSeconds: 50, shape: { down: { jitterMs: 60, stalledShare: 0.02, stallMs: 300 } } },
    ],
    mustHold: true,
  },
];

/** As large as most encoders send it; with half of the pictures, so that the line is the limit and not a small machine. */
const show: Show = {
  picture: { width: 1_280, height: 720 },
  picturesPerSecond: 15,
  bitsPerSecond: 2_500_000,
  timeShare: 0.5,
};
const longestStallMs = 1_000;
const firstWithinMs = 60_000;

interface Watching {
  lines: readonly TriedLine[];
  show: Show;
  seconds: number;
}

export async function lineRounds(
  { seed, say }: RoundOptions,
  { lines: tried, show: shown, seconds }: Watching,
): Promise<Figures> {
  const figures: Figures = {};
  const problems: string[] = [];
  const folder = temporaryFolder();
  // What the ladder takes is the machine's; that it is made at all is not in question here.
  const settings = { DATA_DIR: folder, MIN_FREE_DISK: '10M', LADDER_CORES: '8' };
  const service = await startProcess(settings);
  const browser = await startBrowser();
  try {
    for (const way of ways) {
      wantLadder(folder, way.hasLadder);
      const channel = await newLiveChannel(service);
      const publisher = startTimePublisher(channel.publishUrl, encodings.zeroLatency, shown);
      let beside: PlaylistPlayer | undefined;
      try {
        await isListed(channel.playlistUrl);
        // Whoever watches the source over a good line sees nothing of all this.
        beside = startPlaylistPlayer(sourceOf(channel.playlistUrl, way));
        for (const one of tried) {
          const watched = await watchedThrough(one, {
            service,
            browser,
            id: channel.id,
            seconds,
            seed,
          });
          const name = `${one.name}, ${way.name}`;
          say(`${name}: ${JSON.stringify(watched)}`);
          figures[name] = told(watched);
          if (!way.hasLadder || !one.mustHold) continue;
          if (Number.isNaN(watched.beganMs)) problems.push(`nothing was shown on ${name}`);
          const longestMs = watched.longestStallMs;
          problems.push(...late(`the longest stall on ${name}`, longestMs, longestStallMs));
        }
        problems.push(...problemsOf(beside).map((problem) => `${way.name}, source: ${problem}`));
        if (way.hasLadder)
          figures['parts that the ladder was late with'] = await missingParts(service);
      } finally {
        await beside?.stop();
        await publisher.stop();
      }
    }
  } finally {
    await browser.close();
    await service.stop();
  }
  demand(problems);
  return figures;
}

interface Way {
  name: string;
  hasLadder: boolean;
}

const ways: readonly Way[] = [
  { name: 'source alone', hasLadder: false },
  { name: 'ladder', hasLadder: true },
];

/** By the command line, as people do. */
export function wantLadder(folder: string, isWanted: boolean): void {
  const words = ['account', 'set', '1', '--live-ladder', String(isWanted)];
  const env = { PATH: process.env['PATH'] ?? '', DATA_DIR: folder };
  const { success, stderr } = Bun.spawnSync([...footlight, ...words], { env });
  if (!success) throw new Error(`the ladder was refused: ${stderr}`);
}

interface Place {
  service: ServiceProcess;
  browser: Browser;
  id: number;
  seconds: number;
  seed: number;
}

async function watchedThrough(
  { shape, steps = [] }: TriedLine,
  { service, browser, id, seconds, seed }: Place,
): Promise<Watched> {
  const line = await startShapedLine(Number(new URL(service.url).port), shape, { seed });
  const timers: ReturnType<typeof setTimeout>[] = [];
  try {
    const began = () => timers.push(...steps.map((step) => becoming(line, step)));
    const url = `${line.url}/watch/${id}`;
    return watchedOf(await watchLine(browser, url, { seconds, firstWithinMs, began }));
  } finally {
    for (const timer of timers) clearTimeout(timer);
    line.close();
  }
}

function becoming(line: ShapedLine, { afterSeconds, shape }: Step) {
  return setTimeout(() => line.shape(shape), afterSeconds * 1_000);
}

function told({
  beganMs,
  firstPictureMs,
  stalls,
  longestStallMs: longest,
  stalledMs,
  secondsOn,
  ...rest
}: Watched): string {
  if (Number.isNaN(beganMs)) return `nothing within ${firstWithinMs} ms`;
  const on = Object.entries(secondsOn).map(
    ([height, s]) => `${s} s on ${Number(height) === soundHeight ? 'sound' : height}`,
  );
  return [
    `began after ${beganMs} ms, first picture ${firstPictureMs}`,
    `${stalls.length} stalls of ${stalledMs} ms, longest ${longest}`,
    on.join(', '),
    `${rest.switches} switches`,
    `latency ${rest.medianLatencyMs} ms, at most ${rest.maxLatencyMs}`,
  ].join('; ');
}

/** Of a stream in one size that is the playlist itself. */
function sourceOf(playlist: string, { hasLadder }: Way): string {
  return hasLadder ? playlist.replace('live.m3u8', 'source.m3u8') : playlist;
}

/** Parts of smaller sizes that were not made in time: then the machine was too slow, and not the line. */
async function missingParts(service: ServiceProcess): Promise<number> {
  const { text } = await service.call('GET', '/metrics');
  return Number(/^footlight_ladder_missing_parts_total (\d+)$/m.exec(text)?.[1]);
}

async function isListed(playlist: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  while ((await fetch(playlist)).status !== 200) {
    if (Date.now() > deadline) throw new Error('the push did not become live');
    await Bun.sleep(100);
  }
}
