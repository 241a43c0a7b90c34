// Rungs of real media, judged by ffprobe: the same times as the source's to the millisecond, part for part.
import { expect } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { play, readClip } from '../../../test/fixtures/media/clip.ts';
import { temporaryFolder } from '../../../test/support/engines.ts';
import { testWith } from '../../../test/support/needs.ts';
import { noFfmpeg, outside } from '../../../test/support/recorded-clip.ts';
import { keep } from '../../base/bytes/memory.ts';
import { initSegment } from '../formats/fmp4-init.ts';
import { videoTrackOf } from '../formats/h264.ts';
import type { Track, VideoTrack } from '../formats/packet.ts';
import { partReader, type Run } from '../formats/part-samples.ts';
import { Segmenter } from '../packaging/segmenter.ts';
import { isTranscoderInstalled, loadTranscoder } from '../recording/worker/transcoder.ts';
import type { FromProcess } from './ladder-messages.ts';
import { codecOf, type PictureRungName, pictureRungs } from './ladder-rungs.ts';
import { PartTranscoder, type SourcePart } from './part-transcoder.ts';

const needed =
  noFfmpeg ?? (isTranscoderInstalled() ? undefined : 'it needs the transcoder (node-av)');
/** Large enough for two rungs. */
const small = { width: 896, height: 504, seconds: 4 };
const smallNames: readonly PictureRungName[] = ['480p', '360p'];

interface Probed {
  codec_type: 'video' | 'audio';
  pts: number;
  dts: number;
  duration: number;
  flags: string;
}

interface Case {
  what: string;
  rate: number;
  more: readonly string[];
  everyNth: number;
  source?: typeof small;
  names?: readonly PictureRungName[];
}

const cases: readonly Case[] = [
  { what: 'without B-frames', rate: 30, more: ['-bf', '0'], everyNth: 1 },
  { what: 'with B-frames', rate: 30, more: ['-bf', '3', '-b_strategy', '0'], everyNth: 1 },
  { what: 'with a key frame in six seconds', rate: 25, more: ['-g', '150'], everyNth: 1 },
  { what: 'with 60 pictures a second', rate: 60, more: ['-bf', '2'], everyNth: 2 },
  {
    what: 'of 1080 lines',
    rate: 15,
    more: ['-bf', '2'],
    everyNth: 1,
    source: { width: 1920, height: 1080, seconds: 2 },
    names: ['720p', '480p', '360p'],
  },
];

for (const { what, rate, more, everyNth, source = small, names = smallNames } of cases)
  testWith(
    needed,
    `a source ${what} has rungs of the same times`,
    async () => {
      const { tracks, parts } = packaged(encoded(source, rate, more));
      const rungs = await transcoded(tracks, { parts, picturesPerSecond: rate });
      expect([...rungs.keys()]).toEqual([...names]);
      const ofSource = probed([initSegment(tracks), ...parts.map(({ bytes }) => bytes)]);
      for (const [name, { record, parts: made }] of rungs) {
        const video = videoTrackOf(record);
        expect(video.codec).toBe(codecOf(name));
        // Each part once, in the order of the source.
        expect(made.map(placeOf)).toEqual(parts.map(placeOf));
        const tracksOfRung = [video, ...tracks.filter(({ kind }) => kind === 'audio')];
        const pieces = [initSegment(tracksOfRung), ...made.map(({ bytes }) => bytes)];
        const ofRung = probed(pieces);
        expect(picturesAs(pieces)).toEqual(shapes[name]);
        expect(soundsOf(ofRung)).toEqual(soundsOf(ofSource));
        const [wanted, shown] = [ofSource, ofRung].map((all) => picturesOf(all));
        if (everyNth === 1) {
          expect(shown?.map(({ dts }) => dts)).toEqual((wanted ?? []).map(({ dts }) => dts));
          expect(timesOf(shown)).toEqual(timesOf(wanted));
        } else {
          expect(timesOf(wanted)).toEqual(expect.arrayContaining(timesOf(shown)));
          expect(shown?.length).toBeLessThanOrEqual((wanted?.length ?? 0) / 2 + parts.length);
        }
        // Part for part: its pictures begin and end when the source's do.
        const [readRung, readSource] = [partReader(tracksOfRung), partReader(tracks)];
        for (const [at, { bytes, isIndependent }] of made.entries()) {
          const of = parts[at] as Packaged;
          const wantedRun = readSource(of.bytes).pictures;
          expect(bordersOf(readRung(bytes).pictures)).toEqual(bordersOf(wantedRun));
          if (of.at === 0 && wantedRun) expect(isIndependent).toBe(true);
        }
      }
    },
    120_000,
  );

/** Of both sources, which have the same shape: what ffprobe says of a rung, and that all of it can be decoded. */
const shapes: Record<PictureRungName, object> = {
  '720p': { profile: 'High', width: 1280, height: 720, level: 32 },
  '480p': { profile: 'High', width: 854, height: 480, level: 31 },
  '360p': { profile: 'High', width: 640, height: 360, level: 31 },
};

