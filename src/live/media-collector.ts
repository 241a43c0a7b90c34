// Has the collector look for what was let go before the heap has doubled.
import { fullGC } from 'bun:jsc';

/**
 * What a publisher sends and what the packager makes of it goes back by itself. The answers and batches made of
 * it are tiny objects that hold many bytes, and the collector lets the heap double before it looks for them, which
 * at 2 Mbps is 5 MB a stream that is watched. A look takes about 10 ms, and makes compiled code old: not too often.
 */
const everyMs = 5_000;

/** With fewer streams there is little to give back. */
const streamsMin = 4;

/**
 * What pushes let go when they are cut is garbage too, and of 500 MB in use the collector lets as much again lie. A
 * process that has grown by so much since the last look is looked at sooner.
 */
const grownBytesMax = 96 * 1_048_576;
const growthEveryMs = 250;

/** A look at a large heap takes longer, and is then taken more seldom: of the time it has this part. */
const partOfTime = 1 / 50;
const partOfTimeWhereGrown = 1 / 20;

export function startMediaCollector(streamCount: () => number): { stop(): void } {
  let lookedAt = performance.now();
  let tookMs = 0;
  /** The least since the last look: the system gets pages back a while after it. */
  let leastBytes = process.memoryUsage.rss();
  const look = () => {
    const startedAt = performance.now();
    const sinceMs = startedAt - lookedAt;
    const bytes = process.memoryUsage.rss();
    leastBytes = Math.min(leastBytes, bytes);
    const isDue = sinceMs >= Math.max(everyMs, tookMs / partOfTime) && streamCount() >= streamsMin;
    const hasGrown = bytes - leastBytes > grownBytesMax;
    if (!isDue && !(hasGrown && sinceMs >= tookMs / partOfTimeWhereGrown)) return;
    fullGC();
    lookedAt = performance.now();
    tookMs = lookedAt - startedAt;
    leastBytes = bytes;
  };
  const timer = setInterval(look, growthEveryMs);
  return { stop: () => clearInterval(timer) };
}
