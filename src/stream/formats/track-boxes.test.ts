// How a picture is turned is written into its track's header, and read back.
import { expect, test } from 'bun:test';
import { videoTrack } from '../../../test/fixtures/media/synthetic.ts';
import { initSegment } from './fmp4-init.ts';
import { readInit } from './fmp4-reader.ts';
import { shownSize } from './packet.ts';
import { rotationOf } from './track-boxes.ts';

test.each([0, 90, 180, 270] as const)('turned by %d', (rotation) => {
  const [track] = readInit(initSegment([{ ...videoTrack, rotation }]));
  expect(track?.rotation).toBe(rotation);
  const { width, height } = videoTrack;
  const isUpright = rotation === 90 || rotation === 270;
  expect(shownSize({ ...videoTrack, rotation })).toEqual(
    isUpright ? { width: height, height: width } : { width, height },
  );
});

test('a matrix that does something else turns nothing', () => {
  for (const matrix of [[], [0, 0, 0, 0, 0], [-1, 0, 0, 0, 1], [1, 1, 0, -1, 1]])
    expect(rotationOf(matrix)).toBe(0);
});
