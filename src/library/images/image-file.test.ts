// Pictures by their bytes: what encoders write, what hostile hands make of it, cut and bent input.
import { describe, expect, test } from 'bun:test';
import { atOnce, encoded, png, pngChunk } from '../../../test/support/pictures.ts';
import { ImageProblem } from './image-bytes.ts';
import { readImageFile } from './image-file.ts';
import { imageLimits } from './image-limits.ts';
import { checkPngPixels } from './png-pixels.ts';

const size = { width: 20, height: 12 };

describe('a picture is known by its bytes', () => {
  test.each([
    ['a PNG', png(size), 'image/png'],
    ['an interlaced PNG', png({ ...size, isInterlaced: true }), 'image/png'],
    ['a JPEG', encoded.jpeg, 'image/jpeg'],
    ['a GIF that moves', encoded.gif, 'image/gif'],
    ['a lossy WebP', encoded.plainWebp, 'image/webp'],
    ['a WebP that can be seen through', encoded.lossyWebp, 'image/webp'],
    ['a lossless WebP', encoded.losslessWebp, 'image/webp'],
    ['a WebP that moves', encoded.movingWebp, 'image/webp'],
  ])('%s', (_, bytes, type) => {
    expect(atOnce(readImageFile(bytes))).toMatchObject({ type, ...size });
  });

  test('as large as it may be', () => {
    expect(atOnce(readImageFile(png({ width: 4_096, height: 3_906 })))).toMatchObject({
      height: 3_906,
    });
  });
});

const html = Buffer.from('<script>alert(1)</script>');

describe('what is not exactly one picture is refused with a sentence', () => {
  test.each<[string, Uint8Array, RegExp]>([
    ['nothing', new Uint8Array(), /is empty/],
    [
      'an SVG with a script',
      Buffer.from('<?xml version="1.0"?><svg><script>alert(1)</script></svg>'),
      /SVG can carry scripts.*save it as PNG/,
    ],
    ['a page', html, /no picture that browsers show/],
    ['an archive', Buffer.from('PK\x03\x04 and so on'), /an archive/],
    ['a HEIC', Buffer.from('\0\0\0\x18ftypheic and so on'), /AVIF or HEIC/],
    [
      'a PNG of 65,535 × 65,535',
      png({ width: 65_535, height: 65_535, pixelBytes: 10 }),
      /65,535 × 65,535 pixels: each side may have at most 4,096/,
    ],
    [
      'a PNG of too many pixels',
      png({ width: 4_096, height: 4_096, pixelBytes: 10 }),
      /4,096 × 4,096 pixels: all together may be at most 16,000,000/,
    ],
    ['a PNG without a width', png({ width: 0, height: 5 }), /no width or no height/],
    ['a PNG that moves', png({ ...size, more: [pngChunk('acTL', Buffer.alloc(8))] }), /moves/],
    ['a PNG with an archive behind it', Buffer.concat([png(size), html]), /25 bytes follow/],
    ['a JPEG with a page behind it', Buffer.concat([encoded.jpeg, html]), /25 bytes follow/],
    ['a GIF with a page behind it', Buffer.concat([encoded.gif, html]), /25 bytes follow/],
    ['a WebP with a page behind it', Buffer.concat([encoded.plainWebp, html]), /25 bytes follow/],
    ['two JPEGs in one file', Buffer.concat([encoded.jpeg, encoded.jpeg]), /bytes follow/],
    ['a GIF whose head is a script', Buffer.from('GIF89a/*<svg/onload=x>*/=1;'), /pixels|damaged/],
    ['a JPEG in thousands of passes', manyScans(), /more than 50 passes/],
    ['a GIF of a thousand frames', manyFrames(), /more than 500 frames/],
    ['a WebP whose pixels are larger than it says', lyingWebp(), /another size than it says/],
    ['a PNG with a wrong checksum', bent(png(size), 30), /checksum is wrong/],
  ])('%s', (_, bytes, why) => {
    expect(problemOf(bytes)).toMatch(why);
  });
});

