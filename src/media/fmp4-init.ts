// The header of a fragmented MP4 (ISO 14496-12 8.8): which tracks there are and how they are decoded.
import { box, fullBox, join, u8, u16, u32 } from './mp4-box.ts';
import type { AudioTrack, Track, VideoTrack } from './packet.ts';

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
  const ftyp = box('ftyp', ascii('iso6'), u32(0), ascii('iso6iso5mp41'));
  const moov = box('moov', mvhd(), ...tracks.map(trak), box('mvex', ...tracks.map(trex)));
  return join([ftyp, moov], ftyp.length + moov.length);
}

const matrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
const reserved = (bytes: number) => new Uint8Array(bytes);

function mvhd(): Uint8Array {
  const rateAndVolume = [u32(0x10000), u16(0x0100)];
  const nextTrackId = u32(trackIds.audio + 1);
  return fullBox(
    { type: 'mvhd' },
    u32(0, 0, videoTimescale, 0),
    ...rateAndVolume,
    reserved(10),
    matrix,
    reserved(24),
    nextTrackId,
  );
}

function trak(track: Track): Uint8Array {
  const mediaHeader = track.kind === 'video' ? vmhd() : smhd();
  const ownFile = fullBox({ type: 'url ', flags: 1 });
  const dinf = box('dinf', fullBox({ type: 'dref' }, u32(1), ownFile));
  const minf = box('minf', mediaHeader, dinf, stbl(track));
  return box('trak', tkhd(track), box('mdia', mdhd(track), hdlr(track), minf));
}

function tkhd(track: Track): Uint8Array {
  const { width, height } = track.kind === 'video' ? track : { width: 0, height: 0 };
  const enabledInMovieAndPreview = 7;
  return fullBox(
    { type: 'tkhd', flags: enabledInMovieAndPreview },
    u32(0, 0, trackIdOf(track), 0, 0),
    reserved(8),
    u16(0, 0, track.kind === 'audio' ? 0x0100 : 0, 0),
    matrix,
    u32(width * 0x10000, height * 0x10000),
  );
}

function mdhd(track: Track): Uint8Array {
  const undetermined = 0x55c4;
  return fullBox({ type: 'mdhd' }, u32(0, 0, timescaleOf(track), 0), u16(undetermined, 0));
}

function hdlr(track: Track): Uint8Array {
  const [handler, name] = track.kind === 'video' ? ['vide', 'Video\0'] : ['soun', 'Sound\0'];
  return fullBox({ type: 'hdlr' }, u32(0), ascii(handler), reserved(12), ascii(name));
}

function vmhd(): Uint8Array {
  return fullBox({ type: 'vmhd', flags: 1 }, reserved(8));
}

function smhd(): Uint8Array {
  return fullBox({ type: 'smhd' }, reserved(4));
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

function ascii(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}
