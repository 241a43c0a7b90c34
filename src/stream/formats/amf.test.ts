// AMF0: what encoders send, what we write, what is refused.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { AmfError, type AmfValue, ecmaArray, readAmf, writeAmf } from './amf.ts';

interface Case {
  what: string;
  hex: string;
  values: AmfValue[];
}

const cases: Case[] = [
  {
    what: 'connect of OBS 29',
    hex: `020007 636f6e6e656374 003ff0000000000000 03
      0003 617070 020004 6c697665
      0004 74797065 02000a 6e6f6e70726976617465
      000e 737570706f727473476f41776179 0101
      0008 666c617368566572 02001f 464d4c452f332e302028636f6d70617469626c653b20464d53632f312e3029
      0006 73776655726c 02001a 72746d703a2f2f3132372e302e302e313a313935302f6c697665
      0005 746355726c 02001a 72746d703a2f2f3132372e302e302e313a313935302f6c697665
      000009`,
    values: [
      'connect',
      1,
      {
        app: 'live',
        type: 'nonprivate',
        supportsGoAway: true,
        flashVer: 'FMLE/3.0 (compatible; FMSc/1.0)',
        swfUrl: 'rtmp://127.0.0.1:1950/live',
        tcUrl: 'rtmp://127.0.0.1:1950/live',
      },
    ],
  },
  {
    what: 'publish of ffmpeg 5.1',
    hex: '020007 7075626c697368 004014000000000000 05 020002 6666 020004 6c697665',
    values: ['publish', 5, null, 'ff', 'live'],
  },
  {
    what: 'deleteStream of GStreamer 1.22, with a name where a number belongs',
    hex: '02000c 64656c65746553747265616d 000000000000000000 05 020003 677374',
    values: ['deleteStream', 0, null, 'gst'],
  },
  {
    what: 'metadata of ffmpeg 5.1, shortened; its count of 13 is then wrong',
    hex: `02000d 40736574446174614672616d65 02000a 6f6e4d65746144617461 08 0000000d
      0005 7769647468 004094000000000000
      0006 73746572656f 0101
      0007 656e636f646572 02000d 4c61766635392e32372e313030
      000009`,
    values: [
      '@setDataFrame',
      'onMetaData',
      { width: 1280, stereo: true, encoder: 'Lavf59.27.100' },
    ],
  },
  {
    what: 'an array that the end of the message ends',
    hex: '08 00000001 0005 7769647468 004094000000000000',
    values: [{ width: 1280 }],
  },
  {
    what: 'a strict array, a date, a long string, XML, a typed object, undefined, unsupported',
    hex: `0a 00000002 05 0101
      0b 4000000000000000 003c
      0c 00000002 6869
      0f 00000004 3c612f3e
      10 0001 54 0001 61 0100 000009
      06 0d`,
    values: [[null, true], 2, 'hi', '<a/>', { a: false }, undefined, undefined],
  },
  {
    what: 'an empty name that is not the end',
    hex: '03 0000 05 0001 61 05 000009',
    values: [{ '': null, a: null }],
  },
  { what: 'a name that is not UTF-8', hex: '020002 c0ee', values: ['\uFFFD\uFFFD'] },
  { what: 'nothing', hex: '', values: [] },
];

describe('read', () => {
  test.each(cases)('$what', ({ hex, values }) => {
    expect(plain(readAmf(bytes(hex)))).toEqual(values);
  });

  test('__proto__ is a name like any other', () => {
    const [value] = readAmf(bytes('03 0009 5f5f70726f746f5f5f 03 0001 61 0101 000009 000009'));
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect('a' in (value as object)).toBe(false);
  });
});

