// `bench latency`: from the camera's side of the encoder to the picture in a browser, by a clock in the picture.
import { loadavg } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { servePage, startBrowser } from '../test/support/browser.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import type { Bench, BenchOrder } from './support/bench.ts';
import { rounded } from './support/figures.ts';
import { type Line, startJitterProxy } from './support/jitter-proxy.ts';
import {
  type Aim,
  figuresOf,
  type Result,
  report,
  type Sample,
} from './support/latency-figures.ts';
import { serviceSettings } from './support/service-settings.ts';
import { type Encoding, encodings, startTimePublisher } from './support/time-publisher.ts';

interface Sizes {
  seconds: number;
  /** After the first picture a player may find its place for so long; it is not measured. */
  settlingSeconds: number;
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

const liveWithinMs = 30_000;

/** 50 ms of jitter around 50 ms, and one answer in a hundred stalled. */
const poorLine: Line = { jitterMs: 100, stalledShare: 0.01, stallMs: 300 };

interface Scenario extends Aim {
  encoding: Encoding;
  line: Line | undefined;
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

const players = ['ours', 'hls.js'] as const;
type Player = (typeof players)[number];

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
  const proxy = scenario.line && startJitterProxy(service.url, scenario.line);
  const { pathname } = new URL(channel.hls_play_addr);
  try {
    await isLive(service.url + pathname);
    const results: Result[] = [];
    for (const player of players) {
      const figures = await watch((proxy?.url ?? service.url) + pathname, player, place);
      const [load = 0] = loadavg();
      results.push({ scenario: scenario.name, player, ...figures, load });
    }
    return results;
  } finally {
    await proxy?.stop();
    await publisher.stop();
  }
}

async function isLive(playlist: string): Promise<void> {
  const startedAt = performance.now();
  while ((await fetch(playlist)).status !== 200) {
    if (performance.now() - startedAt > liveWithinMs)
      throw new Error('the push did not become live');
    await Bun.sleep(50);
  }
}

async function watch(stream: string, player: Player, { browser, sizes }: Place) {
  const server = await servePage(join(import.meta.dir, 'support/browser/latency-page.ts'));
  const page = await browser.newPage();
  try {
    const query = new URLSearchParams({ stream, player });
    await page.goto(`${server.url}?${query}`);
    await page.waitForFunction('window.latency?.samples.length > 0');
    await Bun.sleep((sizes.settlingSeconds + sizes.seconds) * 1000);
    await settledPicture(page, sizes);
    const { samples, errors } = (await page.evaluate('window.latency')) as {
      samples: Sample[];
      errors: string[];
    };
    return { ...figuresOf(samples, sizes.settlingSeconds * 1000), errors };
  } finally {
    await page.close();
    await server.stop();
  }
}

/** A busy machine may show the first picture that counts later than that. Where none comes the figures say so. */
async function settledPicture(page: Page, { settlingSeconds }: Sizes): Promise<void> {
  const counts = `({ atMs, latencyMs }, _, [first]) =>
    latencyMs !== undefined && atMs >= first.atMs + ${settlingSeconds * 1000}`;
  await page.waitForFunction(`window.latency.samples.some(${counts})`).catch(() => {});
}
