// Fragments of MP4 (ISO 14496-12 8.8): a `moof` that describes samples and the `mdat` that holds them.
import { keyFlags, otherFlags, tfhdFlag, trunFlag } from './fmp4-flags.ts';
import { boxHeaderBytes } from './mp4-box.ts';

/** Times are in the track's timescale. */
export interface Sample {
  /** In bytes. */
  readonly size: number;
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

/** All but the samples: the caller writes them at `dataAt`, track behind track, so that each is copied once. */
export function fragment(input: { sequence: number; tracks: readonly FragmentTrack[] }): {
  bytes: Uint8Array<ArrayBuffer>;
  dataAt: number;
} {
  const layouts = input.tracks.map(layoutOf);
  const moofBytes = layouts.reduce((sum, { trafBytes }) => sum + trafBytes, 8 + mfhdBytes);
  const mdatBytes = layouts.reduce((sum, { dataBytes }) => sum + dataBytes, boxHeaderBytes);
  const bytes = new Uint8Array(moofBytes + mdatBytes);
  const out = new BoxWriter(bytes);
  out.header(moofBytes, 'moof');
  out.header(mfhdBytes, 'mfhd');
  out.u32(0, input.sequence);
  const dataAt = moofBytes + boxHeaderBytes;
  let trackAt = dataAt;
  for (const layout of layouts) {
    writeTraf(out, layout, trackAt);
    trackAt += layout.dataBytes;
  }
  out.header(mdatBytes, 'mdat');
  return { bytes, dataAt };
}

const mfhdBytes = 16;
const tfdtBytes = 20;

/** A value that all samples of a track share is written once, the rest for each. */
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
    dataBytes: samples.reduce((sum, { size }) => sum + size, 0),
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
  const hasDuration = defaultDuration === undefined ? 0 : tfhdFlag.duration;
  out.u32(tfhdFlag.baseIsMoof | tfhdFlag.flags | hasDuration, track.trackId);
  if (defaultDuration !== undefined) out.u32(defaultDuration);
  out.u32(layout.defaultFlags);

  out.header(tfdtBytes, 'tfdt');
  out.u32(version1, Math.floor(track.baseTime / 2 ** 32), track.baseTime % 2 ** 32);

  out.header(layout.trunBytes, 'trun');
  out.u32(version1 | trunFlags, samples.length, dataAt);
  if (trunFlags & trunFlag.firstFlags) out.u32(keyFlags);
  for (const sample of samples) {
    if (trunFlags & trunFlag.duration) out.u32(sample.duration);
    out.u32(sample.size);
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
}
