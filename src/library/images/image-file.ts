// Reads what kind of picture a file is and how large it is, by its bytes alone, and refuses what is not exactly one picture.
import type { Steps } from '../../base/turns/stepped-work.ts';
import {
  broken,
  FileBytes,
  GifPieces,
  gifColours,
  ImageProblem,
  PartCount,
  pngSignature,
  scanEnd,
  tooMany,
  truncated,
} from './image-bytes.ts';
import { type ImageType, imageLimits } from './image-limits.ts';

export interface ImageFacts {
  type: ImageType;
  width: number;
  height: number;
}

/** How PNG says that its pixels are packed: `png-pixels.ts` looks at them. */
export interface PngFacts extends ImageFacts {
  type: 'image/png';
  bitsPerPixel: number;
  isInterlaced: boolean;
  /** Of all its pixels, packed, in the order of the file. */
  packed: Uint8Array[];
  /** What its colours mean, packed; undefined where it does not say. */
  profile: Uint8Array | undefined;
}

export type ReadImage = PngFacts | (ImageFacts & { type: Exclude<ImageType, 'image/png'> });

/** Throws an `ImageProblem` where it is not one whole picture and nothing else. */
export function* readImageFile(bytes: Uint8Array): Steps<ReadImage> {
  const file = new FileBytes(bytes);
  if (bytes.length === 0) throw new ImageProblem('The file is empty.');
  if (file.startsWith(pngSignature)) return yield* readPng(file);
  if (file.startsWith([0xff, 0xd8, 0xff])) return yield* readJpeg(file);
  if (file.text(0, 4) === 'RIFF' && file.text(8, 4) === 'WEBP') return yield* readWebp(file);
  if (/^GIF8[79]a$/.test(file.text(0, 6))) return yield* readGif(file);
  throw new ImageProblem(otherFile(file));
}

const taken = 'PNG, JPEG, WebP and GIF are taken';

function otherFile(file: FileBytes): string {
  const opening = file.text(0, 1_024).toLowerCase();
  if (opening.includes('<svg'))
    return `An SVG can carry scripts, so it is not taken: save it as PNG. ${taken}.`;
  if (opening.startsWith('pk')) return `This is an archive and no picture: ${taken}.`;
  if (/^.{4}ftyp(avif|hei[cxs]|mif1)/s.test(opening))
    return `Not every browser shows AVIF or HEIC, so they are not taken: ${taken}.`;
  return `This is no picture that browsers show: ${taken}.`;
}

interface Size {
  width: number;
  height: number;
}

/** The same size, where a page may show it. */
function checked({ width, height }: Size): Size {
  const { sideMax, pixelsMax } = imageLimits;
  if (width === 0 || height === 0) throw broken('it has no width or no height');
  const size = `${grouped(width)} × ${grouped(height)}`;
  if (width > sideMax || height > sideMax)
    throw new ImageProblem(
      `The picture is ${size} pixels: each side may have at most ${grouped(sideMax)}.`,
    );
  if (width * height > pixelsMax)
    throw new ImageProblem(
      `The picture is ${size} pixels: all together may be at most ${grouped(pixelsMax)}.`,
    );
  return { width, height };
}

function grouped(count: number): string {
  return count.toLocaleString('en');
}

/** PNG, third edition: chunks of length, name, bytes and checksum. */
function* readPng(file: FileBytes): Steps<PngFacts> {
  let at = pngSignature.length;
  if (file.text(at + 4, 4) !== 'IHDR' || file.u32(at) !== 13) throw broken('it has no header');
  const size = checked({ width: file.u32(at + 8), height: file.u32(at + 12) });
  const pixels = pngPixels(file, at + 16);
  const packed: Uint8Array[] = [];
  let profile: Uint8Array | undefined;
  const parts = new PartCount('image/png');
  for (;;) {
    yield;
    parts.add();
    const length = file.u32(at);
    const name = file.text(at + 4, 4);
    file.need(at, length + 12);
    if (!/^[A-Za-z]{4}$/.test(name)) throw broken('a part of it has no name');
    if (Bun.hash.crc32(file.part(at + 4, length + 4)) !== file.u32(at + 8 + length))
      throw broken('a checksum is wrong');
    if (name === 'acTL')
      throw new ImageProblem('A PNG that moves is not taken: GIF and WebP may move.');
    if (name === 'IDAT') packed.push(file.part(at + 8, length));
    if (name === 'iCCP') {
      if (profile) throw broken('it says twice what its colours mean');
      profile = packedProfile(file.part(at + 8, length));
    }
    at += length + 12;
    if (name === 'IEND') break;
  }
  file.endsAt(at);
  return { type: 'image/png', ...size, ...pixels, packed, profile };
}

