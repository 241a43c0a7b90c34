// Bytes that come in pieces, in one buffer that grows only as they come.

/** What most messages fit in is allocated once; beyond it a length that was a lie costs little. */
const firstBytesMax = 65_536;

export class GrowingBytes {
  private lengthMax: number;
  private readonly areViewsKept: boolean;
  private buffer: Uint8Array<ArrayBuffer>;
  private end = 0;

  /**
   * `lengthMax` is the caller's to check; a buffer never grows beyond it. Where views are kept while it grows, what it
   * has outgrown is the collector's; else it goes back at once.
   */
  constructor(lengthMax: number, { areViewsKept = false } = {}) {
    this.lengthMax = lengthMax;
    this.areViewsKept = areViewsKept;
    this.buffer = new Uint8Array(Math.min(lengthMax, firstBytesMax));
  }

  get length(): number {
    return this.end;
  }

  /** What it costs, filled or not. */
  get capacity(): number {
    return this.buffer.length;
  }

  get isFull(): boolean {
    return this.end === this.lengthMax;
  }

  /** The bytes so far, not a copy; once full, all of them. */
  get bytes(): Uint8Array {
    return this.buffer.subarray(0, this.end);
  }

  /** Whether there was room for all of them; if not, nothing is taken. */
  append(bytes: Uint8Array): boolean {
    const end = this.end + bytes.length;
    if (end > this.lengthMax) return false;
    if (end > this.buffer.length) this.grow(end);
    this.buffer.set(bytes, this.end);
    this.end = end;
    return true;
  }

  /** The last of them, not a copy: good until `restart`, and where views are not kept no longer than the next `append`. */
  last(length: number): Uint8Array {
    return this.buffer.subarray(this.end - length, this.end);
  }

  /** Empty again, in the same memory; what was needed once is not kept for ever. */
  restart(lengthMax = this.lengthMax): void {
    const isWide = this.buffer.length > firstBytesMax && 4 * this.end < this.buffer.length;
    if (isWide) this.buffer = new Uint8Array(this.buffer.length >> 1);
    this.lengthMax = lengthMax;
    this.end = 0;
  }

  /** Gives its memory back at once: nobody reads it any more. */
  free(): void {
    this.buffer.buffer.transfer(0);
    this.buffer = new Uint8Array(0);
    this.end = 0;
  }

  private grow(least: number): void {
    const outgrown = this.buffer;
    const length = Math.min(this.lengthMax, Math.max(least, 2 * outgrown.length));
    this.buffer = new Uint8Array(length);
    this.buffer.set(outgrown.subarray(0, this.end));
    if (!this.areViewsKept) outgrown.buffer.transfer(0);
  }
}
