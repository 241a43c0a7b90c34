// A picture's bytes as they are read: never beyond their end, and where the parts of each format end.

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

  /** Where that byte is next; throws where it never comes. */
  next(byte: number, from: number): number {
    const at = this.bytes.indexOf(byte, from);
    if (at < 0) throw truncated();
    return at;
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

/** Where the next marker is that is neither a byte of the pixels nor a restart among them. */
export function scanEnd(file: FileBytes, from: number): number {
  for (let at = from; ; ) {
    at = file.next(0xff, at);
    const after = file.u8(at + 1);
    if (after === 0 || (after >= 0xd0 && after <= 0xd7)) at += 2;
    else return at;
  }
}

/** Bytes of the colours that a head with these flags is followed by. */
export function gifColours(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

export function piecesEnd(file: FileBytes, from: number): number {
  for (let at = from; ; ) {
    const length = file.u8(at);
    at += 1 + length;
    if (length === 0) return at;
  }
}