describe('the pixels of a PNG', () => {
  test('that unpack to far more than the picture has are a bomb, of which no more is unpacked', async () => {
    const bomb = png({ ...size, pixelBytes: 200_000_000 });
    expect(bomb.length).toBeLessThan(imageLimits.bytesMax);
    expect(await pixelProblemOf(bomb)).toMatch(/unpacks to more than its pixels/);
  });

  test.each([
    ['fewer than the picture has', png({ ...size, pixelBytes: 100 })],
    ['none', png({ ...size, pixelBytes: 0 })],
  ])('that are %s are cut', async (_, bytes) => {
    expect(await pixelProblemOf(bytes)).toMatch(/a part of its pixels is missing/);
  });

  test('are counted in passes where it is interlaced', async () => {
    // Of 20 × 12: 3×2, 2×2, 5×1, 5×3, 10×3, 10×6 and 20×6 pixels, and a byte a line.
    const exact = 6 + 4 + 5 + 15 + 30 + 60 + 120 + (2 + 2 + 1 + 3 + 3 + 6 + 6);
    const of = (pixelBytes: number) => png({ ...size, isInterlaced: true, pixelBytes });
    expect(await pixelProblemOf(of(exact))).toBeUndefined();
    expect(await pixelProblemOf(of(exact - 1))).toMatch(/missing/);
    expect(await pixelProblemOf(of(exact + 1))).toMatch(/more than its pixels/);
  });
});

const all = { ...encoded, png: png(size) };

describe('cut and bent', () => {
  for (const [name, bytes] of Object.entries(all)) {
    test(`${name}: cut anywhere it is refused`, () => {
      for (let length = 0; length < bytes.length; length += 1)
        expect(problemOf(bytes.subarray(0, length))).toBeString();
    });

    test(`${name}: with any byte bent it is read or refused, and never larger than it may be`, () => {
      for (let at = 0; at < bytes.length; at += 1)
        for (const by of [0x01, 0x80, 0xff]) judge(bent(bytes, at, by));
    });

    test(`${name}: with a few bytes of chance in it, too`, () => {
      let seed = 7;
      const chance = (below: number) => {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        return seed % below;
      };
      for (let round = 0; round < 2_000; round += 1) {
        const copy = Uint8Array.from(bytes);
        for (let n = 0; n < 4; n += 1) copy[chance(copy.length)] = chance(256);
        judge(copy);
      }
    });
  }
});

/** It returns or throws one of our sentences. */
function judge(bytes: Uint8Array): void {
  if (problemOf(bytes) !== undefined) return;
  const { width, height } = atOnce(readImageFile(bytes));
  expect(width * height).toBeWithin(1, imageLimits.pixelsMax + 1);
}

function problemOf(bytes: Uint8Array): string | undefined {
  try {
    atOnce(readImageFile(bytes));
    return undefined;
  } catch (error) {
    if (error instanceof ImageProblem) return error.message;
    throw error;
  }
}

async function pixelProblemOf(bytes: Uint8Array): Promise<string | undefined> {
  const image = atOnce(readImageFile(bytes));
  if (image.type !== 'image/png') throw new Error('this is no PNG');
  try {
    await checkPngPixels(image);
    return undefined;
  } catch (error) {
    if (error instanceof ImageProblem) return error.message;
    throw error;
  }
}

function bent(bytes: Uint8Array, at: number, by = 0xff): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ by;
  return copy;
}

/** The one scan of the sample again and again. */
function manyScans(): Uint8Array {
  const { jpeg } = encoded;
  const scanAt = Buffer.from(jpeg).indexOf(Buffer.from([0xff, 0xda]));
  const scan = jpeg.subarray(scanAt, -2);
  return Buffer.concat([jpeg.subarray(0, -2), ...Array(2_000).fill(scan), jpeg.subarray(-2)]);
}

/** A frame of a pixel, a thousand times. */
function manyFrames(): Uint8Array {
  const head = Buffer.from('GIF89a\x01\0\x01\0\0\0\0', 'latin1');
  const frame = Uint8Array.fromHex('2c000000000100010000020244010'.concat('0'));
  return Buffer.concat([head, ...Array(1_000).fill(frame), Buffer.from(';')]);
}

/** The canvas of one that can be seen through, made smaller than its pixels. */
function lyingWebp(): Uint8Array {
  const copy = Uint8Array.from(encoded.lossyWebp);
  copy[24] = 3;
  return copy;
}
