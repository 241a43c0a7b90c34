// Finds boxes inside boxes and reads their fields, never past an end.
import { readBoxes } from './mp4-box.ts';
import { MediaError } from './packet.ts';

/** The body of the first box that the path leads to. */
export function findBox(bytes: Uint8Array, ...path: string[]): Uint8Array | undefined {
  let found: Uint8Array | undefined = bytes;
  for (const type of path) {
    if (!found) return undefined;
    found = readBoxes(found).find((box) => box.type === type)?.body;
  }
  return found;
}

/** As `findBox`, where nothing can be made of the rest without it. */
export function needBox(bytes: Uint8Array, ...path: string[]): Uint8Array {
  const found = findBox(bytes, ...path);
  if (!found) throw new MediaError(`The MP4 lacks a box ${path.join('/')}`);
  return found;
}

/** Reads fields one after another; a field that is not there is an error. */
export class Fields {
  private readonly bytes: Buffer;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u8(): number {
    return this.bytes.readUInt8(this.advance(1));
  }

  u16(): number {
    return this.bytes.readUInt16BE(this.advance(2));
  }

  u32(): number {
    return this.bytes.readUInt32BE(this.advance(4));
  }

  i32(): number {
    return this.bytes.readInt32BE(this.advance(4));
  }

  u64(): number {
    const value = Number(this.bytes.readBigUInt64BE(this.advance(8)));
    if (!Number.isSafeInteger(value)) throw new MediaError(`A time of the MP4 is ${value}`);
    return value;
  }

  take(length: number): Buffer {
    const from = this.advance(length);
    return this.bytes.subarray(from, from + length);
  }

  skip(length: number): this {
    this.advance(length);
    return this;
  }

  private advance(length: number): number {
    if (length > this.bytes.length - this.at) throw new MediaError('A box of the MP4 is cut short');
    const from = this.at;
    this.at += length;
    return from;
  }
}
