// Packets that come before it is clear which tracks a push has.
import { keep, type Lent } from '../../base/bytes/memory.ts';
import { pushLimits } from '../live/push-limits.ts';
import type { HeldBytes } from '../live/push-memory.ts';
import { isPicture, type TimedSample } from './segment-writer.ts';

/** A sample with a copy of its bytes. */
interface Kept {
  readonly sample: TimedSample;
  readonly bytes: Uint8Array;
}

/** Its sums are kept up with every packet and not counted anew: there may be a thousand. */
export class WaitingSamples {
  private readonly held: HeldBytes;

  kept: Kept[] = [];
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
    const [first] = this.kept;
    return first ? (this.kept.at(-1) ?? first).sample.atMs - first.sample.atMs : 0;
  }

  add(sample: TimedSample, bytes: Lent): void {
    this.kept.push({ sample, bytes: keep(bytes) });
    this.count(sample);
  }

  /** Of sound alone. */
  dropBefore(ms: number): void {
    const later = this.kept.filter(({ sample }) => sample.atMs >= ms);
    this.clear();
    for (const one of later) {
      this.kept.push(one);
      this.count(one.sample);
    }
  }

  clear(): void {
    this.kept = [];
    this.bytes = 0;
    this.hasPicture = false;
    this.hasSound = false;
    this.held.set(0);
  }

  private count(sample: TimedSample): void {
    if (isPicture(sample)) this.hasPicture = true;
    else this.hasSound = true;
    this.bytes += sample.size;
    this.held.set(this.bytes + pushLimits.packetBytes * this.kept.length);
  }
}
