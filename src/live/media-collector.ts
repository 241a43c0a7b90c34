// Has the memory of media given back while streams are on air, before it has doubled.
import { fullGC } from 'bun:jsc';

/**
 * A packet or a part is a tiny object that holds many bytes. The collector lets the heap double before it
 * looks for those that nobody needs any more, which at 2 Mbps is 5 MB a stream; a look takes about 10 ms.
 */
const everyMs = 2_000;

/** With fewer streams there is little to give back. */
const streamsMin = 4;

export function startMediaCollector(streamCount: () => number): { stop(): void } {
  const timer = setInterval(() => {
    if (streamCount() >= streamsMin) fullGC();
  }, everyMs);
  return { stop: () => clearInterval(timer) };
}
