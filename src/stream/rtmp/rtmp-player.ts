// The way to one RTMP player, and what feeds it.
import type { PlayerBatch } from './player-batch.ts';

export interface Player {
  /** The same batch may go to many players. */
  send(batch: PlayerBatch): void;
  /** Bytes that the socket has not taken. */
  readonly waitingBytes: number;
  /** Its network leaves as much unread as it may: who has not read what it has gets no more. */
  readonly isCrowded: boolean;
  /** Bytes that the socket has taken since the beginning. */
  readonly takenBytes: number;
  /** The stream is over: the player is told so and closed. */
  end(): void;
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
  /** What stands behind it where not everybody may watch. */
  pass: string | undefined;
  address: string;
}