describe('refused', () => {
  test.each([
    ['a number cut short', '00 3ff0', 'AMF ends too early'],
    ['a string longer than the message', '020005 6869', 'AMF ends too early'],
    ['an object cut in a name', '03 0005 6869', 'AMF ends too early'],
    ['an object cut before a value', '03 0001 61', 'AMF ends too early'],
    ['an object cut in its end', '03 0001 61 05 0000', 'AMF ends too early'],
    ['a reference', '07 0000', 'AMF holds a value of a kind we do not read: 0x7'],
    ['the switch to AMF3', '11 01', 'AMF holds a value of a kind we do not read: 0x11'],
    ['an end without a beginning', '09', 'AMF holds a value of a kind we do not read: 0x9'],
    ['an array too long', '0a 00000101', 'AMF holds more than 256 items in one place'],
    ['an array of the longest length', '0a ffffffff', 'AMF holds more than 256 items in one place'],
    ['a string too long', '0c 00002001', 'AMF holds a string longer than 8192 bytes'],
    ['a name too long', '03 2001', 'AMF holds a string longer than 8192 bytes'],
    ['too many values', '05'.repeat(257), 'AMF holds more than 256 items in one place'],
    ['too many properties', `03${'000161 05'.repeat(257)}`, 'AMF holds more than 256 items'],
    [
      'too many in all places together',
      `0a000000ff${'0a00000020'.concat('05'.repeat(32)).repeat(255)}`,
      'AMF holds more than 4096 values',
    ],
    ['objects too deep', `${'03000161'.repeat(17)}05`, 'AMF is nested deeper than 16'],
    ['arrays too deep', `${'0a00000001'.repeat(17)}05`, 'AMF is nested deeper than 16'],
  ])('%s', (_, hex, message) => {
    expect(() => readAmf(bytes(hex))).toThrow(AmfError);
    expect(() => readAmf(bytes(hex))).toThrow(message);
  });

  test('but not what just fits', () => {
    expect(readAmf(bytes('05'.repeat(256)))).toHaveLength(256);
    expect(readAmf(bytes(`03${'000161 05'.repeat(256)}000009`))).toHaveLength(1);
    expect(readAmf(bytes(`${'0a00000001'.repeat(16)}05`))).toHaveLength(1);
    expect(readAmf(bytes(`${'03000161'.repeat(16)}05`))).toHaveLength(1);
    expect(readAmf(writeAmf('x'.repeat(8_192)))).toEqual(['x'.repeat(8_192)]);
  });
});

describe('written', () => {
  test('as a server answers connect', () => {
    const answer = writeAmf('_result', 1, { objectEncoding: 0 }, undefined);
    expect(answer.toHex()).toBe(
      bytes(`020007 5f726573756c74 003ff0000000000000
        03 000e 6f626a656374456e636f64696e67 000000000000000000 000009 06`).toHex(),
    );
  });

  test('metadata as an ECMA array with its count', () => {
    const metadata = writeAmf('onMetaData', ecmaArray({ stereo: true }));
    expect(metadata.toHex()).toBe(
      bytes('02000a 6f6e4d65746144617461 08 00000001 0006 73746572656f 0101 000009').toHex(),
    );
  });

  test('a string of more than 64 KB as a long one', () => {
    expect(writeAmf('x'.repeat(65_535)).subarray(0, 4).toHex()).toBe('02ffff78');
    expect(writeAmf('x'.repeat(65_536)).subarray(0, 6).toHex()).toBe('0c0001000078');
  });

  test('whatever is written reads the same', () => {
    const { value } = fc.letrec<{ value: AmfValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(null, undefined),
        fc.boolean(),
        fc.double(),
        fc.string({ unit: 'binary' }),
        fc.array(tie('value'), { maxLength: 5 }),
        fc.dictionary(fc.string({ unit: 'binary' }), tie('value'), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 5 }), (values) => {
        expect(plain(readAmf(writeAmf(...values)))).toEqual(plain(values));
      }),
    );
  });
});

function bytes(hex: string): Uint8Array {
  return Uint8Array.fromHex(hex.replaceAll(/\s/g, ''));
}

/** With the prototype that `toEqual` compares too. */
function plain(values: AmfValue[]): unknown[] {
  return values.map((value) => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return plain(value);
    return Object.fromEntries(Object.keys(value).map((key) => [key, ...plain([value[key]])]));
  });
}
