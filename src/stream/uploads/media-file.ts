// A media file, read by mediabunny: formats by name and that one file, so that nothing it names is ever opened.
import type { FileHandle } from 'node:fs/promises';
import {
  CustomSource,
  EncodedPacketSink,
  Input,
  type InputAudioTrack,
  type InputTrack,
  type InputVideoTrack,
  MATROSKA,
  MP4,
  MPEG_TS,
  QTFF,
  WEBM,
} from 'mediabunny';
import { audioTrackOf } from '../formats/aac.ts';
import { configOfAdts, withoutAdts } from '../formats/adts.ts';
import { annexBUnits, withLengths } from '../formats/annex-b.ts';
import { recordOfUnits, videoTrackOf } from '../formats/h264.ts';
import { type AudioTrack, MediaError, type VideoTrack } from '../formats/packet.ts';
import { importLimits } from './import-limits.ts';
import { ImportError } from './import-problem.ts';

/** The first track of pictures and the first of sound that hold anything. */
export interface MediaFile {
  pictures: InputVideoTrack | undefined;
  sound: InputAudioTrack | undefined;
}

/** Never all formats: those of playlists lead to other files. */
const formats = [MP4, QTFF, MATROSKA, WEBM, MPEG_TS];

/** Undefined where it is of none of the formats. */
export async function openMediaFile(file: FileHandle): Promise<MediaFile | undefined> {
  const { size } = await file.stat();
  const source = new CustomSource({
    getSize: () => size,
    read: (start, end) => bytesAt(file, start, end),
    prefetchProfile: 'fileSystem',
  });
  const input = new Input({ source, formats });
  if (!(await input.canRead())) return undefined;
  const tracks = await input.getTracks();
  const { tracksMax } = importLimits;
  if (tracks.length > tracksMax)
    throw new ImportError({ code: 'too_many_tracks', count: tracks.length, most: tracksMax });
  const filled: InputTrack[] = [];
  for (const track of tracks) if (await holdsPackets(track)) filled.push(track);
  return {
    pictures: filled.find((track) => track.isVideoTrack()),
    sound: filled.find((track) => track.isAudioTrack()),
  };
}

async function bytesAt(file: FileHandle, start: number, end: number): Promise<Uint8Array> {
  const length = end - start;
  if (!(length > 0 && length <= importLimits.headerBytesMax))
    throw new MediaError(`a piece of it says that it has ${length} bytes`);
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(bytes, at, length - at, start + at);
    if (bytesRead === 0) throw new ImportError({ code: 'cut' });
    at += bytesRead;
  }
  return bytes;
}

async function holdsPackets(track: InputTrack): Promise<boolean> {
  return (await new EncodedPacketSink(track).getFirstPacket({ metadataOnly: true })) !== null;
}

/** A packet as it stands in the file, in the order of decoding. */
export interface FilePacket {
  bytes: Uint8Array;
  /** When it is shown, in whole milliseconds; below 0 where an edit list leaves it out. */
  shownMs: number;
  /** How long the file says. */
  durationMs: number;
}

/** Not by mediabunny's own iterator: it reads a second ahead of whoever takes them, and a copy takes them fast. */
export async function* packetsOf(track: InputTrack): AsyncGenerator<FilePacket> {
  const sink = new EncodedPacketSink(track);
  const described = { metadataOnly: true };
  let taken = 0;
  let packet = await sink.getFirstPacket();
  // A packet whose bytes are not there is given as none at all.
  if (!packet && (await sink.getFirstPacket(described))) throw new ImportError({ code: 'cut' });
  while (packet) {
    const { data, timestamp, duration } = packet;
    if (data.length > importLimits.packetBytesMax)
      throw new MediaError(`a packet has ${data.length} bytes`);
    const shownMs = Math.round(timestamp * 1_000);
    if (!Number.isSafeInteger(shownMs)) throw new MediaError('a packet has no time');
    yield { bytes: data, shownMs, durationMs: Math.max(0, Math.round(duration * 1_000) || 0) };
    taken += 1;
    if (taken % packetsPerForgetting === 0) forgetPlaces(track);
    const next = await sink.getNextPacket(packet);
    if (!next && (await sink.getNextPacket(packet, described)))
      throw new ImportError({ code: 'cut' });
    packet = next;
  }
}

