// How good a line is before anything was played over it: by how fast the page itself came.

/** Bits a second where nothing is known: what most lines are, and enough for a clear picture. */
const usualBits = 3_000_000;
/** Smaller files are here before a line is up to its rate. */
const measuredBytesMin = 30_000;
/** What came faster than can be measured came over a line that is good enough for anything. */
const tookMsMin = 5;
/** A file is one measurement, and lines change: it is not believed to the last. */
const believed = 0.8;

/** What is known of a file that the page has loaded; a `PerformanceResourceTiming` is one. */
export interface LoadedFile {
  /** 0 where it came out of the browser's own store. */
  readonly transferSize: number;
  readonly responseStart: number;
  readonly responseEnd: number;
}

/** Bits a second that the line is taken to carry. */
export function lineBitsBefore(files: readonly LoadedFile[]): number {
  const measured = files.filter(({ transferSize }) => transferSize >= measuredBytesMin);
  const largest = measured.sort((a, b) => b.transferSize - a.transferSize)[0];
  if (!largest) return usualBits;
  const tookMs = Math.max(tookMsMin, largest.responseEnd - largest.responseStart);
  return (believed * largest.transferSize * 8_000) / tookMs;
}

export function lineBitsOfPage(): number {
  return lineBitsBefore(performance.getEntriesByType('resource') as PerformanceResourceTiming[]);
}
