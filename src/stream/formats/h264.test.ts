// H.264: the records that encoders send, and the pictures cleaned of what MP4 does not want.
import { describe, expect, test } from 'bun:test';
import { keep } from '../../base/bytes/memory.ts';
import { cleanPicture, videoTrackOf } from './h264.ts';
import { MediaError, type VideoTrack } from './packet.ts';

const nothing = new Uint8Array();
/** Records of libx264 through ffmpeg 5.1 where nothing else is said. */
const records = {
  obs: '0164001effe1001e6764001eacd940a02ff97016a0202028000003000800000301e478b16cb001000468efbcb0',
  p360: '0142c01effe100196742c01ed900a02ff97011000003000100000300320f162e4801000568cb83cb20',
  p480: '0164001effe1001a6764001eacd940d83de6f011000003000100000300320f162d9601000668ebe3cb22c0fdf8f800',
  p720: '0164001fffe1001a6764001facd9405005bb011000000300100000030320f183196001000768ebe3cb3002c0fdf8f800',
  p1080: '01640028ffe1001967640028acb403c0113f2e0220000003002000000641e3065401000468ce0fcbfdf8f800',
  interlaced: '014d4028ffe10019674d4028f403c0227ef011000003000100000300321f162ea001000468de0fc8',
  grey: '0164000cffe100196764000cf36505067e37016c800000030080000019078a14cb01000668ebe3cb22c0fcf8f800',
  tenBits:
    '016e000cffe1001a676e000ca6cd941419f9f011000003000100000300320f14299601000668ebe3cb22c0fdfafa00',
  p422: '017a000cffe1001a677a000cbcd941419f8dc044000003000400000300c83c50a65801000668ebe3cb22c0fef8f800',
  gstreamer444:
    '01f4000dffe1001e67f4000d90d9681419f8dc05a8303032000003000200000300791e28554001000468ce3192',
};

/** Made by hand and agreed with ffprobe, for what x264 does not write. */
const sequences = {
  scalingLists:
    '67640028ad843fffca61028c2051840a30814610290822027421fffe10ffffffffffffffff2269a69a69a69a69a69a69a69a69a69a69a69a69a69a69a6b6501e0089f950',
  orderType1: '67640028aca1c51114012c141419d32150',
  croppedFields: '67640028acb280f0089fb4',
  emulated: '67640028aca00000030200000300000300004000002a50506640',
};

const sps = '6764001eacd940a02ff97016a0202028000003000800000301e478b16cb0';
const pps = '68efbcb0';
const keySlice = '6588843f';
const slice = '019f49446f000003000007a4';
const delimiter = '0930';
const sei = '06010200408000';
const filler = `0c${'ff'.repeat(40)}80`;

describe('a record', () => {
  test.each([
    ['OBS 29, without the bytes that may follow', records.obs, 'avc1.64001e', 640, 360],
    ['baseline', records.p360, 'avc1.42c01e', 640, 360],
    ['a width that is cropped', records.p480, 'avc1.64001e', 854, 480],
    ['720p', records.p720, 'avc1.64001f', 1280, 720],
    ['1080p, cropped from 1088 lines', records.p1080, 'avc1.640028', 1920, 1080],
    ['1080i', records.interlaced, 'avc1.4d4028', 1920, 1080],
    ['grey', records.grey, 'avc1.64000c', 320, 180],
    ['scaling lists', recordOf([sequences.scalingLists]), 'avc1.640028', 1920, 1080],
    ['picture order type 1', recordOf([sequences.orderType1]), 'avc1.640028', 314, 178],
    ['fields', recordOf([sequences.croppedFields]), 'avc1.640028', 1920, 1080],
    ['emulation before the size', recordOf([sequences.emulated]), 'avc1.640028', 320, 192],
    [
      'the widest',
      recordOf([baseline('1 1 1 1 1 0 0000000001000000000 1 1 1 0 0')]),
      'avc1.42c01e',
      8192,
      16,
    ],
  ])('%s', (_, hex, codec, width, height) => {
    const record = Uint8Array.fromHex(hex);
    expect(videoTrackOf(record)).toEqual({ kind: 'video', codec, record, width, height });
  });

  test('is kept apart from the message it came in', () => {
    // Of a Buffer, whose slices are views.
    const message = Buffer.from(records.obs, 'hex');
    const { record } = videoTrackOf(message);
    message.fill(0);
    expect(record.toHex()).toBe(records.obs);
  });
});

