// Which variants a recording gets, and how large they are.
import { expect, test } from 'bun:test';
import { sourceVariants, variantSize, variantsOf } from './variants.ts';

test.each([
  ['1080p', 1920, 1080, ['480', '720'], ['1080']],
  ['4K', 3840, 2160, ['480', '720', '1080'], []],
  ['720p', 1280, 720, ['480'], ['720']],
  ['540p', 960, 540, ['480'], []],
  ['480p', 854, 480, [], ['480']],
  ['a small one', 320, 180, [], []],
  ['1080p in portrait', 1080, 1920, ['480', '720'], ['1080']],
  ['sound alone', 0, 0, [], []],
] as const)('%s', (_name, width, height, made, same) => {
  expect(variantsOf(width, height)).toEqual([...made]);
  expect(sourceVariants(width, height)).toEqual([...same]);
});

test('a variant keeps the shape of the source, in even numbers', () => {
  expect(variantSize('480', { width: 1920, height: 1080 })).toEqual({ width: 854, height: 480 });
  expect(variantSize('480', { width: 1080, height: 1920 })).toEqual({ width: 480, height: 854 });
  expect(variantSize('720', { width: 1440, height: 1080 })).toEqual({ width: 960, height: 720 });
});
