// FLV: the messages of real encoders, files, and, because FLV carries them all, bent bytes for every parser.
import { describe, expect, test } from 'bun:test';
import { audioTrackOf } from './aac.ts';
import { AmfError, readAmf, writeAmf } from './amf.ts';
import { packetTagHeader, readAudioTag, readVideoTag, type Tag, trackTag } from './flv.ts';
import { type FlvTag, flvFileHeader, flvFileTag, readFlvFile } from './flv-file.ts';
import { cleanPicture, videoTrackOf } from './h264.ts';
import { MediaError } from './packet.ts';

const avcRecord = Uint8Array.fromHex(
  '0164001effe1001e6764001eacd940a02ff97016a0202028000003000800000301e478b16cb001000468efbcb0',
);
const aacRecord = Uint8Array.fromHex('119056e500');
const video = videoTrackOf(avcRecord);
const audio = audioTrackOf(aacRecord);
const slice = '0000000c019f49446f000003000007a4';
const fourCc = { avc1: '61766331', hvc1: '68766331', mp4a: '6d703461' };

describe('a video message', () => {
  test.each<[string, string, Tag]>([
    ['nothing', '', undefined],
    ['a sequence header', `1700000000${avcRecord.toHex()}`, { what: 'track', track: video }],
    ['OBS: a picture shown 33 ms later', `2701000021${slice}`, picture(false, 33)],
    ['a key frame', `1701000000${slice}`, picture(true, 0)],
    ['a key frame that a server made up', `4701000000${slice}`, picture(true, 0)],
    ['a picture shown before its time', `2701ffffdf${slice}`, picture(false, -33)],
    ['the latest that can be told', `27017fffff${slice}`, picture(false, 8_388_607)],
    ['the earliest that can be told', `2701800000${slice}`, picture(false, -8_388_608)],
    ['ffmpeg, GStreamer: end of sequence', '1702000000', { what: 'end' }],
    ['end of sequence, cut short', '1702', { what: 'end' }],
    ['an empty picture', '2701000000', { what: 'end' }],
    ['a codec and nothing else', '17', { what: 'end' }],
    ['a packet type of no meaning', `1703000000${slice}`, undefined],
    ['a command to the player', '5200', undefined],
    [
      'enhanced: a sequence header',
      `90${fourCc.avc1}${avcRecord.toHex()}`,
      { what: 'track', track: video },
    ],
    ['enhanced: a key frame', `91${fourCc.avc1}000021${slice}`, picture(true, 33)],
    ['enhanced: a picture without a time', `a3${fourCc.avc1}${slice}`, picture(false, 0)],
    ['enhanced: end of sequence', `92${fourCc.avc1}`, { what: 'end' }],
    ['enhanced: an empty picture', `a3${fourCc.avc1}`, { what: 'end' }],
    ['enhanced: metadata', `94${fourCc.avc1}020009636f6c6f72496e666f`, undefined],
    ['enhanced: a command to the player', 'd100', undefined],
  ])('%s', (_, hex, tag) => {
    expect(readVideoTag(Uint8Array.fromHex(hex))).toEqual(tag);
  });

  test.each([
    ['Sorenson H.263', '2200'],
    ['VP6', '2400'],
    ['HEVC', '1c00000000'],
    ['video codec 9', '1900'],
    ['HEVC', `90${fourCc.hvc1}01`],
    ['AV1', '906176303101'],
    ['VP9', '907670303901'],
    ['video abcd', '906162636401'],
    ['video 0x0a1b5b32', '900a1b5b3201'],
  ])('of %s is refused by that name', (name, hex) => {
    expect(() => readVideoTag(Uint8Array.fromHex(hex))).toThrow(
      new MediaError(
        `The encoder sends ${name}; Footlight takes H.264: choose H.264 (x264, NVENC H.264, …)`,
      ),
    );
  });

  test.each([
    ['several tracks', `96${fourCc.avc1}`, 'The encoder sends several video tracks'],
    ['a FourCC cut short', '906176', 'The encoder sends a message without its FourCC'],
    ['an empty sequence header', '1700000000', 'The H.264 parameters are broken'],
  ])('with %s is refused', (_, hex, message) => {
    expect(() => readVideoTag(Uint8Array.fromHex(hex))).toThrow(message);
  });
});

