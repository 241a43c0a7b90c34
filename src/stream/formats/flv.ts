// FLV: the bodies of RTMP's audio and video messages (FLV 10.1 E.4, enhanced RTMP v2), and files of them.
import { audioTrackOf } from './aac.ts';
import { videoTrackOf } from './h264.ts';
import { type AudioTrack, MediaError, type Packet, type Track, type VideoTrack } from './packet.ts';

/** What a message says; undefined where it may be passed over. */
export type Tag =
  | { what: 'track'; track: Track }
  | { what: 'picture'; isKey: boolean; compositionMs: number; bytes: Uint8Array }
  | { what: 'sound'; bytes: Uint8Array }
  | { what: 'end' }
  | undefined;

/** Codec id and sound format of what we take. */
const h264 = 7;
const aac = 10;

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

/** `known`: the track so far; encoders send it again and again, and then it need not be read again. */
export function readVideoTag(body: Uint8Array, known?: VideoTrack): Tag {
  const head = body[0];
  if (head === undefined) return undefined;
  const frameType = (head >> 4) & 7;
  // Bit 7 tells enhanced RTMP; frames of type 5 are commands to a player, not pictures.
  if (head & 0x80) return frameType === 5 ? undefined : readEnhancedVideo(body, frameType, known);
  if (frameType === 5) return undefined;
  const codec = head & 0x0f;
  if (codec !== h264) throw notH264(videoCodecs[codec] ?? `video codec ${codec}`);
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

export function readAudioTag(body: Uint8Array, known?: AudioTrack): Tag {
  const head = body[0];
  if (head === undefined) return undefined;
  const format = head >> 4;
  if (format === 9) return readEnhancedAudio(body, known);
  if (format !== aac) throw notAac(soundFormats[format] ?? `sound format ${format}`);
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
export function packetTagHeader(packet: Packet): Uint8Array {
  if (packet.kind === 'audio') return soundHead(1);
  const compositionMs = Math.round(packet.ptsMs) - Math.round(packet.dtsMs);
  return videoHead(packet.isKey ? 0x17 : 0x27, 1, compositionMs);
}

export interface FlvTag {
  type: 'audio' | 'video' | 'script';
  timestampMs: number;
  body: Uint8Array;
}

/** Whether it holds a track's parameters; of other codecs than ours nothing is known. */
export function isSequenceHeader({ type, body }: FlvTag): boolean {
  const [head = 0, kind] = body;
  if (kind !== 0) return false;
  return type === 'video' ? (head & 0x8f) === h264 : type === 'audio' && head >> 4 === aac;
}

const tagTypes: Record<number, FlvTag['type']> = { 8: 'audio', 9: 'video', 18: 'script' };
const tagTypeNumbers = { audio: 8, video: 9, script: 18 };
const fileHeadBytes = 9;
const tagHeadBytes = 11;
/** After each tag stands its size, for reading backwards. */
const tagSizeBytes = 4;

/** The tags of a file, without copying; a file that was cut ends with its last whole tag. */
export function* readFlvFile(bytes: Uint8Array): Generator<FlvTag> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < fileHeadBytes || Buffer.from(bytes.subarray(0, 3)).toString() !== 'FLV') {
    throw new MediaError('This is no FLV file');
  }
  const headBytes = view.getUint32(5);
  if (headBytes < fileHeadBytes) throw new MediaError('This FLV file has a broken header');
  for (let at = headBytes + tagSizeBytes; at + tagHeadBytes <= bytes.length; ) {
    const start = at + tagHeadBytes;
    // Sizes and times have three bytes; the fourth of a time stands behind them (E.4.1).
    const bodyEnd = start + (view.getUint32(at) & 0xffffff);
    if (bodyEnd > bytes.length) return;
    const timestampMs = view.getUint8(at + 7) * 2 ** 24 + (view.getUint32(at + 3) & 0xffffff);
    const type = tagTypes[view.getUint8(at)];
    if (type) yield { type, timestampMs, body: bytes.subarray(start, bodyEnd) };
    at = bodyEnd + tagSizeBytes;
  }
}

/** A file of sound and pictures begins so; the tags follow. */
export function flvFileHeader(): Uint8Array {
  return Uint8Array.of(0x46, 0x4c, 0x56, 1, 0x05, 0, 0, 0, fileHeadBytes, 0, 0, 0, 0);
}

export function flvFileTag({ type, timestampMs, body }: FlvTag): Uint8Array {
  const tag = Buffer.alloc(tagHeadBytes + body.length + tagSizeBytes);
  tag.writeUInt8(tagTypeNumbers[type], 0);
  tag.writeUIntBE(body.length, 1, 3);
  tag.writeUIntBE(timestampMs % 2 ** 24, 4, 3);
  tag.writeUInt8(Math.floor(timestampMs / 2 ** 24), 7);
  tag.set(body, tagHeadBytes);
  tag.writeUInt32BE(tagHeadBytes + body.length, tagHeadBytes + body.length);
  return tag;
}

/** The packet type, a FourCC, and only then what legacy tags begin with. */
function readEnhancedVideo(body: Uint8Array, frameType: number, known?: VideoTrack): Tag {
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

function readEnhancedAudio(body: Uint8Array, known?: AudioTrack): Tag {
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
  record: Uint8Array,
  known: T | undefined,
  read: (record: Uint8Array) => T,
): Tag {
  const isKnown = known && Buffer.compare(known.record, record) === 0;
  return { what: 'track', track: isKnown ? known : read(record) };
}

/** Four letters, or hexadecimal digits where they could not be shown in a log. */
function fourCcOf(body: Uint8Array): string {
  if (body.length < 5) throw new MediaError('The encoder sends a message without its FourCC');
  const text = Buffer.from(body.subarray(1, 5)).toString('latin1');
  return /^[\w.-]{4}$/.test(text) ? text : `0x${body.subarray(1, 5).toHex()}`;
}

/** Key frames have type 1, those that a server made up type 4. */
function picture(frameType: number, compositionMs: number, bytes: Uint8Array): Tag {
  if (bytes.length === 0) return end;
  return { what: 'picture', isKey: frameType === 1 || frameType === 4, compositionMs, bytes };
}

function sound(bytes: Uint8Array): Tag {
  return bytes.length === 0 ? end : { what: 'sound', bytes };
}

/** A signed number of 24 bits. */
function compositionAt(body: Uint8Array, at: number): number {
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
