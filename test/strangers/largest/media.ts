// The dearest bytes for the parsers of media: values, parameters and pictures as long as they may be.
import { audioTrackOf } from '../../../src/stream/formats/aac.ts';
import { readAmf } from '../../../src/stream/formats/amf.ts';
import { readVideoTag } from '../../../src/stream/formats/flv.ts';
import { cleanPicture, shapeOf, videoTrackOf } from '../../../src/stream/formats/h264.ts';
import { MediaError } from '../../../src/stream/formats/packet.ts';
import { clipRecord, picture, recordOf, slice } from '../../support/rude/rude-media.ts';
import type { Largest } from '../../support/stretch.ts';

const record = clipRecord();
const dataBytes = 65_536;
const pictureBytes = 4_194_304;

export const media: readonly Largest[] = [
  read('AMF: the most values', readAmf, () => amfOf(dataBytes)),
  read('AMF: the longest names', readAmf, () => longestNames(dataBytes)),
  read('AMF: names of numbers that leave holes', readAmf, () => numberedNames(dataBytes)),
  read('AMF: the longest texts, of broken characters', readAmf, () => longestTexts(dataBytes)),
  read('AMF: arrays as deep as they may be', readAmf, () => deepest(dataBytes)),
  read('an FLV tag: a record of the most sets', readVideoTag, () =>
    Buffer.concat([Uint8Array.of(0x17, 0, 0, 0, 0), recordOf(pictureSets(31, 120))]),
  ),
  read('an H.264 record: the longest sets', videoTrackOf, () => recordOf(pictureSets(31, 120))),
  read('an SPS that is all zeros', shapeOf, () => sequenceOf(0)),
  read('an SPS that is all ones', shapeOf, () => sequenceOf(0xff)),
  read('an SPS whose lists never end', shapeOf, () => sequenceOf(0x55)),
  read('AAC parameters that are too long', audioTrackOf, () => new Uint8Array(pictureBytes)),
  read('AAC parameters', audioTrackOf, () => Buffer.alloc(32, 0x17)),
  clean('the most units', () => manyUnits(4_096, 1_015)),
  clean('every other unit left out', () =>
    manyUnits(4_096, 1_015).map((unit, n) => (n % 2 === 0 ? unit : unit.fill(12, 0, 1))),
  ),
  clean('the most parameter sets, all new', () => [
    ...pictureSets(32, 100).map((set) => Uint8Array.of(0x68, ...set.subarray(1))),
    ...manyUnits(4_000, 1_015),
  ]),
  clean('too many parameter sets', () =>
    Array.from({ length: 800_000 }, () => Uint8Array.of(0x68)),
  ),
  clean('units of one byte', () => Array.from({ length: 800_000 }, () => Uint8Array.of(0x65))),
];

function read<T>(name: string, parse: (bytes: Uint8Array) => T, bytes: () => Uint8Array): Largest {
  return {
    name,
    prepare: () => {
      const given = bytes();
      return () => orRefused(() => parse(given));
    },
  };
}

function clean(what: string, units: () => Uint8Array[]): Largest {
  return {
    name: `a picture of 4 MB: ${what}`,
    prepare: () => {
      const track = videoTrackOf(record);
      const bytes = picture(units()).subarray(5);
      return () => orRefused(() => cleanPicture(bytes, track));
    },
  };
}

function orRefused(parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
  }
}

/** Slices of so many bytes each. */
export function manyUnits(count: number, bytes: number): Uint8Array[] {
  return Array.from({ length: count }, () => slice(bytes));
}

function pictureSets(count: number, bytes: number): Uint8Array[] {
  return Array.from({ length: count }, (_, n) => {
    const set = Buffer.alloc(bytes, 0x55);
    set[0] = 0x68;
    set[1] = n;
    return set;
  });
}

/** As long as a record may be, of one byte over and over. */
function sequenceOf(byte: number): Uint8Array {
  const set = Buffer.alloc(4_096, byte);
  set.set([0x67, 100, 0, 31]);
  return set;
}

const objectMark = 3;
const objectEnd = [0, 0, 9];

/** As many values as there may be: objects of objects, 256 in one place. */
export function amfOf(bytes: number): Uint8Array {
  const property = [0, 1, 0x61, 5];
  const innerCount = 16;
  const inner = [
    objectMark,
    ...Array.from({ length: innerCount }, () => property).flat(),
    ...objectEnd,
  ];
  const count = Math.min(240, Math.floor((bytes - 16) / (inner.length + 3)));
  const names = Array.from({ length: count }, (_, n) => [0, 1, n, ...inner]);
  return Uint8Array.from([objectMark, ...names.flat(), ...objectEnd]);
}

/** An object of 250 names that share the bytes. */
export function longestNames(bytes: number): Uint8Array {
  const count = 250;
  const length = Math.floor((bytes - 16) / count) - 3;
  const names = Array.from({ length: count }, (_, n) => [
    length >> 8,
    length & 0xff,
    ...Buffer.alloc(length, 0x61 + (n % 26)).fill(n, 0, 1),
    5,
  ]);
  return Uint8Array.from([objectMark, ...names.flat(), ...objectEnd]);
}

function numberedNames(bytes: number): Uint8Array {
  const objects: number[] = [];
  for (let n = 0; n < 200 && objects.length < bytes - 400; n += 1) {
    const names = Array.from({ length: 19 }, (_, at) => {
      const name = Buffer.from(String((n * 19 + at) * 1_000_003));
      return [0, name.length, ...name, 5];
    });
    objects.push(0, 2, n >> 8, n & 0xff, objectMark, ...names.flat(), ...objectEnd);
  }
  return Uint8Array.from([objectMark, ...objects, ...objectEnd]);
}

function longestTexts(bytes: number): Uint8Array {
  const length = 8_000;
  const text = [2, length >> 8, length & 0xff, ...Buffer.alloc(length, 0xf0)];
  return Uint8Array.from(
    Array.from({ length: Math.floor(bytes / text.length) }, () => text).flat(),
  );
}

function deepest(bytes: number): Uint8Array {
  const array = (count: number) => [0x0a, 0, 0, 0, count];
  const one = [...Array.from({ length: 15 }, () => array(1)).flat(), ...array(1), 5];
  const count = Math.min(240, Math.floor(bytes / one.length));
  return Uint8Array.from(Array.from({ length: count }, () => one).flat());
}
