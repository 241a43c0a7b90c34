// Messages for many players of one stream: cut into chunks and joined once, not once a player.
import { chunksOf, sentChunkBytes } from './chunk-writer.ts';
import { messageType } from './message.ts';

export interface PlayerMessage {
  kind: 'audio' | 'video' | 'data';
  timestamp: number;
  /** Sent one behind the other; neither may change afterwards. */
  head: Uint8Array;
  body: Uint8Array;
}

/** What a connection's first stream is called, and hardly any has a second. */
const usualStreamId = 1;

export class PlayerBatch {
  readonly messages: readonly PlayerMessage[];

  private usual: Uint8Array | undefined;

  constructor(messages: readonly PlayerMessage[]) {
    this.messages = messages;
  }

  /** As it lies on the wire for a player whose stream has this id. */
  wire(streamId: number): Uint8Array {
    if (streamId !== usualStreamId) return this.joined(streamId);
    this.usual ??= this.joined(streamId);
    return this.usual;
  }

  private joined(streamId: number): Uint8Array {
    return Buffer.concat(
      this.messages.flatMap(({ kind, timestamp, head, body }) =>
        chunksOf(
          { type: messageType[kind], streamId, timestamp, body: [head, body] },
          sentChunkBytes,
        ),
      ),
    );
  }
}
