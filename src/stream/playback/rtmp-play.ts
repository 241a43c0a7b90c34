// What RTMP players are sent: the stream from its last key frame on, and less of it where a player is slow.
import { inTurns } from '../../base/turns/turn-slice.ts';
import { packetTagHeader, trackTag } from '../formats/flv.ts';
import { keepPacket, type LentPacket, type Packet, type Track } from '../formats/packet.ts';
import type { LiveStream } from '../live/live-stream.ts';
import { pushLimits } from '../live/push-limits.ts';
import type { HeldBytes } from '../live/push-memory.ts';
import type { PushEnding, StreamReader } from '../live/stream-reader.ts';
import { PlayerBatch, type PlayerMessage } from '../rtmp/player-batch.ts';
import { rtmpBounds } from '../rtmp/rtmp-limits.ts';
import type { Player, PlaySource } from '../rtmp/rtmp-player.ts';
import { fewUnreadBytes } from '../rtmp/unread-bytes.ts';
import { metadataMessage } from './rtmp-metadata.ts';

/** A picture and its sound leave in one write: sending is most of the cost. Players buffer many times this. */
const batchMsDefault = 40;
/** A push that comes faster than it plays fills a batch before that: what is joined in one go takes a millisecond. */
const batchBytesMax = 1_048_576;
/** What goes on in another stream stands so long after what was before, as after a jump of an encoder's clock. */
const joinMs = 40;

interface RtmpPlaysOptions {
  batchMs?: number;
  unreadBytesMax?: number;
  /** Where a stream that another node has taken goes on; undefined where it does not, for those who play it here. */
  goesOn?: (stream: LiveStream) => LiveStream | undefined;
}

/** Who plays which stream over RTMP. */
export class RtmpPlays {
  private readonly batchMs: number;
  private readonly unreadBytesMax: number;
  private readonly goesOn: (stream: LiveStream) => LiveStream | undefined;

  private readonly plays = new Map<LiveStream, StreamPlay>();
  /** How often a player fell behind and was left out for a while, since the start. */
  slowCount = 0;

  /** With 0 every packet leaves by itself. */
  constructor({ batchMs, unreadBytesMax, goesOn }: RtmpPlaysOptions = {}) {
    this.batchMs = batchMs ?? batchMsDefault;
    this.unreadBytesMax = unreadBytesMax ?? rtmpBounds.unreadBytesMax;
    this.goesOn = goesOn ?? (() => undefined);
  }

  play(stream: LiveStream, player: Player): PlaySource {
    const play = this.plays.get(stream) ?? this.open(stream);
    return play.add(player);
  }

  /** Whether anybody plays it. */
  has(stream: LiveStream): boolean {
    return this.plays.has(stream);
  }

  /** Whoever plays the one stream plays the other from now on: the same push, on another node. */
  move(stream: LiveStream, next: LiveStream): void {
    const play = this.plays.get(stream);
    if (!play) return;
    this.plays.delete(stream);
    this.plays.set(next, play);
    play.goOn(next);
  }

  private open(stream: LiveStream): StreamPlay {
    const { batchMs, unreadBytesMax, plays } = this;
    const play = new StreamPlay(stream, {
      ...{ batchMs, unreadBytesMax },
      onSlow: () => {
        this.slowCount += 1;
      },
      onEmpty: (last) => plays.delete(last),
      onTaken: (last) => {
        const next = this.goesOn(last);
        if (next) this.move(last, next);
        return next !== undefined;
      },
    });
    plays.set(stream, play);
    return play;
  }
}

interface StreamPlayOptions {
  batchMs: number;
  /** A player that has left more is slow. */
  unreadBytesMax: number;
  /** A player has fallen behind. */
  onSlow(): void;
  /** Nobody plays it any more. */
  onEmpty(stream: LiveStream): void;
  /** Another node has the push; whether it goes on here. */
  onTaken(stream: LiveStream): boolean;
}

