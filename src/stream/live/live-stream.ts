// One channel on air: one publisher at a time, many readers, and what somebody needs who joins now.
import { type Lent, MemoryPool, PooledBytes } from '../../base/bytes/memory.ts';
import {
  isSameTrack,
  type LentPacket,
  type MediaError,
  type Packet,
  type Track,
  type VideoTrack,
} from '../formats/packet.ts';
import { PushHealth } from './push-health.ts';
import { type Lease, soleLease } from './push-lease.ts';
import { pushLimits } from './push-limits.ts';
import { type HeldBytes, uncounted } from './push-memory.ts';
import { boundlessMeter, PushCut, type PushMeter } from './push-meter.ts';
import type { PushEnding, StreamReader } from './stream-reader.ts';
import { shownAt, Timeline } from './timeline.ts';

/** What a stream must know of its channel. */
export interface LiveChannel {
  readonly id: number;
  readonly account_id: number;
  readonly stream_key: string;
  readonly play_id: string;
  /** 1 where the account keeps its pushes as videos. */
  readonly auto_save_live_video: number;
  /** 1 where its pushes are shown in smaller sizes, too. */
  readonly live_ladder: number;
}

/** A picture or a sound as a publisher sends it, with RTMP's own timestamp of 32 bits. */
export interface SentPicture {
  timestamp: number;
  compositionMs: number;
  isKey: boolean;
  bytes: Lent;
}
export interface SentSound {
  timestamp: number;
  bytes: Lent;
}

/** What an encoder says of its stream and the media does not show; undefined what it does not say. */
export interface EncoderWords {
  readonly frameRate: number | undefined;
  readonly videoKbps: number | undefined;
  readonly audioKbps: number | undefined;
  /** Its name and version, cleaned and short. */
  readonly encoder: string | undefined;
}

/**
 * One connection's way into a stream; closed once another has taken over. What comes throws PushCut where the push is
 * over one of its bounds.
 */
export interface Publication {
  /** A message of so many bytes came, whatever is in it. */
  arrived(bytes: number): void;
  /** What the encoder says of its stream. */
  describe(words: EncoderWords): void;
  track(track: Track): void;
  picture(picture: SentPicture): void;
  sound(sound: SentSound): void;
  /** The media cannot be taken, and the connection ends for it. */
  refused(error: MediaError): void;
  /** 'ended' by the encoder's own word, 'cut' otherwise. */
  end(how: 'ended' | 'cut'): void;
}

export const nothingSaid: EncoderWords = {
  frameRate: undefined,
  videoKbps: undefined,
  audioKbps: undefined,
  encoder: undefined,
};

/** Whether a connection still has its stream, and who hears of what it does. */
interface Hold {
  isHeld(): boolean;
  onMedia(): void;
  onEnd(how: 'ended' | 'cut'): void;
}

export class LiveStream {
  readonly channel: LiveChannel;
  /** Wall time of the push, epoch milliseconds. */
  readonly startedAt: number;
  /** By which this node has it. */
  readonly lease: Lease;
  /** What the push does and holds, and how much it may. */
  readonly meter: PushMeter;
  /** How the push does. */
  readonly health: PushHealth;

  private readonly timeline = new Timeline();
  private readonly readers = new Set<StreamReader>();
  private readonly tracks = new Map<Track['kind'], Track>();
  private readonly gop: LastGop;
  private awaitsKey = true;
  private described = nothingSaid;

  /** `pool`: shared with other streams. */
  constructor(
    channel: LiveChannel,
    startedAt: number,
    { pool = new MemoryPool(), meter = boundlessMeter(), lease = soleLease(channel.id) } = {},
  ) {
    this.channel = channel;
    this.startedAt = startedAt;
    this.lease = lease;
    this.meter = meter;
    this.gop = new LastGop(pool, meter.memory.holder());
    this.health = new PushHealth({ meter, timeline: this.timeline });
    this.readers.add(this.health);
  }

  /** The latest words of the encoder that publishes now. */
  get words(): EncoderWords {
    return this.described;
  }

  trackOf<K extends Track['kind']>(kind: K): Extract<Track, { kind: K }> | undefined {
    return this.tracks.get(kind) as Extract<Track, { kind: K }> | undefined;
  }

  /** The tracks, and the packets since the last key frame as copies; no packets where they would be too many. */
  beginning(bytesMax = Infinity): { tracks: readonly Track[]; packets: readonly Packet[] } {
    const packets = this.gop.bytes <= bytesMax ? this.gop.all : [];
    return { tracks: [...this.tracks.values()], packets };
  }

  /** The newest key frame that is at hand, as a copy; undefined where there is none. */
  keyFrame(): { track: VideoTrack; bytes: Uint8Array } | undefined {
    const track = this.trackOf('video');
    const bytes = track && this.gop.keyFrame;
    return bytes && { track, bytes };
  }

  get hasKeyFrame(): boolean {
    return this.tracks.has('video') && this.gop.bytes > 0;
  }

  /** The reader gets the beginning, then all that comes; returns how to leave. */
  join(reader: StreamReader): () => void {
    const { tracks, packets } = this.beginning();
    for (const track of tracks) reader.track(track);
    for (const packet of packets) reader.packet(packet);
    return this.follow(reader);
  }

