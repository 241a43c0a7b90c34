// One connection that publishes, sends a second of media, ends the push and publishes again, as fast as it is let.
import { connect } from 'node:net';
import { type FlvTag, isSequenceHeader } from '../../../src/stream/formats/flv-file.ts';
import { chunksOf, type OutgoingMessage } from '../../../src/stream/rtmp/chunk-writer.ts';
import { clientHandshake, helloBytes } from '../../../src/stream/rtmp/handshake.ts';
import { messageType } from '../../../src/stream/rtmp/message.ts';
import { commandMessage, controlMessage } from '../../../src/stream/rtmp/rtmp-command.ts';

export interface PushLoop {
  port: number;
  key: string;
  /** A loopback address. */
  from: string;
  signal: AbortSignal;
  /** Of each push. */
  tags: readonly FlvTag[];
  pushes: number;
}

const firstChunkBytes = 128;
const chunkBytes = 65_536;

/** How many pushes began before the service closed the connection, and its last words. */
export async function pushInLoop(given: PushLoop): Promise<{ begun: number; heard: string }> {
  const { port, key, from, signal, tags, pushes } = given;
  const socket = connect({ host: '127.0.0.1', port, localAddress: from, noDelay: true });
  const media = wire(
    chunkBytes,
    ...tags.map(mediaMessage),
    commandMessage(0, 'deleteStream', 0, null, 1),
  );
  const publish = wire(chunkBytes, commandMessage(1, 'publish', 0, null, key, 'live'));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  let begun = 0;
  let heard = '';
  socket.on('data', (bytes: Buffer) => {
    heard = (heard + bytes.toString('latin1')).slice(-1_000);
    if (!heard.includes('NetStream.Publish.Start')) return;
    heard = '';
    begun += 1;
    socket.write(media);
    if (begun < pushes) socket.write(publish);
    else socket.end();
  });
  // Reset by the service: that is what closing it may look like.
  socket.on('error', () => {});
  const drop = () => socket.destroy();
  signal.addEventListener('abort', drop, { once: true });
  if (signal.aborted) drop();
  socket.write(opening());
  socket.write(publish);
  await closed;
  signal.removeEventListener('abort', drop);
  return { begun, heard };
}

/** The first pictures of a clip, stretched over a little more than a second. */
export function secondOf(tags: readonly FlvTag[], pictures = 12): FlvTag[] {
  const video = tags.filter(({ type }) => type === 'video');
  const headers = video.filter((tag) => isSequenceHeader(tag)).slice(0, 1);
  const shown = video.filter((tag) => !isSequenceHeader(tag)).slice(0, pictures);
  return [...headers, ...shown.map((tag, at) => ({ ...tag, timestampMs: 100 * at }))];
}

/** Everything up to the first `publish`. */
function opening(): Uint8Array {
  const connecting = { app: 'live', tcUrl: 'rtmp://localhost/live' };
  return Buffer.concat([
    clientHandshake(),
    new Uint8Array(helloBytes),
    wire(
      firstChunkBytes,
      commandMessage(0, 'connect', 1, connecting),
      controlMessage(messageType.setChunkSize, chunkBytes),
    ),
    wire(chunkBytes, commandMessage(0, 'createStream', 2, null)),
  ]);
}

function mediaMessage({ type, timestampMs, body }: FlvTag): OutgoingMessage {
  const kind = type === 'audio' ? messageType.audio : messageType.video;
  return { type: kind, streamId: 1, timestamp: timestampMs, body: [body] };
}

function wire(size: number, ...messages: OutgoingMessage[]): Uint8Array {
  return Buffer.concat(messages.flatMap((message) => chunksOf(message, size)));
}
