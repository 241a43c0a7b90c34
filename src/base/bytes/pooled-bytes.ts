// Bytes in pieces of memory that are used over and over: what comes and goes all the time is no garbage.

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

/** Grows at its end, and is cleared as a whole. */
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

  append(bytes: Uint8Array): void {
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
