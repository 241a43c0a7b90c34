// A packet: the one currency of the media river, with the tracks it belongs to.
import { isSame, keep, type Lent } from '../../base/bytes/memory.ts';

/** How far a picture is turned clockwise to be shown: phones write upright ones lying. */
export type Rotation = 0 | 90 | 180 | 270;

export interface VideoTrack {
  readonly kind: 'video';
  /** As RFC 6381 writes it: `avc1.64001f`. */
  readonly codec: string;
  /** The AVCDecoderConfigurationRecord (ISO 14496-15 5.3.3.1). */
  readonly record: Uint8Array;
  /** Of the picture without what is cropped, before it is turned. */
  readonly width: number;
  readonly height: number;
  /** Of files; encoders send pictures as they are shown. */
  readonly rotation?: Rotation;
}

export interface AudioTrack {
  readonly kind: 'audio';
  /** As RFC 6381 writes it: `mp4a.40.2`. */
  readonly codec: string;
  /** The AudioSpecificConfig (ISO 14496-3 1.6.2.1). */
  readonly record: Uint8Array;
  /** Of the core coder; one packet is `frameSamples` of these. */
  readonly sampleRate: number;
  readonly channels: number;
  readonly frameSamples: number;
}

/** As viewers see it. */
export function shownSize({ width, height, rotation = 0 }: Shown): Omit<Shown, 'rotation'> {
  return rotation % 180 === 0 ? { width, height } : { width: height, height: width };
}

type Shown = Pick<VideoTrack, 'width' | 'height' | 'rotation'>;

export type Track = VideoTrack | AudioTrack;

/** One coded picture (NAL units with lengths before them) or one AAC frame, on its way: its bytes are lent. */
export interface LentPacket {
  readonly kind: Track['kind'];
  /** When it is decoded, in milliseconds of the timeline it stands in. */
  readonly dtsMs: number;
  /** When it is shown. */
  readonly ptsMs: number;
  /** How long a picture is shown, where that is known before the next one comes: a file knows it. */
  readonly durationMs?: number;
  /** Whether decoding can start here; true for every audio packet. */
  readonly isKey: boolean;
  readonly bytes: Lent;
}

/** One that its holder may keep. */
export interface Packet extends LentPacket {
  readonly bytes: Uint8Array;
}

export function keepPacket(packet: LentPacket): Packet {
  return { ...packet, bytes: keep(packet.bytes) };
}

/** Media we were sent and cannot take: broken, or of a kind we do not package. The sentence is shown to the encoder. */
export class MediaError extends Error {}

/** A picture that no browser decodes, or that has no size at all. */
export class OversizedPicture extends MediaError {
  readonly size: { width: number; height: number; sideMax: number };

  constructor(size: OversizedPicture['size']) {
    const { width, height, sideMax } = size;
    super(`The picture is ${width}x${height}: each side must be 1 to ${sideMax} pixels`);
    this.size = size;
  }
}

export function isSameTrack(a: Track | undefined, b: Track | undefined): boolean {
  return a?.kind === b?.kind && !!a && !!b && isSame(a.record, b.record);
}
