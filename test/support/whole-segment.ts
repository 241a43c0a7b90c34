// The bytes of a segment, as a player gets them whole.
import { keep } from '../../src/base/bytes/memory.ts';
import type { Segment } from '../../src/stream/packaging/fragment.ts';

export function wholeSegment({ parts }: Segment): Uint8Array {
  return Buffer.concat(parts.map(({ bytes }) => keep(bytes)));
}
