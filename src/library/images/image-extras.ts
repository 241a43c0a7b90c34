// Takes out of a picture what no page shows: who made it, where and with what; pixels and colours stay byte for byte.
import type { Steps } from '../../base/turns/stepped-work.ts';
import { FileBytes, GifPieces, gifColours, pngSignature, scanEnd } from './image-bytes.ts';
import type { ImageType } from './image-limits.ts';
import { minimalExif, orientationIn } from './image-orientation.ts';

/** Of a picture that was read as a whole one. Only what is known to be for showing it stays; which way up it is, too. */
export function* withoutExtras(bytes: Uint8Array, type: ImageType): Steps<Uint8Array> {
  const kept = yield* keptParts[type](new FileBytes(bytes));
  yield;
  return Buffer.concat(kept);
}

const keptParts: Record<ImageType, (file: FileBytes) => Steps<Uint8Array[]>> = {
  'image/png': keptOfPng,
  'image/jpeg': keptOfJpeg,
  'image/webp': keptOfWebp,
  'image/gif': keptOfGif,
};

/** Beside the critical chunks, whose names begin with a capital: see-through colours, what colours mean, pixels' shape. */
const pngShown = /^([A-Z]|tRNS|gAMA|cHRM|sRGB|iCCP|cICP|mDCV|cLLI|sBIT|bKGD|pHYs)/;

function* keptOfPng(file: FileBytes): Steps<Uint8Array[]> {
  const kept = [file.part(0, pngSignature.length)];
  for (let at = pngSignature.length; at < file.length; ) {
    yield;
    const length = file.u32(at) + 12;
    const name = file.text(at + 4, 4);
    if (pngShown.test(name)) kept.push(file.part(at, length));
    else if (name === 'eXIf') kept.push(...pngExif(file.part(at + 8, length - 12)));
    at += length;
  }
  return kept;
}

function pngExif(exif: Uint8Array): Uint8Array[] {
  const orientation = orientationIn(exif);
  if (orientation === undefined) return [];
  const small = minimalExif(orientation);
  const chunk = Buffer.alloc(12 + small.length);
  chunk.writeUInt32BE(small.length);
  chunk.set(Buffer.from('eXIf'), 4);
  chunk.set(small, 8);
  chunk.writeUInt32BE(Bun.hash.crc32(chunk.subarray(4, 8 + small.length)), 8 + small.length);
  return [chunk];
}

const jpegMark = { end: 0xd9, scan: 0xda, comment: 0xfe, app: 0xe0, appLast: 0xef };
const exifHead = 'Exif\0\0';

function* keptOfJpeg(file: FileBytes): Steps<Uint8Array[]> {
  const kept = [file.part(0, 2)];
  let isTurned = false;
  for (let at = 2; ; ) {
    yield;
    const marker = file.u8(at + 1);
    // Bytes that fill up.
    if (marker === 0xff) at += 1;
    else if (marker === jpegMark.end) return [...kept, file.part(at, 2)];
    else {
      const length = 2 + file.u16(at + 2);
      const segment = file.part(at, length);
      at += length;
      if (marker === jpegMark.scan) {
        const end: number = yield* scanEnd(file, at);
        kept.push(segment, file.part(at, end - at));
        at = end;
      } else if (marker !== jpegMark.comment) {
        const turned: Uint8Array | undefined =
          marker === 0xe1 && !isTurned ? jpegExif(segment) : undefined;
        isTurned ||= turned !== undefined;
        kept.push(...(turned ? [turned] : keptSegment(marker, segment)));
      }
    }
  }
}

/** Of the segments that programs add: what colours mean. A thumbnail may show what was cut off. */
function keptSegment(marker: number, segment: Uint8Array): Uint8Array[] {
  if (marker < jpegMark.app || marker > jpegMark.appLast) return [segment];
  const text = new FileBytes(segment).text(4, 12);
  if (marker === 0xe0 && text.startsWith('JFIF\0') && segment.length >= 18)
    return [withoutThumbnail(segment)];
  const isShown =
    (marker === 0xe2 && text === 'ICC_PROFILE\0') || (marker === 0xee && text.startsWith('Adobe'));
  return isShown ? [segment] : [];
}

/** JFIF 1.02: two bytes before the thumbnail say how large it is. */
function withoutThumbnail(segment: Uint8Array): Uint8Array {
  const short = Buffer.from(segment.subarray(0, 18));
  short.writeUInt16BE(16, 2);
  short.writeUInt16BE(0, 16);
  return short;
}

