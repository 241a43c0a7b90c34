// Packets that come before it is clear which tracks a push has.
import { pushLimits } from '../live/push-limits.ts';
import type { HeldBytes } from '../live/push-memory.ts';
import { isPicture, type TimedSample } from './pending-samples.ts';

/** What is asked after every packet is kept, not counted again: they may be a thousand. */
export class WaitingSamples {
  private readonly held: HeldBytes;

  samples: TimedSample[] = [];
  bytes = 0;
  hasPicture = false;
  private hasSound = false;

  constructor(held: HeldBytes) {
    this.held = held;
  }

  get hasBoth(): boolean {
    return this.hasPicture && this.hasSound;
  }

  /** From the first to the last. */
  get spanMs(): number {
    const [first] = this.samples;
    return first ? (this.samples.at(-1) ?? first).atMs - first.atMs : 0;
  }

  add(sample: TimedSample): void {
    // Lent bytes are gone when the other track comes.
    this.samples.push({ ...sample, bytes: new Uint8Array(sample.bytes) });
    this.count(sample);
  }

  /** Of sound alone. */
  dropBefore(ms: number): void {
    const kept = this.samples.filter(({ atMs }) => atMs >= ms);
    this.clear();
    for (const sample of kept) {
      this.samples.push(sample);
      this.count(sample);
    }
  }

  clear(): void {
    this.samples = [];
    this.bytes = 0;
    this.hasPicture = false;
    this.hasSound = false;
    this.held.set(0);
  }

  private count(sample: TimedSample): void {
    if (isPicture(sample)) this.hasPicture = true;
    else this.hasSound = true;
    this.bytes += sample.bytes.length;
    this.held.set(this.bytes + pushLimits.packetBytes * this.samples.length);
  }
}
