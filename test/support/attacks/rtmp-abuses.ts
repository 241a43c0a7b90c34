// What else a stranger may try over RTMP: slow handshakes, half-sent messages, tiny chunks, pings, calls, dear values.
import { chunksOf, type OutgoingMessage } from '../../../src/stream/rtmp/chunk-writer.ts';
import { clientHandshake } from '../../../src/stream/rtmp/handshake.ts';
import { messageType } from '../../../src/stream/rtmp/message.ts';
import {
  commandMessage,
  controlMessage,
  userControlMessage,
} from '../../../src/stream/rtmp/rtmp-command.ts';
import { connectMessage, connectRudely, overAndOver, rudeSession } from '../rude/rude-rtmp.ts';
import type { Attack } from './attack.ts';

const forMs = 6_000;
const breathMs = 20;

export const attack: Attack = {
  name: 'rtmp-abuses',
  sentence: 'strangers shake hands slowly, send halves, tiny chunks, pings, calls and dear values',
  refusals: ['rtmp stranger', 'rtmp protocol', 'rtmp handshake'],
  over: 'rtmp',
  run: async ({ rtmpPort: port }, { from, signal }) => {
    const again = (bytes: Uint8Array) =>
      overAndOver({ signal, forMs, breathMs }, async () => {
        const client = await connectRudely({ port, from, signal });
        await client.send(bytes);
        // The first of them has half a second to be cut; then this is only another silent one.
        await Promise.race([client.closed, Bun.sleep(500)]);
        client.cut();
        await client.closed;
      });
    await Promise.all([
      ...Object.values(strangerAbuses).map(again),
      shakeSlowly({ port, from, signal }),
    ]);
  },
};

/** Each ends its connection, or is all that it may send. */
export const strangerAbuses: Readonly<Record<string, Uint8Array>> = {
  'halves on sixteen chunk streams': Buffer.concat([rudeSession(connectMessage()), halves()]),
  'chunks of one byte': rudeSession(connectMessage(), controlMessage(messageType.setChunkSize, 1)),
  pings: rudeSession(...repeated(5_000, userControlMessage(6, 1))),
  'two connects': rudeSession(connectMessage(), connectMessage()),
  'new streams': rudeSession(
    connectMessage(),
    ...repeated(5_000, commandMessage(0, 'createStream', 2, null)),
  ),
  'dear values': rudeSession(connectMessage(), ...repeated(64, dearValues(16_000))),
  'small windows': rudeSession(...repeated(5_000, controlMessage(messageType.windowSize, 1))),
  aborts: rudeSession(...repeated(5_000, controlMessage(messageType.abort, 3))),
};

/** A command of so many bytes in as many values as they can make: properties without a name or a value. */
export function dearValues(bytes: number): OutgoingMessage {
  const object = [3, ...Array.from({ length: 255 }, () => [0, 0, 5]).flat(), 0, 0, 9];
  const objects = Math.floor((bytes - 20) / object.length);
  const body = Uint8Array.from([
    ...[2, 0, 1, 0x78, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ...Array.from({ length: objects }, () => object).flat(),
  ]);
  return { type: messageType.command, streamId: 0, timestamp: 0, body: [body] };
}

/** The first chunk of a message on each chunk stream. */
function halves(): Uint8Array {
  return Buffer.concat(
    Array.from({ length: 16 }, (_, at) => {
      const body = [new Uint8Array(16_000)];
      const [head = new Uint8Array(), first = new Uint8Array()] = chunksOf(
        { type: messageType.command, streamId: 0, timestamp: 0, body },
        128,
      );
      return Buffer.concat([Uint8Array.of(4 + at), head.subarray(1), first]);
    }),
  );
}

/** A byte at a time. */
async function shakeSlowly(given: { port: number; from: string; signal: AbortSignal }) {
  const client = await connectRudely(given);
  for (const byte of clientHandshake()) {
    if (client.isClosed) break;
    await client.send(Uint8Array.of(byte));
    await Promise.race([client.closed, Bun.sleep(20)]);
  }
  client.cut();
  await client.closed;
}

function repeated(count: number, message: OutgoingMessage): OutgoingMessage[] {
  return Array.from({ length: count }, () => message);
}
