// A publisher with a key and no manners: any messages, from an address of its own, and what the server says to them.
import { connect, type Socket } from 'node:net';
import { chunksOf, type OutgoingMessage } from '../../../src/stream/rtmp/chunk-writer.ts';
import { clientHandshake, helloBytes } from '../../../src/stream/rtmp/handshake.ts';
import { messageType } from '../../../src/stream/rtmp/message.ts';
import { commandMessage, controlMessage } from '../../../src/stream/rtmp/rtmp-command.ts';

export interface RudePushOptions {
  port: number;
  key: string;
  /** A loopback address. */
  from: string;
  /** Drops the socket. */
  signal: AbortSignal;
}

export interface RudePush {
  readonly isClosed: boolean;
  /** Resolves when the socket has taken it, or is gone. */
  send(message: RudeMessage): Promise<void>;
  drop(): void;
  /** What the server said after its handshake, to its last byte. */
  readonly closed: Promise<string>;
}

export interface RudeMessage {
  type: 'audio' | 'video' | 'aggregate';
  timestamp: number;
  body: Uint8Array;
}

const firstChunkBytes = 128;
const chunkBytes = 65_536;

/** Resolves when it was let in, or refused: then it is closed soon. */
export async function startRudePush(options: RudePushOptions): Promise<RudePush> {
  const { port, key, from, signal } = options;
  const socket = connect({ host: '127.0.0.1', port, localAddress: from, noDelay: true });
  let heard = '';
  let isClosed = false;
  const answered = Promise.withResolvers<void>();
  const closed = new Promise<string>((resolve) => {
    socket.once('close', () => {
      isClosed = true;
      answered.resolve();
      resolve(heard.slice(1 + 2 * helloBytes));
    });
  });
  // Reset by the server: that is what closing it may look like.
  socket.on('error', () => {});
  socket.on('data', (bytes: Buffer) => {
    heard += bytes.toString('latin1');
    if (/NetStream\.Publish\./.test(heard)) answered.resolve();
  });
  const drop = () => socket.destroy();
  signal.addEventListener('abort', drop, { once: true });
  socket.write(opening(key));
  await answered.promise;
  return {
    get isClosed() {
      return isClosed;
    },
    send: ({ type, timestamp, body }) =>
      taken(socket, chunked([{ type: messageType[type], streamId: 1, timestamp, body: [body] }])),
    drop,
    closed,
  };
}

/** Everything up to the first of the media. */
function opening(key: string): Uint8Array {
  const connecting = { app: 'live', tcUrl: 'rtmp://localhost/live' };
  return Buffer.concat([
    clientHandshake(),
    new Uint8Array(helloBytes),
    ...[
      commandMessage(0, 'connect', 1, connecting),
      controlMessage(messageType.setChunkSize, chunkBytes),
    ].flatMap((message) => chunksOf(message, firstChunkBytes)),
    chunked([
      commandMessage(0, 'createStream', 2, null),
      commandMessage(1, 'publish', 3, null, key, 'live'),
    ]),
  ]);
}

function chunked(messages: readonly OutgoingMessage[]): Uint8Array {
  return Buffer.concat(messages.flatMap((message) => chunksOf(message, chunkBytes)));
}

/** In a turn of its own: who sends without end must hear that the socket is gone. */
function taken(socket: Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed || !socket.writable) setImmediate(resolve);
    else socket.write(bytes, () => setImmediate(resolve));
  });
}
