// A watch page in Chromium at the other end of a line: when it showed which picture, and what that comes to.
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { stillTrack } from '../../src/stream/ladder/still-picture.ts';
import { newViewer } from '../../test/support/viewer-page.ts';

/** As the page keeps it; moments are milliseconds since it was asked for. */
export interface LineDiary {
  pictures: (readonly [atMs: number, height: number])[];
  latencies: (readonly [atMs: number, latencyMs: number])[];
  positions: (readonly [atMs: number, seconds: number, aheadSeconds: number])[];
}

export interface Stall {
  atMs: number;
  ms: number;
}

export interface Watched {
  /** When it began to play, from the first request of the page on; NaN where it never did. */
  beganMs: number;
  /** The same of the pictures: sound alone comes beside a black one. */
  firstPictureMs: number;
  /** Of each, when it began; after the first ten seconds. */
  stalls: Stall[];
  longestStallMs: number;
  stalledMs: number;
  /** By the height of the picture; that of the still one is the sound's. */
  secondsOn: Record<number, number>;
  switches: number;
  medianLatencyMs: number;
  maxLatencyMs: number;
}

/** What the sound alone is seen as. */
export const soundHeight = stillTrack.height;
/** No new picture for so long is a stall that somebody sees: a picture lasts 33 ms. */
const stallMs = 300;
/** A player may find its place. */
const settlingMs = 10_000;

export interface WatchOptions {
  seconds: number;
  firstWithinMs: number;
  /** Called with the first picture. */
  began(): void;
}

/** Opens the page and looks at it for so long after its first picture; without one in time the diary has none. */
export async function watchLine(
  browser: Browser,
  url: string,
  { seconds, firstWithinMs, began }: WatchOptions,
): Promise<LineDiary> {
  const context = await newViewer(browser);
  try {
    const page = await context.newPage();
    await page.addInitScript(await diaryScript());
    await page.goto(url, { timeout: firstWithinMs, waitUntil: 'commit' });
    const deadline = Date.now() + firstWithinMs;
    while (!(await page.evaluate('globalThis.lineDiary.pictures.length'))) {
      if (Date.now() > deadline) return (await page.evaluate('globalThis.lineDiary')) as LineDiary;
      await Bun.sleep(100);
    }
    began();
    await Bun.sleep(seconds * 1_000);
    return (await page.evaluate('globalThis.lineDiary')) as LineDiary;
  } finally {
    await context.close();
  }
}

export function watchedOf(diary: LineDiary): Watched {
  const { pictures, positions } = diary;
  const [firstAt = Number.NaN] = pictures[0] ?? [];
  const endsAt = positions.at(-1)?.[0] ?? firstAt;
  const moved = [...pictures.filter(([, height]) => height !== soundHeight), ...heard(diary)];
  const movedAt = moved.map(([at]) => at).sort((a, b) => a - b);
  const stalls = stallsIn([...movedAt, endsAt], firstAt + settlingMs);
  const latencies = diary.latencies
    .filter(([at]) => at >= firstAt + settlingMs)
    .map(([, ms]) => ms)
    .sort((a, b) => a - b);
  const secondsOn: Record<number, number> = {};
  let switches = 0;
  pictures.forEach(([at, height], i) => {
    const [nextAt, nextHeight] = pictures[i + 1] ?? [endsAt, height];
    secondsOn[height] = (secondsOn[height] ?? 0) + (nextAt - at) / 1_000;
    if (nextHeight !== height) switches += 1;
  });
  const [pictureAt = Number.NaN] = pictures.find(([, height]) => height !== soundHeight) ?? [];
  return {
    beganMs: Math.round(firstAt),
    firstPictureMs: Math.round(pictureAt),
    stalls,
    longestStallMs: Math.max(0, ...stalls.map(({ ms }) => ms)),
    stalledMs: stalls.reduce((sum, { ms }) => sum + ms, 0),
    secondsOn: Object.fromEntries(
      Object.entries(secondsOn).map(([height, s]) => [height, Math.round(s * 10) / 10]),
    ),
    switches,
    medianLatencyMs: latencies[Math.floor(latencies.length / 2)] ?? Number.NaN,
    maxLatencyMs: latencies.at(-1) ?? Number.NaN,
  };
}

/** While there is sound alone nobody sees how often the black picture is painted: it goes on where its position does. */
function heard({ pictures, positions }: LineDiary): LineDiary['positions'] {
  let next = 0;
  let height: number | undefined;
  return positions.filter(([at, seconds], i) => {
    for (; (pictures[next]?.[0] ?? Number.POSITIVE_INFINITY) <= at; next += 1)
      height = pictures[next]?.[1];
    return height === soundHeight && seconds !== positions[i - 1]?.[1];
  });
}

/** Of one that began before `since` the part behind it counts. */
export function stallsIn(shownAt: readonly number[], since: number): Stall[] {
  return shownAt.slice(1).flatMap((at, i) => {
    const from = Math.max(shownAt[i] ?? at, since);
    const ms = Math.round(at - from);
    return ms > stallMs ? [{ atMs: Math.round(from), ms }] : [];
  });
}

async function diaryScript(): Promise<string> {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, 'browser/line-diary.ts')],
    target: 'browser',
    format: 'iife',
  });
  const [code] = built.outputs;
  if (!built.success || !code) throw new Error('the diary could not be bundled');
  return await code.text();
}
