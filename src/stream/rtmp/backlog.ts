// Bytes that came before their turn: kept for one connection, and counted for all.
import { keep, type Lent } from '../../base/bytes/memory.ts';

export interface BacklogOptions {
  bytesMax: number;
  /** Of all connections. */
  inAll: BytesInAll;
}

/** So little is always kept: the beginning of a header, a handshake. */
const fewBytes = 4_096;

/** A number that connections share. */
export class BytesInAll {
  readonly max: number;
  bytes = 0;

  constructor(max: number) {
    this.max = max;
  }
}

export class Backlog {
  private readonly options: BacklogOptions;

  private pieces: Uint8Array[] = [];
  private length = 0;
  private countedBytes = 0;

  constructor(options: BacklogOptions) {
    this.options = options;
  }

  /** A copy is kept; false where it would be too much for one. */
  append(bytes: Lent): boolean {
    if (this.length + bytes.length > this.options.bytesMax) return false;
    this.pieces.push(keep(bytes));
    this.length += bytes.length;
    return true;
  }

  /** All of it; nothing is left. */
  take(): Uint8Array {
    const { pieces } = this;
    this.pieces = [];
    this.length = 0;
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  }

  /** Counts it with what the connection keeps elsewhere; false where all keep too much, and this one more than a little. */
  count(elsewhereBytes: number): boolean {
    const { inAll } = this.options;
    const bytes = this.length + elsewhereBytes;
    inAll.bytes += bytes - this.countedBytes;
    this.countedBytes = bytes;
    return bytes <= fewBytes || inAll.bytes <= inAll.max;
  }

  /** The connection is gone. */
  clear(): void {
    this.take();
    this.count(0);
  }
}