/** One stream for all of its players: what they are sent is made once. */
class StreamPlay implements StreamReader {
  private readonly options: StreamPlayOptions;

  private stream: LiveStream;
  private leave: () => void;
  private held: HeldBytes;
  /** From the stream's time to the players'; undefined until the first packet of a stream that goes on says it. */
  private shiftMs: number | undefined = 0;
  private readonly seats = new Set<Seat>();
  private readonly tracks = new Map<Track['kind'], Track>();
  private waiting: PlayerMessage[] = [];
  private waitingBytes = 0;
  private beginsWithKey = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private lastMs = 0;
  /** What a newcomer gets before the batch that waits, made once for all who come before that leaves. */
  private beginning: Beginning | undefined;

  constructor(stream: LiveStream, options: StreamPlayOptions) {
    this.options = options;
    this.stream = stream;
    for (const track of stream.beginning(0).tracks) this.tracks.set(track.kind, track);
    this.held = stream.meter.memory.holder();
    this.leave = stream.follow(this);
  }

  add(player: Player): PlaySource {
    // Nobody is sent what waits before its time for one who comes.
    this.beginning ??= beginningOf(this.stream, {
      bytesMax: this.options.unreadBytesMax,
      waiting: this.waiting.length,
      shiftMs: this.shiftMs ?? 0,
    });
    const seat = new Seat(player, this.options);
    seat.begin(this.beginning);
    this.lastMs = Math.max(this.lastMs, this.beginning.lastMs);
    this.seats.add(seat);
    return { drained: () => seat.drained(), close: () => this.remove(seat) };
  }

  track(track: Track): void {
    this.beginning = undefined;
    this.flush();
    this.tracks.set(track.kind, track);
    const tracks = this.tracks.values();
    const timestamp = this.lastMs;
    const metadata = metadataMessage({ tracks, words: this.stream.words, timestamp });
    const batch = new PlayerBatch([metadata, trackMessage(track, timestamp)]);
    for (const seat of this.seats) seat.takeTrack(track.kind, batch);
  }

  /** The same players, with what another stream has of the push. */
  goOn(stream: LiveStream): void {
    this.leave();
    this.resumed();
    this.held.set(0);
    this.stream = stream;
    this.held = stream.meter.memory.holder();
    this.shiftMs = undefined;
    this.leave = stream.join(this);
  }

  packet(packet: LentPacket): void {
    this.shiftMs ??= this.lastMs + joinMs - packet.dtsMs;
    this.lastMs = Math.max(this.lastMs, packet.dtsMs + this.shiftMs);
    const isKey = packet.kind === 'video' && packet.isKey;
    // A slow player goes on at a key frame, so a batch begins with its first one.
    if (isKey && !this.beginsWithKey) this.flush();
    if (this.waiting.length === 0) this.beginsWithKey = isKey;
    this.waiting.push(packetMessage(keepPacket(packet), this.shiftMs));
    this.waitingBytes += packet.bytes.length + pushLimits.packetBytes;
    this.held.set(this.waitingBytes);
    if (this.options.batchMs === 0 || this.waitingBytes > batchBytesMax) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), this.options.batchMs);
  }

  resumed(): void {
    this.beginning = undefined;
    this.tracks.clear();
    this.flush();
    for (const seat of this.seats) seat.awaitKey();
  }

  ended(how: PushEnding): void {
    this.flush();
    if (how === 'taken' && this.options.onTaken(this.stream)) return;
    this.options.onEmpty(this.stream);
    // To tell a player takes some 50 µs, and all of a show are told at once.
    void inTurns([...this.seats].values().map(({ player }) => player.end()));
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.waiting.length === 0) return;
    this.beginning = undefined;
    const batch = new PlayerBatch(this.waiting);
    this.waiting = [];
    this.waitingBytes = 0;
    this.held.set(0);
    for (const seat of this.seats) seat.take(batch, this.beginsWithKey);
  }

  private remove(seat: Seat): void {
    this.seats.delete(seat);
    if (this.seats.size > 0) return;
    this.leave();
    this.flush();
    this.options.onEmpty(this.stream);
  }
}

