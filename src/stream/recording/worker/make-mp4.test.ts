// Recordings become progressive MP4: every sample, every time, judged by ffprobe.
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/support/engines.ts';
import { testWith } from '../../../../test/support/needs.ts';
import {
  framesOf,
  noFfmpeg,
  outside,
  packetsOf,
  recordedClips,
} from '../../../../test/support/recorded-clip.ts';
import { fragment } from '../../formats/fmp4.ts';
import { initSegment } from '../../formats/fmp4-init.ts';
import { MediaError } from '../../formats/packet.ts';
import { indexLine } from '../recording-index.ts';
import { makeMp4 } from './make-mp4.ts';

const inOrder = (a: { pts_time: string }, b: { pts_time: string }) =>
  Number(a.pts_time) - Number(b.pts_time);
const essence = ({ data_hash, flags, pts_time }: ReturnType<typeof packetsOf>[number]) => ({
  data_hash,
  isKey: flags.startsWith('K'),
  pts_time: Number(pts_time).toFixed(3),
});

describe('judged by ffprobe', () => {
  testWith(noFfmpeg, 'every packet of a recording with B-frames is there, unchanged', async () => {
    const folder = await recordedClips({ more: ['-bf', '2'] });
    const size = await makeMp4(folder);
    const video = join(folder, 'video.mp4');
    expect(size).toBe(Bun.file(video).size);
    for (const kind of ['video', 'audio'] as const) {
      const before = packetsOf(join(folder, 'source.mp4'), kind).map(essence);
      expect(packetsOf(video, kind).map(essence)).toEqual(before);
      expect(before.length).toBeGreaterThan(70);
    }
    expect(framesOf(video, 'video')).toHaveLength(75);
    expect(topBoxes(video)).toEqual(['ftyp', 'moov', 'mdat']);
    expect(readdirSync(folder).sort()).toEqual(['source.index', 'source.mp4', 'video.mp4']);
  });

  testWith(noFfmpeg, 'a recording that begins late begins at 0', async () => {
    const folder = await recordedClips({ seconds: 1, more: ['-output_ts_offset', '100000'] });
    await makeMp4(folder);
    const { format } = JSON.parse(
      outside('ffprobe', [
        '-v',
        'warning',
        '-show_format',
        '-of',
        'json',
        join(folder, 'video.mp4'),
      ]),
    );
    expect(Number(format.start_time)).toBeCloseTo(0, 1);
    expect(Number(format.duration)).toBeCloseTo(1, 1);
  });

  testWith(
    noFfmpeg,
    'a push with B-frames that came back shows one picture at a time',
    async () => {
      const clip = { seconds: 2, hasSound: false, more: ['-bf', '2'] };
      const folder = await recordedClips(clip, clip, clip);
      await makeMp4(folder);
      const frames = framesOf(join(folder, 'video.mp4'), 'video');
      expect(frames).toHaveLength(150);
      const steps = frames.slice(1).map((frame, at) => step(frames[at], frame));
      expect(Math.min(...steps)).toBeGreaterThan(0.02);
      expect(Math.max(...steps)).toBeLessThan(0.15);
    },
  );

  testWith(noFfmpeg, 'sound that starts after the picture stays after it', async () => {
    const folder = await recordedClips({ seconds: 2 });
    delaySound(join(folder, 'source.mp4'), 24_000);
    await makeMp4(folder);
    const video = join(folder, 'video.mp4');
    expect(Number(packetsOf(video, 'audio')[0]?.pts_time)).toBeCloseTo(0.5, 2);
    expect(Number(packetsOf(video, 'video')[0]?.pts_time)).toBeCloseTo(0, 2);
  });

  testWith(noFfmpeg, 'sound alone and picture alone are whole too', async () => {
    const sound = await recordedClips({ size: 'none', seconds: 2 });
    await makeMp4(sound);
    expect(framesOf(join(sound, 'video.mp4'), 'audio').length).toBeGreaterThan(90);
    const picture = await recordedClips({ hasSound: false, seconds: 2 });
    await makeMp4(picture);
    expect(framesOf(join(picture, 'video.mp4'), 'video')).toHaveLength(50);
  });

  testWith(noFfmpeg, 'a push that came back in another size goes on without a gap', async () => {
    const sizes = ['320x180', '480x270', '320x180'] as const;
    const folder = await recordedClips(...sizes.map((size) => ({ size, seconds: 2 })));
    await makeMp4(folder);
    const video = join(folder, 'video.mp4');
    const frames = framesOf(video, 'video').toSorted(inOrder);
    expect(frames.map(({ width }) => width)).toEqual(
      [320, 480, 320].flatMap((width) => Array.from({ length: 50 }, () => width)),
    );
    const steps = frames.slice(1).map((frame, at) => step(frames[at], frame));
    expect(Math.min(...steps)).toBeGreaterThan(0.02);
    expect(Math.max(...steps)).toBeLessThan(0.15);
    expect(framesOf(video, 'audio').length).toBeGreaterThan(280);
  });
});

