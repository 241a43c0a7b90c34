// Reads fragmented MP4 back (ISO 14496-12 8.8): the tracks of an init, the samples of a `moof`.
import { Fields, findBox, needBox } from './box-fields.ts';
import { nonSyncBit, tfhdFlag, trunFlag } from './fmp4-flags.ts';
import { readBoxes } from './mp4-box.ts';
import { MediaError, type Rotation } from './packet.ts';
import { rotationOf } from './track-boxes.ts';

export interface InitTrack {
  id: number;
  kind: 'video' | 'audio';
  /** Ticks a second of its times and durations. */
  timescale: number;
  /** The sample entry (`avc1`, `mp4a`) as it stands in the file. */
  entry: Uint8Array;
  /** 0 for both of sound. */
  width: number;
  height: number;
  rotation: Rotation;
  /** What a fragment leaves out. */
  defaults: SampleDefaults;
}

interface SampleDefaults {
  duration: number;
  size: number;
  flags: number;
}

export interface Sample {
  size: number;
  duration: number;
  /** From decoding to showing. */
  compositionOffset: number;
  isKey: boolean;
}

/** Samples of one track whose bytes stand one after another. */
export interface SampleRun {
  track: InitTrack;
  decodeTime: number;
  /** Of its first byte, from the start of the `moof`. */
  dataAt: number;
  samples: Sample[];
}

export function readInit(init: Uint8Array): InitTrack[] {
  const moov = needBox(init, 'moov');
  const defaults = new Map<number, SampleDefaults>();
  for (const { type, body } of readBoxes(findBox(moov, 'mvex') ?? new Uint8Array())) {
    if (type !== 'trex') continue;
    const fields = new Fields(body).skip(4);
    const id = fields.u32();
    fields.skip(4);
    defaults.set(id, { duration: fields.u32(), size: fields.u32(), flags: fields.u32() });
  }
  const tracks: InitTrack[] = [];
  for (const { type, body } of readBoxes(moov)) {
    if (type === 'trak') tracks.push(readTrack(body, defaults));
  }
  return tracks;
}

function readTrack(trak: Uint8Array, defaults: ReadonlyMap<number, SampleDefaults>): InitTrack {
  const tkhd = needBox(trak, 'tkhd');
  const id = afterTimes(tkhd).u32();
  const timescale = afterTimes(needBox(trak, 'mdia', 'mdhd')).u32();
  if (timescale === 0) throw new MediaError('A track of the MP4 has no timescale');
  const handler = new Fields(needBox(trak, 'mdia', 'hdlr')).skip(8).take(4).toString('latin1');
  const stsd = needBox(trak, 'mdia', 'minf', 'stbl', 'stsd').subarray(8);
  const [entry] = readBoxes(stsd);
  if (!entry) throw new MediaError('A track of the MP4 does not say how it is decoded');
  const known = {
    id,
    timescale,
    entry: stsd.subarray(entry.at, entry.at + entry.size),
    defaults: defaults.get(id) ?? { duration: 0, size: 0, flags: 0 },
  };
  if (handler === 'soun') return { ...known, kind: 'audio', width: 0, height: 0, rotation: 0 };
  if (handler !== 'vide') throw new MediaError(`A track of the MP4 is of kind ${handler}`);
  const size = new Fields(entry.body).skip(24);
  const rotation = readRotation(tkhd);
  return { ...known, kind: 'video', width: size.u16(), height: size.u16(), rotation };
}

/** Behind the track's number come a reserved word, the duration, which is longer in version 1, and 16 bytes more. */
function readRotation(tkhd: Uint8Array): Rotation {
  const fields = afterTimes(tkhd).skip(tkhd[0] === 1 ? 32 : 28);
  return rotationOf(Array.from({ length: 9 }, () => fields.i32()));
}

/** Past version, flags, and the times of creation and change, which are longer in version 1. */
function afterTimes(body: Uint8Array): Fields {
  const fields = new Fields(body);
  return fields.skip(fields.u8() === 1 ? 19 : 11);
}

/** A video sample entry's own fields, before the boxes inside it (12.1.3). */
const videoEntryBytes = 86;

