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
 * What pushes let go when they are cut is garbage too, and of 500 MB in use the collector lets as much again lie: after
 * so much it looks sooner.
 */
const letGoBytesMax = 96 * 1_048_576;
const letGoEveryMs = 250;

/** A look at a large heap takes longer, and is then taken more seldom: of the time it has this part. */
const partOfTime = 1 / 50;
const partOfTimeWhereLetGo = 1 / 20;

export interface CollectorOptions {
  streamCount(): number;
  /** All that pushes which are over have ever let go. */
  letGoBytes(): number;
}

export function startMediaCollector(options: CollectorOptions): { stop(): void } {
  let lookedAt = performance.now();
  let tookMs = 0;
  let letGoBefore = 0;
  const look = () => {
    const startedAt = performance.now();
    const sinceMs = startedAt - lookedAt;
    const isDue =
      sinceMs >= Math.max(everyMs, tookMs / partOfTime) && options.streamCount() >= streamsMin;
    const isMuch = options.letGoBytes() - letGoBefore > letGoBytesMax;
    if (!isDue && !(isMuch && sinceMs >= tookMs / partOfTimeWhereLetGo)) return;
    fullGC();
    letGoBefore = options.letGoBytes();
    lookedAt = performance.now();
    tookMs = lookedAt - startedAt;
  };
  const timer = setInterval(look, letGoEveryMs);
  return { stop: () => clearInterval(timer) };
}
