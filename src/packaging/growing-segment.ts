// A segment while it grows, and the one buffer it becomes.
import { join } from '../media/mp4-box.ts';
import type { Init, Part, Segment } from './fragment.ts';

export class GrowingSegment implements Segment {
  readonly sequence: number;
  readonly init: Init;
  readonly isDiscontinuity: boolean;
  readonly startsAt: number;
  readonly startMs: number;

  readonly parts: Part[] = [];
  durationMs = 0;
  isComplete = false;

  constructor(options: {
    sequence: number;
    init: Init;
    isDiscontinuity: boolean;
    startsAt: number;
    startMs: number;
  }) {
    this.sequence = options.sequence;
    this.init = options.init;
    this.isDiscontinuity = options.isDiscontinuity;
    this.startsAt = options.startsAt;
    this.startMs = options.startMs;
  }

  add(part: Part): void {
    this.parts.push(part);
    this.durationMs += part.durationMs;
  }

  /** From here on its parts are views of one buffer: it is sent whole without joining, and kept once. */
  complete(): void {
    const size = this.parts.reduce((sum, part) => sum + part.bytes.length, 0);
    const pieces = this.parts.map((part) => part.bytes);
    const whole = join(pieces, size);
    let at = 0;
    for (const [n, part] of this.parts.entries()) {
      const end = at + part.bytes.length;
      this.parts[n] = { ...part, bytes: whole.subarray(at, end) };
      at = end;
    }
    this.isComplete = true;
  }
}

/** All bytes of a complete segment, without a copy. */
export function wholeSegment(segment: Segment): Uint8Array {
  const [first] = segment.parts;
  if (!segment.isComplete || !first) throw new Error(`segment ${segment.sequence} still grows`);
  return new Uint8Array(first.bytes.buffer);
}
