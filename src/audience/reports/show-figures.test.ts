// A show's numbers, judged by looking at every half second of every viewer.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { judgedShow, type ShowSession, tickMs } from '../../../test/support/show-judge.ts';
import { type Span, spanText } from '../records/span.ts';
import type { SheetRow } from './sheet-groups.ts';
import { minutesEachOf } from './show-figures.ts';
import { ShowSheet } from './show-sheet.ts';

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
      expect(figuresOf(sessions)).toEqual(judgedShow(begin, sessions));
    }),
    { numRuns: 300 },
  );
});

test('a show that nobody watched has no minute', () => {
  const none = { uv: 0, pv: 0, watch_ms: 0, peak: 0, last_ms: 0, minutes_each: 1, minutes: [] };
  expect(figuresOf([])).toEqual(none);
  expect(figuresOf([{ viewer_id: 'a', spans: [] }])).toEqual(none);
});

test('who comes at the moment when another goes is not there with them', () => {
  const one = { show: begin, from: begin, to: begin + 60_000, position: 0 };
  const next = { show: begin, from: begin + 60_000, to: begin + 120_000, position: 60_000 };
  const { peak, minutes } = figuresOf([
    { viewer_id: 'a', spans: [one] },
    { viewer_id: 'b', spans: [next] },
  ]);
  expect(peak).toBe(1);
  expect(minutes).toEqual([
    { viewers: 1, came: 1, left: 1, seen: 1, stayed: 2 },
    { viewers: 1, came: 1, left: 1, seen: 1, stayed: 2 },
  ]);
});

test('a show of up to a day is told by minutes, a longer one by several at a time', () => {
  const hourMs = 3_600_000;
  expect(
    [0, 24 * hourMs, 25 * hourMs, 30 * 24 * hourMs, 400 * 24 * hourMs].map(minutesEachOf),
  ).toEqual([1, 1, 2, 30, 480]);
  const end = begin + 50 * hourMs;
  const spans = [{ show: begin, from: begin, to: end, position: 0 }];
  const { minutes_each, minutes } = figuresOf([{ viewer_id: 'a', spans }]);
  expect({ minutes_each, length: minutes.length }).toEqual({ minutes_each: 5, length: 600 });
  expect(minutes.every(({ viewers, seen, stayed }) => viewers + seen + stayed === 3)).toBeTrue();
});

function figuresOf(sessions: readonly ShowSession[]) {
  return sheetOf(sessions).count({}).figures;
}

function sheetOf(sessions: readonly ShowSession[]): ShowSheet {
  const sheet = new ShowSheet(begin);
  sheet.add(
    sessions.map(
      ({ viewer_id, spans }): SheetRow => ({ ...nobody, viewer_id, spans: spanText(spans) }),
    ),
  );
  return sheet;
}

const nobody = { nick: '', addr: '', device: '', browser: '', origin: '' };
