// Audio times counted in samples: RTMP stamps are whole milliseconds and jitter, sound does not.

/** How far a push's stamps may wander from what was counted: less than a listener notices beside a picture. */
const jitterMs = 100;

export class AudioClock {
  private readonly sampleRate: number;
  private readonly frameSamples: number;
  private readonly toleranceMs: number;

  /** When the next frame begins, in samples; never goes back. */
  private next: number;
  private isCounting = false;

  /** `notBeforeMs`: where the clock before this one came to. */
  constructor(options: {
    sampleRate: number;
    frameSamples: number;
    notBeforeMs: number;
    toleranceMs?: number | undefined;
  }) {
    this.sampleRate = options.sampleRate;
    this.frameSamples = options.frameSamples;
    this.toleranceMs = options.toleranceMs ?? jitterMs;
    this.next = Math.ceil((options.notBeforeMs * this.sampleRate) / 1000);
  }

  /** When the frame with this stamp begins, in samples; undefined: it came too early and is to be dropped. */
  take(stampMs: number): number | undefined {
    const stamped = Math.round((stampMs * this.sampleRate) / 1000);
    const tolerance = this.isCounting ? (this.toleranceMs * this.sampleRate) / 1000 : 0;
    // Too little sound came: a gap.
    if (stamped - this.next > tolerance) this.next = stamped;
    // Too much came: what is over the time it stands for.
    if (this.isCounting && this.next - stamped > tolerance) return undefined;
    this.isCounting = true;
    const begins = this.next;
    this.next += this.frameSamples;
    return begins;
  }

  /** The next sound does not join the last: its first stamp counts as it is. */
  restart(): void {
    this.isCounting = false;
  }

  /** Where the frames so far end. */
  get endMs(): number {
    return (this.next * 1000) / this.sampleRate;
  }
}