describe('refused', () => {
  const notPlayed = 'which browsers cannot play: set the encoder to';
  const broken = 'The H.264 parameters are broken:';

  test.each([
    ['4:4:4', records.gstreamer444, `The picture is 4:4:4, ${notPlayed} 4:2:0 (yuv420p)`],
    ['4:2:2', records.p422, `The picture is 4:2:2, ${notPlayed} 4:2:0 (yuv420p)`],
    ['10 bits', records.tenBits, `The picture has 10 bits a colour, ${notPlayed} 8 bits (yuv420p)`],
    ['nothing', '', `${broken} they end too early`],
    ['another version', `00${records.obs.slice(2)}`, `${broken} version 0, not 1`],
    ['lengths of 3 bytes', records.obs.replace('ffe1', 'fee1'), `${broken} lengths of 3 bytes`],
    ['no SPS', records.obs.replace('ffe1', 'ffe0'), `${broken} no SPS`],
    ['a PPS for an SPS', recordOf([pps]), `${broken} no SPS`],
    ['no PPS', recordOf([sps], []), `${broken} no PPS`],
    ['a PPS cut short', records.obs.slice(0, -2), `${broken} they end too early`],
    ['an SPS cut short', recordOf([sps.slice(0, 16)]), `${broken} they end too early`],
    ['an SPS of zeros', recordOf([`67640028${'00'.repeat(9)}`]), `${broken} a number is too long`],
    ['more than we keep', records.obs.padEnd(2 * 4_097, '0'), `${broken} more than 4096 bytes`],
    [
      'more sets than any encoder has',
      recordOf([sps], Array<string>(32).fill(pps)),
      `${broken} too many sets`,
    ],
    [
      'an order of more pictures than there may be',
      // 256 in exp-Golomb, and as many zeros as bits.
      recordOf([baseline(`1 1 010 0 1 1 00000000100000001 ${'1'.repeat(256)} 1 0 1 1 1 1 0 0`)]),
      `${broken} too many pictures in their order`,
    ],
    [
      'chroma of 9 bits',
      recordOf([`67640028${bits('1 010 1 010 0 0')}`]),
      `The picture has 9 bits a colour, ${notPlayed} 8 bits (yuv420p)`,
    ],
    [
      'as much cropped as there is',
      // One macroblock, and 8 chroma samples off its left.
      recordOf([baseline('1 1 1 1 1 0 1 1 1 1 1 0001001 1 1 1 1')]),
      'The picture is 0x16: each side must be 1 to 8192 pixels',
    ],
    [
      'wider than 8192',
      recordOf([baseline('1 1 1 1 1 0 0000000001000000001 1 1 1 0 0')]),
      'The picture is 8208x16: each side must be 1 to 8192 pixels',
    ],
  ])('%s', (_, hex, message) => {
    expect(() => videoTrackOf(Uint8Array.fromHex(hex))).toThrow(new MediaError(message));
  });
});

