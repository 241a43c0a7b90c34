// FLV: the bodies of RTMP's audio and video messages (FLV 10.1 E.4, enhanced RTMP v2), read one after the other.
import { isSame, keep, type Lent } from '../../base/bytes/memory.ts';
import { audioTrackOf } from './aac.ts';
import { cleanPicture, videoTrackOf } from './h264.ts';
import {
  type AudioTrack,
  isSameTrack,
  type LentPacket,
  MediaError,
  type Track,
  type VideoTrack,
} from './packet.ts';

/** What a message says; undefined where it may be passed over. */
export type Tag =
  | { what: 'track'; track: Track }
  | { what: 'picture'; isKey: boolean; compositionMs: number; bytes: Lent }
  | { what: 'sound'; bytes: Lent }
  | { what: 'end' }
  | undefined;

/** Codec id and sound format of what we take. */
export const h264Id = 7;
export const aacId = 10;

/** Video that encoders offer over RTMP, by codec id (E.4.3.1; HEVC and AV1 as some services number them). */
const videoCodecs: Record<number, string> = {
  2: 'Sorenson H.263',
  3: 'Screen Video',
  4: 'VP6',
  5: 'VP6 with alpha',
  6: 'Screen Video 2',
  12: 'HEVC',
  13: 'AV1',
};

/** The same by the FourCC of enhanced RTMP. */
const videoFourCcs: Record<string, string> = {
  hvc1: 'HEVC',
  av01: 'AV1',
  vp08: 'VP8',
  vp09: 'VP9',
  vvc1: 'VVC',
};

/** Sound by its format (E.4.2.1). */
const soundFormats: Record<number, string> = {
  0: 'PCM',
  1: 'ADPCM',
  2: 'MP3',
  3: 'PCM',
  4: 'Nellymoser',
  5: 'Nellymoser',
  6: 'Nellymoser',
  7: 'G.711 A-law',
  8: 'G.711 mu-law',
  11: 'Speex',
  13: 'Opus',
  14: 'MP3',
};

const soundFourCcs: Record<string, string> = {
  Opus: 'Opus',
  fLaC: 'FLAC',
  '.mp3': 'MP3',
  'ac-3': 'AC-3',
  'ec-3': 'E-AC-3',
};

const end = { what: 'end' } as const;

/** What a message brings into a stream. A picture may bring the parameters that it is the first to need. */
export type Media =
  | { what: 'track'; track: Track }
  | {
      what: 'picture';
      track: VideoTrack | undefined;
      isKey: boolean;
      compositionMs: number;
      bytes: Lent;
    }
  | { what: 'sound'; bytes: Lent };

/** Reads the messages of one publisher in their order: it remembers the tracks, and cleans pictures by them. */
export class FlvReader {
  private videoTrack: VideoTrack | undefined;
  private audioTrack: AudioTrack | undefined;

  /** Undefined where the message brings nothing new. Throws MediaError with a sentence for the encoder. */
  video(body: Lent): Media | undefined {
    return this.mediaOf(readVideoTag(body, this.videoTrack));
  }

  audio(body: Lent): Media | undefined {
    return this.mediaOf(readAudioTag(body, this.audioTrack));
  }

  private mediaOf(tag: Tag): Media | undefined {
    switch (tag?.what) {
      case 'track':
        // Encoders send the same parameters again and again.
        return this.isNew(tag.track) ? { what: 'track', track: tag.track } : undefined;
      case 'picture':
        return this.picture(tag.bytes, tag.compositionMs);
      case 'sound':
        // Without its parameters nobody could decode it.
        return this.audioTrack && tag;
      default:
        return undefined;
    }
  }

  private picture(bytes: Lent, compositionMs: number): Media | undefined {
    const clean = this.videoTrack && cleanPicture(bytes, this.videoTrack);
    if (!clean) return undefined;
    const changed = clean.record && videoTrackOf(clean.record);
    const track = changed && this.isNew(changed) ? changed : undefined;
    return { what: 'picture', track, isKey: clean.isKey, compositionMs, bytes: clean.bytes };
  }

  private isNew(track: Track): boolean {
    if (isSameTrack(track.kind === 'video' ? this.videoTrack : this.audioTrack, track))
      return false;
    if (track.kind === 'video') this.videoTrack = track;
    else this.audioTrack = track;
    return true;
  }
}

/** `known`: the track so far; encoders send it again and again, and then it need not be read again. */
export function readVideoTag(body: Lent, known?: VideoTrack): Tag {
  const head = body[0];
  if (head === undefined) return undefined;
  const frameType = (head >> 4) & 7;
  // Bit 7 tells enhanced RTMP; frames of type 5 are commands to a player, not pictures.
  if (head & 0x80) return frameType === 5 ? undefined : readEnhancedVideo(body, frameType, known);
  if (frameType === 5) return undefined;
  const codec = head & 0x0f;
  if (codec !== h264Id) throw notH264(videoCodecs[codec] ?? `video codec ${codec}`);
  switch (body[1]) {
    case 0:
      return trackIn(body.subarray(5), known, videoTrackOf);
    case 1:
      return picture(frameType, compositionAt(body, 2), body.subarray(5));
    // Nothing behind the codec, or the end of the sequence.
    case undefined:
    case 2:
      return end;
    default:
      return undefined;
  }
}

