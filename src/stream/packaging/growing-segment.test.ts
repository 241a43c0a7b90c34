import { describe, expect, test } from 'bun:test';
import { GrowingSegment } from './growing-segment.ts';

function segmentOf(...sizes: number[]): GrowingSegment {
  const init = { sequence: 1, bytes: new Uint8Array(8), tracks: [] };
  const place = { sequence: 1, startsAt: 0, startMs: 0 };
  const segment = new GrowingSegment({ ...place, init, isDiscontinuity: false });
  for (const [n, size] of sizes.entries()) {
    const bytes = new Uint8Array(size).fill(n + 1);
    segment.add({ bytes, durationMs: 200, isIndependent: n === 0 });
  }
  segment.complete();
  return segment;
}

const sizesOf = ({ parts }: GrowingSegment) => parts.map(({ bytes }) => bytes.length);

describe('the memory of a segment', () => {
  test('goes back when the last who held it lets go', () => {
    const segment = segmentOf(100, 200, 300);
    const one = segment.hold();
    const other = segment.hold();
    one.release();
    expect(sizesOf(segment)).toEqual([100, 200, 300]);
    // It is not another's to give up.
    expect(() => one.release()).toThrow('released twice');
    expect(other.parts.map(({ bytes }) => bytes.length)).toEqual([100, 200, 300]);
    other.release();
    expect(sizesOf(segment)).toEqual([0, 0, 0]);
  });
});
