// A show's numbers by looking at every half second of every viewer: slow, and plain enough to believe.

import type { Span } from '../../src/audience/records/span.ts';
import type { ShowFigures } from '../../src/audience/reports/show-figures.ts';

/** One session of the show: whose it was, and what it watched of it. */
export interface ShowSession {
  viewer_id: string;
  /** Of this show alone, in their order. */
  spans: readonly Span[];
}

/** Spans begin and end with one. */
export const tickMs = 500;
const minuteTicks = 60_000 / tickMs;

export function judgedShow(begin: number, sessions: readonly ShowSession[]): ShowFigures {
  const watching = sessions.filter(({ spans }) => spans.length > 0);
  const ids = [...new Set(watching.map(({ viewer_id }) => viewer_id))];
  const viewers = ids.map((id) => {
    const spans = watching.filter(({ viewer_id }) => viewer_id === id).flatMap((one) => one.spans);
    const ticks = new Set<number>();
    const seen = new Set<number>();
    for (const { from, to, position } of spans) {
      for (let at = from; at < to; at += tickMs) {
        ticks.add((at - begin) / tickMs);
        seen.add(Math.floor((position + at - from) / tickMs / minuteTicks));
      }
    }
    return { ticks, seen };
  });
  const lastTick = Math.max(-1, ...viewers.flatMap(({ ticks }) => [...ticks]));
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
    watch_ms: viewers.reduce((sum, { ticks }) => sum + ticks.size * tickMs, 0),
    peak: Math.max(0, ...atOnce),
    last_ms: (lastTick + 1) * tickMs,
    minutes_each: 1,
    minutes: Array.from({ length: lastMinute + 1 }, (_, minute) => ({
      viewers: Math.max(0, ...atOnce.slice(minute * minuteTicks, (minute + 1) * minuteTicks)),
      came: count(({ ticks }) => minuteOf(Math.min(...ticks)) === minute),
      left: count(({ ticks }) => minuteOf(Math.max(...ticks)) === minute),
      seen: count(({ seen }) => seen.has(minute)),
      stayed: count(({ ticks }) => ticks.size >= minute * minuteTicks),
    })),
  };
}
