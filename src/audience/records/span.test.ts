// Spans are read as they were written, and take few characters.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { readSpans, type Span, spanText } from './span.ts';

const begin = Date.UTC(2026, 4, 4, 12);
const minute = 60_000;

test('whatever they are, they are read as they were written', () => {
  const epoch = fc.integer({ min: 0, max: 2 ** 43 });
  const span = fc
    .record({
      show: epoch,
      from: epoch,
      length: fc.integer({ min: 1, max: 2 ** 36 }),
      position: epoch,
    })
    .map(({ length, ...one }): Span => ({ ...one, to: one.from + length }));
  fc.assert(
    fc.property(fc.array(span), (spans) => {
      expect(readSpans(spanText(spans))).toEqual(spans);
    }),
  );
});

test('none take no character', () => {
  expect(spanText([])).toBe('');
  expect(readSpans('')).toEqual([]);
});

test('an hour without a break takes 24 characters, with a pause every five minutes 10 more each', () => {
  const from = begin + 2 * minute;
  const hour = { show: begin, from, to: from + 60 * minute, position: 2 * minute - 900 };
  expect(spanText([hour]).length).toBeLessThanOrEqual(24);
  const paused = Array.from({ length: 12 }, (_, n) => {
    const at = from + n * 5 * minute;
    return { show: begin, from: at, to: at + 4.5 * minute, position: at - begin - 900 - 7 * n };
  });
  expect(spanText(paused).length).toBeLessThanOrEqual(24 + 11 * 10);
});

test('a text that was cut gives the spans before the cut', () => {
  const spans = [0, 1].map((n) => ({
    show: begin,
    from: begin + n * minute,
    to: begin + (n + 0.5) * minute,
    position: 0,
  }));
  const text = spanText(spans);
  expect(readSpans(text.slice(0, -1))).toEqual(spans.slice(0, 1));
});