  /** The reader gets all that comes from now on. */
  follow(reader: StreamReader): () => void {
    this.readers.add(reader);
    return () => this.readers.delete(reader);
  }

  publication({ isHeld, onMedia, onEnd }: Hold): Publication {
    const { meter } = this;
    return {
      arrived: (bytes) => {
        if (isHeld()) meter.arrived(bytes);
      },
      describe: (words) => {
        if (isHeld()) this.described = words;
      },
      track: (track) => {
        if (isHeld()) this.track(track);
      },
      picture: (picture) => {
        if (!isHeld()) return;
        meter.packet();
        onMedia();
        this.picture(picture);
      },
      sound: (sound) => {
        if (!isHeld()) return;
        meter.packet();
        onMedia();
        this.sound(sound);
      },
      refused: (error) => {
        if (!(error instanceof PushCut)) meter.refused('media');
      },
      end: (how) => {
        if (isHeld()) onEnd(how);
      },
    };
  }

  track(track: Track): void {
    const known = this.tracks.get(track.kind);
    if (isSameTrack(known, track)) return;
    if (known) this.meter.changed();
    this.tracks.set(track.kind, track);
    if (track.kind === 'video') this.awaitKey();
    for (const reader of this.readers) reader.track(track);
  }

  picture(picture: SentPicture): void {
    const { timestamp, compositionMs, isKey, bytes } = picture;
    const dtsMs = this.timeline.place('video', timestamp);
    if (!this.tracks.has('video') || (this.awaitsKey && !isKey)) return;
    this.awaitsKey = false;
    this.push({ kind: 'video', dtsMs, ptsMs: shownAt(dtsMs, compositionMs), isKey, bytes });
  }

  sound({ timestamp, bytes }: SentSound): void {
    const dtsMs = this.timeline.place('audio', timestamp);
    if (this.tracks.has('audio'))
      this.push({ kind: 'audio', dtsMs, ptsMs: dtsMs, isKey: true, bytes });
  }

  /** The push was cut and another connection goes on with it; its tracks come anew. */
  resume(): void {
    this.timeline.restart();
    this.tracks.clear();
    this.described = nothingSaid;
    this.awaitKey();
    for (const reader of this.readers) reader.resumed();
  }

  end(how: PushEnding): void {
    this.meter.end();
    this.gop.clear();
    for (const reader of [...this.readers]) reader.ended(how);
    this.readers.clear();
  }

  private awaitKey(): void {
    this.awaitsKey = true;
    this.gop.clear();
  }

  private push(packet: LentPacket): void {
    this.gop.push(packet, this.tracks.has('video'));
    for (const reader of this.readers) reader.packet(packet);
  }
}

const { lastGopMs, lastGopBytes, lastGopPackets, packetBytes } = pushLimits;
/** Without pictures there is no key frame to begin with: a newcomer gets this much sound. */
const soundMs = 500;

/** A packet whose bytes stand between two places of the memory. */
interface Kept {
  readonly packet: Omit<Packet, 'bytes'>;
  readonly from: number;
  readonly to: number;
}

/** The packets since the last key frame, at hand for whoever joins now. */
export class LastGop {
  private readonly memory: PooledBytes;
  private readonly held: HeldBytes;
  private kept: Kept[] = [];

  constructor(pool: MemoryPool, held = uncounted) {
    this.memory = new PooledBytes(pool);
    this.held = held;
  }

  push(packet: LentPacket, hasVideo: boolean): void {
    if (hasVideo ? packet.kind === 'video' && packet.isKey : this.spanMs(packet) > soundMs)
      this.clear();
    // Too long to be kept: nothing is, until the next key frame.
    if (hasVideo && this.kept.length === 0 && !(packet.kind === 'video' && packet.isKey)) return;
    this.keep(packet);
    if (this.isTooLong(packet)) this.clear();
    else this.held.set(this.memory.length + packetBytes * this.kept.length);
  }

  clear(): void {
    this.kept = [];
    this.memory.clear();
    this.held.set(0);
  }

  get bytes(): number {
    return this.memory.length;
  }

  /** Copies: they are the caller's. */
  get all(): readonly Packet[] {
    return this.kept.map(({ packet, from, to }) => ({
      ...packet,
      bytes: this.memory.copy(from, to),
    }));
  }

  /** Of a stream with pictures: a copy of the first packet, which is one. */
  get keyFrame(): Uint8Array | undefined {
    const [first] = this.kept;
    return first && this.memory.copy(first.from, first.to);
  }

  private keep({ kind, dtsMs, ptsMs, isKey, bytes }: LentPacket): void {
    const from = this.memory.length;
    this.memory.append(bytes);
    this.kept.push({ packet: { kind, dtsMs, ptsMs, isKey }, from, to: this.memory.length });
  }

  private isTooLong(packet: LentPacket): boolean {
    if (this.memory.length > lastGopBytes || this.kept.length > lastGopPackets) return true;
    return this.spanMs(packet) > lastGopMs;
  }

  private spanMs(packet: LentPacket): number {
    return packet.dtsMs - (this.kept[0]?.packet.dtsMs ?? packet.dtsMs);
  }
}