describe('an audio message', () => {
  const sound: Tag = { what: 'sound', bytes: Uint8Array.fromHex('217004608c1c') };

  test.each<[string, string, Tag]>([
    ['nothing', '', undefined],
    ['a sequence header', 'af00119056e500', { what: 'track', track: audio }],
    ['OBS: a frame', 'af01217004608c1c', sound],
    ['an empty frame', 'af01', { what: 'end' }],
    ['a format and nothing else', 'af', { what: 'end' }],
    ['a packet type of no meaning', 'af0221', undefined],
    ['enhanced: a sequence header', `90${fourCc.mp4a}119056e500`, { what: 'track', track: audio }],
    ['enhanced: a frame', `91${fourCc.mp4a}217004608c1c`, sound],
    ['enhanced: an empty frame', `91${fourCc.mp4a}`, { what: 'end' }],
    ['enhanced: end of sequence', `92${fourCc.mp4a}`, { what: 'end' }],
    ['enhanced: the order of channels', `94${fourCc.mp4a}0102`, undefined],
  ])('%s', (_, hex, tag) => {
    expect(readAudioTag(Uint8Array.fromHex(hex))).toEqual(tag);
  });

  test.each([
    ['MP3', '2f01'],
    ['Speex', 'b601'],
    ['sound format 12', 'c001'],
    ['Opus', '904f707573'],
    ['FLAC', '90664c6143'],
    ['AC-3', '9061632d33'],
    ['sound 0x00000000', '9000000000'],
  ])('of %s is refused by that name', (name, hex) => {
    expect(() => readAudioTag(Uint8Array.fromHex(hex))).toThrow(
      new MediaError(`The encoder sends ${name}; Footlight takes AAC: choose AAC for the sound`),
    );
  });

  test.each(['95', '97'])('with several tracks or extensions is refused: %s', (head) => {
    const read = () => readAudioTag(Uint8Array.fromHex(`${head}${fourCc.mp4a}`));
    expect(read).toThrow('The encoder sends several sound tracks');
  });
});

describe('what goes out', () => {
  test('tracks read as they were written', () => {
    expect(trackTag(video).toHex()).toBe(`1700000000${avcRecord.toHex()}`);
    expect(readVideoTag(trackTag(video))).toEqual({ what: 'track', track: video });
    expect(readAudioTag(trackTag(audio))).toEqual({ what: 'track', track: audio });
  });

  test.each([
    ['a key frame', { kind: 'video', dtsMs: 40, ptsMs: 40, isKey: true }, '1701000000'],
    ['one shown later', { kind: 'video', dtsMs: 40, ptsMs: 106, isKey: false }, '2701000042'],
    ['one shown much later', { kind: 'video', dtsMs: 0, ptsMs: 1e5, isKey: false }, '27010186a0'],
    ['one shown before', { kind: 'video', dtsMs: 40, ptsMs: 7, isKey: false }, '2701ffffdf'],
    // Its message is sent for 33, so 66.7 is 34 later.
    ['fractions', { kind: 'video', dtsMs: 33.4, ptsMs: 66.7, isKey: false }, '2701000022'],
    ['sound', { kind: 'audio', dtsMs: 40, ptsMs: 40, isKey: true }, 'af01'],
  ] as const)('before %s', (_, packet, hex) => {
    expect(packetTagHeader({ ...packet, bytes: new Uint8Array() }).toHex()).toBe(hex);
  });
});

/** Of ffmpeg 5.1, without its script tag and its picture. */
const file = Uint8Array.fromHex(
  [
    '464c5601010000000900000000',
    '0900002e0000000000000017000000000142c01effe100196742c01ed900a02ff97011000003000100000300320f162e4801000568cb83cb2000000039',
    '0900000500000000000000170200000000000010',
  ].join(''),
);