const packetsPerForgetting = 256;

/**
 * Of a transport stream mediabunny notes places to seek by, each with the bytes that stand there: in the end the whole
 * file. It has no way to be told that nobody will seek. Returns how many it had noted.
 */
export function forgetPlaces(track: InputTrack): number {
  const { _backing: backing } = track as unknown as { _backing?: TransportBacking };
  const places = backing?.elementaryStream?.referencePesPackets;
  return places ? places.splice(0).length : 0;
}

/** What mediabunny has behind a track of a transport stream. */
interface TransportBacking {
  elementaryStream?: { referencePesPackets?: unknown[] };
}

/** A track as we package it, and what must be done to its packets. */
export interface Readable<Track> {
  track: Track;
  /** As MP4 has it. */
  unpacked(bytes: Uint8Array): Uint8Array;
}

const asItIs = (bytes: Uint8Array) => bytes;

/** Of H.264. */
export async function readPictures(media: InputVideoTrack): Promise<Readable<VideoTrack>> {
  const record = await recordIn(media);
  const rotation = await media.getRotation();
  if (record) return { track: { ...videoTrackOf(record), rotation }, unpacked: asItIs };
  const first = await firstBytes(media, (bytes) => bytes);
  return {
    track: { ...videoTrackOf(recordOfUnits(annexBUnits(first))), rotation },
    unpacked: (bytes) => withLengths(annexBUnits(bytes)),
  };
}

/** Of AAC. */
export async function readSound(media: InputAudioTrack): Promise<Readable<AudioTrack>> {
  const record = await recordIn(media);
  if (record) return { track: audioTrackOf(record), unpacked: asItIs };
  const config = await firstBytes(media, configOfAdts);
  return { track: audioTrackOf(config), unpacked: withoutAdts };
}

async function firstBytes(
  media: InputTrack,
  read: (bytes: Uint8Array) => Uint8Array,
): Promise<Uint8Array> {
  const packet = await new EncodedPacketSink(media).getFirstPacket();
  if (!packet) throw new ImportError({ code: 'cut' });
  return read(packet.data);
}

/** Undefined where the packets bring along what is needed to decode them. */
export async function recordIn(
  media: InputVideoTrack | InputAudioTrack,
): Promise<Uint8Array | undefined> {
  const description = (await media.getDecoderConfig())?.description;
  if (!description) return undefined;
  return ArrayBuffer.isView(description)
    ? new Uint8Array(description.buffer, description.byteOffset, description.byteLength)
    : new Uint8Array(description);
}

const codecNames: Record<string, string> = {
  avc: 'H.264',
  hevc: 'H.265 (HEVC)',
  vp8: 'VP8',
  vp9: 'VP9',
  av1: 'AV1',
  prores: 'ProRes',
  aac: 'AAC',
  opus: 'Opus',
  mp3: 'MP3',
  vorbis: 'Vorbis',
  flac: 'FLAC',
  ac3: 'AC-3 (Dolby Digital)',
  eac3: 'E-AC-3 (Dolby Digital Plus)',
  dts: 'DTS',
};

/** As people call it. */
export async function codecName(media: InputTrack): Promise<string> {
  const codec = await media.getCodec();
  if (codec) return codecNames[codec] ?? codec.toUpperCase();
  const id = await media.getInternalCodecId();
  const isPlain = typeof id === 'string' && /^[\w .\-/]{2,32}$/.test(id);
  return isPlain ? `of an unknown kind (${id.trim()})` : 'of an unknown kind';
}
