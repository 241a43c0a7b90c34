// The way out of a socket that does not buffer: one write a tick, and the rest kept until there is room.

export interface WritableSocket {
  /** How many bytes were taken; the others are the caller's. */
  write(bytes: Uint8Array): number;
}

interface SocketWriterOptions {
  socket: WritableSocket;
  bytesMax: number;
  /** The socket had been full, and has taken everything. */
  onDrained(): void;
  /** More waits than may; nothing is written any more. */
  onOverflow(): void;
}

export class SocketWriter {
  private readonly options: SocketWriterOptions;

  private pieces: Uint8Array[] = [];
  /** What the socket left of the last write. */
  private rest: Uint8Array | undefined;
  private isScheduled = false;
  private isFull = false;
  private isClosed = false;
  private waiting = 0;
  private taken = 0;

  constructor(options: SocketWriterOptions) {
    this.options = options;
  }

  /** Bytes that the socket has not taken. */
  get waitingBytes(): number {
    return this.waiting;
  }

  /** Bytes that the socket has taken since the beginning. */
  get takenBytes(): number {
    return this.taken;
  }

  /** The bytes must stay as they are until they are written: they are not copied here. */
  write(pieces: readonly Uint8Array[]): void {
    if (this.isClosed) return;
    for (const piece of pieces) {
      this.pieces.push(piece);
      this.waiting += piece.length;
    }
    if (this.waiting > this.options.bytesMax) {
      this.close();
      this.options.onOverflow();
      return;
    }
    if (this.isScheduled || this.isFull) return;
    this.isScheduled = true;
    queueMicrotask(() => this.flush());
  }

  /** The socket says that it has room again. */
  drain(): void {
    if (!this.isFull) return;
    this.isFull = false;
    this.flush();
    if (this.waiting === 0 && !this.isClosed) this.options.onDrained();
  }

  /** Writes what waits, without waiting for the end of the tick. */
  flush(): void {
    this.isScheduled = false;
    // The rest goes alone: joined with what came since, it would be copied once a drain.
    while (this.waiting > 0 && !this.isFull) {
      const bytes = this.rest ?? this.join();
      // A socket that has closed takes -1.
      const taken = Math.max(0, this.options.socket.write(bytes));
      this.isFull = taken < bytes.length;
      this.rest = this.isFull ? bytes.subarray(taken) : undefined;
      this.waiting -= taken;
      this.taken += taken;
    }
  }

  /** What waits is dropped, and what comes too. */
  close(): void {
    this.isClosed = true;
    this.pieces = [];
    this.rest = undefined;
    this.waiting = 0;
  }

  private join(): Uint8Array {
    const { pieces } = this;
    this.pieces = [];
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  }
}
