// A session that is found in the database goes on with what its page says again, and never with more.
import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { endlessShow } from '../../../test/support/some-show.ts';
import type { Said } from '../protocol/messages.ts';
import type { Entered } from '../records/audience-store.ts';
import { type VisitorTime, withCovered } from '../records/stretches.ts';
import { OnAir } from './on-air.ts';
import { PresentSession, PresentVisitor } from './present.ts';

const second = 1_000;
/** When the row's sums were last seen, and when the page came back. */
const seenAt = 100 * second;
const backAt = seenAt + 20 * second;

describe('after a kill', () => {
  test('what was said since the last flush counts, in session and visitor', () => {
    const said = { played_ms: 40_000, reports: [[12 * second, 8_000]] as const };
    expect(wentOn(said)).toEqual({ watch_ms: 38_000, online_ms: 58_000, visitorMs: 38_000 });
  });

  test('the gap until the page is back does not count, and then it goes on', () => {
    const session = found();
    session.goOn(undefined, backAt, onAir());
    expect(session.watch.sums).toMatchObject({ watch_ms: 30_000, online_ms: 50_000 });
    session.report(backAt + 5 * second, { played_ms: 5_000 }, onAir());
    expect(session.watch.sums).toMatchObject({ watch_ms: 35_000, online_ms: 55_000 });
  });

  test('a report that was flushed earns nothing, though a slow hello makes it seem later', () => {
    const said = { played_ms: 30_000, reports: [[18 * second, 10_000]] as const };
    expect(wentOn(said)).toMatchObject({ watch_ms: 30_000, visitorMs: 30_000 });
  });

  test('nothing counts off air', () => {
    const off = new OnAir(undefined, 0);
    const said = { played_ms: 90_000, reports: [[10 * second, 9_000]] as const };
    expect(wentOn(said, off)).toMatchObject({ watch_ms: 30_000, visitorMs: 30_000 });
  });

  test('with a clock that was set back nothing is heard again, and from now on it counts', () => {
    const back = seenAt - 10 * second;
    const session = found({ backAt: back });
    session.goOn({ played_ms: 90_000, reports: [[5 * second, 9_000]] }, back, onAir());
    expect(session.watch.sums).toMatchObject({ watch_ms: 30_000, online_ms: 50_000 });
    session.report(back + 5 * second, { played_ms: 15_000 }, onAir());
    expect(session.watch.sums).toEqual({
      watch_ms: 35_000,
      online_ms: 55_000,
      credited_until: seenAt + 5 * second,
      last_seen_at: seenAt + 5 * second,
      spans: null,
    });
    expect(visitorTime(session)).toMatchObject({
      watch_ms: 35_000,
      credited_until: seenAt + 5 * second,
    });
  });

  test('whatever is said, no more counts than the clock allows, and watching is being online', () => {
    const number = fc.oneof(fc.integer({ min: -120_000, max: 120_000 }), fc.double());
    const anything = fc.record({
      played_ms: number,
      reports: fc.array(fc.tuple(number, number), { maxLength: 60 }),
    });
    const gap = fc.integer({ min: -120_000, max: 120_000 });
    fc.assert(
      fc.property(anything, gap, (said, gapMs) => {
        const { watch_ms, online_ms, visitorMs } = wentOn(said, onAir(), seenAt + gapMs);
        expect(watch_ms).toBeGreaterThanOrEqual(30_000);
        expect(online_ms - 50_000).toBeGreaterThanOrEqual(watch_ms - 30_000);
        expect(online_ms - 50_000).toBeLessThanOrEqual(Math.max(0, gapMs));
        expect(visitorMs).toBe(watch_ms);
      }),
    );
  });
});

test('two tabs that come back to a clock that was set back count once', () => {
  const back = seenAt - 60 * second;
  const one = found({ backAt: back });
  const other = found({ backAt: back + 2 * second, visitor: one.visitor });
  one.report(back + 10 * second, { played_ms: 10_000 }, onAir());
  other.report(back + 11 * second, { played_ms: 10_000 }, onAir());
  expect(visitorTime(one, other).watch_ms).toBe(30_000 + 11_000);
});

