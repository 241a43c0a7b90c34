// Bytes that come in pieces, in one buffer that grows only as they come.

/** What most messages fit in is allocated once; beyond it a length that was a lie costs little. */
const firstBytesMax = 65_536;

export class GrowingBytes {
  private lengthMax: number;
  private buffer: Uint8Array<ArrayBuffer>;
  private end = 0;

  /** `lengthMax` is the caller's to check; a buffer never grows beyond it. */
  constructor(lengthMax: number) {
    this.lengthMax = lengthMax;
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

  /** The last of them, not a copy: good until `restart`. */
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

  private grow(least: number): void {
    const wider = new Uint8Array(Math.min(this.lengthMax, Math.max(least, 2 * this.buffer.length)));
    wider.set(this.bytes);
    this.buffer = wider;
  }
}
