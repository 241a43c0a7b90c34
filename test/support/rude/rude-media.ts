// Pictures and parameters that no encoder sends, made of the test clip's own.
import { isSequenceHeader } from '../../../src/stream/formats/flv-file.ts';
import { testClip } from '../clip-push.ts';
import type { RudeMessage } from './rude-push.ts';

/** What stands before a key frame's units, another picture's, and a record. */
const keyHead = Uint8Array.of(0x17, 1, 0, 0, 0);
const otherHead = Uint8Array.of(0x27, 1, 0, 0, 0);
const recordHead = Uint8Array.of(0x17, 0, 0, 0, 0);

/** The clip's AVCDecoderConfigurationRecord. */
export function clipRecord(): Uint8Array {
  const header = testClip().tags.find((tag) => tag.type === 'video' && isSequenceHeader(tag));
  if (!header) throw new Error('the clip has no parameters of its picture');
  return header.body.subarray(recordHead.length);
}

/** A record that differs from the clip's in what nobody reads. */
export function otherRecord(n: number): Uint8Array {
  return Buffer.concat([clipRecord(), Uint8Array.of(n >> 8, n)]);
}

/** The clip's SPS, and PPS of our own. */
export function recordOf(pictures: readonly Uint8Array[]): Uint8Array {
  const record = clipRecord();
  const sequenceBytes = ((record[6] ?? 0) << 8) | (record[7] ?? 0);
  return Buffer.concat([
    record.subarray(0, 8 + sequenceBytes),
    Uint8Array.of(pictures.length),
    ...pictures.flatMap((set) => [Uint8Array.of(set.length >> 8, set.length), set]),
  ]);
}

export function header(record: Uint8Array): Uint8Array {
  return Buffer.concat([recordHead, record]);
}

export function picture(units: readonly Uint8Array[], { isKey = true } = {}): Uint8Array {
  return Buffer.concat([isKey ? keyHead : otherHead, ...units.map(withLength)]);
}

/** A slice of so many bytes, of which a decoder would make nothing. */
export function slice(bytes: number, { isKey = true } = {}): Uint8Array {
  const unit = Buffer.alloc(bytes, 0x55);
  unit[0] = isKey ? 0x65 : 0x41;
  return unit;
}

/** Many messages in one (RTMP 1.0, 7.1.6), each laid out as FLV does. */
export function aggregate(messages: readonly RudeMessage[]): Uint8Array {
  return Buffer.concat(messages.flatMap((message) => tagOf(message)));
}

function tagOf({ type, timestamp, body }: RudeMessage): Uint8Array[] {
  const head = Buffer.alloc(11);
  head[0] = type === 'audio' ? 8 : 9;
  head.writeUIntBE(body.length, 1, 3);
  head.writeUIntBE(timestamp & 0xffffff, 4, 3);
  head[7] = timestamp >>> 24;
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(head.length + body.length);
  return [head, body, tail];
}

function withLength(unit: Uint8Array): Uint8Array {
  const sized = Buffer.alloc(4 + unit.length);
  sized.writeUInt32BE(unit.length);
  sized.set(unit, 4);
  return sized;
}
