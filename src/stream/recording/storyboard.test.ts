// Which pictures a storyboard has, and where they stand.
import { expect, test } from 'bun:test';
import { sheetFiles, storyboardOf, storyboardSize, storyboardText } from './storyboard.ts';

test.each([
  [1, 2, 1],
  [60, 2, 30],
  [800, 2, 400],
  [801, 3, 267],
  [3_600, 9, 400],
  [43_200, 108, 400],
  [100_000, 250, 400],
])('a recording of %d s has a picture every %d s', (duration, every, count) => {
  const { everySeconds, moments } = storyboardOf(duration);
  expect([everySeconds, moments.length]).toEqual([every, count]);
  expect(moments[0]).toBeLessThanOrEqual(duration);
  expect(moments.at(-1)).toBeLessThanOrEqual(duration);
});

test.each([
  ['landscape', 1_280, 720, 192, 108],
  ['portrait', 720, 1_280, 108, 192],
  ['a square', 500, 500, 192, 192],
  ['a strip', 1_920, 100, 192, 10],
])('%s is shown as it is', (_, width, height, ...size) => {
  expect(Object.values(storyboardSize({ width, height }))).toEqual(size);
});

test('each stretch has its picture, and every sheet is a file of the recording', () => {
  const text = storyboardText(storyboardOf(43_200), { width: 192, height: 108 });
  const cues = text.split('\n\n').slice(1);
  expect(cues).toHaveLength(400);
  expect(cues[0]).toBe('00:00:00.000 --> 00:01:48.000\nstoryboard0.jpg#xywh=0,0,192,108');
  expect(cues[111]).toBe('03:19:48.000 --> 03:21:36.000\nstoryboard1.jpg#xywh=192,108,192,108');
  expect(cues[399]?.trim()).toBe(
    '11:58:12.000 --> 12:00:00.000\nstoryboard3.jpg#xywh=1728,972,192,108',
  );
  const named = new Set(cues.map((cue) => /\n(\S+)#/.exec(cue)?.[1]));
  expect([...named]).toEqual([...sheetFiles]);
});