function picturesAs(pieces: readonly Uint8Array[]): unknown {
  const file = join(temporaryFolder(), 'decoded.mp4');
  writeFileSync(file, Buffer.concat(pieces));
  outside('ffmpeg', ['-v', 'error', '-i', file, '-f', 'null', '-']);
  const shown = ['-select_streams', 'v', '-show_entries', 'stream=profile,width,height,level'];
  const told = JSON.parse(outside('ffprobe', ['-v', 'error', ...shown, '-of', 'json', file]));
  return told.streams[0];
}

testWith(
  needed,
  'pictures that cannot be decoded are left out, and their parts are not',
  async () => {
    const { tracks, parts } = packaged(encoded(small, 30, ['-bf', '2']));
    const damaged = parts.map((part) => {
      if (part.at % 3 !== 1) return part;
      const bytes = part.bytes.slice();
      // Behind the boxes, where the pictures are.
      bytes.fill(0xff, 700, 3_000);
      return { ...part, bytes };
    });
    const rungs = await transcoded(tracks, { parts: damaged, picturesPerSecond: 30 });
    for (const { parts: made } of rungs.values())
      expect(made.map(placeOf)).toEqual(parts.map(placeOf));
  },
  60_000,
);

function encoded(
  { width, height, seconds }: typeof small,
  rate: number,
  more: readonly string[],
): Uint8Array {
  const file = join(temporaryFolder(), 'source.flv');
  const picture = ['-f', 'lavfi', '-i', `testsrc2=s=${width}x${height}:r=${rate}:d=${seconds}`];
  const sound = ['-f', 'lavfi', '-i', `sine=f=440:r=48000:d=${seconds}`];
  const h264 = ['-c:v', 'libx264', '-preset', 'superfast', '-pix_fmt', 'yuv420p', '-g', '60'];
  const out = ['-c:a', 'aac', '-f', 'flv', '-y', file];
  outside('ffmpeg', ['-v', 'error', ...picture, ...sound, ...h264, ...more, ...out]);
  return readFileSync(file);
}

type Packaged = Omit<SourcePart, 'rungs' | 'bytes'> & { bytes: Uint8Array<ArrayBuffer> };

function packaged(flv: Uint8Array): { tracks: readonly Track[]; parts: Packaged[] } {
  const parts: Packaged[] = [];
  let tracks: readonly Track[] = [];
  const segmenter = new Segmenter({
    firstSequence: 1,
    now: () => Date.UTC(2026, 0, 1),
    readers: [
      {
        partAdded: ({ sequence, init, parts: all }, { bytes }) => {
          tracks = init.tracks;
          parts.push({ sequence, at: all.length - 1, bytes: keep(bytes) });
        },
        segmentEnded: () => {},
        ended: () => {},
      },
    ],
  });
  play(readClip(flv), segmenter);
  return { tracks, parts };
}

type Made = Packaged & { isIndependent: boolean };

async function transcoded(
  tracks: readonly Track[],
  { parts, picturesPerSecond }: { parts: readonly Packaged[]; picturesPerSecond: number },
) {
  const made = new Map<PictureRungName, { record: Uint8Array; parts: Made[] }>();
  const tell = (words: FromProcess, bytes: Uint8Array = new Uint8Array()) => {
    if (words.kind === 'record') made.set(words.rung, { record: bytes, parts: [] });
    if (words.kind === 'part') {
      const { sequence, at, isIndependent, rung } = words;
      made.get(rung)?.parts.push({ sequence, at, isIndependent, bytes: new Uint8Array(bytes) });
    }
  };
  const transcoder = new PartTranscoder(await loadTranscoder(), {
    memoryBytesMax: 512 * 1_048_576,
    tell,
  });
  const video = tracks.find((track): track is VideoTrack => track.kind === 'video');
  if (!video) throw new Error('there is no picture');
  const rungs = pictureRungs(video);
  await transcoder.begin({ tracks, rungs, picturesPerSecond });
  const names = rungs.map(({ name }) => name);
  for (const part of parts) await transcoder.take({ ...part, rungs: names });
  await transcoder.finish();
  transcoder.close();
  return made;
}

const placeOf = ({ sequence, at }: Packaged) => `${sequence}.${at}`;

function probed(pieces: readonly Uint8Array[]): Probed[] {
  const file = join(temporaryFolder(), 'probed.mp4');
  writeFileSync(file, Buffer.concat(pieces));
  const shown = 'packet=codec_type,pts,dts,duration,flags';
  return JSON.parse(
    outside('ffprobe', ['-v', 'error', '-show_entries', shown, '-of', 'json', file]),
  ).packets;
}

function bordersOf(run: Run | undefined): [number, number] | undefined {
  if (!run) return undefined;
  const { baseTime, samples } = run;
  return [baseTime, samples.reduce((ms, { duration }) => ms + duration, baseTime)];
}

function picturesOf(packets: readonly Probed[]): Probed[] {
  return packets.filter(({ codec_type }) => codec_type === 'video');
}

function soundsOf(packets: readonly Probed[]): Probed[] {
  return packets.filter(({ codec_type }) => codec_type === 'audio');
}

function timesOf(packets: readonly Probed[] | undefined): number[] {
  return (packets ?? []).map(({ pts }) => pts).toSorted((a, b) => a - b);
}
