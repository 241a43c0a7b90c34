// Has the memory of what players were sent given back while streams are on air, before it has doubled.
import { fullGC } from 'bun:jsc';

/**
 * What a publisher sends and what the packager makes of it goes back by itself. The answers and batches made of
 * it are tiny objects that hold many bytes, and the collector lets the heap double before it looks for them, which
 * at 2 Mbps is 5 MB a stream that is watched. A look takes about 10 ms, and makes compiled code old: not too often.
 */
const everyMs = 5_000;

/** A look at a large heap takes longer, and is then taken more seldom: of the time it has this part. */
const partOfTime = 1 / 50;

/** With fewer streams there is little to give back. */
const streamsMin = 4;

export function startMediaCollector(streamCount: () => number): { stop(): void } {
  let timer: ReturnType<typeof setTimeout>;
  const look = () => {
    const startedAt = performance.now();
    if (streamCount() >= streamsMin) fullGC();
    const tookMs = performance.now() - startedAt;
    timer = setTimeout(look, Math.max(everyMs, tookMs / partOfTime));
  };
  timer = setTimeout(look, everyMs);
  return { stop: () => clearTimeout(timer) };
}