describe('of broken recordings', () => {
  test('a whole one is made, so that those below fail for their own reasons', async () => {
    const folder = writeSource(syntheticSource());
    const size = await makeMp4(folder);
    const bytes = readFileSync(join(folder, 'video.mp4'));
    expect(bytes.length).toBe(size);
    expect(bytes.subarray(-samplesBytes)).toEqual(Buffer.alloc(samplesBytes, 7));
  });

  const { source, index } = syntheticSource();
  const wrong: [string, { source: Buffer; index: string }, RegExp][] = [
    ['random bytes', { source: seeded(1).bytes(source.length), index }, /recording|box|cut/],
    ['a cut file', { source: source.subarray(0, -1_000), index }, /shorter than its index/],
    ['an empty file', { source: Buffer.alloc(0), index }, /shorter than its index/],
    ['an empty index', { source, index: '' }, /empty/],
    ['a damaged index', { source, index: index.replace('"at"', '"ta"') }, /damaged/],
    [
      'a header that would fill the memory',
      { source, index: index.replace(/"size":\d+/, '"size":4000000000') },
      /overlaps|init of/,
    ],
    [
      'a fragment that claims a billion samples',
      { source: withSampleCount(source, 1_000_000_000), index },
      /claims 1000000000 samples/,
    ],
    [
      'samples that lie outside',
      { source: withSampleSize(source, 0x7fffffff), index },
      /outside of their segment/,
    ],
  ];
  test.each(wrong)('%s is refused, and nothing is left behind', async (_name, files, problem) => {
    const folder = writeSource(files);
    await expect(makeMp4(folder)).rejects.toThrow(problem);
    expect(readdirSync(folder).sort()).toEqual(['source.index', 'source.mp4']);
  });

  test('bent and cut bytes make a file or an error, never a hang', async () => {
    const random = seeded(18);
    for (let round = 0; round < 150; round += 1) {
      const bent = Buffer.from(source);
      for (let bends = random.below(4) + 1; bends > 0; bends -= 1)
        bent[random.below(Math.min(bent.length, headBytes))] = random.below(256);
      const folder = writeSource({ source: bent, index });
      const outcome = await makeMp4(folder).catch((error: unknown) => error);
      if (!(outcome instanceof MediaError)) expect(outcome).toBeNumber();
    }
  });
});

/** Seeded, so that a failure comes again. */
function seeded(seed: number) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 8;
  };
  const below = (limit: number) => next() % limit;
  return {
    below,
    bytes: (size: number) => Buffer.from(Array.from({ length: size }, () => below(256))),
  };
}

const samplesOfFragment = 5;
const sampleBytes = 300;
const fragments = 4;
const samplesBytes = fragments * samplesOfFragment * sampleBytes;
/** The init and the first fragment's description. */
const headBytes = 900;

/** A picture track alone, whose samples no decoder would take; their bytes are not looked at. */
function syntheticSource(): { source: Buffer; index: string } {
  const record = Buffer.from('0164001fffe100046764001f01000468ee3c80', 'hex');
  const track = { kind: 'video', codec: 'avc1.64001f', record, width: 320, height: 180 } as const;
  const init = initSegment([track]);
  const pieces: Uint8Array[] = [init];
  const lines = [indexLine({ kind: 'init', at: 0, size: init.length, width: 320, height: 180 })];
  let at = init.length;
  for (let sequence = 0; sequence < fragments; sequence += 1) {
    const samples = Array.from({ length: samplesOfFragment }, (_, place) => ({
      size: sampleBytes,
      duration: 40,
      isKey: place === 0,
      compositionOffset: place % 2,
    }));
    const baseTime = sequence * samplesOfFragment * 40;
    const { bytes, dataAt } = fragment({ sequence, tracks: [{ trackId: 1, baseTime, samples }] });
    bytes.fill(7, dataAt);
    pieces.push(bytes);
    const times = { durationMs: 200, isIndependent: true, isDiscontinuity: false, startsAt: 0 };
    lines.push(indexLine({ kind: 'segment', at, size: bytes.length, ...times }));
    at += bytes.length;
  }
  return { source: Buffer.concat(pieces), index: lines.join('') };
}

function writeSource({ source, index }: { source: Uint8Array; index: string }): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'source.mp4'), source);
  writeFileSync(join(folder, 'source.index'), index);
  return folder;
}

/** The first `trun`: type, version and flags, count, offset of the data, flags of the first, then samples. */
function withSampleCount(source: Buffer, count: number): Buffer {
  const bent = Buffer.from(source);
  bent.writeUInt32BE(count, bent.indexOf('trun') + 8);
  return bent;
}

function withSampleSize(source: Buffer, size: number): Buffer {
  const bent = Buffer.from(source);
  bent.writeUInt32BE(size, bent.indexOf('trun') + 20);
  return bent;
}

/** Moves the decode times of the second track. */
function delaySound(file: string, ticks: number): void {
  const bytes = readFileSync(file);
  for (let at = bytes.indexOf('tfhd'); at >= 0; at = bytes.indexOf('tfhd', at + 4)) {
    const isSound = bytes.readUInt32BE(at + 8) === 2;
    const tfdt = bytes.indexOf('tfdt', at);
    const time = bytes.readBigUInt64BE(tfdt + 8);
    if (isSound) bytes.writeBigUInt64BE(time + BigInt(ticks), tfdt + 8);
  }
  writeFileSync(file, bytes);
}

function step(before: { pts_time: string } | undefined, after: { pts_time: string }): number {
  return Number(after.pts_time) - Number(before?.pts_time);
}

/** The boxes at the top of a file, whose last may have a 64-bit length. */
function topBoxes(file: string): string[] {
  const bytes = readFileSync(file);
  const types: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    types.push(bytes.toString('latin1', at + 4, at + 8));
    const size = bytes.readUInt32BE(at);
    at += size === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : size;
  }
  return types;
}