/** Which way up it is, alone; undefined where it does not say, or as it lies. */
function jpegExif(segment: Uint8Array): Uint8Array | undefined {
  if (new FileBytes(segment).text(4, exifHead.length) !== exifHead) return undefined;
  const orientation = orientationIn(segment.subarray(4 + exifHead.length));
  if (orientation === undefined) return undefined;
  const head = Buffer.alloc(4 + exifHead.length);
  const exif = minimalExif(orientation);
  head.writeUInt16BE(0xffe1);
  head.writeUInt16BE(2 + exifHead.length + exif.length, 2);
  head.write(exifHead, 4, 'latin1');
  return Buffer.concat([head, exif]);
}

const webpShown = ['VP8X', 'ALPH', 'VP8 ', 'VP8L', 'ANIM', 'ANMF', 'ICCP'];
/** RFC 9649 2.7: flags of what a file has. */
const webpFlags = { exif: 0x08, xmp: 0x04 };
/** Of a frame, before its own chunks. */
const webpFrameHead = 16;

function* keptOfWebp(file: FileBytes): Steps<Uint8Array[]> {
  let exif: Uint8Array | undefined;
  let head: Uint8Array | undefined;
  const kept: Uint8Array[] = [];
  for (let at = 12; at < file.length; ) {
    yield;
    const { name, bytes, next } = webpChunkAt(file, at);
    if (name === 'EXIF') exif ??= webpExif(bytes);
    if (kept.length === 0 && name === 'VP8X') {
      head = Buffer.from(bytes);
      kept.push(...webpChunk(name, [head]));
    } else if (name === 'ANMF') kept.push(...webpChunk(name, yield* keptOfFrame(bytes)));
    else if (webpShown.includes(name)) kept.push(...webpChunk(name, [bytes]));
    at = next;
  }
  if (head) {
    head[0] = (head[0] ?? 0) & ~(webpFlags.exif | webpFlags.xmp);
    if (exif) {
      head[0] |= webpFlags.exif;
      kept.push(...webpChunk('EXIF', [exif]));
    }
  }
  return webpChunk('RIFF', [Buffer.from('WEBP'), ...kept]);
}

function* keptOfFrame(frame: Uint8Array): Steps<Uint8Array[]> {
  const file = new FileBytes(frame);
  const kept = [file.part(0, webpFrameHead)];
  for (let at = webpFrameHead; at < file.length; ) {
    yield;
    const { name, bytes, next } = webpChunkAt(file, at);
    if (webpShown.includes(name)) kept.push(...webpChunk(name, [bytes]));
    at = next;
  }
  return kept;
}

function webpChunkAt(file: FileBytes, at: number) {
  const length = file.u32Little(at + 4);
  const bytes = file.part(at + 8, length);
  return { name: file.text(at, 4), bytes, next: at + 8 + length + (length % 2) };
}

/** Its head and what it is of, which is not copied; of an even length. */
function webpChunk(name: string, parts: readonly Uint8Array[]): Uint8Array[] {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(length, 4);
  return [head, ...parts, new Uint8Array(length % 2)];
}

/** Some programs write it as they do into a JPEG. */
function webpExif(bytes: Uint8Array): Uint8Array | undefined {
  const hasHead = new FileBytes(bytes).text(0, exifHead.length) === exifHead;
  const orientation = orientationIn(hasHead ? bytes.subarray(exifHead.length) : bytes);
  return orientation === undefined ? undefined : minimalExif(orientation);
}

const gifMark = { extension: 0x21, end: 0x3b, comment: 0xfe, application: 0xff };
/** How often it moves through its frames, and what its colours mean. */
const gifShown = ['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012'];

function* keptOfGif(file: FileBytes): Steps<Uint8Array[]> {
  const start = 13 + gifColours(file.u8(10));
  const kept = [file.part(0, start)];
  const pieces = new GifPieces();
  for (let at = start; ; ) {
    yield;
    if (file.u8(at) === gifMark.end) return [...kept, file.part(at, 1)];
    const isExtension = file.u8(at) === gifMark.extension;
    const from = isExtension ? at + 2 : at + 10 + gifColours(file.u8(at + 9)) + 1;
    const end: number = yield* pieces.end(file, from);
    if (!isExtension || isShownGif(file, at)) kept.push(file.part(at, end - at));
    at = end;
  }
}

function isShownGif(file: FileBytes, at: number): boolean {
  const label = file.u8(at + 1);
  if (label === gifMark.comment) return false;
  return label !== gifMark.application || gifShown.includes(file.text(at + 3, 11));
}
