// How far apart media comes, by what is seen of its end.
import { expect, test } from 'bun:test';
import { LiveRhythm } from './live-rhythm.ts';

/** Looked at every so often while a piece comes each `pieceMs`. */
function seen(pieceMs: number, { forMs = 30_000, lookMs = 50 } = {}): LiveRhythm {
  const rhythm = new LiveRhythm();
  for (let nowMs = 0; nowMs < forMs; nowMs += lookMs)
    rhythm.add(nowMs, Math.floor(nowMs / pieceMs) * pieceMs);
  return rhythm;
}

test('parts and segments have a rhythm of their own', () => {
  expect(seen(200).ms).toBeWithin(200, 300);
  expect(seen(2_000).ms).toBeWithin(2_000, 2_500);
});

test('nothing is known of what has not come twice, nor of what came after a long silence', () => {
  expect(new LiveRhythm().ms).toBe(0);
  expect(seen(2_000, { forMs: 2_000 }).ms).toBe(0);
  expect(seen(20_000, { forMs: 50_000 }).ms).toBe(0);
});

test('looked at too seldom nothing is learned', () => {
  expect(seen(200, { lookMs: 1_000 }).ms).toBe(0);
});

test('what is thrown away is no arrival', () => {
  const rhythm = seen(200);
  const before = rhythm.ms;
  rhythm.add(30_000, 5_000);
  expect(rhythm.ms).toBe(before);
});
