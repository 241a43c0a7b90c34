// Which segment of a recording a picture of its movie is in, and when it is shown there: the movie counts from 0, a push does not.
import { headerWindowBytes } from '../file-boxes.ts';
import { FileWindow } from '../file-window.ts';
import { MovieClock } from './movie-clock.ts';
import { fragmentsIn, type Source } from './source-reader.ts';

/** Of a segment's pictures, on the timeline of the push, in milliseconds. */
export interface SegmentPictures {
  /** The first is decoded. */
  readonly decodedMs: number;
  /** The first is shown. */
  readonly shownMs: number;
  /** All are decoded. */
  readonly endMs: number;
}

interface Begun extends SegmentPictures {
  readonly segment: number;
  /** In the movie, the first is shown. */
  readonly movieMs: number;
}

export interface PicturePlace {
  readonly segment: number;
  readonly shownMs: number;
}

/** Times are rounded on their way; no pictures are so near to each other. */
const roundingMs = 4;

export class PicturePlaces {
  /** Those with pictures, in their order. */
  private readonly begun: readonly Begun[];
  /** In the movie, the picture that is decoded first is shown. */
  private readonly firstMs: number;
  /** Readers of the movie may count from elsewhere. */
  private offMs = 0;

  private constructor(begun: readonly Begun[], firstMs: number) {
    this.begun = begun;
    this.firstMs = firstMs;
  }

  static async of(source: Source): Promise<PicturePlaces> {
    const window = new FileWindow(source.file, headerWindowBytes);
    const clock = new MovieClock();
    const begun: Begun[] = [];
    let firstMs: number | undefined;
    for (const [segment, of] of source.segments.entries()) {
      let [decodedMs, shownMs, endMs, movieMs] = [Infinity, Infinity, 0, Infinity];
      for await (const fragment of fragmentsIn(source, of, window)) {
        if (fragment.runs.length === 0) continue;
        const shiftMs = 1_000 * clock.shiftOf(fragment);
        for (const { track, decodeTime, samples } of fragment.runs) {
          if (track.kind !== 'video') continue;
          let ticks = decodeTime;
          for (const { compositionOffset, duration } of samples) {
            const ms = ((ticks + compositionOffset) * 1_000) / track.timescale;
            firstMs ??= ms + shiftMs;
            shownMs = Math.min(shownMs, ms);
            movieMs = Math.min(movieMs, ms + shiftMs);
            ticks += duration;
          }
          decodedMs = Math.min(decodedMs, (decodeTime * 1_000) / track.timescale);
          endMs = Math.max(endMs, (ticks * 1_000) / track.timescale);
        }
      }
      // One whose pictures are all shown before those of another has none of its own.
      const isNext = movieMs < Infinity && movieMs > (begun.at(-1)?.movieMs ?? -Infinity);
      if (isNext) begun.push({ segment, decodedMs, shownMs, endMs, movieMs });
    }
    return new PicturePlaces(begun, firstMs ?? 0);
  }

  /** The movie is read, and the picture that is decoded first is shown then. */
  begin(movieMs: number): void {
    this.offMs = movieMs - this.firstMs;
  }

  /** Asked for pictures in their order. Undefined where there are none. */
  at(readMs: number): PicturePlace | undefined {
    const movieMs = readMs - this.offMs;
    const found = this.begun[this.indexAt(movieMs + roundingMs)] ?? this.begun[0];
    if (!found) return undefined;
    const shownMs = Math.round(found.shownMs) + Math.max(0, Math.round(movieMs - found.movieMs));
    return { segment: found.segment, shownMs };
  }

  picturesOf(segment: number): SegmentPictures | undefined {
    return this.begun[this.indexOf(segment)];
  }

  /** The last that has begun by then; -1 where none has. */
  private indexAt(movieMs: number): number {
    return lastIndex(this.begun, (one) => one.movieMs <= movieMs);
  }

  private indexOf(segment: number): number {
    const at = lastIndex(this.begun, (one) => one.segment <= segment);
    return this.begun[at]?.segment === segment ? at : -1;
  }
}

/** Of a list whose first ones are so, and the others not. */
function lastIndex<T>(all: readonly T[], isSo: (one: T) => boolean): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isSo(all[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
