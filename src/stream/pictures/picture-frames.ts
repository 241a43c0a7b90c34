// What the service and its picture process say to each other: frames of a kind and two lengths, then as many bytes.

/** Asked for: a picture of the record and the key frame that follow. Answered: the JPEG, or a sentence that says why not. */
export const frameKinds = ['asked', 'made', 'failed', 'no_decoder', 'too_large'] as const;
export type FrameKind = (typeof frameKinds)[number];

export interface Frame {
  kind: FrameKind;
  first: Uint8Array<ArrayBuffer>;
  second: Uint8Array<ArrayBuffer>;
}

const headBytes = 12;
const nothing = new Uint8Array();

/** Whoever sends more makes a mistake; the service asks for no larger key frame, and a JPEG is small. */
const partBytesMax = 16 * 1_048_576;

/** The head, then the two as they are: they are not copied. */
export function frameParts(
  kind: FrameKind,
  first: Uint8Array,
  second: Uint8Array = nothing,
): Uint8Array[] {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(frameKinds.indexOf(kind), 0);
  head.writeUInt32BE(first.length, 4);
  head.writeUInt32BE(second.length, 8);
  return [head, first, second];
}

/** Puts frames together from pieces of any length. */
export class FrameReader {
  private kept: Uint8Array[] = [];
  private bytes = 0;

  /** The frames that are whole now; throws where it is none of ours. */
  push(piece: Uint8Array): Frame[] {
    this.kept.push(piece);
    this.bytes += piece.length;
    const frames: Frame[] = [];
    for (let frame = this.take(); frame; frame = this.take()) frames.push(frame);
    return frames;
  }

  private take(): Frame | undefined {
    if (this.bytes < headBytes) return undefined;
    const head = this.joined(headBytes);
    const kind = frameKinds[head.readUInt32BE(0)];
    const [firstBytes, secondBytes] = [head.readUInt32BE(4), head.readUInt32BE(8)];
    if (!kind || firstBytes > partBytesMax || secondBytes > partBytesMax)
      throw new Error('what came is no frame of a picture process');
    const wholeBytes = headBytes + firstBytes + secondBytes;
    if (this.bytes < wholeBytes) return undefined;
    const all = this.joined(wholeBytes);
    const second = headBytes + firstBytes;
    this.kept = [all.subarray(wholeBytes)];
    this.bytes -= wholeBytes;
    return {
      kind,
      first: new Uint8Array(all.subarray(headBytes, second)),
      second: new Uint8Array(all.subarray(second, wholeBytes)),
    };
  }

  /** All that is kept in one piece, where its first bytes are not yet. */
  private joined(bytes: number): Buffer {
    const [first = nothing] = this.kept;
    if (first.length >= bytes) return Buffer.from(first.buffer, first.byteOffset, first.length);
    const all = Buffer.concat(this.kept);
    this.kept = [all];
    return all;
  }
}
