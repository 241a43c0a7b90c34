// What a session watched, judged by a list of every half second.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { readSpans, type Span } from '../records/span.ts';
import { WatchedSpans } from './watched-spans.ts';

const show = 1_800_000_000_000;
const tickMs = 500;

function watched(credits: readonly Span[]): Span[] {
  const spans = new WatchedSpans([]);
  for (const credit of credits) spans.add(credit);
  return readSpans(spans.text);
}

function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** By half second what was shown in it. */
function pictures(spans: readonly Span[]): Map<string, number> {
  const shown = new Map<string, number>();
  for (const { show, from, to, position } of spans)
    for (let at = from; at < to; at += tickMs) shown.set(`${show} ${at}`, position + at - from);
  return shown;
}

/** One behind the other, with pauses, jumps, drift and new shows. */
const credits = fc
  .array(
    fc.record({
      // Less than a second is no pause.
      pauseTicks: fc.oneof(fc.constant(0), fc.integer({ min: 2, max: 20 })),
      ticks: fc.integer({ min: 1, max: 30 }),
      driftMs: fc.integer({ min: -600, max: 600 }),
      jumpMs: fc.oneof(
        { weight: 4, arbitrary: fc.constant(0) },
        fc.integer({ min: -60_000, max: 60_000 }),
      ),
      isNewShow: fc.nat(9).map((n) => n === 0),
    }),
    { maxLength: 60 },
  )
  .map((steps) => {
    let at = show;
    let shownAt = show;
    let behindMs = 1_000_000;
    return steps.map(({ pauseTicks, ticks, driftMs, jumpMs, isNewShow }): Span => {
      if (isNewShow) shownAt = at;
      behindMs += driftMs + jumpMs;
      const from = at + pauseTicks * tickMs;
      at = from + ticks * tickMs;
      return { show: shownAt, from, to: at, position: from - shownAt + behindMs };
    });
  });

test('every half second is there once, with its picture to the second', () => {
  fc.assert(
    fc.property(credits, (given) => {
      const spans = watched(given);
      const expected = pictures(given);
      const got = pictures(spans);
      expect([...got.keys()].sort()).toEqual([...expected.keys()].sort());
      for (const [tick, position] of got)
        expect(Math.abs(position - (expected.get(tick) ?? Number.NaN))).toBeLessThan(1_000);
    }),
  );
});

test('neighbours are one where time and picture go on, and two where either does not', () => {
  const first = { show, from: show, to: show + 10_000, position: 0 };
  const next = { show, from: show + 10_000, to: show + 20_000, position: 10_000 };
  const joined = [{ ...first, to: next.to }];
  expect(watched([first, next])).toEqual(joined);
  expect(watched([first, { ...next, position: 10_999 }])).toEqual(joined);
  for (const other of [
    { ...next, position: 11_000 },
    { ...next, position: 9_000 },
    { ...next, from: next.from + 1_000, position: 11_000 },
    { ...next, show: show + 1 },
  ])
    expect(watched([first, other])).toEqual([first, other]);
});

test('an hour of beats that a network holds up is a few spans, and no time is lost', () => {
  let at = show;
  const beats = Array.from({ length: 360 }, (_, n): Span => {
    const from = at + ((n * 7_919) % 31);
    at = from + 10_000;
    return { show, from, to: at, position: from - show };
  });
  const spans = watched(beats);
  expect(spans.length).toBeLessThanOrEqual(7);
  expect(lengthOf(spans)).toBe(lengthOf(beats));
  for (const span of spans)
    expect(beats).toContainEqual(expect.objectContaining({ from: span.from }));
});

test('a picture that drifts away is never further off than a second', () => {
  const drifting = Array.from({ length: 50 }, (_, n) => ({
    show,
    from: show + n * 10_000,
    to: show + (n + 1) * 10_000,
    position: n * 10_000 + n * 100,
  }));
  const spans = watched(drifting);
  expect(spans).toHaveLength(5);
  expect(spans.map(({ position, from }) => position - (from - show))).toEqual([
    0, 1_000, 2_000, 3_000, 4_000,
  ]);
});

test('beyond their number those that are nearest to each other are joined, and no time is lost', () => {
  const many = Array.from({ length: 300 }, (_, n) => ({
    show,
    from: show + n * 10_000,
    // The later, the longer the pause.
    to: show + n * 10_000 + 9_000 - n * 10,
    position: n * 10_000,
  }));
  const spans = watched(many);
  expect(spans).toHaveLength(256);
  expect(lengthOf(spans)).toBe(lengthOf(many));
  expect(spans.slice(-200)).toEqual(many.slice(-200));
  for (const [i, { from }] of spans.entries())
    expect(from).toBeGreaterThanOrEqual(spans[i - 1]?.to ?? 0);
});
