// The sizes that a stream comes in, and which of them is meant by a choice that was made for another stream.

/** One of them, by the shorter side of its picture; 0 for sound alone. */
export interface Rung {
  readonly shortSide: number;
}

/** Of the black picture that the sound alone comes with, for players that want one (`stream/ladder/still-picture.ts`). */
const still = { width: 256, height: 144 };

/**
 * Whether what is seen stands for no picture. Where a size of the stream is as small it cannot be told from that by what
 * is seen, and is a picture.
 */
export function isStill(
  { videoWidth, videoHeight }: Pick<HTMLVideoElement, 'videoWidth' | 'videoHeight'>,
  rungs: readonly Rung[],
): boolean {
  const sides = rungs.map(({ shortSide }) => shortSide);
  const isAsLarge = videoWidth === still.width && videoHeight === still.height;
  return isAsLarge && sides.length > 1 && sides.includes(0) && !sides.includes(still.height);
}

/** Of one stream. */
export interface Sizes {
  /** As far as they are known. */
  readonly rungs: readonly Rung[];
  /** Which of them is shown; undefined where that is not known. */
  readonly rung: number | undefined;
  /** And which is loaded. */
  readonly nextRung: number | undefined;
  /** By the shorter side of the picture; undefined: whatever the line carries. */
  choose(wanted: number | undefined): void;
}

export interface PlaylistRung extends Rung {
  readonly address: string;
}

/** The largest that is no larger than what was chosen, else the smallest with a picture. */
export function rungFor(rungs: readonly Rung[], wanted: number): number {
  const sides = rungs.map(({ shortSide }) => shortSide);
  const fitting = sides.filter((side) => side <= wanted && (side > 0 || wanted === 0));
  const pictures = sides.filter((side) => side > 0);
  const side = fitting.length > 0 ? Math.max(...fitting) : Math.min(...pictures);
  return Math.max(0, sides.indexOf(side));
}

/** Of a multivariant playlist (RFC 8216 4.3.4.2); none where it is another. */
export function rungsIn(playlist: string, address: string): PlaylistRung[] {
  const found = playlist.matchAll(/^#EXT-X-STREAM-INF:(.*)\r?\n(?:#.*\r?\n)*([^#\s].*)$/gm);
  return [...found].map(([, attributes = '', uri = '']) => {
    const [, width = 0, height = 0] = /\bRESOLUTION=(\d+)x(\d+)/.exec(attributes) ?? [];
    const shortSide = Math.min(Number(width), Number(height));
    return { shortSide, address: new URL(uri.trim(), address).href };
  });
}
