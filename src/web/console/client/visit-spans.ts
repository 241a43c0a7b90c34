// What a viewer watched, show by show: visits laid over each other, so that two tabs are watched once.
import type { ViewerVisits } from './service-answers.ts';

export interface Stretch {
  /** Milliseconds from the show's beginning on. */
  from: number;
  to: number;
}

export interface Strip {
  show: number;
  beginAt: number;
  /** Players lag: it may have been watched a little longer than it was on. */
  lengthMs: number;
  watchedMs: number;
  /** Rising and apart from each other. */
  stretches: Stretch[];
}

/** The newest show first; `instantOf` reads the interface's times, an empty one as now. */
export function stripsOf(
  { shows, sessions }: Pick<ViewerVisits, 'shows' | 'sessions'>,
  instantOf: (text: string) => number,
): Strip[] {
  return shows.map(({ id, begin, end }) => {
    const spans = sessions
      .flatMap(({ watched }) => watched ?? [])
      .filter(({ show }) => show === id)
      .map(({ from_ms, to_ms }) => ({ from: Math.max(0, from_ms), to: to_ms }));
    const stretches = union(spans);
    const beginAt = instantOf(begin);
    return {
      show: id,
      beginAt,
      lengthMs: Math.max(1, instantOf(end) - beginAt, stretches.at(-1)?.to ?? 0),
      watchedMs: stretches.reduce((ms, { from, to }) => ms + to - from, 0),
      stretches,
    };
  });
}

function union(spans: Stretch[]): Stretch[] {
  const joined: Stretch[] = [];
  for (const next of spans.sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && next.from <= last.to) last.to = Math.max(last.to, next.to);
    else joined.push({ ...next });
  }
  return joined;
}
