// Which sizes a push is shown in: by the short side, below the source's own, in even numbers, and of what shape.
import { describe, expect, test } from 'bun:test';
import { codecOf, coresOf, everyNthOf, pictureRungs, rungOf } from './ladder-rungs.ts';

describe('smaller sizes of', () => {
  for (const { source, rungs } of [
    { source: [1_920, 1_080], rungs: ['720p 1280x720', '480p 854x480', '360p 640x360'] },
    { source: [1_280, 720], rungs: ['480p 854x480', '360p 640x360'] },
    { source: [720, 1_280], rungs: ['480p 480x854', '360p 360x640'] },
    { source: [640, 480], rungs: ['360p 480x360'] },
    { source: [640, 360], rungs: [] },
    { source: [3_840, 2_160], rungs: ['720p 1280x720', '480p 854x480', '360p 640x360'] },
  ] as const)
    test(source.join('x'), () => {
      const [width, height] = source;
      const made = pictureRungs({ width, height });
      expect(made.map((one) => `${one.name} ${one.width}x${one.height}`)).toEqual([...rungs]);
    });
});

test('a size that was begun keeps its name when the picture turns, and is never above the source', () => {
  expect(rungOf('480p', { width: 720, height: 1_280 })).toMatchObject({ width: 480, height: 854 });
  expect(rungOf('480p', { width: 320, height: 240 })).toMatchObject({ width: 320, height: 240 });
});

test('above thirty pictures a second every second one is encoded', () => {
  expect([24, 25, 30, 30.3, 50, 60].map(everyNthOf)).toEqual([1, 1, 1, 1, 2, 2]);
});

test('a codec is known before there is a picture', () => {
  expect([codecOf('720p'), codecOf('360p')]).toEqual(['avc1.640020', 'avc1.64001f']);
});

test('what a ladder takes grows with its pixels', () => {
  const cores = (width: number, height: number, picturesPerSecond: number) =>
    coresOf({ width, height }, { rungs: pictureRungs({ width, height }), picturesPerSecond });
  expect(cores(1_280, 720, 30)).toBeCloseTo(0.3, 1);
  expect(cores(1_920, 1_080, 30)).toBeCloseTo(0.7, 1);
  expect(cores(1_280, 720, 60)).toBeLessThan(1.5 * cores(1_280, 720, 30));
});
