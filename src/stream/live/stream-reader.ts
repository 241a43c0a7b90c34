// A reader of a live stream, as the packager and an RTMP player are.
import type { LentPacket, Track } from '../formats/packet.ts';

/** Its last words: the push is over, or another node goes on with it. */
export type PushEnding = 'over' | 'taken';

/** Called in order, from the stream's own tick; nothing here may wait. */
export interface StreamReader {
  /** A track begins, or its parameters change; a video track's next packet is a key frame. */
  track(track: Track): void;
  /** `dtsMs` never falls within a track, and tracks keep within a few seconds of one another. */
  packet(packet: LentPacket): void;
  /** The push was cut and has come back: what follows does not join what was before. */
  resumed(): void;
  /** Nothing follows here. */
  ended(how: PushEnding): void;
}