/** PNG, third edition, 11.3.2.3: a name of up to 79 characters, a zero, how it is packed, the profile. */
function packedProfile(chunk: Uint8Array): Uint8Array {
  const nameEnd = chunk.subarray(0, 80).indexOf(0);
  if (nameEnd < 1 || chunk[nameEnd + 1] !== 0) throw broken('its colour profile makes no sense');
  return chunk.subarray(nameEnd + 2);
}

/** Bits of a pixel's values, by colour type; and how many values it has. */
const pngColours: Record<number, { values: number; bits: readonly number[] }> = {
  0: { values: 1, bits: [1, 2, 4, 8, 16] },
  2: { values: 3, bits: [8, 16] },
  3: { values: 1, bits: [1, 2, 4, 8] },
  4: { values: 2, bits: [8, 16] },
  6: { values: 4, bits: [8, 16] },
};

function pngPixels(file: FileBytes, at: number) {
  const bits = file.u8(at);
  const colour = pngColours[file.u8(at + 1)];
  const [packing, filter, interlacing] = [file.u8(at + 2), file.u8(at + 3), file.u8(at + 4)];
  if (!colour?.bits.includes(bits) || packing !== 0 || filter !== 0 || interlacing > 1)
    throw broken('its header makes no sense');
  return { bitsPerPixel: colour.values * bits, isInterlaced: interlacing === 1 };
}

const jpeg = {
  end: 0xd9,
  scan: 0xda,
  /** Of baseline, extended and progressive pictures: those that browsers show. */
  frames: [0xc0, 0xc1, 0xc2],
  otherFrames: [0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf],
};

/** ITU-T T.81 B: segments that begin with a marker; the pixels follow a scan's. */
function* readJpeg(file: FileBytes): Steps<ReadImage> {
  let size: Size | undefined;
  let scans = 0;
  let fillBytes = 0;
  const parts = new PartCount('image/jpeg');
  for (let at = 2; ; ) {
    yield;
    if (file.u8(at) !== 0xff) throw broken('it has bytes between its parts');
    const marker = file.u8(at + 1);
    if (marker === 0xff) {
      at += 1;
      fillBytes += 1;
      if (fillBytes > imageLimits.jpegFillBytesMax) throw tooMany(imageLimits.jpegFillBytesMax);
      continue;
    }
    parts.add();
    at += 2;
    if (marker === jpeg.end) {
      file.endsAt(at);
      break;
    }
    // Those that stand alone have no place here, and a second start is a second picture.
    if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd8)) throw broken('its parts are mixed up');
    const length = file.u16(at);
    if (length < 2) throw broken('a part of it has no length');
    file.need(at, length);
    if (jpeg.otherFrames.includes(marker))
      throw new ImageProblem('Browsers do not show this kind of JPEG: save it as an ordinary one.');
    if (jpeg.frames.includes(marker)) {
      if (size) throw broken('it says twice how large it is');
      size = checked({ width: file.u16(at + 5), height: file.u16(at + 3) });
    }
    at += length;
    if (marker !== jpeg.scan) continue;
    if (!size) throw broken('its pixels come before its size');
    scans += 1;
    if (scans > imageLimits.jpegScansMax)
      throw new ImageProblem(
        `The picture is packed in more than ${imageLimits.jpegScansMax} passes: save it anew with a picture program.`,
      );
    at = yield* scanEnd(file, at);
  }
  if (!size || scans === 0) throw broken('it has no pixels');
  return { type: 'image/jpeg', ...size };
}

/** RFC 9649: chunks of name, length and bytes in a RIFF, of an even length each. */
function* readWebp(file: FileBytes): Steps<ReadImage> {
  const length = file.u32Little(4);
  file.endsAt(8 + length);
  const first = file.text(12, 4);
  const walked = new WebpFrames(file);
  if (first === 'VP8X') {
    const canvas = checked({ width: file.u24Little(24) + 1, height: file.u24Little(27) + 1 });
    yield* walked.walk({ from: 12, to: file.length, canvas, isWithin: false });
  } else {
    yield* walked.walk({ from: 12, to: file.length, canvas: undefined, isWithin: false });
  }
  const { size } = walked;
  if (!size) throw broken('it has no pixels');
  return { type: 'image/webp', ...size };
}

