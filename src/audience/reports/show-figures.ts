// Every number of a show's report, from what its viewers watched: pure, so that anybody can count again.
import * as z from 'zod';
import type { Span } from '../records/span.ts';

const count = (description: string) => z.int().meta({ description });

/** A minute of the show, from its beginning on; of a long one several. */
export const showMinute = z.object({
  viewers: count('most viewers at once in this minute of the show'),
  came: count('viewers who watched for the first time in it'),
  left: count('viewers who watched for the last time in it'),
  seen: count("viewers who watched some of this minute of the show's media, whenever"),
  stayed: count('viewers who watched so many whole minutes at least'),
});
export type ShowMinute = z.output<typeof showMinute>;

export interface ShowFigures {
  /** Viewers, and their sessions. */
  uv: number;
  pv: number;
  /** All viewers together; what one watched in two tabs at once counts once. */
  watch_ms: number;
  /** Most viewers at once. */
  peak: number;
  /** How long after the beginning somebody watched last. */
  last_ms: number;
  /** How many minutes each of the `minutes` is. */
  minutes_each: number;
  minutes: ShowMinute[];
}

export interface Stretch {
  from: number;
  to: number;
}

/** What one viewer watched of a show. */
export interface ShowViewer {
  /** How many sessions it was. */
  sessions: number;
  spans: readonly ShownSpan[];
  /** When, rising and apart from each other. */
  watched: readonly Stretch[];
  watch_ms: number;
}

/** Of a show that everybody knows. */
export type ShownSpan = Omit<Span, 'show'>;

export function showViewer(sessions: number, spans: readonly ShownSpan[]): ShowViewer {
  const watched = union(spans.map(({ from, to }) => ({ from, to })));
  return {
    sessions,
    spans,
    watched,
    watch_ms: watched.reduce((ms, { from, to }) => ms + to - from, 0),
  };
}

/** A show may last for weeks, and its report is one answer. */
const minutesMax = 1_440;
/** People know these by heart. */
const usualMinutes = [1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1_440];
const minuteMs = 60_000;

/** How many minutes each of the `minutes` is, of a show that was watched for so long. */
export function minutesEachOf(lastMs: number): number {
  const minutes = Math.ceil(lastMs / minuteMs);
  const fits = usualMinutes.find((each) => minutes / each <= minutesMax);
  return fits ?? Math.ceil(minutes / minutesMax);
}

/** Counts by one of the `minutes`: where times from the show's beginning on lie. */
export class MinuteScale {
  readonly minutesEach: number;
  private readonly eachMs: number;

  constructor(minutesEach: number) {
    this.minutesEach = minutesEach;
    this.eachMs = minutesEach * minuteMs;
  }

  /** Whatever is in front of the show counts for its first minute. */
  at(ms: number): number {
    return Math.max(0, Math.floor(ms / this.eachMs));
  }

  /** The one that something was in which ended then. */
  before(ms: number): number {
    return Math.max(0, Math.ceil(ms / this.eachMs) - 1);
  }
}

/** `begin` is the show's. */
export function showFigures(
  { begin, scale }: { begin: number; scale: MinuteScale },
  viewers: Iterable<ShowViewer>,
): ShowFigures {
  const counts = new MinuteCounts();
  const starts: number[] = [];
  const ends: number[] = [];
  const sums = { uv: 0, pv: 0, watch_ms: 0, last_ms: 0 };
  for (const viewer of viewers) {
    const { watched } = viewer;
    for (const { from, to } of watched) {
      starts.push(from - begin);
      ends.push(to - begin);
    }
    sums.uv += 1;
    sums.pv += viewer.sessions;
    sums.watch_ms += viewer.watch_ms;
    sums.last_ms = Math.max(sums.last_ms, (watched.at(-1)?.to ?? begin) - begin);
    counts.add('came', cameIn(viewer, begin, scale));
    counts.add('left', leftIn(viewer, begin, scale));
    for (const { from, to } of seenIn(viewer, scale))
      for (let minute = from; minute < to; minute++) counts.add('seen', minute);
    counts.add('stayed', scale.at(viewer.watch_ms));
  }
  const most = countAtOnce(starts, ends, scale);
  const peak = most.reduce((highest, one) => Math.max(highest, one), 0);
  return { ...sums, peak, minutes_each: scale.minutesEach, minutes: counts.minutes(most) };
}

/** The minute in which the viewer watched for the first time. */
export function cameIn({ watched }: ShowViewer, begin: number, scale: MinuteScale): number {
  return scale.at((watched[0]?.from ?? begin) - begin);
}

/** And for the last time. */
export function leftIn({ watched }: ShowViewer, begin: number, scale: MinuteScale): number {
  return scale.before((watched.at(-1)?.to ?? begin) - begin);
}

/** The minutes of media that the viewer saw some of, from one to before another. */
export function seenIn({ spans }: ShowViewer, scale: MinuteScale): Stretch[] {
  return union(
    spans.map(({ from, to, position }) => ({
      from: scale.at(position),
      to: scale.before(position + to - from) + 1,
    })),
  );
}

/** Rising, apart from each other. */
function union(stretches: Stretch[]): Stretch[] {
  const joined: Stretch[] = [];
  for (const next of stretches.sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && next.from <= last.to) last.to = Math.max(last.to, next.to);
    else joined.push(next);
  }
  return joined;
}

/** By minute the most that were there at once. Who comes as another goes is not there with them. */
function countAtOnce(
  starts: readonly number[],
  ends: readonly number[],
  scale: MinuteScale,
): number[] {
  const came = Float64Array.from(starts).sort();
  const gone = Float64Array.from(ends).sort();
  const most: number[] = [];
  let there = 0;
  let goes = 0;
  let minute = 0;
  // Who was there when a minute began was there in it.
  const reach = (next: number) => {
    for (; minute < next; minute++) most[minute + 1] = there;
  };
  most[0] = 0;
  for (const at of came) {
    for (; (gone[goes] ?? Number.POSITIVE_INFINITY) <= at; goes++) {
      reach(scale.before(gone[goes] ?? 0));
      there -= 1;
    }
    reach(scale.at(at));
    there += 1;
    most[minute] = Math.max(most[minute] ?? 0, there);
  }
  for (; goes < gone.length; goes++) {
    reach(scale.before(gone[goes] ?? 0));
    there -= 1;
  }
  return starts.length === 0 ? [] : most;
}

type Counted = Exclude<keyof ShowMinute, 'viewers'>;

class MinuteCounts {
  private readonly counts: Record<Counted, number[]> = { came: [], left: [], seen: [], stayed: [] };

  add(what: Counted, minute: number): void {
    const counts = this.counts[what];
    counts[minute] = (counts[minute] ?? 0) + 1;
  }

  /** With the most at once of each; as many as anything was counted in. */
  minutes(most: readonly number[]): ShowMinute[] {
    const { came, left, seen, stayed } = this.counts;
    const length = Math.max(most.length, seen.length);
    // Who watched five minutes watched four.
    let longer = 0;
    for (let minute = stayed.length - 1; minute >= 0; minute--) {
      longer += stayed[minute] ?? 0;
      stayed[minute] = longer;
    }
    return Array.from({ length }, (_, minute) => ({
      viewers: most[minute] ?? 0,
      came: came[minute] ?? 0,
      left: left[minute] ?? 0,
      seen: seen[minute] ?? 0,
      stayed: stayed[minute] ?? 0,
    }));
  }
}
