// A session that is found in the database goes on with what its page says again, and never with more.
import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { OnAir } from './on-air.ts';
import { PresentSession, PresentVisitor } from './present.ts';
import type { Said } from './wire.ts';

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
    session.report(backAt + 5 * second, 5_000, onAir());
    expect(session.watch.sums).toMatchObject({ watch_ms: 35_000, online_ms: 55_000 });
  });

  test('a report that was flushed earns nothing, though a slow hello makes it seem later', () => {
    const said = { played_ms: 30_000, reports: [[18 * second, 10_000]] as const };
    expect(wentOn(said)).toMatchObject({ watch_ms: 30_000, visitorMs: 30_000 });
  });

  test('nothing counts off air', () => {
    const off = new OnAir(false, 0);
    const said = { played_ms: 90_000, reports: [[10 * second, 9_000]] as const };
    expect(wentOn(said, off)).toMatchObject({ watch_ms: 30_000, visitorMs: 30_000 });
  });

  test('whatever is said, no more counts than the clock allows, and watching is being online', () => {
    const number = fc.oneof(fc.integer({ min: -60_000, max: 60_000 }), fc.double());
    const anything = fc.record({
      played_ms: number,
      reports: fc.array(fc.tuple(number, number), { maxLength: 30 }),
    });
    fc.assert(
      fc.property(anything, (said) => {
        const { watch_ms, online_ms, visitorMs } = wentOn(said);
        expect(watch_ms).toBeGreaterThanOrEqual(30_000);
        expect(watch_ms - 30_000).toBeLessThanOrEqual(backAt - seenAt);
        expect(online_ms - 50_000).toBeGreaterThanOrEqual(watch_ms - 30_000);
        expect(online_ms - 50_000).toBeLessThanOrEqual(backAt - seenAt);
        expect(visitorMs).toBe(watch_ms);
      }),
    );
  });
});

function onAir(): OnAir {
  return new OnAir(true, 0);
}

function wentOn(said: Said, air = onAir()) {
  const session = found();
  session.goOn(said, backAt, air);
  const { watch_ms, online_ms } = session.watch.sums;
  return { watch_ms, online_ms, visitorMs: session.visitor.covered.watch_ms };
}

/** As the database has it: 50 s online, 30 of them watched. */
function found(): PresentSession {
  const sums = { watch_ms: 30_000, credited_until: seenAt };
  const entered = {
    record_id: 1,
    session_seq: 1,
    visitor_seq: 1,
    numbering: 0,
    entered_at: 0,
    isResumed: true,
    session: { ...sums, online_ms: 50_000, last_seen_at: seenAt },
    visitor: { ...sums, first_entered_at: 0, nick: '' },
  };
  const visitor = new PresentVisitor({ viewer_id: 'a', author: 'x', nick: '' });
  visitor.entered(entered);
  return new PresentSession({ channel_id: 1, visitor, entered, instance: 'i', at: backAt });
}
