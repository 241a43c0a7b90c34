// Has the memory of media given back while streams are on air, before it has doubled.
import { fullGC } from 'bun:jsc';

/**
 * A packet or a part is a tiny object that holds many bytes. The collector lets the heap double before it
 * looks for those that nobody needs any more, which at 2 Mbps is 5 MB a stream; a look takes about 10 ms.
 */
const everyMs = 2_000;

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
