// Pictures without what no page shows: pixels byte for byte, nothing of who, where and with what; cut and bent input.
import { describe, expect, test } from 'bun:test';
import { atOnce, encoded, plainJpeg, png, pngChunk } from '../../../test/support/pictures.ts';
import { withoutExtras } from './image-extras.ts';
import { readImageFile } from './image-file.ts';
import { orientationIn } from './image-orientation.ts';

const size = { width: 20, height: 12 };
const secret = 'N 48.8583 E 2.2945';
const said = Buffer.from(`x:xmpmeta ${secret}`);

/** As cameras write it: little-endian, other tags before, a place behind. */
function exif(orientation: number | undefined): Uint8Array {
  const tags = [[0x010f, 2, 4, 0], ...(orientation ? [[0x0112, 3, 1, orientation]] : [])];
  const table = Buffer.alloc(2 + 12 * tags.length + 4);
  table.writeUInt16LE(tags.length);
  for (const [at, [tag = 0, type = 0, count = 0, value = 0]] of tags.entries()) {
    table.writeUInt16LE(tag, 2 + 12 * at);
    table.writeUInt16LE(type, 4 + 12 * at);
    table.writeUInt32LE(count, 6 + 12 * at);
    table.writeUInt32LE(value, 10 + 12 * at);
  }
  return Buffer.concat([Buffer.from('II*\0\x08\0\0\0', 'latin1'), table, said]);
}

const segment = (marker: number, bytes: Uint8Array) => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(2 + bytes.length, 2);
  return Buffer.concat([head, bytes]);
};
const text = (...parts: (string | Uint8Array)[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)),
  );

function jpegWith(...segments: Uint8Array[]): Uint8Array {
  return Buffer.concat([plainJpeg.subarray(0, 2), ...segments, plainJpeg.subarray(2)]);
}

function webpWith(flags: number, ...more: [string, Uint8Array][]): Uint8Array {
  const pixels = encoded.plainWebp.subarray(12);
  const head = Buffer.from([flags, 0, 0, 0, 19, 0, 0, 11, 0, 0]);
  const chunks = [riff('VP8X', head), pixels, ...more.map(([name, bytes]) => riff(name, bytes))];
  return riff('RIFF', text('WEBP', ...chunks));
}

function riff(name: string, bytes: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return text(name, length, bytes, bytes.length % 2 ? '\0' : '');
}

const gifBlock = (head: string) => text(head, Buffer.from([said.length]), said, '\0');
function gifWith(block: Uint8Array): Uint8Array {
  // Before its end.
  return Buffer.concat([encoded.gif.subarray(0, -1), block, encoded.gif.subarray(-1)]);
}

const profile = text('ICC_PROFILE\0', '\x01\x01 colours');

describe('what is added is taken out, and all else stays byte for byte', () => {
  test.each<[string, Uint8Array, Uint8Array]>([
    ['EXIF of a JPEG', jpegWith(segment(0xe1, text('Exif\0\0', exif(1)))), plainJpeg],
    [
      'XMP of a JPEG',
      jpegWith(segment(0xe1, text('http://ns.adobe.com/xap/1.0/\0', said))),
      plainJpeg,
    ],
    ['what Photoshop writes', jpegWith(segment(0xed, text('Photoshop 3.0\0', said))), plainJpeg],
    ['a comment of a JPEG', jpegWith(segment(0xfe, said)), plainJpeg],
    ['pictures within a JPEG', jpegWith(segment(0xe2, text('MPF\0', said))), plainJpeg],
    ['a maker of a JPEG', jpegWith(segment(0xeb, said), segment(0xe5, said)), plainJpeg],
    ...['tEXt', 'iTXt', 'zTXt', 'tIME', 'eXIf', 'caBX'].map(
      (name): [string, Uint8Array, Uint8Array] => [
        `${name} of a PNG`,
        png({ ...size, more: [pngChunk(name, said)] }),
        png(size),
      ],
    ),
    [
      'EXIF and XMP of a WebP',
      webpWith(0x0c, ['EXIF', exif(1)], ['XMP ', said], ['more', said]),
      webpWith(0),
    ],
    [
      'EXIF behind a plain WebP',
      riff('RIFF', text(encoded.plainWebp.subarray(8), riff('EXIF', said))),
      encoded.plainWebp,
    ],
    ['a comment of a GIF', gifWith(gifBlock('!\xfe')), encoded.gif],
    ['XMP of a GIF', gifWith(gifBlock('!\xff\x0bXMP DataXMP')), encoded.gif],
  ])('%s', (_, bytes, plain) => {
    expect(Buffer.from(bytes).includes(secret)).toBeTrue();
    const { type } = atOnce(readImageFile(bytes));
    const kept = atOnce(withoutExtras(bytes, type));
    expect(Buffer.from(kept).equals(plain)).toBeTrue();
    expect(atOnce(readImageFile(kept))).toMatchObject({ type, ...size });
  });

  test.each([
    [
      'a PNG',
      png({
        ...size,
        more: [pngChunk('gAMA', Buffer.alloc(4)), pngChunk('tRNS', Buffer.alloc(2))],
      }),
    ],
    ['a JPEG with its colours', jpegWith(segment(0xe2, profile), segment(0xee, text('Adobe\0d')))],
    ['a GIF that moves', encoded.gif],
    ['a WebP that can be seen through', encoded.lossyWebp],
    ['a lossless WebP', encoded.losslessWebp],
    ['a WebP with its colours', webpWith(0x20, ['ICCP', Buffer.from('colours')])],
  ])('nothing is taken from %s', (_, bytes) => {
    const kept = atOnce(withoutExtras(bytes, atOnce(readImageFile(bytes)).type));
    expect(Buffer.from(kept).equals(bytes)).toBeTrue();
  });

  test('the small picture within a JPEG, which may show what was cut off', () => {
    const jfif = text('JFIF\0\x01\x02\x01\0\x48\0\x48', '\x02\x02', Buffer.alloc(12, 7), secret);
    const bytes = Buffer.concat([
      encoded.jpeg.subarray(0, 2),
      segment(0xe0, jfif),
      encoded.jpeg.subarray(20),
    ]);
    const kept = Buffer.from(atOnce(withoutExtras(bytes, 'image/jpeg')));
    expect(kept.includes(secret)).toBeFalse();
    expect(kept.subarray(6, 10).toString()).toBe('JFIF');
    expect(atOnce(readImageFile(kept))).toMatchObject(size);
  });

  test('of a WebP frame what is no picture', () => {
    const pixels = encoded.plainWebp.subarray(12);
    const head = Buffer.from([0, 0, 0, 0, 0, 0, 19, 0, 0, 11, 0, 0, 100, 0, 0, 0]);
    const moving = (...frame: Uint8Array[]) =>
      webpWithFrames(riff('ANIM', Buffer.alloc(6)), riff('ANMF', text(head, ...frame)));
    const kept = atOnce(withoutExtras(moving(pixels, riff('more', said)), 'image/webp'));
    expect(Buffer.from(kept).equals(moving(pixels))).toBeTrue();
    expect(atOnce(readImageFile(kept))).toMatchObject(size);
  });
});