describe('a picture', () => {
  const track = videoTrackOf(Uint8Array.fromHex(records.obs));

  test.each([
    ['OBS: one slice', [slice], [slice], false],
    ['OBS: filler behind it', [slice, filler], [slice], false],
    ['OBS: parameters in every key frame', [sps, pps, keySlice], [keySlice], true],
    ['OBS: the first of all', [sei, sps, pps, sei, keySlice], [sei, sei, keySlice], true],
    ['ffmpeg: two slices', [sei, slice, slice], [sei, slice, slice], false],
    ['GStreamer: a delimiter', [delimiter, slice], [slice], false],
    ['GStreamer: a key frame', [delimiter, sps, pps, sei, keySlice], [sei, keySlice], true],
    ['ends of sequence and stream', [keySlice, '0a', '0b'], [keySlice], true],
    ['an SPS extension', ['6d8080', keySlice], [keySlice], true],
    ['empty units', ['', slice, ''], [slice], false],
    ['a prefix of scalable video', ['6ec0', slice], ['6ec0', slice], false],
    // A recovery point is no promise that nothing before it is needed.
    ['a recovery point', ['0606018480', slice], ['0606018480', slice], false],
  ])('%s', (_, units, kept, isKey) => {
    for (const lengthSize of [1, 2, 4]) {
      const sized = withLengthSize(track, lengthSize);
      const picture = cleanPicture(joined(units, lengthSize), sized);
      expect(keep(picture?.bytes ?? nothing).toHex()).toBe(joined(kept, lengthSize).toHex());
      expect(picture?.isKey).toBe(isKey);
      expect(picture?.record).toBeUndefined();
    }
  });

  test.each([
    ['nothing to leave out', [sei, slice]],
    ['what is left out at its ends', [delimiter, sps, pps, keySlice, filler]],
  ])('is not copied where there is %s', (_, units) => {
    const bytes = joined(units, 4);
    // Its bytes are a view: what is written there is seen in it.
    const picture = cleanPicture(bytes, track)?.bytes;
    expect(picture?.length).toBeGreaterThan(0);
    bytes.fill(7);
    expect([...keep(picture ?? nothing)]).toEqual(
      Array.from({ length: picture?.length ?? 0 }, () => 7),
    );
  });

  test.each([
    ['nothing', []],
    ['a delimiter', [delimiter]],
    ['filler', [filler]],
    ['parameters', [sps, pps]],
    ['SEI', [delimiter, sei]],
  ])('is none where there is %s alone', (_, units) => {
    expect(cleanPicture(joined(units, 4), track)).toBeUndefined();
  });

  test.each([
    ['a unit longer than the packet', '00000005 41000000'],
    ['a unit of the longest length', 'ffffffff 41000000'],
    ['a length cut short', '00000001 41 0000'],
    ['start codes in place of lengths', '00000001 6764001e 00000001 68efbcb0'],
  ])('with %s is refused', (_, hex) => {
    const clean = () => cleanPicture(Uint8Array.fromHex(hex.replaceAll(' ', '')), track);
    expect(clean).toThrow(
      new MediaError('The picture is broken: a unit is longer than its packet'),
    );
  });
});

describe('a picture that no encoder makes', () => {
  const track = videoTrackOf(Uint8Array.fromHex(records.obs));
  const times = (count: number, unit: string) => Array<string>(count).fill(unit);

  test('may have as many units as slices for UDP would be', () => {
    expect(cleanPicture(joined(times(4_096, slice), 4), track)?.isKey).toBe(false);
  });

  test.each([
    ['slices', slice],
    ['empty units', ''],
    ['filler', '0cff80'],
  ])('is refused for its many %s', (_, unit) => {
    const clean = () => cleanPicture(joined([slice, ...times(4_096, unit)], 4), track);
    expect(clean).toThrow(
      new MediaError('The picture has more than 4096 units: no encoder makes so many'),
    );
  });

  test('is refused for parameters that it repeats, known or not', () => {
    const most = [...times(16, sps), ...times(16, pps), keySlice];
    expect(cleanPicture(joined(most, 4), track)?.record).toBeUndefined();
    for (const one of [sps, pps, '68ce0fcb'])
      expect(() => cleanPicture(joined([...most, one], 4), track)).toThrow(
        new MediaError('The picture has more than 32 parameter sets: no encoder makes so many'),
      );
  });

  test('is refused for parameters that no record could hold, before they are read', () => {
    const clean = () => cleanPicture(joined([sps + '00'.repeat(5_000), keySlice], 4), track);
    expect(clean).toThrow(new MediaError('The H.264 parameters are broken: more than 4096 bytes'));
  });
});

