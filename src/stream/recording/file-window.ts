// Reads a file from front to back in large pieces and hands out small ones.
import type { FileHandle } from 'node:fs/promises';
import { MediaError } from '../formats/packet.ts';

export class FileWindow {
  private readonly file: FileHandle;
  private readonly buffer: Buffer;

  private heldAt = 0;
  private held = 0;

  /** `bytes` is how much is read at once. */
  constructor(file: FileHandle, bytes: number) {
    this.file = file;
    this.buffer = Buffer.allocUnsafe(bytes);
  }

  /** Good until the next call. */
  async bytes(at: number, size: number): Promise<Uint8Array> {
    if (size <= this.buffer.length) return await this.piece(at, size);
    const whole = Buffer.allocUnsafe(size);
    let filled = 0;
    for await (const piece of this.pieces(at, size)) {
      whole.set(piece, filled);
      filled += piece.length;
    }
    return whole;
  }

  /** A range of any length, piece by piece; each is good until the next. */
  async *pieces(at: number, size: number): AsyncGenerator<Uint8Array> {
    for (let given = 0; given < size; ) {
      const piece = await this.piece(at + given, Math.min(size - given, this.buffer.length));
      yield piece;
      given += piece.length;
    }
  }

  private async piece(at: number, size: number): Promise<Uint8Array> {
    if (at < this.heldAt || at + size > this.heldAt + this.held) await this.fill(at);
    const from = at - this.heldAt;
    if (from + size > this.held)
      throw new MediaError('The recording is shorter than its index says');
    return this.buffer.subarray(from, from + size);
  }

  private async fill(at: number): Promise<void> {
    this.heldAt = at;
    this.held = 0;
    while (this.held < this.buffer.length) {
      const left = this.buffer.length - this.held;
      const { bytesRead } = await this.file.read(this.buffer, this.held, left, at + this.held);
      if (bytesRead === 0) return;
      this.held += bytesRead;
    }
  }
}
