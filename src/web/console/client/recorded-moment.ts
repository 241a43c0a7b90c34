// Which picture of which recording was on at a moment of a show.
import type { ShowReport } from './service-answers.ts';

export interface RecordedMoment {
  /** Video id. */
  video: number;
  /** Seconds from the video's beginning on. */
  second: number;
}

/** A length is told to a second. */
const roundedMs = 1_000;

/** Undefined where nothing was on, or it was not recorded. */
export function momentAt(
  { anchors, recordings }: Pick<ShowReport, 'anchors' | 'recordings'>,
  atMs: number,
): RecordedMoment | undefined {
  const mediaMs = mediaAt(anchors, atMs);
  if (mediaMs === undefined) return undefined;
  const found = recordings.findLast(({ show_ms }) => show_ms <= mediaMs);
  if (!found || mediaMs > found.show_ms + found.duration_ms + roundedMs) return undefined;
  return { video: found.video, second: (mediaMs - found.show_ms) / 1_000 };
}

/** Where in the show's media the clock was: in a gap what comes behind it, before the first picture that one. */
export function mediaAt(anchors: ShowReport['anchors'], atMs: number): number | undefined {
  const at = anchors.findLastIndex(({ at_ms }) => at_ms <= atMs);
  const anchor = anchors[at];
  if (!anchor) return anchors[0]?.media_ms;
  const next = anchors[at + 1]?.media_ms ?? Number.POSITIVE_INFINITY;
  return Math.min(anchor.media_ms + atMs - anchor.at_ms, next);
}
