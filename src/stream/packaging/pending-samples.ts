// Packets with their times, waiting for the end of the part they go into.
import { GrowingBytes } from '../../base/bytes/growing-bytes.ts';
import type { Sample } from '../formats/fmp4.ts';
import { timescaleOf } from '../formats/fmp4-init.ts';
import type { Track } from '../formats/packet.ts';
import { pushLimits } from '../live/push-limits.ts';
import { type HeldBytes, uncounted } from '../live/push-memory.ts';

export interface TimedSample extends Sample {
  readonly track: Track;
  /** On the timeline of the push. */
  readonly atMs: number;
  /** The same in the track's timescale. */
  readonly time: number;
  /** In the track's timescale; 0 for a picture until the next one has come. */
  duration: number;
  /** Lent, until it waits here. */
  bytes: Uint8Array;
}

/** A part as long as it may be, and a sample behind it that did not fit. */
const memoryBytesMax = 2 * pushLimits.partBytes;

export class PendingSamples {
  private readonly held: HeldBytes;

  private readonly pictures: TimedSample[] = [];
  private readonly sounds: TimedSample[] = [];
  /** Used again for every part. */
  private readonly memory = new GrowingBytes(memoryBytesMax, { areViewsKept: true });
  private heldBytes = 0;
  /** Of those that have left the memory and still wait. */
  private movedBytes = 0;

  constructor(held = uncounted) {
    this.held = held;
  }

  get bytes(): number {
    return this.heldBytes;
  }

  get lastPicture(): TimedSample | undefined {
    return this.pictures.at(-1);
  }

  add(sample: TimedSample): void {
    this.heldBytes += sample.bytes.length;
    if (!this.memory.append(sample.bytes)) throw new Error('more than a part may hold');
    sample.bytes = this.memory.last(sample.bytes.length);
    if (isPicture(sample)) this.pictures.push(sample);
    else this.sounds.push(sample);
    this.count();
  }

  /** Nothing of it is needed any more. */
  clear(): void {
    this.takeBefore(Infinity);
    this.memory.free();
    this.held.set(0);
  }

  /**
   * Removes what begins before `border`; a picture stays until its duration is known. What was removed is good
   * until the next `add`.
   */
  takeBefore(border: number): { pictures: TimedSample[]; sounds: TimedSample[] } {
    const pictures = takeBefore(this.pictures, border);
    const sounds = takeBefore(this.sounds, border);
    for (const { bytes } of pictures) this.heldBytes -= bytes.length;
    for (const { bytes } of sounds) this.heldBytes -= bytes.length;
    this.movedBytes = this.heldBytes;
    this.moveOut(this.pictures);
    this.moveOut(this.sounds);
    this.memory.restart();
    this.count();
    return { pictures, sounds };
  }

  /** Where the first that can be taken begins; infinite where there is none. */
  get startMs(): number {
    const [picture] = this.pictures;
    const [sound] = this.sounds;
    const pictureMs = picture && picture.duration > 0 ? picture.atMs : Infinity;
    return Math.min(pictureMs, Math.floor(sound?.atMs ?? Infinity));
  }

  /** Where the last one begins, and where it ends. */
  get lastMs(): number {
    return Math.max(0, ...this.lasts.map(({ atMs }) => atMs));
  }

  get endMs(): number {
    return Math.max(0, ...this.lasts.map((sample) => sample.atMs + durationMsOf(sample)));
  }

  /** The few that go on waiting leave the memory to the next part, and hold no more than their own bytes. */
  private moveOut(samples: readonly TimedSample[]): void {
    for (const sample of samples) {
      const isOwn = sample.bytes.length === sample.bytes.buffer.byteLength;
      if (!isOwn) sample.bytes = new Uint8Array(sample.bytes);
    }
  }

  private count(): void {
    const packets = this.pictures.length + this.sounds.length;
    this.held.set(this.memory.capacity + this.movedBytes + pushLimits.packetBytes * packets);
  }

  private get lasts(): TimedSample[] {
    return [this.pictures.at(-1), this.sounds.at(-1)].filter((sample) => sample !== undefined);
  }
}

export function isPicture({ track }: TimedSample): boolean {
  return track.kind === 'video';
}

function durationMsOf({ duration, track }: TimedSample): number {
  return (duration * 1000) / timescaleOf(track);
}

function takeBefore(samples: TimedSample[], border: number): TimedSample[] {
  const end = samples.findIndex(({ atMs, duration }) => atMs >= border || duration === 0);
  return samples.splice(0, end === -1 ? samples.length : end);
}