/** The parameter sets of an `avc1` entry as they may stand in a sample: each with its length before it. */
export function parameterSets(entry: Uint8Array): { lengthSize: number; bytes: Uint8Array } {
  const avcC = findBox(entry.subarray(videoEntryBytes), 'avcC');
  if (!avcC) throw new MediaError('The picture of the MP4 is not H.264');
  // ISO 14496-15 5.3.3.1
  const fields = new Fields(avcC).skip(4);
  const lengthSize = (fields.u8() & 3) + 1;
  const pieces: Buffer[] = [];
  for (const countBits of [0x1f, 0xff]) {
    for (let left = fields.u8() & countBits; left > 0; left -= 1) {
      const set = fields.take(fields.u16());
      const length = Buffer.alloc(lengthSize);
      length.writeUIntBE(set.length, 0, lengthSize);
      pieces.push(length, set);
    }
  }
  return { lengthSize, bytes: Buffer.concat(pieces) };
}

/** Of a `moof` without its header. */
export function readMoof(moof: Uint8Array, tracks: readonly InitTrack[]): SampleRun[] {
  const runs: SampleRun[] = [];
  for (const { type, body } of readBoxes(moof)) {
    if (type === 'traf') runs.push(...readTraf(body, tracks));
  }
  return runs;
}

function readTraf(traf: Uint8Array, tracks: readonly InitTrack[]): SampleRun[] {
  const tfhd = new Fields(needBox(traf, 'tfhd'));
  const flags = tfhd.u32();
  const trackId = tfhd.u32();
  const track = tracks.find(({ id }) => id === trackId);
  if (!track) throw new MediaError(`The MP4 has a fragment of an unknown track ${trackId}`);
  if (flags & tfhdFlag.baseOffset)
    throw new MediaError('The MP4 has a fragment whose samples are elsewhere');
  if (flags & tfhdFlag.description) tfhd.skip(4);
  const defaults = {
    duration: flags & tfhdFlag.duration ? tfhd.u32() : track.defaults.duration,
    size: flags & tfhdFlag.size ? tfhd.u32() : track.defaults.size,
    flags: flags & tfhdFlag.flags ? tfhd.u32() : track.defaults.flags,
  };
  const tfdt = new Fields(needBox(traf, 'tfdt'));
  const isLong = tfdt.u32() >>> 24 === 1;
  let decodeTime = isLong ? tfdt.u64() : tfdt.u32();
  const runs: SampleRun[] = [];
  for (const { type, body } of readBoxes(traf)) {
    if (type !== 'trun') continue;
    const run = { track, decodeTime, ...readTrun(new Fields(body), defaults) };
    runs.push(run);
    for (const { duration } of run.samples) decodeTime += duration;
  }
  return runs;
}

/** Without any field of its own a sample costs no byte, so a bent count must not make it a billion. */
const samplesOfRunMax = 100_000;

function readTrun(fields: Fields, defaults: SampleDefaults): Pick<SampleRun, 'dataAt' | 'samples'> {
  const flags = fields.u32();
  const count = fields.u32();
  if (count > samplesOfRunMax) throw new MediaError(`A fragment claims ${count} samples`);
  if (!(flags & trunFlag.dataOffset))
    throw new MediaError('A fragment does not say where its samples are');
  const dataAt = fields.i32();
  const firstFlags = flags & trunFlag.firstFlags ? fields.u32() : undefined;
  const samples: Sample[] = [];
  for (let at = 0; at < count; at += 1) {
    const duration = flags & trunFlag.duration ? fields.u32() : defaults.duration;
    const size = flags & trunFlag.size ? fields.u32() : defaults.size;
    const own = flags & trunFlag.flags ? fields.u32() : defaults.flags;
    const compositionOffset = flags & trunFlag.compositionOffset ? fields.i32() : 0;
    const sampleFlags = (at === 0 ? firstFlags : undefined) ?? own;
    const isKey = (sampleFlags & nonSyncBit) === 0;
    samples.push({ size, duration, compositionOffset, isKey });
  }
  return { dataAt, samples };
}
