// The meter against players that play, stand still, jump and sleep.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type MeterSample, reportMsMax, WatchMeter } from './watch-meter.ts';

const playing = (nowMs: number, positionMs: number): MeterSample => ({
  nowMs,
  positionMs,
  isPlaying: true,
});

const stopped = (nowMs: number, positionMs: number): MeterSample => ({
  nowMs,
  positionMs,
  isPlaying: false,
});

function takenAfter(...samples: readonly MeterSample[]): number {
  const meter = new WatchMeter();
  for (const sample of samples) meter.add(sample);
  return meter.take().played_ms;
}

test('playing counts by the clock, also a little faster or slower than it', () => {
  expect(takenAfter(playing(0, 0), playing(250, 250), playing(500, 500))).toBe(500);
  expect(takenAfter(playing(0, 0), playing(1_000, 1_250))).toBe(1_000);
  expect(takenAfter(playing(0, 0), playing(1_000, 950))).toBe(1_000);
  // The seconds of the viewer's life, never those of the media.
  expect(takenAfter(playing(0, 0), playing(1_000, 2_000))).toBe(1_000);
});

test('what was taken is not taken again', () => {
  const meter = new WatchMeter();
  meter.add(playing(0, 0));
  meter.add(playing(400, 400));
  expect(meter.take().played_ms).toBe(400);
  expect(meter.take().played_ms).toBe(0);
  meter.add(playing(600, 600));
  expect(meter.take().played_ms).toBe(200);
});

test('a pause counts up to the moment it began, and not until it ends', () => {
  expect(
    takenAfter(playing(0, 0), stopped(300, 300), playing(9_000, 300), playing(9_200, 500)),
  ).toBe(500);
});

test('a player that plays and does not advance counts nothing', () => {
  expect(takenAfter(playing(0, 0), playing(5_000, 0))).toBe(0);
});

test('after a sleep only what the media advanced counts', () => {
  expect(takenAfter(playing(0, 0), playing(3_600_000, 120))).toBe(120);
});

test('a jump forwards counts as the moment before it, never as what it jumped over', () => {
  expect(takenAfter(playing(0, 0), stopped(250, 4_000))).toBe(250);
  expect(takenAfter(playing(0, 0), playing(60_000, 900_000))).toBe(500);
  expect(takenAfter(playing(0, 0), stopped(250, 4_000), playing(300, 4_000))).toBe(250);
});

test('a jump backwards counts nothing, and playing on from there does', () => {
  expect(takenAfter(playing(0, 9_000), playing(250, 1_000))).toBe(0);
  expect(takenAfter(playing(0, 9_000), playing(250, 1_000), playing(500, 1_250))).toBe(250);
});

test('a report holds no more than the service would count', () => {
  expect(takenAfter(playing(0, 0), playing(40_000, 40_000))).toBe(reportMsMax);
});

test('whatever is seen, it never counts more than the clock', () => {
  const steps = fc.array(
    fc.record({
      passedMs: fc.integer({ min: 0, max: 20_000 }),
      advancedMs: fc.integer({ min: -20_000, max: 20_000 }),
      isPlaying: fc.boolean(),
      isTaken: fc.boolean(),
    }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, (all) => {
      const meter = new WatchMeter();
      let nowMs = 0;
      let positionMs = 0;
      let playingMs = 0;
      let taken = 0;
      let wasPlaying = false;
      for (const { passedMs, advancedMs, isPlaying, isTaken } of all) {
        nowMs += passedMs;
        positionMs += advancedMs;
        if (wasPlaying) playingMs += passedMs;
        wasPlaying = isPlaying;
        meter.add({ nowMs, positionMs, isPlaying });
        if (isTaken) taken += meter.take().played_ms;
      }
      taken += meter.take().played_ms;
      expect(taken).toBeGreaterThanOrEqual(0);
      expect(taken).toBeLessThanOrEqual(playingMs);
    }),
  );
});

describe('what was shown', () => {
  const showing = (nowMs: number, positionMs: number, isPlaying = true): MeterSample => ({
    nowMs,
    positionMs,
    isPlaying,
    shownAt: 9_000_000 + positionMs,
  });

  test('is the last picture that was played', () => {
    const meter = new WatchMeter();
    expect(meter.add(showing(0, 0))).toBe(false);
    expect(meter.add(showing(400, 400))).toBe(false);
    expect(meter.take()).toEqual({ played_ms: 400, shown_at: 9_000_400 });
  });

  test.each([
    ['forward', 30_000],
    ['back', -30_000],
  ])('before a jump %s is what led to it, and the jump is told', (_, jumpMs) => {
    const meter = new WatchMeter();
    meter.add(showing(0, 100_000));
    meter.add(showing(400, 100_400));
    expect(meter.add(showing(600, 100_600 + jumpMs))).toBe(true);
    // It is sampled once more before it is reported.
    meter.add(showing(610, 100_610 + jumpMs));
    const { shown_at } = meter.take();
    expect(shown_at).toBeGreaterThanOrEqual(9_100_400);
    expect(shown_at).toBeLessThanOrEqual(9_100_600);
    meter.add(showing(1_000, 101_000 + jumpMs));
    expect(meter.take()).toEqual({ played_ms: 390, shown_at: 9_101_000 + jumpMs });
  });

  test('of a stream that was closed is what it would have come to', () => {
    const meter = new WatchMeter();
    meter.add(showing(0, 5_000));
    meter.add({ nowMs: 300, positionMs: 5_300, isPlaying: false });
    expect(meter.take()).toEqual({ played_ms: 300, shown_at: 9_005_300 });
  });

  test('is not told where nobody knows it', () => {
    const meter = new WatchMeter();
    meter.add(playing(0, 0));
    meter.add(playing(400, 400));
    expect(meter.take()).toEqual({ played_ms: 400 });
  });
});
