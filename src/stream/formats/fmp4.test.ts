import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { clip } from '../../../test/fixtures/media/clip.ts';
import { fragmentTracks } from '../../../test/support/fragment-tracks.ts';
import { needBox } from './box-fields.ts';
import { fragment, type Sample } from './fmp4.ts';
import { initSegment } from './fmp4-init.ts';
import { box, readBoxes, readBoxHeader } from './mp4-box.ts';
import { MediaError } from './packet.ts';

const sample = (more: Partial<Sample> = {}): Sample => ({
  size: 3,
  duration: 40,
  isKey: false,
  compositionOffset: 0,
  ...more,
});

const video = (samples: readonly Sample[], baseTime = 0) => ({ trackId: 1, baseTime, samples });

const typesOf = (bytes: Uint8Array) =>
  readBoxes(bytes)
    .map(({ type }) => type)
    .toArray();

describe('an init segment', () => {
  const init = initSegment(clip.tracks);

  test('holds the tracks and tells that fragments follow', () => {
    expect(typesOf(init)).toEqual(['ftyp', 'moov']);
    expect(typesOf(needBox(init, 'moov'))).toEqual(['mvhd', 'trak', 'trak', 'mvex']);
    expect(typesOf(needBox(init, 'moov', 'mvex'))).toEqual(['trex', 'trex']);
  });

  test('hands the decoder configurations through', () => {
    const records = clip.tracks.map(({ record }) => Buffer.from(record));
    for (const record of records) expect(Buffer.from(init).includes(record)).toBe(true);
  });

  test('leaves a rate that does not fit its 16 bits to the configuration', () => {
    const rateOf = (sampleRate: number) => {
      const tracks = clip.tracks
        .filter((track) => track.kind === 'audio')
        .map((track) => ({ ...track, sampleRate }));
      const stsd = needBox(initSegment(tracks), 'moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd');
      return Buffer.from(needBox(stsd.subarray(8), 'mp4a')).readUInt16BE(24);
    };
    expect([rateOf(44_100), rateOf(96_000)]).toEqual([44_100, 0]);
  });
});

describe('a fragment', () => {
  test('is read back as it was made', () => {
    const { bytes } = fragment({
      sequence: 7,
      tracks: [
        video([sample({ isKey: true }), sample({ duration: 33 })], 2 ** 40 + 5),
        { trackId: 2, baseTime: 9, samples: [sample({ isKey: true, duration: 1024 })] },
      ],
    });
    expect(fragmentTracks(bytes)).toEqual([
      { trackId: 1, baseTime: 2 ** 40 + 5, duration: 73, startsWithKey: true },
      { trackId: 2, baseTime: 9, duration: 1024, startsWithKey: true },
    ]);
    expect(Buffer.from(needBox(bytes, 'moof', 'mfhd')).readUInt32BE(4)).toBe(7);
  });

  test('holds the samples of each track where its trun says', () => {
    const tracks = [1, 2].map((trackId) => ({
      trackId,
      baseTime: 0,
      samples: [sample({ size: 7 })],
    }));
    const { bytes, dataAt } = fragment({ sequence: 1, tracks });
    bytes.set(Buffer.from('track 1track 2'), dataAt);
    const moof = needBox(bytes, 'moof');
    const trafs = readBoxes(moof).filter(({ type }) => type === 'traf');
    const found = trafs.map(({ body }) => {
      const at = Buffer.from(needBox(body, 'trun')).readInt32BE(8);
      return Buffer.from(bytes.subarray(at, at + 7)).toString();
    });
    expect([...found]).toEqual(['track 1', 'track 2']);
  });

  test.each([
    { name: 'equal samples', samples: [sample(), sample()], trun: 0x201 },
    { name: 'a key frame first', samples: [sample({ isKey: true }), sample()], trun: 0x205 },
    { name: 'a key frame later', samples: [sample(), sample({ isKey: true })], trun: 0x601 },
    { name: 'uneven durations', samples: [sample(), sample({ duration: 1 })], trun: 0x301 },
    { name: 'B-frames', samples: [sample({ compositionOffset: -40 }), sample()], trun: 0xa01 },
  ])('of $name has the fields it needs and no more', ({ samples, trun }) => {
    const { bytes } = fragment({ sequence: 1, tracks: [video(samples)] });
    const flags = Buffer.from(needBox(bytes, 'moof', 'traf', 'trun')).readUInt32BE(0) & 0xffffff;
    expect(flags).toBe(trun);
    const [track] = fragmentTracks(bytes);
    expect(track?.startsWithKey).toBe(samples[0]?.isKey === true);
    expect(track?.duration).toBe(samples.reduce((sum, { duration }) => sum + duration, 0));
  });
});

describe('a reader of boxes', () => {
  const { bytes } = fragment({
    sequence: 1,
    tracks: [video([sample({ isKey: true }), sample({ duration: 1 }), sample({ isKey: true })])],
  });

  test('gives the whole ones and throws at the one that is cut', () => {
    const seen: string[] = [];
    const cut = Buffer.concat([box('free'), bytes]).subarray(0, -1);
    expect(() => {
      for (const { type } of readBoxes(cut)) seen.push(type);
    }).toThrow(new MediaError('box mdat is cut: 16 of 17 bytes'));
    expect(seen).toEqual(['free', 'moof']);
  });

  test('reads a header whose body is elsewhere', () => {
    expect(readBoxHeader(bytes.subarray(0, 8))).toEqual({ type: 'moof', size: bytes.length - 17 });
  });

  test('returns or throws a MediaError for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (any) => {
        expect(outcome(() => [...readBoxes(any)])).not.toBe('another error');
      }),
    );
  });
});

function outcome(run: () => unknown): 'returned' | 'media error' | 'another error' {
  try {
    run();
    return 'returned';
  } catch (error) {
    return error instanceof MediaError ? 'media error' : 'another error';
  }
}
