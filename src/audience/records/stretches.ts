// How long a visitor has watched, whichever page played, on whatever node: a union of stretches, so that none counts twice.
import type { VisitorRow } from './visitor.ts';

/** The time `(from, to]`, in epoch milliseconds of the service clock. */
export interface Interval {
  from: number;
  to: number;
}

export function lengthMs(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** What a visitor's row says of its time. */
export type VisitorTime = Pick<
  VisitorRow,
  'watch_ms' | 'credited_until' | 'settled_until' | 'stretch_from' | 'stretches'
>;

/** A viewer who pauses and plays more often than every two seconds, all the time, loses what comes late. */
const stretchesMax = 64;

/**
 * The time of a row with these intervals covered, too. Its last stretches are kept, so that what another page or node
 * brings later may still fill a gap between them. Before `settled_until`, which becomes `settleUntil`, all is taken
 * as covered: from there nothing can count, be it the first or the second time.
 */
export function withCovered(
  time: VisitorTime,
  { intervals, settleUntil }: { intervals: readonly Interval[]; settleUntil: number },
): VisitorTime {
  const settledUntil = time.settled_until ?? time.credited_until;
  const known = stretchesOf(time);
  const news = intervals.map(({ from, to }) => ({ from: Math.max(from, settledUntil), to }));
  const all = united([...known, ...news]);
  const kept = all.filter(({ to }) => to > settleUntil);
  const dropped = kept.length > stretchesMax ? kept.splice(0, kept.length - stretchesMax) : [];
  const credited_until = Math.max(time.credited_until, all.at(-1)?.to ?? 0);
  // Of a viewer who has not played of late it is empty, and so until the first beat of one who has just come.
  const last = kept.at(-1)?.to === credited_until ? kept.pop() : undefined;
  return {
    watch_ms: time.watch_ms + lengthMs(all) - lengthMs(known),
    credited_until,
    settled_until: Math.max(settledUntil, settleUntil, dropped.at(-1)?.to ?? 0),
    stretch_from: last?.from ?? credited_until,
    stretches: kept.length > 0 ? JSON.stringify(kept.map(({ from, to }) => [from, to])) : null,
  };
}

function stretchesOf({ credited_until, stretch_from, stretches }: VisitorTime): Interval[] {
  const others: [number, number][] = stretches === null ? [] : JSON.parse(stretches);
  return united([
    ...others.map(([from, to]) => ({ from, to })),
    { from: stretch_from ?? credited_until, to: credited_until },
  ]);
}

/** What is in both. */
export function common(some: readonly Interval[], others: readonly Interval[]): Interval[] {
  return some
    .flatMap(({ from, to }) =>
      others.map((one) => ({ from: Math.max(from, one.from), to: Math.min(to, one.to) })),
    )
    .filter(({ from, to }) => to > from);
}

/** The same time in stretches that rise and do not touch; of those that are empty nothing is left. */
export function united(intervals: readonly Interval[]): Interval[] {
  const rising = intervals.filter(({ from, to }) => to > from).sort((a, b) => a.from - b.from);
  const stretches: Interval[] = [];
  for (const { from, to } of rising) {
    const last = stretches.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else stretches.push({ from, to });
  }
  return stretches;
}
