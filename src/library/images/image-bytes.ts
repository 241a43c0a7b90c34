// A picture's bytes as they are read: never beyond their end, where the parts of each format end, and how many there may be.
import type { Steps } from '../../base/turns/stepped-work.ts';
import { type ImageType, imageLimits } from './image-limits.ts';

/** Why a file is not taken: a whole sentence for whoever chose it. */
export class ImageProblem extends Error {}

export const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** The file, of which nothing beyond its end can be read. */
export class FileBytes {
  readonly length: number;
  private readonly bytes: Uint8Array;
  private readonly view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.length = bytes.length;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  startsWith(signature: readonly number[]): boolean {
    return signature.every((byte, at) => this.bytes[at] === byte);
  }

  /** As many of the characters as there are. */
  text(at: number, length: number): string {
    return String.fromCharCode(...this.bytes.subarray(at, at + length));
  }

  u8(at: number): number {
    this.need(at, 1);
    return this.view.getUint8(at);
  }

  u16(at: number): number {
    this.need(at, 2);
    return this.view.getUint16(at);
  }

  u32(at: number): number {
    this.need(at, 4);
    return this.view.getUint32(at);
  }

  u16Little(at: number): number {
    this.need(at, 2);
    return this.view.getUint16(at, true);
  }

  u24Little(at: number): number {
    return this.u16Little(at) + this.u8(at + 2) * 0x10000;
  }

  u32Little(at: number): number {
    this.need(at, 4);
    return this.view.getUint32(at, true);
  }

  part(at: number, length: number): Uint8Array {
    this.need(at, length);
    return this.bytes.subarray(at, at + length);
  }

  /** As many of the bytes as there are. */
  some(at: number, length: number): Uint8Array {
    return this.bytes.subarray(at, at + length);
  }

  need(at: number, length: number): void {
    if (at + length > this.length) throw truncated();
  }

  /** A picture ends where its file does: what follows is for another program than a browser. */
  endsAt(at: number): void {
    if (at > this.length) throw truncated();
    const more = this.length - at;
    if (more > 0)
      throw new ImageProblem(
        `After the end of the picture ${more === 1 ? 'a byte follows' : `${more} bytes follow`} that ${more === 1 ? 'is' : 'are'} no part of it: save it anew with a picture program.`,
      );
  }
}

export function truncated(): ImageProblem {
  return new ImageProblem('The picture breaks off: a part of the file is missing.');
}

export function broken(what: string): ImageProblem {
  return new ImageProblem(`The file is damaged: ${what}.`);
}

/** Says no to a file in more parts than any program writes. */
export class PartCount {
  private readonly max: number;
  private count = 0;

  constructor(type: ImageType) {
    this.max = imageLimits.partsMax[type];
  }

  add(): void {
    this.count += 1;
    if (this.count > this.max) throw tooMany(this.max);
  }
}

export function tooMany(max: number): ImageProblem {
  return new ImageProblem(
    `The file is made of more than ${max.toLocaleString('en')} parts, which no picture needs: save it anew with a picture program.`,
  );
}

/** Of what is looked at byte by byte: some microseconds. */
const stepBytes = 4_096;

/** Where the next marker is that is neither a byte of the pixels nor a restart among them. */
export function* scanEnd(file: FileBytes, from: number): Steps<number> {
  // To look for the next 0xff by a call for each takes thirty times as long where there is nothing else.
  for (let at = from; ; ) {
    const bytes = file.some(at, stepBytes + 1);
    const last = bytes.length - 1;
    if (last < 1) throw truncated();
    let n = 0;
    while (n < last) {
      if (bytes[n] !== 0xff) n += 1;
      else if (isOfScan(bytes[n + 1] ?? 0)) n += 2;
      else return at + n;
    }
    at += n;
    yield;
  }
}

function isOfScan(afterMark: number): boolean {
  return afterMark === 0 || (afterMark >= 0xd0 && afterMark <= 0xd7);
}

/** Bytes of the colours that a head with these flags is followed by. */
export function gifColours(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** Pieces that are a step. */
const stepPieces = 256;

/** Goes over the pieces of GIF's parts, of which a file has so many. */
export class GifPieces {
  private count = 0;

  /** Where those end that begin there. */
  *end(file: FileBytes, from: number): Steps<number> {
    for (let at = from; ; ) {
      const length = file.u8(at);
      at += 1 + length;
      if (length === 0) return at;
      this.count += 1;
      if (this.count > imageLimits.gifPiecesMax) throw tooMany(imageLimits.gifPiecesMax);
      if (this.count % stepPieces === 0) yield;
    }
  }
}
