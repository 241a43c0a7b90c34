// Fragments of MP4 (ISO 14496-12 8.8): a `moof` that describes samples and the `mdat` that holds them.
import { boxHeaderBytes, readBoxes, readBoxHeader } from './mp4-box.ts';
import { MediaError } from './packet.ts';

/** Times are in the track's timescale. */
export interface Sample {
  readonly bytes: Uint8Array;
  readonly duration: number;
  readonly isKey: boolean;
  /** From decoding to showing. */
  readonly compositionOffset: number;
}

export interface FragmentTrack {
  readonly trackId: number;
  /** When the first sample is decoded. */
  readonly baseTime: number;
  readonly samples: readonly Sample[];
}

/** One allocation; each sample is copied once. */
export function fragment(input: {
  sequence: number;
  tracks: readonly FragmentTrack[];
}): Uint8Array<ArrayBuffer> {
  const layouts = input.tracks.map(layoutOf);
  const moofBytes = layouts.reduce((sum, { trafBytes }) => sum + trafBytes, 8 + mfhdBytes);
  const mdatBytes = layouts.reduce((sum, { dataBytes }) => sum + dataBytes, boxHeaderBytes);
  const bytes = new Uint8Array(moofBytes + mdatBytes);
  const out = new BoxWriter(bytes);
  out.header(moofBytes, 'moof');
  out.header(mfhdBytes, 'mfhd');
  out.u32(0, input.sequence);
  let dataAt = moofBytes + boxHeaderBytes;
  for (const layout of layouts) {
    writeTraf(out, layout, dataAt);
    dataAt += layout.dataBytes;
  }
  out.header(mdatBytes, 'mdat');
  for (const { track } of layouts) for (const sample of track.samples) out.copy(sample.bytes);
  return bytes;
}

const mfhdBytes = 16;
const tfdtBytes = 20;

/** ISO 14496-12 8.8.7.1, 8.8.8.1. */
const tfhdFlag = { defaultDuration: 0x8, defaultFlags: 0x20, baseIsMoof: 0x20000 };
const trunFlag = {
  dataOffset: 0x1,
  firstFlags: 0x4,
  duration: 0x100,
  size: 0x200,
  flags: 0x400,
  compositionOffset: 0x800,
};

/** 8.8.3.1: depends on no other sample; depends on others and is no place to start. */
const keyFlags = 0x02000000;
const otherFlags = 0x01010000;
const nonSyncBit = 0x00010000;

/** What the samples of a track have in common is written once, the rest for each. */
interface Layout {
  readonly track: FragmentTrack;
  readonly trunFlags: number;
  readonly defaultDuration: number | undefined;
  readonly defaultFlags: number;
  readonly tfhdBytes: number;
  readonly trunBytes: number;
  readonly trafBytes: number;
  readonly dataBytes: number;
}

function layoutOf(track: FragmentTrack): Layout {
  const { samples } = track;
  const duration = samples[0]?.duration;
  const isSteady = samples.every((sample) => sample.duration === duration);
  const isAllKeys = samples.every((sample) => sample.isKey);
  let trunFlags = trunFlag.dataOffset | trunFlag.size;
  if (!isSteady) trunFlags |= trunFlag.duration;
  if (!isAllKeys) {
    if (samples.some((sample, i) => i > 0 && sample.isKey)) trunFlags |= trunFlag.flags;
    else if (samples[0]?.isKey) trunFlags |= trunFlag.firstFlags;
  }
  if (samples.some((sample) => sample.compositionOffset !== 0)) {
    trunFlags |= trunFlag.compositionOffset;
  }
  const tfhdBytes = isSteady ? 24 : 20;
  const head = trunFlags & trunFlag.firstFlags ? 24 : 20;
  const trunBytes = head + samples.length * sampleFieldBytes(trunFlags);
  return {
    track,
    trunFlags,
    defaultDuration: isSteady ? (duration ?? 0) : undefined,
    defaultFlags: isAllKeys ? keyFlags : otherFlags,
    tfhdBytes,
    trunBytes,
    trafBytes: boxHeaderBytes + tfhdBytes + tfdtBytes + trunBytes,
    dataBytes: samples.reduce((sum, sample) => sum + sample.bytes.length, 0),
  };
}

function sampleFieldBytes(trunFlags: number): number {
  const { duration, size, flags, compositionOffset } = trunFlag;
  const fields = [duration, size, flags, compositionOffset];
  return 4 * fields.filter((field) => trunFlags & field).length;
}

function writeTraf(out: BoxWriter, layout: Layout, dataAt: number): void {
  const { track, trunFlags, defaultDuration } = layout;
  const { samples } = track;
  out.header(layout.trafBytes, 'traf');
  out.header(layout.tfhdBytes, 'tfhd');
  const hasDuration = defaultDuration === undefined ? 0 : tfhdFlag.defaultDuration;
  out.u32(tfhdFlag.baseIsMoof | tfhdFlag.defaultFlags | hasDuration, track.trackId);
  if (defaultDuration !== undefined) out.u32(defaultDuration);
  out.u32(layout.defaultFlags);

  out.header(tfdtBytes, 'tfdt');
  out.u32(version1, Math.floor(track.baseTime / 2 ** 32), track.baseTime % 2 ** 32);

  out.header(layout.trunBytes, 'trun');
  out.u32(version1 | trunFlags, samples.length, dataAt);
  if (trunFlags & trunFlag.firstFlags) out.u32(keyFlags);
  for (const sample of samples) {
    if (trunFlags & trunFlag.duration) out.u32(sample.duration);
    out.u32(sample.bytes.length);
    if (trunFlags & trunFlag.flags) out.u32(sample.isKey ? keyFlags : otherFlags);
    if (trunFlags & trunFlag.compositionOffset) out.u32(sample.compositionOffset);
  }
}

