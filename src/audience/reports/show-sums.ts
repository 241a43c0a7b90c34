// What a show came to, without its minutes, as reports, lists and events tell it.
import type { ShowFigures } from './show-figures.ts';

export type ShowSums = Omit<ShowFigures, 'minutes'>;

/** Players lag: somebody may have watched the last of it after its end, and that is counted. */
export function shownSums(
  { begin_at, end_at }: { begin_at: number; end_at: number | null },
  { peak, uv, pv, watch_ms, last_ms }: ShowSums,
) {
  const lastedMs = Math.max(1, (end_at ?? begin_at) - begin_at, last_ms);
  return {
    peak,
    average: Math.round((watch_ms / lastedMs) * 100) / 100,
    uv,
    pv,
    watch_seconds: Math.floor(watch_ms / 1_000),
  };
}
