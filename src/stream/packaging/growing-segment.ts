// A segment while it grows, and its memory, which goes back when nobody holds it.
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
}
