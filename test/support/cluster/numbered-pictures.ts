// Pictures with numbers: an encoder of a trial writes one into each, and whoever reads a recording finds them again.
import { type FlvTag, isSequenceHeader } from '../../../src/stream/formats/flv-file.ts';

/** User data that decoders leave alone (H.264 D.1.6): 16 bytes say whose it is, then come ten digits. */
const sign = Buffer.from('footlight number');
const digits = 10;
/** FLV's head of a coded picture: kind, codec, what it is, when it is shown. */
const pictureHeadBytes = 5;
const userDataUnit = 6;
const unregistered = 5;
const unitEnd = 0x80;

export function isPicture(tag: FlvTag): boolean {
  return tag.type === 'video' && tag.body.length > pictureHeadBytes && !isSequenceHeader(tag);
}

/** The same picture with a number of up to ten digits. */
export function numbered(body: Uint8Array, number: number): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(String(number).padStart(digits, '0'));
  const head = Buffer.of(userDataUnit, unregistered, sign.length + digits);
  const unit = Buffer.concat([head, sign, text, Buffer.of(unitEnd)]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(unit.length);
  const [before, after] = [body.subarray(0, pictureHeadBytes), body.subarray(pictureHeadBytes)];
  return new Uint8Array(Buffer.concat([before, size, unit, after]));
}

/** All numbers, in the order in which they stand. */
export function numbersIn(bytes: Uint8Array): number[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const numbers: number[] = [];
  for (let at = all.indexOf(sign); at >= 0; at = all.indexOf(sign, at + 1)) {
    const from = at + sign.length;
    numbers.push(Number(all.toString('latin1', from, from + digits)));
  }
  return numbers;
}
