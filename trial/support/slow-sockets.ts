// Players who ask and then do not read: sockets by the thousand whose answers fill every buffer on the way.
import { connect, type Socket } from 'node:net';
import { chunksOf } from '../../src/stream/rtmp/chunk-writer.ts';
import { clientHandshake, helloBytes } from '../../src/stream/rtmp/handshake.ts';
import { commandMessage } from '../../src/stream/rtmp/rtmp-command.ts';

export interface SlowSockets {
  /** Connections that the server has not closed. */
  open(): number;
  /** All of them at once. */
  leave(): Promise<void>;
}

/** Opened a few at a time: more would overrun the server's backlog. */
const openedAtOnce = 50;
/** RTMP connections that one address may have, some left for others. */
const perAddress = 50;

/** Each sends `text` and never reads. */
export async function openSlow(given: {
  port: number;
  count: number;
  bytes: (at: number) => string | Uint8Array;
}): Promise<SlowSockets> {
  const { port, count, bytes } = given;
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const some = Math.min(openedAtOnce, count - sockets.length);
    const from = sockets.length;
    const opened = Array.from({ length: some }, (_, more) =>
      openOne(port, addressOf(from + more), bytes(from + more)),
    );
    sockets.push(...(await Promise.all(opened)));
  }
  return {
    open: () => sockets.filter(({ destroyed }) => !destroyed).length,
    leave: async () => {
      const gone = sockets
        .filter(({ destroyed }) => !destroyed)
        .map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())));
      for (const socket of sockets) socket.destroy();
      await Promise.all(gone);
    },
  };
}

async function openOne(
  port: number,
  localAddress: string,
  bytes: string | Uint8Array,
): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, localAddress });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.pause();
  socket.once('connect', resolve);
  socket.once('error', reject);
  await promise;
  // Reset by the server, which may have had enough of it.
  socket.on('error', () => {});
  socket.write(bytes);
  return socket;
}

function addressOf(at: number): string {
  const group = Math.floor(at / perAddress);
  return `127.7.${Math.floor(group / 200)}.${1 + (group % 200)}`;
}

export function slowRequest(path: string, times = 1): string {
  return `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`.repeat(times);
}

/** All that a player says, without a look at what it is told. */
export function slowPlay(playId: string): Uint8Array {
  const messages = [
    commandMessage(0, 'connect', 1, { app: 'play', tcUrl: 'rtmp://localhost/play' }),
    commandMessage(0, 'createStream', 2, null),
    commandMessage(1, 'play', 3, null, playId),
  ];
  return Buffer.concat([
    clientHandshake(),
    new Uint8Array(helloBytes),
    ...messages.flatMap((message) => chunksOf(message, 128)),
  ]);
}
