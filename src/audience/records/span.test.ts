// Spans are read as they were written, and take few bytes.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { readSpans, type Span, spanBytes } from './span.ts';

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
      expect(readSpans(spanBytes(spans))).toEqual(spans);
    }),
  );
});

test('none take no byte', () => {
  expect(spanBytes([])).toEqual(new Uint8Array());
  expect(readSpans(new Uint8Array())).toEqual([]);
});

test('an hour without a break takes 16 bytes, with a pause every five minutes 8 more each', () => {
  const from = begin + 2 * minute;
  const hour = { show: begin, from, to: from + 60 * minute, position: 2 * minute - 900 };
  expect(spanBytes([hour]).length).toBeLessThanOrEqual(16);
  const paused = Array.from({ length: 12 }, (_, n) => {
    const at = from + n * 5 * minute;
    return { show: begin, from: at, to: at + 4.5 * minute, position: at - begin - 900 - 7 * n };
  });
  expect(spanBytes(paused).length).toBeLessThanOrEqual(16 + 11 * 8);
});

test('bytes that a broken disk has cut give the spans before them', () => {
  const spans = [0, 1].map((n) => ({
    show: begin,
    from: begin + n * minute,
    to: begin + (n + 0.5) * minute,
    position: 0,
  }));
  const bytes = spanBytes(spans);
  expect(readSpans(bytes.subarray(0, -1))).toEqual(spans.slice(0, 1));
});