describe('parameters within pictures', () => {
  const track = videoTrackOf(Uint8Array.fromHex(records.p480));

  test('make the record that the encoder would have sent', () => {
    const units = [...setsOf(records.p720), keySlice];
    const picture = cleanPicture(joined(units, 4), track);
    expect(picture?.record?.toHex()).toBe(records.p720);
  });

  test('make none of the optional bytes for baseline', () => {
    const units = [...setsOf(records.p360), keySlice];
    const picture = cleanPicture(joined(units, 4), track);
    expect(picture?.record?.toHex()).toBe(records.p360);
  });

  test('are taken once', () => {
    const bytes = joined([...setsOf(records.p720), keySlice], 4);
    const record = cleanPicture(bytes, track)?.record ?? new Uint8Array();
    expect(cleanPicture(bytes, videoTrackOf(record))?.record).toBeUndefined();
  });

  test('replace those of their id and leave the others', () => {
    // A PPS begins with its id: 1 is id 0, 010 is id 1.
    const [first, second, other] = ['68ebe3cb22c0', '685be3cb22c0', '68ce0fcb'];
    const added = cleanPicture(joined([second, keySlice], 4), track)?.record ?? new Uint8Array();
    const [spsOfTrack = ''] = setsOf(records.p480);
    expect(added.toHex()).toBe(recordOf([spsOfTrack], [second, first], 'fdf8f800'));
    const replaced = cleanPicture(joined([other, keySlice], 4), videoTrackOf(added))?.record;
    expect(replaced?.toHex()).toBe(recordOf([spsOfTrack], [other, second], 'fdf8f800'));
  });

  test('may have more than 255 bytes', () => {
    const [spsOfTrack = ''] = setsOf(records.p480);
    const long = `68eb${'ff'.repeat(300)}`;
    const picture = cleanPicture(joined([long, keySlice], 4), track);
    expect(picture?.record?.toHex()).toBe(recordOf([spsOfTrack], [long], 'fdf8f800'));
  });

  test('are refused where they are broken', () => {
    const clean = () => cleanPicture(joined(['67640028', keySlice], 4), track);
    expect(clean).toThrow(MediaError);
  });

  test('never make a record grow without end', () => {
    let current = track;
    const grow = () => {
      for (let id = 0; id < 300; id += 1) {
        const number = (id + 1).toString(2);
        const set = `68${bits(`${'0'.repeat(number.length - 1)}${number}`)}`;
        const record = cleanPicture(joined([set, keySlice], 4), current)?.record;
        if (record) current = videoTrackOf(record);
      }
    };
    expect(grow).toThrow(new MediaError('The H.264 parameters are broken: too many sets'));
  });
});

/** A record of these parameter sets; the PPS is OBS's where none is named. */
function recordOf(sequences: string[], pictures = [pps], details = ''): string {
  const [first = ''] = sequences;
  const withLengths = (sets: string[]) => sets.map((set) => uintHex(set.length / 2, 2) + set);
  return [
    `01${first.slice(2, 8)}ff`,
    uintHex(0xe0 + sequences.length, 1),
    ...withLengths(sequences),
    uintHex(pictures.length, 1),
    ...withLengths(pictures),
    details,
  ].join('');
}

/** SPS and PPS of a record that has one of each. */
function setsOf(record: string): string[] {
  const spsEnd = 16 + 2 * Number.parseInt(record.slice(12, 16), 16);
  const ppsStart = spsEnd + 6;
  const ppsEnd = ppsStart + 2 * Number.parseInt(record.slice(spsEnd + 2, ppsStart), 16);
  return [record.slice(16, spsEnd), record.slice(ppsStart, ppsEnd)];
}

function joined(units: string[], lengthSize: number): Uint8Array {
  return Uint8Array.fromHex(
    units.map((unit) => uintHex(unit.length / 2, lengthSize) + unit).join(''),
  );
}

function withLengthSize(track: VideoTrack, lengthSize: number): VideoTrack {
  const record = track.record.slice();
  record[4] = 0xfc + lengthSize - 1;
  return videoTrackOf(record);
}

function uintHex(value: number, bytes: number): string {
  return value.toString(16).padStart(2 * bytes, '0');
}

/** An SPS of the baseline profile. */
function baseline(text: string): string {
  return `6742c01e${bits(text)}`;
}

/** Bits as text, ended by the stop bit. */
function bits(text: string): string {
  const bytes = `${text.replaceAll(' ', '')}1`.match(/.{1,8}/g) ?? [];
  return bytes.map((byte) => uintHex(Number.parseInt(byte.padEnd(8, '0'), 2), 1)).join('');
}
