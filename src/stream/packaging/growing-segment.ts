// A segment while it grows: it owns the memory of its parts, and gives it back when nobody holds it.
import type { HeldSegment, Init, Part, Segment } from './fragment.ts';

export class GrowingSegment implements Segment {
  readonly sequence: number;
  readonly epoch: number;
  readonly init: Init;
  readonly isDiscontinuity: boolean;
  readonly startsAt: number;
  readonly startMs: number;

  readonly parts: Part[] = [];
  durationMs = 0;
  size = 0;
  isComplete = false;
  isSealed = false;
  private readonly holds = new Set<HeldSegment>();

  constructor(options: {
    sequence: number;
    epoch?: number;
    init: Init;
    isDiscontinuity: boolean;
    startsAt: number;
    startMs: number;
  }) {
    this.sequence = options.sequence;
    this.epoch = options.epoch ?? 0;
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

  /** Nothing is added, and what is there is shown for longer. */
  stretch(ms: number): void {
    this.durationMs += ms;
  }

  complete(): void {
    this.isComplete = true;
  }

  /** Nothing more of it will come, though there was more. */
  seal(): void {
    this.isSealed = true;
    this.isComplete = true;
  }

  hold(): HeldSegment {
    const held: HeldSegment = {
      segment: this,
      parts: this.parts,
      release: () => this.release(held),
    };
    this.holds.add(held);
    return held;
  }

  private release(held: HeldSegment): void {
    if (!this.holds.delete(held)) throw new Error('a segment is released twice');
    if (this.holds.size > 0) return;
    for (const { bytes } of this.parts) bytes.buffer.transfer(0);
  }
}
