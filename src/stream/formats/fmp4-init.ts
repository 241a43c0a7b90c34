// The header of a fragmented MP4 (ISO 14496-12 8.8): which tracks there are and how they are decoded.
import { box, fullBox, join, u8, u16, u32 } from './mp4-box.ts';
import type { AudioTrack, Track, VideoTrack } from './packet.ts';
import { hdlr, mdhd, mediaInformation, mvhd, reserved, tkhd } from './track-boxes.ts';

/** RTMP counts milliseconds; a finer scale would only pretend to know more. */
const videoTimescale = 1_000;

const trackIds = { video: 1, audio: 2 } as const;

export function trackIdOf(track: Track): number {
  return trackIds[track.kind];
}

/** Ticks a second of a track's times and durations. */
export function timescaleOf(track: Track): number {
  return track.kind === 'video' ? videoTimescale : track.sampleRate;
}

export function initSegment(tracks: readonly Track[]): Uint8Array {
  const ftyp = box('ftyp', Buffer.from('iso6'), u32(0), Buffer.from('iso6iso5mp41'));
  const header = mvhd({ duration: 0, nextId: trackIds.audio + 1 });
  const moov = box('moov', header, ...tracks.map(trak), box('mvex', ...tracks.map(trex)));
  return join([ftyp, moov], ftyp.length + moov.length);
}

function trak(track: Track): Uint8Array {
  const { kind } = track;
  const { width, height, rotation } =
    kind === 'video' ? track : { width: 0, height: 0, rotation: undefined };
  const minf = box('minf', ...mediaInformation(kind), stbl(track));
  return box(
    'trak',
    tkhd({ id: trackIdOf(track), kind, duration: 0, width, height, rotation }),
    box('mdia', mdhd(timescaleOf(track), 0), hdlr(kind), minf),
  );
}

/** The sample tables are empty: every sample is in a fragment. */
function stbl(track: Track): Uint8Array {
  const entry = track.kind === 'video' ? avc1(track) : mp4a(track);
  return box(
    'stbl',
    fullBox({ type: 'stsd' }, u32(1), entry),
    fullBox({ type: 'stts' }, u32(0)),
    fullBox({ type: 'stsc' }, u32(0)),
    fullBox({ type: 'stsz' }, u32(0, 0)),
    fullBox({ type: 'stco' }, u32(0)),
  );
}

const dataReference = [reserved(6), u16(1)];

function avc1(track: VideoTrack): Uint8Array {
  const pixelsPerInch = 72 * 0x10000;
  const [picturesPerSample, depth, none] = [1, 24, 0xffff];
  return box(
    'avc1',
    ...dataReference,
    reserved(16),
    u16(track.width, track.height),
    u32(pixelsPerInch, pixelsPerInch, 0),
    u16(picturesPerSample),
    reserved(32),
    u16(depth, none),
    box('avcC', track.record),
  );
}

function mp4a(track: AudioTrack): Uint8Array {
  // The field has 16 bits. Decoders take the rate from the AudioSpecificConfig, which for HE-AAC also has the doubled one.
  const rate = track.sampleRate > 0xffff ? 0 : track.sampleRate;
  const sampleBits = 16;
  return box(
    'mp4a',
    ...dataReference,
    reserved(8),
    u16(track.channels, sampleBits, 0, 0, rate, 0),
    fullBox({ type: 'esds' }, elementaryStream(track.record)),
  );
}

/** ISO 14496-1 7.2.6.5: descriptors within descriptors. */
function elementaryStream(config: Uint8Array): Uint8Array {
  const [mpeg4Audio, audioStream, mp4Timing] = [0x40, 0x15, 2];
  const decoder = descriptor(
    4,
    u8(mpeg4Audio, audioStream, 0, 0, 0),
    u32(0, 0),
    descriptor(5, config),
  );
  return descriptor(3, u16(0), u8(0), decoder, descriptor(6, u8(mp4Timing)));
}

function descriptor(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const size = contents.reduce((sum, content) => sum + content.length, 0);
  // Seven bits a byte, all but the last marked; always four bytes, as old readers expect.
  const length = u8(0x80 | (size >>> 21), 0x80 | (size >>> 14), 0x80 | (size >>> 7), size & 0x7f);
  return join([u8(tag), length, ...contents], 5 + size);
}

/** Fragments say everything themselves; the box must be there all the same. */
function trex(track: Track): Uint8Array {
  const firstDescription = 1;
  return fullBox({ type: 'trex' }, u32(trackIdOf(track), firstDescription, 0, 0, 0));
}
