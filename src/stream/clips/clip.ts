// A clip: which segments of recordings it takes, cut where decoding can begin.
import type { CutStretch } from '../../library/captions/captions-cut.ts';
import type { RecordedSegment } from '../recording/recording-index.ts';
import type { StoredRecording } from '../recording/stored-recording.ts';

/** A recording, and where its media begins in what is asked for: a show, or the video itself. */
export interface ClipSource {
  recording: StoredRecording;
  startMs: number;
  segments: readonly RecordedSegment[];
  /** The video that it is; absent where it is none yet. */
  video_id?: number | undefined;
  /** Not everybody may watch that one, by a word of its own. */
  isGuarded?: boolean;
}

export interface ChosenSegment extends RecordedSegment {
  recording: StoredRecording;
}

/** What of a video a clip has, whose captions go along. */
export interface ChosenStretch extends CutStretch {
  video_id: number;
}

/** Milliseconds of the media of what is asked for. */
export interface Stretch {
  fromMs: number;
  toMs: number;
}

/** What a clip is cut from: the show that is on, up to now; or a stretch of a show or of a video. */
export type ClipOf =
  | { lastMs: number }
  | ({ show: number } & Stretch)
  | ({ video_id: number } & Stretch);

export interface ClipOrder {
  channel: { id: number; account_id: number; name: string };
  of: ClipOf;
  /** Undefined: by the channel's and when it was. */
  name: string | undefined;
}

/** The video, and what was really taken of what is asked for. */
export interface MadeClip extends Stretch {
  video_id: number;
}

export interface ChosenClip extends Stretch {
  segments: ChosenSegment[];
  bytes: number;
  /** The video whose word says who may watch the clip; undefined where it goes by its channel. */
  guarded: number | undefined;
  /** In the order of the clip. */
  stretches: ChosenStretch[];
}

/**
 * Whole segments that hold the stretch. It begins with the last one at or before `fromMs` that can be decoded by
 * itself, so what was taken is at least what was asked for, as far as there is any. Undefined where there is none.
 */
export function chooseSegments(
  sources: readonly ClipSource[],
  { fromMs, toMs }: Stretch,
): ChosenClip | undefined {
  let chosen: PlacedSegment[] = [];
  let endMs = 0;
  for (const source of sources) {
    const { recording, startMs, segments } = source;
    let atMs = startMs;
    for (const segment of segments) {
      const isBefore = atMs <= fromMs;
      if (atMs >= toMs && chosen.length > 0) break;
      // What was held so far is not needed: decoding can begin here, or nothing of it was asked for, as behind a gap.
      if ((isBefore || endMs <= fromMs) && segment.isIndependent) chosen = [];
      if (chosen.length > 0 || segment.isIndependent) {
        chosen.push({ ...segment, recording, source, atMs });
        endMs = atMs + segment.durationMs;
      }
      atMs += segment.durationMs;
    }
  }
  const taken = new Set(chosen.map(({ source }) => source));
  const first = chosen[0];
  if (!first || endMs <= fromMs || first.atMs >= toMs) return undefined;
  return {
    fromMs: Math.round(first.atMs),
    toMs: Math.round(endMs),
    bytes: chosen.reduce((sum, { size }) => sum + size, 0),
    segments: chosen.map(({ atMs: _, source: _of, ...segment }) => segment),
    guarded: [...taken].find(({ isGuarded }) => isGuarded)?.video_id,
    stretches: stretchesOf(chosen),
  };
}

/** Where it begins in what is asked for. */
interface PlacedSegment extends ChosenSegment {
  source: ClipSource;
  atMs: number;
}

/** The clip's media is all of its segments one behind the other, without what is missing between two recordings. */
function stretchesOf(chosen: readonly PlacedSegment[]): ChosenStretch[] {
  let clipMs = 0;
  return [...Map.groupBy(chosen, ({ source }) => source)].flatMap(([source, segments]) => {
    const fromMs = (segments[0]?.atMs ?? 0) - source.startMs;
    const durationMs = segments.reduce((sum, segment) => sum + segment.durationMs, 0);
    const atMs = clipMs;
    clipMs += durationMs;
    const { video_id } = source;
    if (video_id === undefined) return [];
    const toMs = Math.round(fromMs + durationMs);
    return [{ video_id, fromMs: Math.round(fromMs), toMs, atMs: Math.round(atMs) }];
  });
}

/** The last so many milliseconds of what there is. */
export function lastOf(sources: readonly ClipSource[], ms: number): Stretch {
  const ends = sources.map(({ startMs, segments }) =>
    segments.reduce((sum, { durationMs }) => sum + durationMs, startMs),
  );
  const toMs = Math.max(0, ...ends);
  return { fromMs: Math.max(0, toMs - ms), toMs };
}
