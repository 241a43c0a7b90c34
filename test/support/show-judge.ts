// A show's numbers by looking at every moment of every viewer: slow, and plain enough to believe.

import type { Span } from '../../src/audience/records/span.ts';
import type { ShowFigures } from '../../src/audience/reports/show-figures.ts';

/** One session of the show: whose it was, and what it watched of it. */
export interface ShowSession {
  viewer_id: string;
  /** Of this show alone, in their order. */
  spans: readonly Span[];
}

/** The lines of `sessions.ndjson`. */
export function sessionsIn(ndjson: string): ShowSession[] {
  return ndjson
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { user_id: string; watched: Record<string, string>[] })
    .map(({ user_id, watched }) => ({
      viewer_id: user_id,
      spans: watched.map(({ show = '', from = '', to = '', position_ms }) => ({
        show: Date.parse(show),
        from: Date.parse(from),
        to: Date.parse(to),
        position: Number(position_ms),
      })),
    }));
}

/** Spans of tests begin and end with one. */
export const tickMs = 500;

/** `stepMs` is how long a moment is: spans that begin and end anywhere want 1. */
export function judgedShow(
  begin: number,
  sessions: readonly ShowSession[],
  stepMs = tickMs,
): ShowFigures {
  const minuteTicks = 60_000 / stepMs;
  const watching = sessions.filter(({ spans }) => spans.length > 0);
  const ids = [...new Set(watching.map(({ viewer_id }) => viewer_id))];
  const viewers = ids.map((id) => {
    const spans = watching.filter(({ viewer_id }) => viewer_id === id).flatMap((one) => one.spans);
    const ticks = new Set<number>();
    const seen = new Set<number>();
    for (const { from, to, position } of spans) {
      for (let at = from; at < to; at += stepMs) {
        ticks.add((at - begin) / stepMs);
        seen.add(Math.floor((position + at - from) / stepMs / minuteTicks));
      }
    }
    // Those of a viewer are in the order of the clock only where no two pages are open.
    const inOrder = [...ticks].sort((one, other) => one - other);
    return { ticks, seen, first: inOrder[0] ?? 0, last: inOrder.at(-1) ?? 0 };
  });
  const lastTick = Math.max(-1, ...viewers.map(({ last }) => last));
  const atOnce = Array.from(
    { length: lastTick + 1 },
    (_, tick) => viewers.filter(({ ticks }) => ticks.has(tick)).length,
  );
  const lastMinute = Math.max(
    Math.floor(lastTick / minuteTicks),
    ...viewers.flatMap(({ seen }) => [...seen]),
  );
  const minuteOf = (tick: number) => Math.floor(tick / minuteTicks);
  const count = (is: (viewer: (typeof viewers)[number]) => boolean) => viewers.filter(is).length;
  return {
    uv: viewers.length,
    pv: watching.length,
    watch_ms: viewers.reduce((sum, { ticks }) => sum + ticks.size * stepMs, 0),
    peak: most(atOnce),
    last_ms: (lastTick + 1) * stepMs,
    minutes_each: 1,
    minutes: Array.from({ length: lastMinute + 1 }, (_, minute) => ({
      viewers: most(atOnce.slice(minute * minuteTicks, (minute + 1) * minuteTicks)),
      came: count(({ first }) => minuteOf(first) === minute),
      left: count(({ last }) => minuteOf(last) === minute),
      seen: count(({ seen }) => seen.has(minute)),
      stayed: count(({ ticks }) => ticks.size >= minute * minuteTicks),
    })),
  };
}

/** However many there are. */
function most(counts: readonly number[]): number {
  return counts.reduce((larger, count) => Math.max(larger, count), 0);
}
