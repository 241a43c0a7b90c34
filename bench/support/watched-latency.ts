// A stream in Chromium whose pictures tell when they were made: how late each is shown.
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { servePage } from '../../test/support/browser.ts';
import { figuresOf, type Sample } from './latency-figures.ts';

export interface WatchSizes {
  seconds: number;
  /** After the first picture a player may find its place for so long; it is not measured. */
  settlingSeconds: number;
}

export const players = ['ours', 'hls.js'] as const;
export type Player = (typeof players)[number];

const liveWithinMs = 30_000;

export async function isLive(playlist: string): Promise<void> {
  const startedAt = performance.now();
  while ((await fetch(playlist)).status !== 200) {
    if (performance.now() - startedAt > liveWithinMs)
      throw new Error('the push did not become live');
    await Bun.sleep(50);
  }
}

/** Figures of one player, from its first pictures on. */
export async function watch(
  stream: string,
  player: Player,
  { browser, sizes }: { browser: Browser; sizes: WatchSizes },
) {
  const server = await servePage(join(import.meta.dir, 'browser/latency-page.ts'));
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
async function settledPicture(page: Page, { settlingSeconds }: WatchSizes): Promise<void> {
  const counts = `({ atMs, latencyMs }, _, [first]) =>
    latencyMs !== undefined && atMs >= first.atMs + ${settlingSeconds * 1000}`;
  await page.waitForFunction(`window.latency.samples.some(${counts})`).catch(() => {});
}
