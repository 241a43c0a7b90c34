// Every message a reader has now, for tests that keep them: bodies of media are only lent.
import type { ChunkReader } from '../../src/rtmp/chunk-reader.ts';
import type { Message } from '../../src/rtmp/message.ts';

export function readMessages(reader: ChunkReader): Message[] {
  const messages: Message[] = [];
  for (let message = reader.next(); message; message = reader.next())
    messages.push({ ...message, body: new Uint8Array(message.body) });
  return messages;
}