describe('a file', () => {
  test('of ffmpeg is read', () => {
    const tags = [...readFlvFile(file)];
    expect(tags.map(({ type, timestampMs }) => [type, timestampMs])).toEqual([
      ['video', 0],
      ['video', 0],
    ]);
    expect(tags.map(({ body }) => readVideoTag(body))).toMatchObject([
      { what: 'track', track: { codec: 'avc1.42c01e', width: 640, height: 360 } },
      { what: 'end' },
    ]);
  });

  test('is written as ffmpeg writes it', () => {
    const tags = [...readFlvFile(file)].map((tag) => flvFileTag(tag));
    // Ours also promises sound, ffmpeg's had none.
    const header = flvFileHeader().with(4, 0x01);
    expect(Buffer.concat([header, ...tags]).toHex()).toBe(file.toHex());
  });

  test('reads as it was written, times beyond 24 bits too', () => {
    const tags: FlvTag[] = [
      { type: 'script', timestampMs: 0, body: writeAmf('onMetaData') },
      { type: 'audio', timestampMs: 0xffffff, body: trackTag(audio) },
      { type: 'video', timestampMs: 0x1000000, body: new Uint8Array() },
      { type: 'video', timestampMs: 0xfffffffe, body: Uint8Array.of(1) },
    ];
    const read = [...readFlvFile(fileOf(tags))];
    expect(read.map(({ body, ...rest }) => ({ ...rest, body: body.toHex() }))).toEqual(
      tags.map(({ body, ...rest }) => ({ ...rest, body: body.toHex() })),
    );
  });

  test('that is cut ends with its last whole tag', () => {
    const second = file.length - 20;
    const lengths = [13, 20, second - 5, second - 4, file.length - 5, file.length - 4];
    const counts = lengths.map((length) => [...readFlvFile(file.subarray(0, length))].length);
    expect(counts).toEqual([0, 0, 0, 1, 1, 2]);
    const empty = fileOf([{ type: 'video', timestampMs: 0, body: new Uint8Array() }]);
    expect([...readFlvFile(empty.subarray(0, -4))]).toHaveLength(1);
  });

  test('loses only tags of other types', () => {
    const tag: FlvTag = { type: 'video', timestampMs: 5, body: Uint8Array.of(1) };
    const encrypted = flvFileTag(tag).with(0, 0x29);
    const bytes = Buffer.concat([flvFileHeader(), encrypted, flvFileTag(tag)]);
    expect([...readFlvFile(bytes)]).toHaveLength(1);
  });

  test.each([
    ['nothing', '', 'This is no FLV file'],
    ['an MP4', '00000020667479706d703432', 'This is no FLV file'],
    ['a short header', '464c56010500000008', 'This FLV file has a broken header'],
  ])('is refused where it is %s', (_, hex, message) => {
    expect(() => [...readFlvFile(Uint8Array.fromHex(hex))]).toThrow(new MediaError(message));
  });
});

