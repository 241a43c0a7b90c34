// `bench latency`: from the camera's side of the encoder to the picture in a browser, by a clock in the picture.
import { loadavg } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { startBrowser } from '../test/support/browser.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { type LineShape, startShapedLine } from '../test/support/shaped-line.ts';
import { type Encoding, encodings, startTimePublisher } from '../test/support/time-publisher.ts';
import type { Bench, BenchOrder } from './support/bench.ts';
import { rounded } from './support/figures.ts';
import { type Aim, type Result, report } from './support/latency-figures.ts';
import { serviceSettings } from './support/service-settings.ts';
import { isLive, players, type WatchSizes, watch } from './support/watched-latency.ts';

interface Sizes extends WatchSizes {
  /** Names of scenarios; absent for all. */
  only?: readonly string[];
}

export const bench: Bench<Sizes> = {
  sentence:
    'from the encoder to the picture in Chromium, beside hls.js as it comes; 13 minutes, or with --seconds N',
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
}

const scenarios: readonly Scenario[] = [
  {
    name: 'zero latency',
    encoding: encodings.zeroLatency,
    line: undefined,
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
    name: 'zero latency, poor line',
    encoding: encodings.zeroLatency,
    line: poorLine,
    aimMs: 1_000,
    aimStalls: Number.POSITIVE_INFINITY,
  },
];

async function run({ sizes, folder }: BenchOrder<Sizes>): Promise<object> {
  const chosen = scenarios.filter(({ name }) => sizes.only?.includes(name) ?? true);
  const service = await startProcess({
    ...serviceSettings.latency,
    DATA_DIR: join(folder, 'data'),
  });
  const browser = await startBrowser();
  try {
    const results: Result[] = [];
    for (const scenario of chosen)
      results.push(...(await measured(scenario, { service, browser, sizes })));
    report(results, scenarios, sizes);
    return rounded({ seconds: sizes.seconds, results });
  } finally {
    await browser.close();
    await service.stop();
  }
}

interface Place {
  service: ServiceProcess;
  browser: Browser;
  sizes: Sizes;
}

/** One push, watched by one player after the other: two at once would disturb each other. */
async function measured(scenario: Scenario, place: Place): Promise<Result[]> {
  const { service } = place;
  const made = await service.call('POST', '/v1/activities', { body: { name: scenario.name } });
  const channel = made.body as { rtmp_publish_addr: string; hls_play_addr: string };
  const publisher = startTimePublisher(channel.rtmp_publish_addr, scenario.encoding);
  const line =
    scenario.line && (await startShapedLine(Number(new URL(service.url).port), scenario.line));
  const { pathname } = new URL(channel.hls_play_addr);
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
    line?.close();
    await publisher.stop();
  }
}
