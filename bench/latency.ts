// `bench latency`: from the camera's side of the encoder to the picture in a browser, by a clock in the picture.
import { loadavg } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { startBrowser } from '../test/support/browser.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { type LineShape, startShapedLine } from '../test/support/shaped-line.ts';
import {
  type Encoding,
  encodings,
  type Show,
  startTimePublisher,
} from '../test/support/time-publisher.ts';
import type { Bench, BenchOrder } from './support/bench.ts';
import { rounded } from './support/figures.ts';
import { type Aim, type Result, report } from './support/latency-figures.ts';
import { startRewinders } from './support/rewinders.ts';
import { serviceSettings } from './support/service-settings.ts';
import { wantLadder } from './support/want-ladder.ts';
import { isLive, players, type WatchSizes, watch } from './support/watched-latency.ts';

interface Sizes extends WatchSizes {
  /** Names of scenarios; absent for all. */
  only?: readonly string[];
}

export const bench: Bench<Sizes> = {
  sentence:
    'from the encoder to the picture in Chromium, beside hls.js as it comes; 22 minutes, or with --seconds N',
  sizes: { seconds: 120, settlingSeconds: 3 },
  // The scenario that has every part in it.
  smokeSizes: { seconds: 0.5, settlingSeconds: 0.2, only: ['zero latency, poor line'] },
  options: {
    seconds: (text, sizes) => ({ ...sizes, seconds: Number(text) }),
    only: (text, sizes) => ({ ...sizes, only: [text] }),
  },
  programs: ['chromium', 'ffmpeg'],
  run,
};

/** 50 ms of jitter around 50 ms, and one answer in a hundred stalled. */
const poorLine: LineShape = { down: { jitterMs: 100, stalledShare: 0.01, stallMs: 300 } };

interface Scenario extends Aim {
  encoding: Encoding;
  line: LineShape | undefined;
  /** Other than the encoder's usual. */
  show?: Show;
  /** The push is shown in smaller sizes, too; the source is watched. */
  hasLadder?: true;
  /** Viewers who play the show from its beginning meanwhile. */
  rewinders?: number;
}

const large: Show = {
  picture: { width: 1_280, height: 720 },
  picturesPerSecond: 30,
  bitsPerSecond: 2_000_000,
  timeShare: 1,
};

const scenarios: readonly Scenario[] = [
  {
    name: 'zero latency',
    encoding: encodings.zeroLatency,
    line: undefined,
    aimMs: 600,
    aimStalls: 0,
  },
  {
    name: 'zero latency, fifty go back',
    encoding: encodings.zeroLatency,
    line: undefined,
    rewinders: 50,
    aimMs: 600,
    aimStalls: 0,
  },
  {
    name: 'B-frames, look-ahead',
    encoding: encodings.lookAhead,
    line: undefined,
    aimMs: 1_100,
    aimStalls: 0,
  },
  {
    name: '720p',
    encoding: encodings.zeroLatency,
    line: undefined,
    show: large,
    aimMs: 700,
    aimStalls: 0,
  },
  {
    name: '720p with a ladder',
    encoding: encodings.zeroLatency,
    line: undefined,
    show: large,
    hasLadder: true,
    aimMs: 700,
    aimStalls: 0,
  },
  {
    name: 'zero latency, poor line',
    encoding: encodings.zeroLatency,
    line: poorLine,
    aimMs: 1_000,
    aimStalls: Number.POSITIVE_INFINITY,
  },
];

async function run({ sizes, folder }: BenchOrder<Sizes>): Promise<object> {
  const chosen = scenarios.filter(({ name }) => sizes.only?.includes(name) ?? true);
  const DATA_DIR = join(folder, 'data');
  const service = await startProcess({ ...serviceSettings.latency, DATA_DIR });
  const browser = await startBrowser();
  try {
    const results: Result[] = [];
    for (const scenario of chosen)
      results.push(...(await measured(scenario, { service, DATA_DIR, browser, sizes })));
    report(results, scenarios, sizes);
    return rounded({ seconds: sizes.seconds, results });
  } finally {
    await browser.close();
    await service.stop();
  }
}

interface Place {
  service: ServiceProcess;
  DATA_DIR: string;
  browser: Browser;
  sizes: Sizes;
}

/** One push, watched by one player after the other: two at once would disturb each other. */
async function measured(scenario: Scenario, place: Place): Promise<Result[]> {
  const { service, DATA_DIR } = place;
  await wantLadder(DATA_DIR, scenario.hasLadder ?? false);
  const made = await service.call('POST', '/v1/activities', { body: { name: scenario.name } });
  const channel = made.body as { rtmp_publish_addr: string; hls_play_addr: string };
  const publisher = startTimePublisher(channel.rtmp_publish_addr, scenario.encoding, scenario.show);
  const line =
    scenario.line && (await startShapedLine(Number(new URL(service.url).port), scenario.line));
  const list = new URL(channel.hls_play_addr).pathname;
  const pathname = scenario.hasLadder ? list.replace('live.m3u8', 'source.m3u8') : list;
  const rewinders = startRewinders(scenario.rewinders ?? 0, service.url + pathname);
  try {
    await isLive(service.url + pathname);
    const results: Result[] = [];
    for (const player of players) {
      const figures = await watch((line?.url ?? service.url) + pathname, player, place);
      const [load = 0] = loadavg();
      results.push({ scenario: scenario.name, player, ...figures, load });
    }
    return results;
  } finally {
    rewinders.stop();
    line?.close();
    await publisher.stop();
  }
}
