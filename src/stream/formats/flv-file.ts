// FLV files: the tags of a clip, read and written (FLV 10.1 E.2 to E.4).
import { aacId, h264Id } from './flv.ts';
import { MediaError } from './packet.ts';

export interface FlvTag {
  type: 'audio' | 'video' | 'script';
  timestampMs: number;
  body: Uint8Array;
}

/** Whether it holds a track's parameters; of other codecs than ours nothing is known. */
export function isSequenceHeader({ type, body }: FlvTag): boolean {
  const [head = 0, kind] = body;
  if (kind !== 0) return false;
  return type === 'video' ? (head & 0x8f) === h264Id : type === 'audio' && head >> 4 === aacId;
}

const tagTypes: Record<number, FlvTag['type']> = { 8: 'audio', 9: 'video', 18: 'script' };
const tagTypeNumbers = { audio: 8, video: 9, script: 18 };
const fileHeadBytes = 9;
const tagHeadBytes = 11;
/** After each tag stands its size, for reading backwards. */
const tagSizeBytes = 4;

/** The tags of a file, without copying; a file that was cut ends with its last whole tag. */
export function* readFlvFile(bytes: Uint8Array): Generator<FlvTag> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < fileHeadBytes || Buffer.from(bytes.subarray(0, 3)).toString() !== 'FLV') {
    throw new MediaError('This is no FLV file');
  }
  const headBytes = view.getUint32(5);
  if (headBytes < fileHeadBytes) throw new MediaError('This FLV file has a broken header');
  for (let at = headBytes + tagSizeBytes; at + tagHeadBytes <= bytes.length; ) {
    const start = at + tagHeadBytes;
    // Sizes and times have three bytes; the fourth of a time stands behind them (E.4.1).
    const bodyEnd = start + (view.getUint32(at) & 0xffffff);
    if (bodyEnd > bytes.length) return;
    const timestampMs = view.getUint8(at + 7) * 2 ** 24 + (view.getUint32(at + 3) & 0xffffff);
    const type = tagTypes[view.getUint8(at)];
    if (type) yield { type, timestampMs, body: bytes.subarray(start, bodyEnd) };
    at = bodyEnd + tagSizeBytes;
  }
}

/** A file of sound and pictures begins so; the tags follow. */
export function flvFileHeader(): Uint8Array {
  return Uint8Array.of(0x46, 0x4c, 0x56, 1, 0x05, 0, 0, 0, fileHeadBytes, 0, 0, 0, 0);
}

export function flvFileTag({ type, timestampMs, body }: FlvTag): Uint8Array {
  const tag = Buffer.alloc(tagHeadBytes + body.length + tagSizeBytes);
  tag.writeUInt8(tagTypeNumbers[type], 0);
  tag.writeUIntBE(body.length, 1, 3);
  tag.writeUIntBE(timestampMs % 2 ** 24, 4, 3);
  tag.writeUInt8(Math.floor(timestampMs / 2 ** 24), 7);
  tag.set(body, tagHeadBytes);
  tag.writeUInt32BE(tagHeadBytes + body.length, tagHeadBytes + body.length);
  return tag;
}
