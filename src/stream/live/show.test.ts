// A show's media against the wall's clock: without gaps, with them, and beyond its ends.
import { expect, test } from 'bun:test';
import { Show } from './show.ts';

const begin = 1_800_000_000_000;

/** Segments of two seconds that begin at these times. */
function shown(...starts: readonly number[]): Show {
  const show = new Show(begin);
  for (const start of starts) {
    show.add(200, begin + start);
    show.add(1_800, undefined);
  }
  return show;
}

test('media that goes on with the clock has one anchor', () => {
  const show = shown(-400, 1_600, 3_601, 5_595);
  expect(show.anchors).toEqual([{ mediaMs: 0, wallMs: begin - 400 }]);
  expect(show.mediaMs).toBe(8_000);
  expect(show.positionAt(begin)).toBe(400);
  expect(show.positionAt(begin + 5_000)).toBe(5_400);
});

test('a cut is a gap in the dates and none in the media', () => {
  const show = shown(0, 2_000, 9_000, 11_000);
  expect(show.anchors).toEqual([
    { mediaMs: 0, wallMs: begin },
    { mediaMs: 4_000, wallMs: begin + 9_000 },
  ]);
  expect(show.positionAt(begin + 3_000)).toBe(3_000);
  expect(show.positionAt(begin + 6_000)).toBe(4_000);
  expect(show.positionAt(begin + 9_500)).toBe(4_500);
});

test('what has a date before it is its beginning, after it its end', () => {
  const show = shown(0, 2_000);
  expect(show.positionAt(begin - 1)).toBe(0);
  expect(show.positionAt(begin + 60_000)).toBe(4_000);
  expect(show.firstDate).toBe(begin);
});

test('only a part before which there is a gap is told as one', () => {
  const show = new Show(begin);
  expect(show.add(200, begin)).toBe(true);
  expect(show.add(1_800, undefined)).toBe(false);
  expect(show.add(200, begin + 2_019)).toBe(false);
  expect(show.add(1_800, undefined)).toBe(false);
  expect(show.add(200, begin + 4_020)).toBe(true);
});

test('an encoder whose clock is wrong for days does not fill the memory', () => {
  const show = new Show(begin);
  for (let n = 0; n < 10_000; n++) show.add(2_000, begin + n * 3_000);
  expect(show.anchors.length).toBe(4_320);
});

test('one that a row tells of ends when it was last on', () => {
  const anchors = [
    { mediaMs: 0, wallMs: begin },
    { mediaMs: 4_000, wallMs: begin + 9_000 },
  ];
  const show = Show.until(begin + 12_000, begin, anchors);
  expect(show.mediaMs).toBe(7_000);
  expect(show.positionAt(begin + 60_000)).toBe(7_000);
});