function webpWithFrames(...chunks: Uint8Array[]): Uint8Array {
  const head = Buffer.from([0x02, 0, 0, 0, 19, 0, 0, 11, 0, 0]);
  return riff('RIFF', text('WEBP', riff('VP8X', head), ...chunks));
}

describe('which way up it is stays, alone', () => {
  test.each([2, 3, 6, 8])('as %d', (orientation) => {
    for (const bytes of [
      jpegWith(
        segment(0xe1, text('Exif\0\0', exif(orientation))),
        segment(0xe1, text('Exif\0\0', exif(3))),
      ),
      png({ ...size, more: [pngChunk('eXIf', exif(orientation))] }),
      webpWith(0x08, ['EXIF', exif(orientation)]),
      webpWith(0x08, ['EXIF', text('Exif\0\0', exif(orientation))]),
    ]) {
      const { type } = atOnce(readImageFile(bytes));
      const kept = Buffer.from(atOnce(withoutExtras(bytes, type)));
      expect(kept.includes(secret)).toBeFalse();
      expect(atOnce(readImageFile(kept))).toMatchObject({ type, ...size });
      const at = kept.indexOf('MM\0*');
      expect(orientationIn(kept.subarray(at, at + 26))).toBe(orientation);
      expect(kept.indexOf('MM\0*', at + 1)).toBe(-1);
      expect(Buffer.from(atOnce(withoutExtras(kept, type))).equals(kept)).toBeTrue();
    }
  });

  test.each([undefined, 0, 1, 9, 65_535])('unless it is %p, which turns nothing', (orientation) => {
    const bytes = jpegWith(segment(0xe1, text('Exif\0\0', exif(orientation))));
    expect(Buffer.from(atOnce(withoutExtras(bytes, 'image/jpeg'))).equals(plainJpeg)).toBeTrue();
  });
});

test('bent EXIF is read within its bytes or not at all', () => {
  const whole = exif(6);
  for (let length = 0; length <= whole.length; length += 1)
    expect([undefined, 6]).toContain(orientationIn(whole.subarray(0, length)) as undefined | 6);
  for (let at = 0; at < 40; at += 1)
    for (const byte of [0, 1, 0x7f, 0xff]) {
      const bent = Buffer.from(whole);
      bent[at] = byte;
      const found = orientationIn(bent) ?? 2;
      expect(found >= 2 && found <= 8).toBeTrue();
    }
});

test('whatever was read as a picture is one afterwards', () => {
  const pictures = [
    jpegWith(segment(0xe1, text('Exif\0\0', exif(6))), segment(0xfe, said)),
    png({ ...size, more: [pngChunk('tEXt', said)] }),
    webpWith(0x0c, ['EXIF', exif(6)], ['XMP ', said]),
    gifWith(gifBlock('!\xfe')),
  ];
  for (const whole of pictures)
    for (let at = 0; at < whole.length; at += 1)
      for (const byte of [0, 0x21, 0x80, 0xff]) {
        const bent = Buffer.from(whole);
        bent[at] = byte;
        const before = factsOf(bent);
        if (before) expect(factsOf(atOnce(withoutExtras(bent, before.type)))).toEqual(before);
      }
});

function factsOf(bytes: Uint8Array) {
  try {
    const { type, width, height } = atOnce(readImageFile(bytes));
    return { type, width, height };
  } catch {
    return undefined;
  }
}
