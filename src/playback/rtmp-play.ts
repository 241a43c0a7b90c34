// What an RTMP player is sent: the stream from its last key frame on, and less of it where the player is slow.
import type { LiveStream } from '../live/live-stream.ts';
import type { StreamReader } from '../live/stream-reader.ts';
import { packetTagHeader, trackTag } from '../media/flv.ts';
import type { Packet, Track } from '../media/packet.ts';
import type { Player, PlaySource } from '../rtmp/player.ts';

/** A player this far behind is slow: it gets nothing until it has caught up, then the next key frame. */
const waitingBytesMax = 4 * 1_048_576;

export function playStream(stream: LiveStream, player: Player): PlaySource {
  const play = new RtmpPlay(player);
  const leave = stream.join(play);
  return { drained: () => play.drained(), close: leave };
}

class RtmpPlay implements StreamReader {
  private readonly player: Player;

  private hasVideo = false;
  /** Nothing is sent until it has caught up. */
  private isSlow = false;
  /** Pictures are left out until the next key frame. */
  private awaitsKey = false;
  /** Tracks that it learns of when it has caught up. */
  private readonly unsent = new Map<Track['kind'], Track>();
  private lastMs = 0;

  constructor(player: Player) {
    this.player = player;
  }

  track(track: Track): void {
    if (track.kind === 'video') this.hasVideo = true;
    this.notePace();
    if (this.isSlow) this.unsent.set(track.kind, track);
    else this.sendTrack(track);
  }

  packet(packet: Packet): void {
    this.lastMs = packet.dtsMs;
    this.notePace();
    if (this.isSlow) return;
    if (this.awaitsKey) {
      if (packet.kind !== 'video' || !packet.isKey) return;
      this.awaitsKey = false;
    }
    this.send(packet.kind, packetTagHeader(packet), packet.bytes);
  }

  resumed(): void {
    this.awaitsKey = this.hasVideo;
  }

  ended(): void {
    this.player.end();
  }

  drained(): void {
    this.isSlow = false;
    for (const track of this.unsent.values()) this.sendTrack(track);
    this.unsent.clear();
  }

  private notePace(): void {
    if (this.player.waitingBytes <= waitingBytesMax) return;
    this.isSlow = true;
    this.awaitsKey = this.hasVideo;
  }

  private sendTrack(track: Track): void {
    this.send(track.kind, new Uint8Array(0), trackTag(track));
  }

  private send(kind: Packet['kind'], head: Uint8Array, body: Uint8Array): void {
    this.player.send({ kind, timestamp: this.lastMs, head, body });
  }
}
