// Has the collector look for what was let go before the heap has doubled.

/**
 * The memory of packets and parts goes back by itself. The answers and batches made of
 * it are tiny objects that hold many bytes, and the collector lets the heap double before it looks for them, which
 * at 2 Mbps is 5 MB a stream that is watched. A look makes compiled code old: not too often.
 */
const everyMs = 5_000;

/** With fewer streams there is little to give back. */
const streamsMin = 4;

/**
 * What pushes let go when they are cut is garbage too, and of 500 MB in use the collector lets as much again lie: after
 * so much it looks sooner, but not without end.
 */
const letGoBytesMax = 96 * 1_048_576;
const letGoEveryMs = 1_000;

export interface CollectorOptions {
  streamCount(): number;
  /** All that pushes which are over have ever let go. */
  letGoBytes(): number;
}

export function startMediaCollector(options: CollectorOptions): { stop(): void } {
  let lookedAt = performance.now();
  let letGoBefore = 0;
  const look = () => {
    const now = performance.now();
    const isDue = now - lookedAt >= everyMs && options.streamCount() >= streamsMin;
    const isMuch = options.letGoBytes() - letGoBefore > letGoBytesMax;
    if (!isDue && !isMuch) return;
    // On threads of its own: one that is waited for stops everything, 100 ms for 400,000 objects.
    Bun.gc(false);
    letGoBefore = options.letGoBytes();
    lookedAt = now;
  };
  const timer = setInterval(look, letGoEveryMs);
  return { stop: () => clearInterval(timer) };
}
