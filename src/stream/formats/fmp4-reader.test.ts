// What the packager wrote is read back as it was; bent and cut bytes are an error, never a surprise.
import { describe, expect, test } from 'bun:test';
import { fragment } from './fmp4.ts';
import { initSegment } from './fmp4-init.ts';
import { parameterSets, readInit, readMoof } from './fmp4-reader.ts';
import { boxHeaderBytes, readBoxHeader } from './mp4-box.ts';
import { type AudioTrack, MediaError, type VideoTrack } from './packet.ts';

const video: VideoTrack = {
  kind: 'video',
  codec: 'avc1.64001f',
  record: Buffer.from('0164001fffe100046764001f010003 68ee3c'.replace(' ', ''), 'hex'),
  width: 1280,
  height: 720,
};
const audio: AudioTrack = {
  kind: 'audio',
  codec: 'mp4a.40.2',
  record: Buffer.from('1190', 'hex'),
  sampleRate: 48_000,
  channels: 2,
  frameSamples: 1_024,
};
const init = initSegment([video, audio]);
const pictures = [
  { size: 900, duration: 33, isKey: true, compositionOffset: 66 },
  { size: 120, duration: 34, isKey: false, compositionOffset: -1 },
  { size: 0, duration: 33, isKey: false, compositionOffset: 0 },
];
const sounds = Array.from({ length: 9 }, (_, at) => ({
  size: 200 + at,
  duration: 1_024,
  isKey: true,
  compositionOffset: 0,
}));
const { bytes: part } = fragment({
  sequence: 7,
  tracks: [
    { trackId: 1, baseTime: 2 ** 40, samples: pictures },
    { trackId: 2, baseTime: 90_000, samples: sounds },
  ],
});
const { size: moofBytes } = readBoxHeader(part);
const moof = part.subarray(boxHeaderBytes, moofBytes);

describe('an init', () => {
  test('tells its tracks', () => {
    expect(readInit(init)).toMatchObject([
      { id: 1, kind: 'video', timescale: 1_000, width: 1280, height: 720 },
      { id: 2, kind: 'audio', timescale: 48_000, width: 0, height: 0 },
    ]);
    expect(readInit(init).map(({ entry }) => Buffer.from(entry).toString('latin1', 4, 8))).toEqual([
      'avc1',
      'mp4a',
    ]);
  });

  test('holds the parameter sets as a sample may bring them', () => {
    const { lengthSize, bytes } = parameterSets(readInit(init)[0]?.entry ?? new Uint8Array());
    expect(lengthSize).toBe(4);
    expect(Buffer.from(bytes).toString('hex')).toBe('000000046764001f0000000368ee3c');
  });
});

describe('a fragment', () => {
  test('gives back every sample and where its bytes are', () => {
    const tracks = readInit(init);
    const dataAt = moofBytes + boxHeaderBytes;
    expect(readMoof(moof, tracks)).toEqual([
      { track: tracks[0], decodeTime: 2 ** 40, dataAt, samples: pictures },
      { track: tracks[1], decodeTime: 90_000, dataAt: dataAt + 1_020, samples: sounds },
    ] as ReturnType<typeof readMoof>);
  });

  test('of a track that the init lacks is refused', () => {
    expect(() => readMoof(moof, readInit(initSegment([video])))).toThrow('unknown track 2');
  });

  test.each([
    ['more samples than a fragment may have', 0xffffffff, 'claims 4294967295 samples'],
    ['more samples than the box has room for', 50_000, 'cut short'],
  ])('that claims %s is refused', (_name, count, problem) => {
    const bent = Buffer.from(moof);
    bent.writeUInt32BE(count, bent.indexOf('trun') + 8);
    expect(() => readMoof(bent, readInit(init))).toThrow(problem);
  });
});

test('cut and bent bytes are read or refused', () => {
  let state = 5;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % limit;
  };
  const tracks = readInit(init);
  for (let round = 0; round < 5_000; round += 1) {
    const [whole, read] =
      round % 2 === 0
        ? [init, (bytes: Uint8Array) => readInit(bytes).map(({ entry }) => parameterSets(entry))]
        : [moof, (bytes: Uint8Array) => readMoof(bytes, tracks)];
    const bytes = Buffer.from(whole.subarray(0, below(8) === 0 ? below(whole.length) : undefined));
    for (let bends = below(5); bends > 0 && bytes.length > 0; bends -= 1)
      bytes[below(bytes.length)] = below(256);
    try {
      read(bytes);
    } catch (error) {
      if (!(error instanceof MediaError)) throw error;
    }
  }
});
