// A text that names the service's addresses, for whichever it is asked by: made once, compressed once, then only joined.
import { constants, crc32, deflateRawSync } from 'node:zlib';

/** A stretch of the text without an address in it. */
interface Stretch {
  bytes: Uint8Array;
  /** Compressed by itself: it refers to nothing before it, so that anything may stand there. */
  deflated: Uint8Array;
}

export class AddressedText {
  private readonly pieces: readonly string[];
  /** Which of the addresses stands behind each piece but the last. */
  private readonly between: readonly number[];
  /** Of the text, whatever the addresses. */
  readonly hash: string;

  private stretches: readonly Stretch[] | undefined;

  /** Each mark stands where its address is to be. */
  constructor(text: string, marks: readonly string[]) {
    const parts = text.split(new RegExp(`(${marks.map(RegExp.escape).join('|')})`));
    this.pieces = parts.filter((_, at) => at % 2 === 0);
    this.between = parts.filter((_, at) => at % 2 === 1).map((mark) => marks.indexOf(mark));
    this.hash = Bun.hash(text).toString(36);
  }

  /** How often it names an address. */
  get places(): number {
    return this.between.length;
  }

  /** As it is known again by. */
  tag(addresses: readonly string[]): string {
    return this.places === 0
      ? `"${this.hash}"`
      : `"${this.hash}-${Bun.hash(addresses.join(' ')).toString(36)}"`;
  }

  text(addresses: readonly string[]): string {
    return this.pieces
      .map((piece, at) => piece + (addresses[this.between[at] ?? -1] ?? ''))
      .join('');
  }

  /**
   * The same as gzip (RFC 1952): one stream of the stretches as they are kept, with the addresses between them as they are.
   * It costs a copy and a checksum, where compressing costs milliseconds; it is longer by what a stretch would have
   * taken from those before it, which matters where addresses stand close.
   */
  gzip(addresses: readonly string[]): Uint8Array<ArrayBuffer> {
    this.stretches ??= this.pieces.map(stretchOf);
    const names = addresses.map((address) => Buffer.from(address));
    const stored = names.map(storedBlock);
    const parts: Uint8Array[] = [gzipHead];
    let checksum = 0;
    let length = 0;
    const add = (bytes: Uint8Array, coded: Uint8Array) => {
      parts.push(coded);
      checksum = crc32(bytes, checksum);
      length += bytes.length;
    };
    for (const [at, { bytes, deflated }] of this.stretches.entries()) {
      add(bytes, deflated);
      const which = this.between[at] ?? -1;
      const [name, coded] = [names[which], stored[which]];
      if (name && coded) add(name, coded);
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