export function readAudioTag(body: Lent, known?: AudioTrack): Tag {
  const head = body[0];
  if (head === undefined) return undefined;
  const format = head >> 4;
  if (format === 9) return readEnhancedAudio(body, known);
  if (format !== aacId) throw notAac(soundFormats[format] ?? `sound format ${format}`);
  switch (body[1]) {
    case 0:
      return trackIn(body.subarray(2), known, audioTrackOf);
    case 1:
      return sound(body.subarray(2));
    case undefined:
      return end;
    default:
      return undefined;
  }
}

/** The message that goes before a track's packets: its sequence header. */
export function trackTag(track: Track): Uint8Array {
  return Buffer.concat([
    track.kind === 'video' ? videoHead(0x17, 0, 0) : soundHead(0),
    track.record,
  ]);
}

/** What stands before a packet's bytes in its message; the message's time is the rounded `dtsMs`. */
export function packetTagHeader(packet: LentPacket): Uint8Array {
  if (packet.kind === 'audio') return soundHead(1);
  const compositionMs = Math.round(packet.ptsMs) - Math.round(packet.dtsMs);
  return videoHead(packet.isKey ? 0x17 : 0x27, 1, compositionMs);
}

/** The packet type, a FourCC, and only then what legacy tags begin with. */
function readEnhancedVideo(body: Lent, frameType: number, known?: VideoTrack): Tag {
  const packetType = (body[0] ?? 0) & 0x0f;
  if (packetType >= 6) throw severalTracks('video');
  const codec = fourCcOf(body);
  if (codec !== 'avc1') throw notH264(videoFourCcs[codec] ?? `video ${codec}`);
  switch (packetType) {
    case 0:
      return trackIn(body.subarray(5), known, videoTrackOf);
    case 1:
      return picture(frameType, compositionAt(body, 5), body.subarray(8));
    case 2:
      return end;
    case 3:
      return picture(frameType, 0, body.subarray(5));
    default:
      return undefined;
  }
}

function readEnhancedAudio(body: Lent, known?: AudioTrack): Tag {
  const packetType = (body[0] ?? 0) & 0x0f;
  if (packetType === 5 || packetType === 7) throw severalTracks('sound');
  const codec = fourCcOf(body);
  if (codec !== 'mp4a') throw notAac(soundFourCcs[codec] ?? `sound ${codec}`);
  switch (packetType) {
    case 0:
      return trackIn(body.subarray(5), known, audioTrackOf);
    case 1:
      return sound(body.subarray(5));
    case 2:
      return end;
    default:
      return undefined;
  }
}

function trackIn<T extends Track>(
  record: Lent,
  known: T | undefined,
  read: (record: Lent) => T,
): Tag {
  const isKnown = known && isSame(known.record, record);
  return { what: 'track', track: isKnown ? known : read(record) };
}

/** Four letters, or hexadecimal digits where they could not be shown in a log. */
function fourCcOf(body: Lent): string {
  if (body.length < 5) throw new MediaError('The encoder sends a message without its FourCC');
  const code = keep(body.subarray(1, 5));
  const text = String.fromCharCode(...code);
  return /^[\w.-]{4}$/.test(text) ? text : `0x${code.toHex()}`;
}

/** Key frames have type 1, those that a server made up type 4. */
function picture(frameType: number, compositionMs: number, bytes: Lent): Tag {
  if (bytes.length === 0) return end;
  return { what: 'picture', isKey: frameType === 1 || frameType === 4, compositionMs, bytes };
}

function sound(bytes: Lent): Tag {
  return bytes.length === 0 ? end : { what: 'sound', bytes };
}

/** A signed number of 24 bits. */
function compositionAt(body: Lent, at: number): number {
  const low = ((body[at + 1] ?? 0) << 8) | (body[at + 2] ?? 0);
  // Shifted up to the sign and down again.
  return (((body[at] ?? 0) << 24) >> 8) | low;
}

function videoHead(head: number, packetType: number, compositionMs: number): Uint8Array {
  const [high, middle, low] = [compositionMs >> 16, compositionMs >> 8, compositionMs];
  return Uint8Array.of(head, packetType, high, middle, low);
}

/** AAC always calls itself 44 kHz stereo of 16 bits here (E.4.2.1). */
function soundHead(packetType: number): Uint8Array {
  return Uint8Array.of(0xaf, packetType);
}

function notH264(name: string): MediaError {
  return new MediaError(
    `The encoder sends ${name}; Footlight takes H.264: choose H.264 (x264, NVENC H.264, …)`,
  );
}

function notAac(name: string): MediaError {
  return new MediaError(`The encoder sends ${name}; Footlight takes AAC: choose AAC for the sound`);
}

function severalTracks(of: string): MediaError {
  return new MediaError(
    `The encoder sends several ${of} tracks or extensions of enhanced RTMP; Footlight takes one plain ${of} track`,
  );
}
