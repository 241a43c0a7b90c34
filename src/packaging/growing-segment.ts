// A segment while it grows, and the one buffer it becomes when a player asks for it whole.
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
  size = 0;
  isComplete = false;
  private joined: Uint8Array | undefined;
  private holders = 0;

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
    this.size += part.bytes.length;
  }

  complete(): void {
    this.isComplete = true;
  }

  hold(): void {
    this.holders += 1;
  }

  release(): void {
    if (this.holders === 0) throw new Error('nobody holds the segment');
    this.holders -= 1;
    if (this.holders > 0) return;
    const buffers = new Set(this.parts.map(({ bytes }) => bytes.buffer as ArrayBuffer));
    for (const buffer of buffers) buffer.transfer(0);
  }

  /** All bytes, joined for the first who asks: players near the live edge never do. */
  get whole(): Uint8Array {
    this.joined ??= this.join();
    return this.joined;
  }

  /** Its parts become views of the one buffer, so that it is kept once. */
  private join(): Uint8Array {
    const whole = join(
      this.parts.map((part) => part.bytes),
      this.size,
    );
    let at = 0;
    for (const [n, part] of this.parts.entries()) {
      const end = at + part.bytes.length;
      this.parts[n] = { ...part, bytes: whole.subarray(at, end) };
      at = end;
    }
    return whole;
  }
}

/** All bytes of a complete segment. */
export function wholeSegment(segment: Segment): Uint8Array {
  if (!(segment instanceof GrowingSegment) || !segment.isComplete)
    throw new Error(`segment ${segment.sequence} still grows`);
  return segment.whole;
}
