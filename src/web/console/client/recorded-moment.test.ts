// A moment of a show leads to the picture that was on: over cuts, and from recording to recording.
import { expect, test } from 'bun:test';
import { mediaAt, momentAt } from './recorded-moment.ts';

/** On air at once; cut for eight seconds after ten; two recordings. */
const show = {
  anchors: [
    { at_ms: -200, media_ms: 0 },
    { at_ms: 18_000, media_ms: 10_000 },
  ],
  recordings: [
    { video: 7, show_ms: 0, duration_ms: 10_000 },
    { video: 8, show_ms: 10_000, duration_ms: 20_000 },
  ],
};

test.each([
  [0, { video: 7, second: 0.2 }],
  [5_000, { video: 7, second: 5.2 }],
  // In the gap: the next recording begins with what came behind it.
  [14_000, { video: 8, second: 0 }],
  [18_000, { video: 8, second: 0 }],
  [20_000, { video: 8, second: 2 }],
  [38_500, { video: 8, second: 20.5 }],
  [45_000, undefined],
])('%d ms after its beginning', (atMs, moment) => {
  expect(momentAt(show, atMs)).toEqual(moment);
});

test('what was not recorded has no picture', () => {
  expect(momentAt({ ...show, recordings: [] }, 5_000)).toBeUndefined();
  expect(momentAt({ ...show, anchors: [] }, 5_000)).toBeUndefined();
  expect(momentAt({ ...show, recordings: show.recordings.slice(1) }, 5_000)).toBeUndefined();
});

test('media stands still while nothing is on', () => {
  expect(mediaAt(show.anchors, 12_000)).toBe(10_000);
  expect(mediaAt(show.anchors, -500)).toBe(0);
  expect(mediaAt([], 0)).toBeUndefined();
});
