// The way out of a socket that does not buffer: one write a tick where its turn has come, and the rest kept until there is room.
import type { HeldBytes } from '../live/push-memory.ts';
import type { Sender, SendTurns } from './send-turns.ts';

export interface WritableSocket {
  /** How many bytes were taken; the others are the caller's. */
  write(bytes: Uint8Array): number;
}

export interface SocketWriterOptions {
  socket: WritableSocket;
  bytesMax: number;
  /** Shared with other sockets. */
  turns: SendTurns;
  /** Where what waits is counted, and by whose network. */
  unread: HeldBytes;
  network: string;
  /** The socket had been full, or its turn was awaited, and it has taken everything. */
  onDrained(): void;
  /** More waits than may; nothing is written any more. */
  onOverflow(): void;
}

/** Of one write. Pieces are joined up to it, so what is copied for one socket is no more; of a longer one so much is written. */
const writeBytesMax = 262_144;

export class SocketWriter implements Sender {
  private readonly options: SocketWriterOptions;

  private pieces: Uint8Array[] = [];
  /** What the socket left of the last write. */
  private rest: Uint8Array | undefined;
  private isScheduled = false;
  private isFull = false;
  /** Something has waited for longer than a tick. */
  private isBehind = false;
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
    this.options.unread.set(this.waiting);
    if (this.isScheduled || this.isFull) return;
    this.isScheduled = true;
    queueMicrotask(() => this.flush());
  }

  /** The socket says that it has room again. */
  drain(): void {
    if (!this.isFull) return;
    this.isFull = false;
    this.flush();
  }

  /** Writes what waits, without waiting for the end of the tick. */
  flush(): void {
    this.isScheduled = false;
    this.options.turns.begin(this);
    if (this.waiting > 0) this.isBehind = true;
  }

  get whose(): string {
    return this.options.network;
  }

  get isReady(): boolean {
    return this.waiting > 0 && !this.isFull;
  }

  send(): void {
    // The rest goes alone: joined with what came since, it would be copied once a drain.
    const bytes = this.rest ?? this.join();
    const given = bytes.length > writeBytesMax ? bytes.subarray(0, writeBytesMax) : bytes;
    // A socket that has closed takes -1.
    const taken = Math.max(0, this.options.socket.write(given));
    this.isFull = taken < given.length;
    this.rest = taken < bytes.length ? bytes.subarray(taken) : undefined;
    this.waiting -= taken;
    this.taken += taken;
    this.options.unread.set(this.waiting);
    if (this.waiting === 0 && this.isBehind) {
      this.isBehind = false;
      this.options.onDrained();
    }
  }

  /** Drops what waits, and all that comes. */
  close(): void {
    this.isClosed = true;
    this.pieces = [];
    this.rest = undefined;
    this.waiting = 0;
    this.options.turns.leave(this);
    this.options.unread.set(0);
  }

  /** Long pieces stay as they are: the same bytes may wait for many sockets. */
  private join(): Uint8Array {
    const { pieces } = this;
    let count = 0;
    for (let length = 0; count < pieces.length; count += 1) {
      length += pieces[count]?.length ?? 0;
      if (length > writeBytesMax && count > 0) break;
    }
    const joined = count === pieces.length ? pieces : pieces.splice(0, count);
    if (joined === pieces) this.pieces = [];
    return joined.length === 1 && joined[0] ? joined[0] : Buffer.concat(joined);
  }
}
