import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { clip } from '../../test/fixtures/media/clip.ts';
import { fragment, readFragment, type Sample } from './fmp4.ts';
import { initSegment } from './fmp4-init.ts';
import { box, readBoxes, readBoxHeader } from './mp4-box.ts';
import { MediaError } from './packet.ts';

const sample = (more: Partial<Sample> = {}): Sample => ({
  bytes: Uint8Array.of(1, 2, 3),
  duration: 40,
  isKey: false,
  compositionOffset: 0,
  ...more,
});

const video = (samples: readonly Sample[], baseTime = 0) => ({ trackId: 1, baseTime, samples });

/** The body of the box that this way of names leads to. */
function find(bytes: Uint8Array, ...way: string[]): Uint8Array {
  return way.reduce((found, name) => {
    const next = readBoxes(found).find(({ type }) => type === name);
    if (!next) throw new Error(`no ${name} on the way ${way.join(' > ')}`);
    return next.body;
  }, bytes);
}

const typesOf = (bytes: Uint8Array) =>
  readBoxes(bytes)
    .map(({ type }) => type)
    .toArray();

describe('an init segment', () => {
  const init = initSegment(clip.tracks);

  test('holds the tracks and tells that fragments follow', () => {
    expect(typesOf(init)).toEqual(['ftyp', 'moov']);
    expect(typesOf(find(init, 'moov'))).toEqual(['mvhd', 'trak', 'trak', 'mvex']);
    expect(typesOf(find(init, 'moov', 'mvex'))).toEqual(['trex', 'trex']);
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
      const stsd = find(initSegment(tracks), 'moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd');
      return Buffer.from(find(stsd.subarray(8), 'mp4a')).readUInt16BE(24);
    };
    expect([rateOf(44_100), rateOf(96_000)]).toEqual([44_100, 0]);
  });
});

describe('a fragment', () => {
  test('is read back as it was made', () => {
    const bytes = fragment({
      sequence: 7,
      tracks: [
        video([sample({ isKey: true }), sample({ duration: 33 })], 2 ** 40 + 5),
        { trackId: 2, baseTime: 9, samples: [sample({ isKey: true, duration: 1024 })] },
      ],
    });
    expect(readFragment(bytes)).toEqual({
      sequence: 7,
      size: bytes.length,
      tracks: [
        { trackId: 1, baseTime: 2 ** 40 + 5, duration: 73, startsWithKey: true },
        { trackId: 2, baseTime: 9, duration: 1024, startsWithKey: true },
      ],
    });
  });

  test('holds the samples of each track where its trun says', () => {
    const tracks = [1, 2].map((trackId) => ({
      trackId,
      baseTime: 0,
      samples: [sample({ bytes: Buffer.from(`track ${trackId}`) })],
    }));
    const bytes = fragment({ sequence: 1, tracks });
    const moof = find(bytes, 'moof');
    const trafs = readBoxes(moof).filter(({ type }) => type === 'traf');
    const found = trafs.map(({ body }) => {
      const at = Buffer.from(find(body, 'trun')).readInt32BE(8);
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
    const bytes = fragment({ sequence: 1, tracks: [video(samples)] });
    const flags = Buffer.from(find(bytes, 'moof', 'traf', 'trun')).readUInt32BE(0) & 0xffffff;
    expect(flags).toBe(trun);
    const [track] = readFragment(bytes).tracks;
    expect(track?.startsWithKey).toBe(samples[0]?.isKey === true);
    expect(track?.duration).toBe(samples.reduce((sum, { duration }) => sum + duration, 0));
  });
});

describe('a reader of boxes', () => {
  const bytes = fragment({
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

  test('refuses a fragment that is cut anywhere', () => {
    for (let size = 0; size < bytes.length; size++) {
      expect(() => readFragment(bytes.subarray(0, size))).toThrow(MediaError);
    }
  });

  test('reads on past what follows the fragment', () => {
    expect(readFragment(Buffer.concat([bytes, Buffer.alloc(5)])).size).toBe(bytes.length);
  });

  test.each([40, 41])('does not believe a count that the box has no room for', (duration) => {
    const samples = [sample({ duration }), sample({ duration: 40 })];
    const bent = Buffer.from(fragment({ sequence: 1, tracks: [video(samples)] }));
    bent.writeUInt32BE(0xffffffff, bent.indexOf('trun') + 8);
    expect(() => readFragment(bent)).toThrow(MediaError);
  });

  test('returns or throws a MediaError for bent bytes', () => {
    const bend = fc.record({
      at: fc.nat(bytes.length - 1),
      value: fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 127, 128, 255)),
    });
    fc.assert(
      fc.property(fc.array(bend, { minLength: 1, maxLength: 6 }), (bends) => {
        const bent = Uint8Array.from(bytes);
        for (const { at, value } of bends) bent[at] = value;
        expect(outcome(() => readFragment(bent))).not.toBe('another error');
      }),
      { numRuns: 3000 },
    );
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
