// Where the fragments of a recording stand in the movie that is made of it, which begins with 0 and has no gaps where the push was cut.
import type { SampleRun } from '../../formats/fmp4-reader.ts';
import type { Fragment } from './source-reader.ts';

export class MovieClock {
  private end = 0;
  private shift: number | undefined;

  /** Seconds from the times of a fragment's samples to those of the movie; asked of each once, in their order. */
  shiftOf({ isDiscontinuity, runs }: Fragment): number {
    const shown = runs.map(shownSeconds);
    const startsAt = Math.min(...shown.map(({ from }) => from));
    // Media behind a cut is shown when all before it has been.
    if (isDiscontinuity || this.shift === undefined) this.shift = this.end - startsAt;
    this.end = Math.max(this.end, this.shift + Math.max(...shown.map(({ to }) => to)));
    return this.shift;
  }
}

/** When its first sample is shown, and when all have been. */
function shownSeconds({ track, decodeTime, samples }: SampleRun): { from: number; to: number } {
  const from = decodeTime + (samples[0]?.compositionOffset ?? 0);
  let [ticks, to] = [decodeTime, from];
  for (const { compositionOffset, duration } of samples) {
    to = Math.max(to, ticks + compositionOffset + duration);
    ticks += duration;
  }
  return { from: from / track.timescale, to: to / track.timescale };
}
