// Boxes of the ISO base media file format (ISO 14496-12 4.2): made from their contents, and walked.
import { MediaError } from './packet.ts';

export const boxHeaderBytes = 8;

export function box(type: string, ...contents: readonly Uint8Array[]): Uint8Array {
  const size = contents.reduce((sum, content) => sum + content.length, boxHeaderBytes);
  return join([u32(size), Buffer.from(type, 'latin1'), ...contents], size);
}

/** A box that begins with a version and flags (4.2.2). */
export function fullBox(
  { type, version = 0, flags = 0 }: { type: string; version?: number; flags?: number },
  ...contents: readonly Uint8Array[]
): Uint8Array {
  return box(type, u8(version), u8(flags >>> 16, flags >>> 8, flags), ...contents);
}

export function u8(...values: readonly number[]): Uint8Array {
  return Uint8Array.from(values);
}

export function u16(...values: readonly number[]): Uint8Array {
  return u8(...values.flatMap((value) => [value >>> 8, value]));
}

export function u32(...values: readonly number[]): Uint8Array {
  return u8(...values.flatMap((value) => [value >>> 24, value >>> 16, value >>> 8, value]));
}

export function join(pieces: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

export interface Box {
  readonly type: string;
  /** Where it begins in the bytes that were walked. */
  readonly at: number;
  /** With its header. */
  readonly size: number;
  readonly body: Uint8Array;
}

/** The boxes that lie one after another in `bytes`; a last one that is not whole throws after the others. */
export function* readBoxes(bytes: Uint8Array): Generator<Box> {
  for (let at = 0; at < bytes.length; ) {
    const { type, size } = readBoxHeader(bytes, at);
    if (size > bytes.length - at) {
      throw new MediaError(`box ${type} is cut: ${bytes.length - at} of ${size} bytes`);
    }
    yield { type, at, size, body: bytes.subarray(at + boxHeaderBytes, at + size) };
    at += size;
  }
}

/** Of a box whose body need not be there: a file is walked without reading what it holds. */
export function readBoxHeader(bytes: Uint8Array, at = 0): { type: string; size: number } {
  if (bytes.length - at < boxHeaderBytes) throw new MediaError('a box header is cut');
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, boxHeaderBytes);
  const size = view.getUint32(0);
  const type = String.fromCharCode(...bytes.subarray(at + 4, at + boxHeaderBytes));
  // 0 (up to the end of the file) and 1 (a 64-bit size) are legal, but nothing of ours has them.
  if (size < boxHeaderBytes) throw new MediaError(`a box of ${size} bytes`);
  return { type, size };
}