/** tfdt with 64 bits, trun with signed offsets. */
const version1 = 0x01000000;

class BoxWriter {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;

  private at = 0;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer);
  }

  header(size: number, type: string): void {
    this.u32(size);
    for (let i = 0; i < 4; i++) this.bytes[this.at++] = type.charCodeAt(i);
  }

  /** Negative numbers as two's complement. */
  u32(...values: readonly number[]): void {
    for (const value of values) {
      this.view.setUint32(this.at, value);
      this.at += 4;
    }
  }

  copy(bytes: Uint8Array): void {
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }
}

export interface FragmentInfo {
  readonly sequence: number;
  /** Of the `moof` and its `mdat`. */
  readonly size: number;
  readonly tracks: readonly {
    readonly trackId: number;
    readonly baseTime: number;
    readonly duration: number;
    readonly startsWithKey: boolean;
  }[];
}

/** Reads the fragment that `bytes` begins with; throws where it is cut or is none of ours. */
export function readFragment(bytes: Uint8Array): FragmentInfo {
  const moof = wholeBox(bytes, 'moof');
  const mdat = wholeBox(bytes.subarray(moof.length), 'mdat');
  let sequence = 0;
  const tracks: FragmentInfo['tracks'][number][] = [];
  for (const { type, body } of readBoxes(moof.subarray(boxHeaderBytes))) {
    if (type === 'mfhd') sequence = new BoxReader(body).skip(4).u32();
    if (type === 'traf') tracks.push(readTraf(body));
  }
  return { sequence, size: moof.length + mdat.length, tracks };
}

function wholeBox(bytes: Uint8Array, wanted: string): Uint8Array {
  const { type, size } = readBoxHeader(bytes);
  if (type !== wanted) throw new MediaError(`box ${type} where ${wanted} was wanted`);
  if (size > bytes.length) throw new MediaError(`box ${type} is cut`);
  return bytes.subarray(0, size);
}

function readTraf(traf: Uint8Array): FragmentInfo['tracks'][number] {
  let tfhd = { trackId: 0, defaultDuration: 0, defaultFlags: 0 };
  let baseTime = 0;
  let trun: { duration: number; firstFlags: number } | undefined;
  for (const { type, body } of readBoxes(traf)) {
    if (type === 'tfhd') tfhd = readTfhd(body);
    if (type === 'tfdt') baseTime = readTfdt(body);
    if (type === 'trun') trun ??= readTrun(body, tfhd);
  }
  if (!trun) throw new MediaError('a traf without trun');
  const startsWithKey = (trun.firstFlags & nonSyncBit) === 0;
  return { trackId: tfhd.trackId, baseTime, duration: trun.duration, startsWithKey };
}

function readTfhd(body: Uint8Array) {
  const [baseDataOffset, descriptionIndex, defaultSize] = [0x1, 0x2, 0x10];
  const fields = new BoxReader(body);
  const flags = fields.u32();
  const trackId = fields.u32();
  fields.skip(flags & baseDataOffset ? 8 : 0).skip(flags & descriptionIndex ? 4 : 0);
  const defaultDuration = flags & tfhdFlag.defaultDuration ? fields.u32() : 0;
  fields.skip(flags & defaultSize ? 4 : 0);
  const defaultFlags = flags & tfhdFlag.defaultFlags ? fields.u32() : 0;
  return { trackId, defaultDuration, defaultFlags };
}

function readTfdt(body: Uint8Array): number {
  const fields = new BoxReader(body);
  const is64Bit = fields.u32() >>> 24 === 1;
  return (is64Bit ? fields.u32() * 2 ** 32 : 0) + fields.u32();
}

function readTrun(
  body: Uint8Array,
  { defaultDuration, defaultFlags }: { defaultDuration: number; defaultFlags: number },
): { duration: number; firstFlags: number } {
  const fields = new BoxReader(body);
  const flags = fields.u32();
  const count = fields.u32();
  fields.skip(flags & trunFlag.dataOffset ? 4 : 0);
  let firstFlags = flags & trunFlag.firstFlags ? fields.u32() : defaultFlags;
  const stride = sampleFieldBytes(flags);
  // A bent count is not believed, even where nothing is read for each sample.
  if (count * stride > fields.left) throw new MediaError(`trun is too short for ${count} samples`);
  if (flags & trunFlag.flags && count > 0) firstFlags = fields.peek(flagsOffset(flags));
  if (!(flags & trunFlag.duration)) return { duration: count * defaultDuration, firstFlags };
  let duration = 0;
  for (let i = 0; i < count; i++) {
    duration += fields.u32();
    fields.skip(stride - 4);
  }
  return { duration, firstFlags };
}

function flagsOffset(trunFlags: number): number {
  return sampleFieldBytes(trunFlags & (trunFlag.duration | trunFlag.size));
}

class BoxReader {
  private readonly view: DataView;

  private at = 0;

  constructor(body: Uint8Array) {
    this.view = new DataView(body.buffer, body.byteOffset, body.length);
  }

  get left(): number {
    return this.view.byteLength - this.at;
  }

  u32(): number {
    const value = this.peek(0);
    this.at += 4;
    return value;
  }

  peek(offset: number): number {
    if (offset + 4 > this.left) throw new MediaError('a box is too short for its fields');
    return this.view.getUint32(this.at + offset);
  }

  skip(bytes: number): this {
    if (bytes > this.left) throw new MediaError('a box is too short for its fields');
    this.at += bytes;
    return this;
  }
}
