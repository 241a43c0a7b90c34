// How much work a picture makes: files of many tiny parts are refused after few steps, and what programs write is read in small ones.
import { describe, expect, test } from 'bun:test';
import { deflateSync } from 'node:zlib';
import { atOnce, encoded, png, pngChunk } from '../../../test/support/pictures.ts';
import type { Steps } from '../../base/turns/stepped-work.ts';
import { ImageProblem } from './image-bytes.ts';
import { withoutExtras } from './image-extras.ts';
import { readImageFile } from './image-file.ts';
import { imageLimits } from './image-limits.ts';
import { checkPngPixels } from './png-pixels.ts';
import { checkPngProfile } from './png-profile.ts';

const size = { width: 20, height: 12 };
const { bytesMax, partsMax, gifPiecesMax, jpegFillBytesMax, profileBytesMax } = imageLimits;

/** The same bytes again and again, to so many in all. */
function filled(bytes: number, given: Uint8Array | string): Uint8Array {
  const unit = typeof given === 'string' ? latin(given) : given;
  return Buffer.alloc(bytes - (bytes % unit.length), unit);
}

function latin(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

/** Behind the pixels of a PNG. */
function pngWith(more: Uint8Array): Uint8Array {
  const whole = png(size);
  return Buffer.concat([whole.subarray(0, -12), more, whole.subarray(-12)]);
}

/** Before the end of a GIF. */
function gifWith(...more: Uint8Array[]): Uint8Array {
  return Buffer.concat([encoded.gif.subarray(0, -1), ...more, latin(';')]);
}

function jpegWith(...more: Uint8Array[]): Uint8Array {
  return Buffer.concat([encoded.jpeg.subarray(0, 2), ...more, encoded.jpeg.subarray(2)]);
}

function webpWith(more: Uint8Array): Uint8Array {
  const whole = Buffer.concat([encoded.plainWebp, more]);
  whole.writeUInt32LE(whole.length - 8, 4);
  return whole;
}

const nearly = bytesMax - 2_000;
const gifFrame = latin(',\0\0\0\0\x14\0\x0c\0\0\x08');
const many = (count: number) => count.toLocaleString('en');

describe('a file that is made to keep its reader busy is refused with a sentence, after few steps', () => {
  test.each<[string, () => Uint8Array, string]>([
    [
      'empty pixels of a PNG',
      () => pngWith(filled(nearly, pngChunk('IDAT', new Uint8Array()))),
      `more than ${many(partsMax['image/png'])} parts`,
    ],
    [
      'empty texts of a PNG',
      () => pngWith(filled(nearly, pngChunk('tEXt', new Uint8Array()))),
      `more than ${many(partsMax['image/png'])} parts`,
    ],
    [
      'empty EXIF of a WebP',
      () => webpWith(filled(nearly, 'EXIF\0\0\0\0')),
      `more than ${many(partsMax['image/webp'])} parts`,
    ],
    [
      'pixels of a GIF in pieces of one byte',
      () => gifWith(gifFrame, filled(nearly, '\x01a'), latin('\0')),
      `more than ${many(gifPiecesMax)} parts`,
    ],
    [
      'comments of a GIF',
      () => gifWith(filled(nearly, '!\xfe\x01a\0')),
      `more than ${many(partsMax['image/gif'])} parts`,
    ],
    [
      'bytes that fill a JPEG up',
      () => jpegWith(filled(nearly, '\xff')),
      `more than ${many(jpegFillBytesMax)} parts`,
    ],
    [
      'empty comments of a JPEG',
      () => jpegWith(filled(nearly, '\xff\xfe\0\x02')),
      `more than ${many(partsMax['image/jpeg'])} parts`,
    ],
  ])('%s', (_, make, why) => {
    const bytes = make();
    expect(bytes.length).toBeWithin(bytesMax - 10_000, bytesMax + 1);
    const { problem, steps } = counted(readImageFile(bytes));
    expect(problem).toContain(why);
    expect(steps).toBeLessThanOrEqual(partsMax['image/png'] + 10);
  });
});

describe('what programs write is far below, as large as it may be', () => {
  test.each<[string, () => Uint8Array, string]>([
    ['a PNG by ffmpeg', () => pngWith(partsOf(4_096, (part) => pngChunk('IDAT', part))), 'png'],
    [
      'a PNG of a part a line',
      () => pngWith(Buffer.concat(Array(4_096).fill(pngChunk('IDAT', Buffer.alloc(100))))),
      'png',
    ],
    [
      'a GIF',
      () =>
        gifWith(
          gifFrame,
          partsOf(255, (part) => Buffer.concat([Buffer.from([part.length]), part])),
          latin('\0'),
        ),
      'gif',
    ],
    ['a GIF of as many frames as may be', () => gifWith(...frames(498)), 'gif'],
    [
      'a JPEG with the largest profile',
      () =>
        jpegWith(...Array<Uint8Array>(255).fill(latin('\xff\xe2\0\x12ICC_PROFILE\0\x01\xff12'))),
      'jpeg',
    ],
  ])('%s', (_, make, kind) => {
    const { value, problem } = counted(readImageFile(make()));
    expect(problem).toBeUndefined();
    expect(value).toMatchObject({ type: `image/${kind}`, ...size });
  });
});

/** Each with its delay, as those that move have. */
function frames(count: number): Uint8Array[] {
  const delay = latin('!\xf9\x04\0\0\0\0\0');
  return Array(count).fill(Buffer.concat([delay, gifFrame, latin('\x01a\0')]));
}

function partsOf(bytes: number, make: (part: Uint8Array) => Uint8Array): Uint8Array {
  const count = Math.floor(nearly / make(new Uint8Array(bytes)).length);
  return Buffer.concat(Array<Uint8Array>(count).fill(make(new Uint8Array(bytes))));
}

test.each([
  ['0xff', '\xff\0'],
  ['restarts', '\xff\xd0'],
  ['anything else', 'ab'],
])('the pixels of a JPEG are gone through in small steps: nothing but %s', (_, unit) => {
  const { jpeg } = encoded;
  const bytes = Buffer.concat([jpeg.subarray(0, -2), filled(nearly, unit), jpeg.subarray(-2)]);
  const read = counted(readImageFile(bytes));
  expect(read.value).toMatchObject({ type: 'image/jpeg', ...size });
  expect(read.steps).toBeWithin(nearly / 4_097, nearly / 4_096 + 100);
  const kept = counted(withoutExtras(bytes, 'image/jpeg'));
  expect(kept.steps).toBeWithin(nearly / 4_097, nearly / 4_096 + 100);
});

test('pixels of a PNG in thousands of parts, some of them empty, are unpacked all the same', async () => {
  const whole = png(size);
  const parts = Array.from(deflateSync(new Uint8Array(12 * 21)), (byte) => [
    pngChunk('IDAT', Uint8Array.of(byte)),
    ...Array(100).fill(pngChunk('IDAT', new Uint8Array())),
  ]);
  const bytes = Buffer.concat([whole.subarray(0, 33), ...parts.flat(), whole.subarray(-12)]);
  const image = atOnce(readImageFile(bytes));
  if (image.type !== 'image/png') throw new Error('this is no PNG');
  expect(image.packed.length).toBeGreaterThan(1_000);
  await checkPngPixels(image);
});

describe('the colour profile of a PNG', () => {
  const packed = (bytes: number) => deflateSync(new Uint8Array(bytes));
  const iccp = (profile: Uint8Array) =>
    pngChunk('iCCP', Buffer.concat([latin('Display P3\0\0'), profile]));
  const profileIn = (...more: Uint8Array[]) => {
    const image = atOnce(readImageFile(png({ ...size, more })));
    return image.type === 'image/png' ? image.profile : undefined;
  };

  test('that is as large as it may be stays, byte for byte', async () => {
    const profile = packed(profileBytesMax);
    const found = profileIn(iccp(profile));
    expect(Buffer.from(found ?? []).equals(profile)).toBeTrue();
    await checkPngProfile(profile);
    const bytes = png({ ...size, more: [iccp(profile)] });
    expect(Buffer.from(atOnce(withoutExtras(bytes, 'image/png'))).equals(bytes)).toBeTrue();
  });

  test.each<[string, Uint8Array, RegExp]>([
    ['unpacks to one byte more', packed(profileBytesMax + 1), /unpacks to more than 4,194,304/],
    ['unpacks to 60 MB', packed(60_000_000), /unpacks to more than 4,194,304/],
    ['is cut', packed(3_000).subarray(0, -8), /cannot be unpacked/],
    ['is not packed', latin('colours'), /cannot be unpacked/],
    ['is empty', new Uint8Array(), /cannot be unpacked/],
  ])('that %s is refused', async (_, profile, why) => {
    const problem = await checkPngProfile(profile).catch((error) => error);
    expect(problem).toBeInstanceOf(ImageProblem);
    expect(problem.message).toMatch(why);
  });

  test.each<[string, Uint8Array[]]>([
    ['comes twice', [iccp(packed(10)), iccp(packed(10))]],
    ['has no name', [pngChunk('iCCP', latin('\0\0packed'))]],
    ['has a name without an end', [pngChunk('iCCP', Buffer.alloc(200, 'a'))]],
    ['is packed in a way that nobody knows', [pngChunk('iCCP', latin('sRGB\0\x01packed'))]],
  ])('that %s is refused', (_, more) => {
    expect(() => profileIn(...more)).toThrow(/colour/);
  });
});

function counted<Result>(work: Steps<Result>) {
  let steps = 0;
  try {
    for (;;) {
      const step = work.next();
      if (step.done) return { value: step.value, steps };
      steps += 1;
    }
  } catch (error) {
    if (error instanceof ImageProblem) return { problem: error.message, steps };
    throw error;
  }
}
