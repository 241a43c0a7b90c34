// Shows and spans for tests: a show without gaps that is on for ever, and what was watched of one.
import { readSpans, type Span, spanText } from '../../src/audience/records/span.ts';
import { Show } from '../../src/stream/live/show.ts';

export function endlessShow(begin: number): Show {
  const show = new Show(begin);
  show.add(Number.POSITIVE_INFINITY, begin);
  return show;
}

/** When, without what was shown. */
export function timesOf(spans: readonly Span[]): { from: number; to: number }[] {
  return spans.map(({ from, to }) => ({ from, to }));
}

/** One span of that length, as a row has it. */
export function oneSpan(watch_ms: number): string {
  return spanText(watch_ms > 0 ? [{ show: 1, from: 1, to: 1 + watch_ms, position: 0 }] : []);
}

/** What a flush says of a visitor who has watched so long, without a break, until then. */
export function watchedUntil(until: number, watch_ms: number) {
  const intervals = watch_ms > 0 ? [{ from: until - watch_ms, to: until }] : [];
  return { last_seen_at: until, intervals, settle_until: 0 };
}

/** What the spans of a row come to. */
export function spansMs(spans: string | null): number {
  return readSpans(spans ?? '').reduce((sum, { from, to }) => sum + to - from, 0);
}