test('tabs that claim all they can after a set-back get what they play from then on, and no more than has passed', () => {
  const everything: Said = {
    played_ms: 1_000_000,
    reports: Array.from({ length: 60 }, (_, n) => [(60 - n) * 1.5 * second, 15_000]),
  };
  const story = fc.record({
    seenAgoMs: fc.tuple(fc.nat(25_000), fc.nat(25_000)),
    goneMs: fc.tuple(fc.nat(40_000), fc.nat(40_000)).map((all) => all.sort((a, b) => a - b)),
    setBackMs: fc.nat(60_000),
  });
  fc.assert(
    fc.property(story, ({ seenAgoMs, goneMs, setBackMs }) => {
      const visitor = new PresentVisitor(viewer);
      const tabs = goneMs.map((ms, n) => {
        const back = seenAt + ms - setBackMs;
        const tabSeenAt = seenAt - (seenAgoMs[n] ?? 0);
        const tab = found({ backAt: back, visitor, tabSeenAt });
        tab.goOn(everything, back, onAir());
        return { tab, back, passedMs: seenAt + ms - tabSeenAt };
      });
      for (const { tab, back } of tabs)
        tab.report(back + 10 * second, { played_ms: 10_000 }, onAir());
      const expectFair = (watch_ms: number, passedMs: number) => {
        expect(watch_ms - 30_000).toBeGreaterThanOrEqual(10_000);
        expect(watch_ms - 30_000).toBeLessThanOrEqual(passedMs + 10_000);
      };
      for (const { tab, passedMs } of tabs) expectFair(tab.watch.sums.watch_ms, passedMs);
      expectFair(visitorTime(...tabs.map(({ tab }) => tab)).watch_ms, goneMs[1] ?? 0);
    }),
    { numRuns: 300 },
  );
});

describe('a visitor', () => {
  const { visitor } = found({ visitor_seq: 7, numbering: 3 });

  test.each([
    ['entered later', { first_entered_at: 1, numbering: 4 }],
    ['entered at the same time under another number', { visitor_seq: 8 }],
  ] as const)('was erased where its row %s', (_, changes) => {
    expect(visitor.isBefore(row({ visitor_seq: 7, numbering: 3, ...changes }))).toBe(true);
  });

  test.each([
    ['is as it was', {}],
    ['has another number by an import', { visitor_seq: 8, numbering: 4 }],
    ['was given an earlier entry by an import', { first_entered_at: -1, numbering: 4 }],
  ] as const)('was not erased where its row %s', (_, changes) => {
    expect(visitor.isBefore(row({ visitor_seq: 7, numbering: 3, ...changes }))).toBe(false);
  });
});

function onAir(): OnAir {
  return new OnAir(endlessShow(0), 0);
}

function wentOn(said: Said, air = onAir(), at = backAt) {
  const session = found({ backAt: at });
  session.goOn(said, at, air);
  const { watch_ms, online_ms } = session.watch.sums;
  return { watch_ms, online_ms, visitorMs: visitorTime(session).watch_ms };
}

/** What the visitor's row has when these sessions of it are written. */
function visitorTime(...sessions: PresentSession[]): VisitorTime {
  const { credited_until } = row({}).visitor;
  const time = { watch_ms: 30_000, credited_until };
  const before = { ...time, settled_until: null, stretch_from: null, stretches: null };
  const intervals = sessions.flatMap(({ visitor, watch }) =>
    watch.unwritten.map(({ from, to }) => ({
      from: from + visitor.aheadMs,
      to: to + visitor.aheadMs,
    })),
  );
  return withCovered(before, { intervals, settleUntil: 0 });
}

/** What is other than usual of a session that is found again. */
interface FoundRow {
  backAt: number;
  visitor: PresentVisitor;
  /** The session; the visitor was until `seenAt`. */
  tabSeenAt: number;
  visitor_seq: number;
  numbering: number;
  first_entered_at: number;
}

function found(given: Partial<FoundRow> = {}): PresentSession {
  const { backAt: at = backAt, visitor = new PresentVisitor(viewer) } = given;
  const entered = row(given);
  visitor.entered(entered, at);
  return new PresentSession({ channel_id: 1, visitor, entered, instance: 'i', at });
}

const viewer = { viewer_id: 'a', author: 'x', nick: '' };

/** As the database has it: 50 s online, 30 of them watched. */
function row(given: Partial<FoundRow>): Entered {
  const { tabSeenAt = seenAt, visitor_seq = 1, numbering = 0, first_entered_at = 0 } = given;
  return {
    record_id: 1,
    session_seq: 1,
    visitor_seq,
    numbering,
    entered_at: 0,
    isResumed: true,
    session: {
      online_ms: 50_000,
      watch_ms: 30_000,
      credited_until: tabSeenAt,
      last_seen_at: tabSeenAt,
      spans: null,
    },
    visitor: { credited_until: seenAt, first_entered_at, nick: '' },
  };
}
