// The bytes of a segment, as a player gets them whole.
import type { Segment } from '../../src/stream/packaging/fragment.ts';

export function wholeSegment({ parts }: Segment): Uint8Array {
  return Buffer.concat(parts.map(({ bytes }) => bytes));
}
