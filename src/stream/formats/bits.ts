// Reads bits from the highest to the lowest, and the exp-Golomb numbers of H.264 (9.1).
import { MediaError } from './packet.ts';

export class BitReader {
  private readonly bytes: Uint8Array;
  private readonly what: string;
  private at = 0;

  /** `what` the bytes are begins the sentence of an error: 'The AAC parameters'. */
  constructor(bytes: Uint8Array, what: string) {
    this.bytes = bytes;
    this.what = what;
  }

  flag(): boolean {
    return this.bit() === 1;
  }

  /** An unsigned number of `count` bits, 32 at most. */
  bits(count: number): number {
    let value = 0;
    // Not shifted: the 32nd bit would become the sign.
    for (let read = 0; read < count; read += 1) value = 2 * value + this.bit();
    return value;
  }

  /** ue(v): as many zeros as bits follow the first one. */
  unsigned(): number {
    let zeros = 0;
    while (this.bit() === 0) {
      zeros += 1;
      if (zeros > 31) throw new MediaError(`${this.what} are broken: a number is too long`);
    }
    return 2 ** zeros - 1 + this.bits(zeros);
  }

  /** se(v): 0, 1, -1, 2, -2 … */
  signed(): number {
    const value = this.unsigned();
    return value % 2 === 1 ? (value + 1) / 2 : 0 - value / 2;
  }

  private bit(): number {
    const byte = this.bytes[this.at >> 3];
    if (byte === undefined) throw new MediaError(`${this.what} are broken: they end too early`);
    const bit = (byte >> (7 - (this.at & 7))) & 1;
    this.at += 1;
    return bit;
  }
}
