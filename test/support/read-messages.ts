// Every message a reader has now, for tests that keep them. What concerns the chunks alone is left out.
import type { ChunkReader } from '../../src/stream/rtmp/chunk-reader.ts';
import { type KeptMessage, keepMessage, messageType } from '../../src/stream/rtmp/message.ts';

/** Or so many of them. */
export function readMessages(reader: ChunkReader, max = Number.POSITIVE_INFINITY): KeptMessage[] {
  const messages: KeptMessage[] = [];
  while (messages.length < max) {
    const message = reader.next();
    if (!message) break;
    if (message.type !== messageType.setChunkSize && message.type !== messageType.abort)
      messages.push(keepMessage(message));
  }
  return messages;
}
