// Every message a reader has now, for tests that keep them: bodies of media are only lent. What concerns the chunks
// alone is left out.
import type { ChunkReader } from '../../src/stream/rtmp/chunk-reader.ts';
import { type Message, messageType } from '../../src/stream/rtmp/message.ts';

/** Or so many of them. */
export function readMessages(reader: ChunkReader, max = Number.POSITIVE_INFINITY): Message[] {
  const messages: Message[] = [];
  while (messages.length < max) {
    const message = reader.next();
    if (!message) break;
    if (message.type !== messageType.setChunkSize && message.type !== messageType.abort)
      messages.push({ ...message, body: new Uint8Array(message.body) });
  }
  return messages;
}
