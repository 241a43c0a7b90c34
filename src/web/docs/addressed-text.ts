// A text that names the service's address, for whichever address it is asked by: made once, compressed once, then only joined.
import { constants, crc32, deflateRawSync } from 'node:zlib';

/** A stretch of the text without an address in it. */
interface Stretch {
  bytes: Uint8Array;
  /** Compressed by itself: it refers to nothing before it, so that anything may stand there. */
  deflated: Uint8Array;
}

export class AddressedText {
  private readonly pieces: readonly string[];
  /** Of the text, whatever the address. */
  readonly hash: string;

  private stretches: readonly Stretch[] | undefined;

  /** `mark` stands where the address is to be. */
  constructor(text: string, mark: string) {
    this.pieces = text.split(mark);
    this.hash = Bun.hash(text).toString(36);
  }

  /** How often it names the address. */
  get places(): number {
    return this.pieces.length - 1;
  }

  /** As it is known again by. */
  tag(address: string): string {
    return this.places === 0
      ? `"${this.hash}"`
      : `"${this.hash}-${Bun.hash(address).toString(36)}"`;
  }

  text(address: string): string {
    return this.pieces.join(address);
  }

  /**
   * The same as gzip (RFC 1952): one stream of the stretches as they are kept, with the address between them as it is.
   * It costs a copy and a checksum, where compressing costs milliseconds; it is longer by what a stretch would have
   * taken from those before it, which matters where addresses stand close.
   */
  gzip(address: string): Uint8Array<ArrayBuffer> {
    this.stretches ??= this.pieces.map(stretchOf);
    const name = Buffer.from(address);
    const between = storedBlock(name);
    const parts: Uint8Array[] = [gzipHead];
    let checksum = 0;
    let length = 0;
    for (const [at, { bytes, deflated }] of this.stretches.entries()) {
      if (at > 0) {
        parts.push(between);
        checksum = crc32(name, checksum);
        length += name.length;
      }
      parts.push(deflated);
      checksum = crc32(bytes, checksum);
      length += bytes.length;
    }
    const end = Buffer.alloc(8);
    end.writeUInt32LE(checksum, 0);
    end.writeUInt32LE(length, 4);
    parts.push(lastBlock, end);
    return new Uint8Array(Buffer.concat(parts));
  }
}

/** RFC 1952 2.3: deflate, no flags, no time, from an unknown system. */
const gzipHead = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);
/** RFC 1951 3.2.3: final, fixed codes, and the end of a block at once. */
const lastBlock = Uint8Array.of(3, 0);

function stretchOf(text: string): Stretch {
  const bytes = Buffer.from(text);
  // Ends at a whole byte, with no block that is the last.
  return { bytes, deflated: deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH }) };
}

/** Bytes as they are, RFC 1951 3.2.4; 65,535 at most, and an address has a few hundred. */
function storedBlock(bytes: Uint8Array): Uint8Array {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(bytes.length, 1);
  head.writeUInt16LE(~bytes.length & 0xffff, 3);
  return Buffer.concat([head, bytes]);
}
