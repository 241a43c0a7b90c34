// The list of the sizes of a stream, from which a player chooses what its line carries (RFC 8216 4.3.4.2).

/** A player that says this takes no sound alone beside pictures, and is told of it beside a black one. */
export const stillName = 'still';

/** Bits a second: of the dearest segment, and on average. */
export interface Rates {
  readonly peak: number;
  readonly average: number;
}

/** A segment, or what several come to. */
interface Carried {
  readonly size: number;
  readonly durationMs: number;
}

/** Media that is shorter than `msMin` counts as if it were as long: what is left at an end says nothing of a line. */
export function rateOf({ size, durationMs }: Carried, msMin = 1): number {
  return Math.ceil((size * 8_000) / Math.max(durationMs, msMin));
}

/** A day of segments is too many to be arguments of one call. */
export function ratesIn(segments: readonly Carried[], msMin = 1): Rates {
  const sum = { size: 0, durationMs: 0 };
  let peak = 1;
  for (const segment of segments) {
    peak = Math.max(peak, rateOf(segment, msMin));
    sum.size += segment.size;
    sum.durationMs += segment.durationMs;
  }
  return { peak, average: rateOf(sum, msMin) };
}

/** One size. */
export interface Variant {
  /** Beside the list. */
  readonly playlist: string;
  readonly rates: Rates;
  /** Absent or empty where that is not known. */
  readonly codecs?: readonly string[] | undefined;
  /** Absent or 0 where there is no picture. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly picturesPerSecond?: number | undefined;
}

/** The first is what a player begins with that has no opinion. `tags`: lines about all of them. */
export function multivariantList(
  variants: readonly Variant[],
  { tags = [] }: { tags?: readonly string[] } = {},
): string {
  const lines = ['#EXTM3U', '#EXT-X-VERSION:7', ...tags, ...variants.flatMap(variantLines)];
  return `${lines.join('\n')}\n`;
}

/** Decoding can start with every segment of each. */
export const independentSegments = '#EXT-X-INDEPENDENT-SEGMENTS';

function variantLines(of: Variant): string[] {
  const { playlist, rates, codecs = [], width, height, picturesPerSecond } = of;
  const attributes = [
    `BANDWIDTH=${rates.peak}`,
    `AVERAGE-BANDWIDTH=${rates.average}`,
    ...(codecs.length > 0 ? [`CODECS="${codecs.join(',')}"`] : []),
    ...(width && height ? [`RESOLUTION=${width}x${height}`] : []),
    ...(picturesPerSecond ? [`FRAME-RATE=${picturesPerSecond.toFixed(3)}`] : []),
  ];
  return [`#EXT-X-STREAM-INF:${attributes.join(',')}`, playlist];
}
