// The way to one RTMP player, and what feeds it.
import type { AmfObject } from '../media/amf.ts';

/** Messages sent in one tick leave in one write. */
export interface Player {
  metadata(values: AmfObject): void;
  /** `head` and `body` are sent one behind the other and must not change afterwards. */
  send(message: PlayerMessage): void;
  /** Bytes that the socket has not taken. */
  readonly waitingBytes: number;
  /** The stream is over: the player is told so and closed. */
  end(): void;
}

export interface PlayerMessage {
  kind: 'audio' | 'video';
  timestamp: number;
  head: Uint8Array;
  body: Uint8Array;
}

export interface PlaySource {
  /** The player had been slow, and has taken everything. */
  drained(): void;
  /** The player is gone, by itself or after `end`; nothing that is sent arrives any more. */
  close(): void;
}

/** What a player asks for. */
export interface PlayRequest {
  playId: string;
  address: string;
}
