// Memory of media: bytes that are lent for one call, how they are read and kept; bytes that grow; bytes in pieces that are used over and over.

declare const lent: unique symbol;

/**
 * Bytes to be read now: after the call that hands them over their memory is somebody else's. Any bytes can be lent, and
 * a place whose type is `Uint8Array` takes none that are: whoever needs them later has to `keep` them. A field that is
 * declared `Lent` is a holder by intent; a test knows those that are.
 */
export interface Lent {
  readonly [lent]?: true;
  readonly length: number;
  readonly [at: number]: number;
  subarray(from?: number, to?: number): Lent;
}

/** A copy, which is the caller's own. */
export function keep(bytes: Lent): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

export function isSame(a: Lent, b: Lent): boolean {
  return a.length === b.length && Buffer.compare(a as Uint8Array, b as Uint8Array) === 0;
}

/** The highest byte first. */
export function readUint24(bytes: Lent, at: number): number {
  return ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
}

export function readUint32(bytes: Lent, at: number): number {
  return ((bytes[at] ?? 0) * 0x1000000 + readUint24(bytes, at + 1)) >>> 0;
}

/** What most messages fit in is allocated once; beyond it a length that was a lie costs little. */
const firstBytesMax = 65_536;

/** Bytes that come in pieces, in one buffer that grows only as they come. */
export class GrowingBytes {
  private lengthMax: number;
  private readonly firstBytes: number;
  private buffer: Uint8Array<ArrayBuffer>;
  private end = 0;

  /** `lengthMax` is the caller's to check; a buffer never grows beyond it. `firstBytes` are allocated at once. */
  constructor(lengthMax: number, { firstBytes = firstBytesMax } = {}) {
    this.lengthMax = lengthMax;
    this.firstBytes = firstBytes;
    this.buffer = new Uint8Array(Math.min(lengthMax, firstBytes));
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
  get bytes(): Lent {
    return this.buffer.subarray(0, this.end);
  }

  /** Whether there was room for all of them; if not, nothing is taken. */
  append(bytes: Lent): boolean {
    const end = this.end + bytes.length;
    if (end > this.lengthMax) return false;
    if (end > this.buffer.length) {
      this.moveTo(Math.min(this.lengthMax, Math.max(end, 2 * this.buffer.length)));
    }
    this.buffer.set(bytes, this.end);
    this.end = end;
    return true;
  }

  /** The first so many are needed no more; the others move up. Memory that was needed once is not kept for ever. */
  drop(length: number): void {
    const isWide = this.buffer.length > this.firstBytes && 4 * this.end < this.buffer.length;
    if (length > 0) this.buffer.copyWithin(0, length, this.end);
    this.end -= length;
    if (isWide) this.moveTo(this.buffer.length >> 1);
  }

  /** Empty again, for another length. */
  restart(lengthMax: number): void {
    this.drop(this.end);
    this.lengthMax = lengthMax;
  }

  /** Gives its memory back at once: nobody reads it any more. */
  free(): void {
    this.end = 0;
    this.moveTo(0);
  }

  private moveTo(capacity: number): void {
    const outgrown = this.buffer;
    this.buffer = new Uint8Array(capacity);
    this.buffer.set(outgrown.subarray(0, this.end));
    outgrown.buffer.transfer(0);
  }
}

const pieceBytes = 32_768;

/** Memory that nobody needs now; beyond 8 MB it goes back to the system. */
const sparePiecesMax = 256;

/** Shared by many `PooledBytes`: while one grows, another has just been cleared. */
export class MemoryPool {
  private readonly spare: Uint8Array[] = [];

  take(): Uint8Array {
    return this.spare.pop() ?? new Uint8Array(pieceBytes);
  }

  give(pieces: readonly Uint8Array[]): void {
    for (const piece of pieces)
      if (this.spare.length < sparePiecesMax) this.spare.push(piece);
      else (piece.buffer as ArrayBuffer).transfer(0);
  }
}

/** Bytes in pieces of a pool: what comes and goes all the time is no garbage. Grows at its end, and is cleared as a whole. */
export class PooledBytes {
  private readonly pool: MemoryPool;

  private pieces: Uint8Array[] = [];
  private end = 0;

  constructor(pool: MemoryPool) {
    this.pool = pool;
  }

  get length(): number {
    return this.end;
  }

  append(bytes: Lent): void {
    for (let from = 0; from < bytes.length; ) {
      const at = this.end % pieceBytes;
      if (at === 0) this.pieces.push(this.pool.take());
      const taken = bytes.subarray(from, from + pieceBytes - at);
      this.pieceAt(this.end).set(taken, at);
      this.end += taken.length;
      from += taken.length;
    }
  }

  /** Its own memory is soon another's, so nobody gets a view of it. */
  copy(from: number, to: number): Uint8Array {
    const copy = new Uint8Array(to - from);
    for (let at = from; at < to; ) {
      const inPiece = at % pieceBytes;
      const taken = this.pieceAt(at).subarray(inPiece, inPiece + to - at);
      copy.set(taken, at - from);
      at += taken.length;
    }
    return copy;
  }

  clear(): void {
    this.pool.give(this.pieces);
    this.pieces = [];
    this.end = 0;
  }

  private pieceAt(at: number): Uint8Array {
    const piece = this.pieces[Math.floor(at / pieceBytes)];
    if (!piece) throw new Error(`there is nothing at ${at}`);
    return piece;
  }
}
