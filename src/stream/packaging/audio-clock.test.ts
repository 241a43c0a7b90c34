import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { AudioClock } from './audio-clock.ts';

const clock = (notBeforeMs = 0) =>
  new AudioClock({ sampleRate: 48_000, frameSamples: 960, notBeforeMs });

test('the first stamp counts as it is, later frames are counted', () => {
  const one = clock();
  expect([1000, 1021, 1039, 1063].map((stamp) => one.take(stamp))).toEqual([
    48_000, 48_960, 49_920, 50_880,
  ]);
  expect(one.endMs).toBe(1080);
});

test('stamps that run ahead by more than 100 ms make a gap', () => {
  const one = clock();
  one.take(0);
  expect(one.take(120)).toBe(960);
  expect(one.take(141)).toBe(141 * 48);
});

test('frames above what the stamps have room for are dropped until they fit', () => {
  const one = clock();
  const taken = Array.from({ length: 8 }, () => one.take(0));
  expect(taken).toEqual([0, 960, 1920, 2880, 3840, 4800, undefined, undefined]);
  expect(one.take(20)).toBe(5760);
});

test('after a restart a small step counts too, but time does not go back', () => {
  const one = clock();
  one.take(0);
  one.restart();
  expect(one.take(60)).toBe(60 * 48);
  one.restart();
  expect(one.take(60)).toBe(80 * 48);
});

test('a clock goes on where the one before it ended', () => {
  expect(clock(500).take(490)).toBe(24_000);
});

test('whatever the stamps, frames never overlap and keep within 100 ms and a frame of them', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 }), (steps) => {
      const one = clock();
      let stamp = 0;
      let end = 0;
      for (const step of steps) {
        stamp += step;
        const begins = one.take(stamp);
        if (begins === undefined) continue;
        expect(begins).toBeGreaterThanOrEqual(end);
        expect(Math.abs(begins / 48 - stamp)).toBeLessThanOrEqual(100);
        end = begins + 960;
      }
    }),
  );
});
