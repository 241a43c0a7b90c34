// One channel on air: one publisher at a time, many readers.
import { MemoryPool } from '../../base/bytes/pooled-bytes.ts';
import { isSameTrack, type MediaError, type Packet, type Track } from '../formats/packet.ts';
import { LastGop } from './last-gop.ts';
import { boundlessMeter, PushCut, type PushMeter } from './push-meter.ts';
import type { StreamReader } from './stream-reader.ts';
import { shownAt, Timeline } from './timeline.ts';

/** What a stream must know of its channel. */
export interface LiveChannel {
  readonly id: number;
  readonly account_id: number;
  readonly stream_key: string;
  readonly play_id: string;
  /** 1 where the account keeps its pushes as videos. */
  readonly auto_save_live_video: number;
}

/** A picture or a sound as a publisher sends it, with RTMP's own timestamp of 32 bits. The bytes are lent. */
export interface SentPicture {
  timestamp: number;
  compositionMs: number;
  isKey: boolean;
  bytes: Uint8Array;
}
export interface SentSound {
  timestamp: number;
  bytes: Uint8Array;
}

/** What an encoder says of its stream and the media does not show; undefined what it does not say. */
export interface EncoderWords {
  readonly frameRate: number | undefined;
  readonly videoKbps: number | undefined;
  readonly audioKbps: number | undefined;
}

/**
 * One connection's way into a stream; closed once another has taken over. What comes throws PushCut where the push is
 * over one of its bounds.
 */
export interface Publication {
  /** A message of so many bytes came, whatever is in it. */
  arrived(bytes: number): void;
  said(words: EncoderWords): void;
  track(track: Track): void;
  picture(picture: SentPicture): void;
  sound(sound: SentSound): void;
  /** What came cannot be taken, and the connection ends for it. */
  refused(error: MediaError): void;
  /** 'ended' by the encoder's own word, 'cut' otherwise. */
  end(how: 'ended' | 'cut'): void;
}

const nothingSaid: EncoderWords = {
  frameRate: undefined,
  videoKbps: undefined,
  audioKbps: undefined,
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
  /** What the push does and holds, and how much it may. */
  readonly meter: PushMeter;

  private readonly timeline = new Timeline();
  private readonly readers = new Set<StreamReader>();
  private readonly tracks = new Map<Track['kind'], Track>();
  private readonly gop: LastGop;
  private awaitsKey = true;
  private words = nothingSaid;

  /** `pool`: shared with other streams. */
  constructor(
    channel: LiveChannel,
    startedAt: number,
    { pool = new MemoryPool(), meter = boundlessMeter() } = {},
  ) {
    this.channel = channel;
    this.startedAt = startedAt;
    this.meter = meter;
    this.gop = new LastGop(pool, meter.memory.holder());
  }

  /** The latest words of the encoder that publishes now. */
  get said(): EncoderWords {
    return this.words;
  }

  /** What somebody needs to begin at the last key frame, all of it theirs; no packets where they would be too many. */
  beginning(bytesMax = Infinity): { tracks: readonly Track[]; packets: readonly Packet[] } {
    const packets = this.gop.bytes <= bytesMax ? this.gop.all : [];
    return { tracks: [...this.tracks.values()], packets };
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
      said: (words) => {
        if (isHeld()) this.words = words;
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
    this.words = nothingSaid;
    this.awaitKey();
    for (const reader of this.readers) reader.resumed();
  }

  end(): void {
    this.meter.end();
    this.gop.clear();
    for (const reader of [...this.readers]) reader.ended();
    this.readers.clear();
  }

  private awaitKey(): void {
    this.awaitsKey = true;
    this.gop.clear();
  }

  private push(packet: Packet): void {
    this.gop.push(packet, this.tracks.has('video'));
    for (const reader of this.readers) reader.packet(packet);
  }
}
