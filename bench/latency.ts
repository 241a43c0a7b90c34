// `bench latency`: from the camera's side of the encoder to the picture in a browser, by a clock in the picture.
import { rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { chromiumPath, servePage, startBrowser } from '../test/support/browser.ts';
import { type ServiceProcess, startProcess } from '../trial/support/service-process.ts';
import { rounded } from './support/figures.ts';
import { type Line, startJitterProxy } from './support/jitter-proxy.ts';
import {
  type Aim,
  figuresOf,
  type Result,
  report,
  type Sample,
  settlingMs,
} from './support/latency-figures.ts';
import { type Encoding, encodings, startTimePublisher } from './support/time-publisher.ts';

const secondsDefault = 120;
const liveWithinMs = 20_000;

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

export async function run(): Promise<unknown> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { seconds: { type: 'string' }, only: { type: 'string' } },
  });
  const seconds = Number(values.seconds ?? secondsDefault);
  if (chromiumPath === null || Bun.which('ffmpeg') === null)
    throw new Error('bench latency needs chromium and ffmpeg');
  const chosen = scenarios.filter(({ name }) => values.only === undefined || name === values.only);
  const folder = join(import.meta.dir, '.data/latency');
  rmSync(folder, { recursive: true, force: true });
  const service = await startProcess({ DATA_DIR: folder, MIN_FREE_DISK: '10M' });
  const browser = await startBrowser();
  try {
    const results: Result[] = [];
    for (const scenario of chosen)
      results.push(...(await measured(scenario, { service, browser, seconds })));
    report(results, scenarios, seconds);
    return rounded({ seconds, results });
  } finally {
    await browser.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Place {
  service: ServiceProcess;
  browser: Browser;
  seconds: number;
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

async function watch(stream: string, player: Player, { browser, seconds }: Place) {
  const server = await servePage(join(import.meta.dir, 'support/browser/latency-page.ts'));
  const page = await browser.newPage();
  try {
    const query = new URLSearchParams({ stream, player });
    await page.goto(`${server.url}?${query}`);
    await page.waitForFunction('window.latency?.samples.length > 0');
    await Bun.sleep(settlingMs + seconds * 1000);
    const { samples, errors } = (await page.evaluate('window.latency')) as {
      samples: Sample[];
      errors: string[];
    };
    return { ...figuresOf(samples), errors };
  } finally {
    await page.close();
    await server.stop();
  }
}
