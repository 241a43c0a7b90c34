// The margin against arrivals made up for it: on time, late, after a gap, and players that nearly stalled.
import { describe, expect, test } from 'bun:test';
import { LiveMargin, marginMsMax, marginMsMin } from './live-margin.ts';

const partMs = 200;

/** A part each 200 ms, each as late as is said, with enough in front of the player. */
function feed(margin: LiveMargin, from: number, latenessMs: readonly number[]): number {
  latenessMs.forEach((lateMs, at) => {
    const endMs = (from + at) * partMs;
    margin.add({
      nowMs: endMs + lateMs,
      endMs,
      aheadMs: 500,
      isStarved: false,
      usualGapMs: partMs,
    });
  });
  return from + latenessMs.length;
}

function times(count: number, lateMs: number): number[] {
  return Array<number>(count).fill(lateMs);
}

describe('the margin', () => {
  test('is least while everything comes on time', () => {
    const margin = new LiveMargin();
    feed(margin, 0, times(500, 10));
    expect(margin.ms).toBe(marginMsMin);
  });

  test('covers what was once late, before it has hurt', () => {
    const margin = new LiveMargin();
    feed(margin, 0, [...times(50, 10), 310, ...times(5, 10)]);
    expect(margin.ms).toBeGreaterThan(390);
    expect(margin.ms).toBeLessThanOrEqual(400);
  });

  test('forgets it after half a minute, slowly', () => {
    const margin = new LiveMargin();
    const next = feed(margin, 0, [...times(50, 10), 310, ...times(140, 10)]);
    expect(margin.ms).toBeGreaterThan(350);
    feed(margin, next, times(300, 10));
    expect(margin.ms).toBe(marginMsMin);
  });

  test('does not count a gap of the source', () => {
    const margin = new LiveMargin();
    const next = feed(margin, 0, times(50, 10));
    // What follows the gap is as late as the gap was long, and stays so.
    feed(margin, next, times(50, 5_010));
    expect(margin.ms).toBe(marginMsMin);
  });

  test('grows with each close call of the player itself, and shrinks again', () => {
    const margin = new LiveMargin();
    let nowMs = 0;
    const see = (aheadMs: number, isStarved = false) => {
      nowMs += 50;
      margin.add({ nowMs, endMs: 0, aheadMs, isStarved, usualGapMs: partMs });
    };
    for (let call = 0; call < 3; call++) {
      see(30);
      see(30);
      see(300);
    }
    expect(margin.ms).toBeGreaterThan(240);
    see(300, true);
    expect(margin.ms).toBeGreaterThan(290);
    for (let n = 0; n < 20 * 180; n++) see(300);
    expect(margin.ms).toBe(marginMsMin);
  });

  test('has a bound, whatever comes', () => {
    const margin = new LiveMargin();
    feed(margin, 0, [...times(40, 900), 1_850, ...times(60, 10)]);
    expect(margin.ms).toBe(marginMsMax);
  });
});