type SeatOptions = Pick<StreamPlayOptions, 'unreadBytesMax' | 'onSlow'>;

/** One player, and whether it keeps up. */
class Seat {
  readonly player: Player;
  private readonly options: SeatOptions;

  private hasVideo = false;
  /** Nothing is sent until it has caught up. */
  private isSlow = false;
  /** Nothing is sent until the next key frame. */
  private awaitsKey = false;
  /** Tracks that it learns of when it has caught up. */
  private readonly unsent = new Map<Track['kind'], PlayerBatch>();

  constructor(player: Player, options: SeatOptions) {
    this.player = player;
    this.options = options;
  }

  /** From the last key frame, if that is at hand. */
  begin({ metadata, tracks, packets }: Beginning): void {
    if (metadata) this.player.send(metadata);
    for (const { kind, batch } of tracks) this.takeTrack(kind, batch);
    if (packets && !this.player.isCrowded) this.take(packets, true);
    else this.awaitKey();
  }

  takeTrack(kind: Track['kind'], batch: PlayerBatch): void {
    if (kind === 'video') this.hasVideo = true;
    this.notePace();
    if (this.isSlow) this.unsent.set(kind, batch);
    else this.player.send(batch);
  }

  take(batch: PlayerBatch, beginsWithKey: boolean): void {
    this.notePace();
    if (this.isSlow || (this.awaitsKey && !beginsWithKey)) return;
    this.awaitsKey = false;
    this.player.send(batch);
  }

  awaitKey(): void {
    this.awaitsKey = this.hasVideo;
  }

  drained(): void {
    if (!this.isSlow) return;
    this.isSlow = false;
    this.awaitKey();
    for (const batch of this.unsent.values()) this.player.send(batch);
    this.unsent.clear();
  }

  private notePace(): void {
    if (this.isSlow) return;
    const { player, options } = this;
    const { waitingBytes } = player;
    // Its network is not asked about for every batch.
    if (waitingBytes <= fewUnreadBytes) return;
    if (waitingBytes <= options.unreadBytesMax && !player.isCrowded) return;
    this.isSlow = true;
    options.onSlow();
  }
}

/** What a stream hands to who joins it. */
interface Beginning {
  /** Undefined where no track is known yet. */
  metadata: PlayerBatch | undefined;
  tracks: { kind: Track['kind']; batch: PlayerBatch }[];
  /** Undefined where there is no key frame to begin with, or too much since. */
  packets: PlayerBatch | undefined;
  lastMs: number;
}

/** Without the last packets, which wait for their batch. */
function beginningOf(
  stream: LiveStream,
  { bytesMax, waiting, shiftMs }: { bytesMax: number; waiting: number; shiftMs: number },
): Beginning {
  const { tracks, packets: all } = stream.beginning(bytesMax);
  const packets = all.slice(0, Math.max(0, all.length - waiting));
  const metadata = metadataMessage({ tracks, words: stream.words, timestamp: 0 });
  return {
    metadata: tracks.length > 0 ? new PlayerBatch([metadata]) : undefined,
    tracks: tracks.map((track) => ({
      kind: track.kind,
      batch: new PlayerBatch([trackMessage(track, 0)]),
    })),
    packets:
      packets.length > 0
        ? new PlayerBatch(packets.map((packet) => packetMessage(packet, shiftMs)))
        : undefined,
    lastMs: (packets.at(-1)?.dtsMs ?? 0) + shiftMs,
  };
}

function trackMessage(track: Track, timestamp: number): PlayerMessage {
  return { kind: track.kind, timestamp, head: new Uint8Array(0), body: trackTag(track) };
}

function packetMessage(packet: Packet, shiftMs: number): PlayerMessage {
  const { kind, dtsMs, bytes: body } = packet;
  return { kind, timestamp: dtsMs + shiftMs, head: packetTagHeader(packet), body };
}