describe('bent and cut bytes are read or refused:', () => {
  const connect = { app: 'live', tcUrl: 'rtmp://127.0.0.1/live', list: [1, null, { a: true }] };
  const sps = '0000001e6764001eacd940a02ff97016a0202028000003000800000301e478b16cb0';
  const pps = '0000000468efbcb0';
  const keyFrame = `000000020930${sps}${pps}000000046588843f000000030cff80`;
  const readers: [string, string[], (bytes: Uint8Array) => unknown][] = [
    [
      'readAmf',
      [writeAmf('connect', 1, connect).toHex(), '0a0000000205010108000000010001610b'],
      (bytes) => {
        const values = readAmf(bytes);
        ensure(Bun.deepEquals(readAmf(writeAmf(...values)), values), 'reads as it was written');
        return values;
      },
    ],
    [
      'videoTrackOf',
      [
        avcRecord.toHex(),
        // Scaling lists.
        '01640028ffe1004467640028ad843fffca61028c2051840a30814610290822027421fffe10ffffffffffffffff2269a69a69a69a69a69a69a69a69a69a69a69a69a69a69a6b6501e0089f95001000468efbcb0',
      ],
      (bytes) => {
        const { width, height } = videoTrackOf(bytes);
        ensure(width >= 1 && width <= 8_192 && height >= 1 && height <= 8_192, 'has a size');
      },
    ],
    [
      'cleanPicture',
      [slice, keyFrame, sps + slice],
      (bytes) => {
        const picture = cleanPicture(bytes, video);
        if (!picture) return;
        ensure(picture.bytes.length <= bytes.length, 'is no longer than it was');
        const again = cleanPicture(picture.bytes, video);
        ensure(again?.bytes.length === picture.bytes.length, 'is clean');
        ensure(again?.isKey === picture.isKey, 'is as key as it was');
        if (picture.record) videoTrackOf(picture.record);
      },
    ],
    [
      'audioTrackOf',
      ['119056e500', '2b920800', 'eb8a0800', '17805dc010'],
      (bytes) => {
        const { sampleRate, channels } = audioTrackOf(bytes);
        ensure(sampleRate >= 7_350 && sampleRate <= 96_000, 'has a rate');
        ensure(channels >= 1 && channels <= 8, 'has channels');
      },
    ],
    [
      'readVideoTag',
      [trackTag(video).toHex(), `2701000021${slice}`, `91${fourCc.avc1}000021${slice}`],
      readVideoTag,
    ],
    [
      'readAudioTag',
      [trackTag(audio).toHex(), 'af01217004608c1c', `90${fourCc.mp4a}1210`],
      readAudioTag,
    ],
    [
      'readFlvFile',
      [file.toHex()],
      (bytes) => {
        const tags = [...readFlvFile(bytes)];
        ensure(tags.length <= bytes.length / 11, 'has no more tags than room');
      },
    ],
  ];

  test.each(readers)('%s', (name, seeds, read) => {
    const outcomes = { read: 0, refused: 0 };
    const declared = name === 'readAmf' ? AmfError : MediaError;
    for (const bytes of bentBytes(seeds, 20_000)) {
      try {
        read(bytes);
        outcomes.read += 1;
      } catch (error) {
        if (!(error instanceof declared)) throw new Error(bytes.toHex(), { cause: error });
        outcomes.refused += 1;
      }
    }
    // Both must happen, or the bytes were bent too little or too much.
    expect(outcomes.read).toBeGreaterThan(100);
    expect(outcomes.refused).toBeGreaterThan(100);
  });
});

function picture(isKey: boolean, compositionMs: number): Tag {
  return { what: 'picture', isKey, compositionMs, bytes: Uint8Array.fromHex(slice) };
}

function fileOf(tags: FlvTag[]): Uint8Array {
  return Buffer.concat([flvFileHeader(), ...tags.map((tag) => flvFileTag(tag))]);
}

function ensure(holds: boolean, what: string): void {
  if (!holds) throw new Error(`it ${what}: no`);
}

/** Every beginning of every seed, then seeds with a few bytes changed, doubled or taken out; the same in each run. */
function* bentBytes(seeds: string[], count: number): Generator<Uint8Array> {
  const whole = seeds.map((seed) => Uint8Array.fromHex(seed));
  for (const bytes of whole) {
    for (let length = 0; length <= bytes.length; length += 1) yield bytes.slice(0, length);
  }
  const random = randomFrom(20_240_501);
  for (let made = 0; made < count; made += 1) {
    let bytes = [...(whole[random(whole.length)] ?? [])];
    for (let changes = 1 + random(4); changes > 0; changes -= 1) {
      const at = random(bytes.length + 1);
      const kind = random(5);
      if (kind === 0) bytes[at] = random(256);
      if (kind === 1) bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
      if (kind === 2) bytes[at] = [0x00, 0x7f, 0x80, 0xff][random(4)] ?? 0;
      if (kind === 3) bytes.splice(at, random(8));
      if (kind === 4) bytes = [...bytes.slice(0, at), ...bytes.slice(random(at + 1))];
    }
    yield Uint8Array.from(bytes);
  }
}

/** Whole numbers below a limit (a linear congruential generator; its high bits are the random ones). */
function randomFrom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
