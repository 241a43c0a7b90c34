// The multivariant playlist of a recording: each size that it has, and what that takes of a line (RFC 8216 4.3.4.2).
import { largestPicture, type RecordedSegment } from '../recording/recording-index.ts';

export const everyRungFile = 'all.m3u8';

export interface Rung {
  /** Bits a second, of the dearest segment and on average. */
  peak: number;
  average: number;
  /** 0 for both where there is no picture. */
  width: number;
  height: number;
}

export interface ListedRung {
  rung: Rung;
  /** Beside this one. */
  playlist: string;
}

/** What is left at the end is short, and says nothing of a line. */
const measuredMsMin = 500;

export function rungOf(segments: readonly RecordedSegment[]): Rung {
  const rateOf = (bytes: number, ms: number) =>
    Math.ceil((bytes * 8_000) / Math.max(ms, measuredMsMin));
  const peak = segments.reduce(
    (most, { size, durationMs }) => Math.max(most, rateOf(size, durationMs)),
    1,
  );
  const bytes = segments.reduce((sum, { size }) => sum + size, 0);
  const ms = segments.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const { width, height } = largestPicture(segments);
  return { peak, average: rateOf(bytes, ms), width, height };
}

/** The first is what a player begins with that has no opinion: the source, as before there was a choice. */
export function everyRung(rungs: readonly ListedRung[]): string {
  const lines = rungs.map(({ rung: { peak, average, width, height }, playlist }) => {
    const size = height > 0 ? `,RESOLUTION=${width}x${height}` : '';
    return `#EXT-X-STREAM-INF:BANDWIDTH=${peak},AVERAGE-BANDWIDTH=${average}${size}\n${playlist}\n`;
  });
  return `#EXTM3U\n#EXT-X-VERSION:7\n${lines.join('')}`;
}