/** Goes through chunks; every picture among them is as large as the head that it stands under says. */
class WebpFrames {
  /** Of the whole. */
  size: Size | undefined;
  private readonly file: FileBytes;
  private readonly parts = new PartCount('image/webp');
  private frames = 0;

  constructor(file: FileBytes) {
    this.file = file;
  }

  *walk(given: {
    from: number;
    to: number;
    canvas: Size | undefined;
    isWithin: boolean;
  }): Steps<void> {
    const { file } = this;
    const { from, to, canvas, isWithin } = given;
    for (let at = from; at < to; ) {
      yield;
      this.parts.add();
      const name = file.text(at, 4);
      const length = file.u32Little(at + 4);
      const start = at + 8;
      at = start + length + (length % 2);
      if (at > to) throw truncated();
      if (name === 'ANMF' && isWithin) throw broken('it has a frame within a frame');
      if (name === 'ANMF') yield* this.frame(start, at, canvas);
      else if (name === 'VP8 ' || name === 'VP8L') {
        const size = checked(name === 'VP8 ' ? lossySize(file, start) : losslessSize(file, start));
        const isAsSaid = !canvas || (size.width === canvas.width && size.height === canvas.height);
        if (!isAsSaid) throw broken('its pixels are of another size than it says');
        if (!isWithin) this.count(size);
      }
    }
  }

  private *frame(start: number, end: number, canvas: Size | undefined): Steps<void> {
    const { file } = this;
    if (!canvas) throw broken('it moves, and does not say so');
    file.need(start, 16);
    const [x, y] = [2 * file.u24Little(start), 2 * file.u24Little(start + 3)];
    const own = { width: file.u24Little(start + 6) + 1, height: file.u24Little(start + 9) + 1 };
    if (x + own.width > canvas.width || y + own.height > canvas.height)
      throw broken('a frame of it lies outside');
    this.count(canvas);
    yield* this.walk({ from: start + 16, to: end, canvas: own, isWithin: true });
  }

  private count(size: Size): void {
    this.size = size;
    this.frames += 1;
    checkFrames(this.frames);
  }
}

/** RFC 6386 9.1: the frame's tag of three bytes, a start code, then the size in 14 bits each. */
function lossySize(file: FileBytes, at: number): Size {
  if (file.text(at + 3, 3) !== '\x9d\x01\x2a') throw broken('its pixels have no start');
  return { width: file.u16Little(at + 6) & 0x3fff, height: file.u16Little(at + 8) & 0x3fff };
}

/** RFC 9649 3.4: a signature, then both sides less one in 14 bits each. */
function losslessSize(file: FileBytes, at: number): Size {
  if (file.u8(at) !== 0x2f) throw broken('its pixels have no start');
  const bits = file.u32Little(at + 1);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

const gif = { extension: 0x21, image: 0x2c, end: 0x3b };

/** GIF89a: a screen, then blocks; the bytes of each lie in pieces of at most 255. */
function* readGif(file: FileBytes): Steps<ReadImage> {
  const screen = checked({ width: file.u16Little(6), height: file.u16Little(8) });
  let at = 13 + gifColours(file.u8(10));
  file.need(0, at);
  let frames = 0;
  const parts = new PartCount('image/gif');
  const pieces = new GifPieces();
  for (;;) {
    yield;
    parts.add();
    const block = file.u8(at);
    if (block === gif.end) break;
    if (block === gif.extension) at = yield* pieces.end(file, at + 2);
    else if (block === gif.image) {
      const [x, y] = [file.u16Little(at + 1), file.u16Little(at + 3)];
      const own = { width: file.u16Little(at + 5), height: file.u16Little(at + 7) };
      if (x + own.width > screen.width || y + own.height > screen.height)
        throw broken('a frame of it lies outside');
      frames += 1;
      checkFrames(frames);
      // After its head and its colours: how wide codes are, then the pixels.
      at = yield* pieces.end(file, at + 10 + gifColours(file.u8(at + 9)) + 1);
    } else throw broken('its parts are mixed up');
  }
  file.endsAt(at + 1);
  if (frames === 0) throw broken('it has no pixels');
  return { type: 'image/gif', ...screen };
}

function checkFrames(count: number): void {
  if (count > imageLimits.framesMax)
    throw new ImageProblem(
      `The picture moves in more than ${imageLimits.framesMax} frames, which is too many for a page.`,
    );
}
