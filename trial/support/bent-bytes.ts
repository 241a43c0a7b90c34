// Bytes as a broken or hostile peer would send them: real ones, bent at random places.
import type { Random } from '../../test/support/random.ts';

/** Numbers at which sums overflow, signs turn and bounds are off by one. */
const oddNumbers = [
  0, 1, 2, 7, 8, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0xffff, 0xfffffe, 0xffffff, 0x7fffffff,
  0x80000000, 0xffffffff,
];
const changesMax = 4;
const rangeBytesMax = 40;

/** A copy with one to four changes. */
export function bentBytes(bytes: Uint8Array, random: Random): Uint8Array {
  let result: Buffer = Buffer.from(bytes);
  for (let changes = random.whole(1, changesMax); changes > 0; changes--)
    result = random.pick(bends)(result, random);
  return result;
}

type Bend = (bytes: Buffer, random: Random) => Buffer;

const bends: readonly Bend[] = [
  flipBit,
  setByte,
  setNumber,
  setNumber,
  removeRange,
  repeatRange,
  insertNoise,
  cutOff,
];

function flipBit(bytes: Buffer, random: Random): Buffer {
  const at = place(bytes, random);
  if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ (1 << random.whole(0, 7));
  return bytes;
}

function setByte(bytes: Buffer, random: Random): Buffer {
  const at = place(bytes, random);
  if (at < bytes.length) bytes[at] = random.whole(0, 255);
  return bytes;
}

/** Lengths, counts and times stand in two, three or four bytes, the high one first. */
function setNumber(bytes: Buffer, random: Random): Buffer {
  const width = random.whole(2, 4);
  const at = place(bytes, random);
  if (at + width > bytes.length) return bytes;
  const value = random.pick([...oddNumbers, bytes.length, bytes.length - at]);
  bytes.writeUIntBE(value % 2 ** (8 * width), at, width);
  return bytes;
}

function removeRange(bytes: Buffer, random: Random): Buffer {
  const at = place(bytes, random);
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + size(random))]);
}

function repeatRange(bytes: Buffer, random: Random): Buffer {
  const at = place(bytes, random);
  return Buffer.concat([bytes.subarray(0, at + size(random)), bytes.subarray(at)]);
}

function insertNoise(bytes: Buffer, random: Random): Buffer {
  const at = place(bytes, random);
  const noise = Array.from({ length: size(random) }, () => random.whole(0, 255));
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(noise), bytes.subarray(at)]);
}

function cutOff(bytes: Buffer, random: Random): Buffer {
  return random.whole(1, 4) === 1 ? bytes.subarray(0, place(bytes, random)) : bytes;
}

/** Heads are where the meaning is: half of the changes fall into the first bytes. */
function place(bytes: Buffer, random: Random): number {
  const before = random.whole(1, 2) === 1 ? Math.min(64, bytes.length) : bytes.length;
  return random.whole(0, Math.max(0, before - 1));
}

function size(random: Random): number {
  return random.whole(1, rangeBytesMax);
}

/** Pieces of a random length, as a network may cut. */
export function* cutAtRandom(bytes: Uint8Array, bytesMax: number, random: Random) {
  for (let at = 0; at < bytes.length; ) {
    const end = at + random.whole(1, bytesMax);
    yield bytes.subarray(at, end);
    at = end;
  }
}
