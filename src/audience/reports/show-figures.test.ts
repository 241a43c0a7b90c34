// A show's numbers, judged by looking at every half second of every viewer.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { judgedShow, tickMs } from '../../../test/support/show-judge.ts';
import type { Span } from '../records/span.ts';
import { type ShowSession, showFigures } from './show-figures.ts';

const begin = 1_800_000_000_000;
const minuteTicks = 60_000 / tickMs;

const session: fc.Arbitrary<ShowSession> = fc
  .record({
    viewer: fc.nat(4),
    beginTick: fc.nat(4 * minuteTicks),
    stretches: fc.array(
      fc.record({ gap: fc.nat(60), ticks: fc.integer({ min: 1, max: 200 }), behind: fc.nat(300) }),
      { maxLength: 4 },
    ),
  })
  .map(({ viewer, beginTick, stretches }) => {
    let tick = beginTick;
    const spans = stretches.map(({ gap, ticks, behind }): Span => {
      const from = tick + gap;
      tick = from + ticks;
      const position = Math.max(0, from - behind) * tickMs;
      return { show: begin, from: begin + from * tickMs, to: begin + tick * tickMs, position };
    });
    return { viewer_id: `v${viewer}`, spans };
  });

test('every number is what counting half seconds comes to', () => {
  fc.assert(
    fc.property(fc.array(session, { maxLength: 12 }), (sessions) => {
      expect(showFigures(begin, sessions)).toEqual(judgedShow(begin, sessions));
    }),
    { numRuns: 300 },
  );
});

test('a show that nobody watched has no minute', () => {
  const nobody = { uv: 0, pv: 0, watch_ms: 0, peak: 0, minutes: [] };
  expect(showFigures(begin, [])).toEqual(nobody);
  expect(showFigures(begin, [{ viewer_id: 'a', spans: [] }])).toEqual(nobody);
});

test('who comes at the moment when another goes is not there with them', () => {
  const one = { show: begin, from: begin, to: begin + 60_000, position: 0 };
  const next = { show: begin, from: begin + 60_000, to: begin + 120_000, position: 60_000 };
  const { peak, minutes } = showFigures(begin, [
    { viewer_id: 'a', spans: [one] },
    { viewer_id: 'b', spans: [next] },
  ]);
  expect(peak).toBe(1);
  expect(minutes).toEqual([
    { viewers: 1, came: 1, left: 1, seen: 1, stayed: 2 },
    { viewers: 1, came: 1, left: 1, seen: 1, stayed: 2 },
  ]);
});
