// Sessions that no encoder would send: real ones bent at every layer, noise, and breaches that must end the connection.
import { connect } from 'node:net';
import { chunksOf, type OutgoingMessage } from '../../src/stream/rtmp/chunk-writer.ts';
import { clientHandshake, helloBytes } from '../../src/stream/rtmp/handshake.ts';
import { type KeptMessage, messageType } from '../../src/stream/rtmp/message.ts';
import { commandMessage, controlMessage } from '../../src/stream/rtmp/rtmp-command.ts';
import { handshakeBytes } from '../../test/fixtures/rtmp/replay.ts';
import { patience } from '../../test/support/machine-pace.ts';
import type { Random } from '../../test/support/random.ts';
import { bentBytes, cutAtRandom } from './bent-bytes.ts';
import type { RealMedia } from './real-media.ts';

export const hostileKinds = [
  'bent capture',
  'bent chunks',
  'bent messages',
  'noise',
  'breach',
] as const;
export type HostileKind = (typeof hostileKinds)[number];

export interface HostileSession {
  kind: HostileKind;
  bytes: Uint8Array;
  /** The server must close it by itself. */
  mustClose: boolean;
}

const chunkBytes = 4_096;
const pushedMessages = 150;
const noiseBytesMax = 20_000;

/** `key` is that of a channel: what is bent gets as far as the packager. */
export function hostileSession(real: RealMedia, key: string, random: Random): HostileSession {
  const kind = random.pick(hostileKinds);
  const mustClose = kind === 'breach';
  return { kind, bytes: bytesOf[kind](real, key, random), mustClose };
}

type Make = (real: RealMedia, key: string, random: Random) => Uint8Array;

const bytesOf: Record<HostileKind, Make> = {
  'bent capture': ({ sessions }, _key, random) => {
    const session = random.pick(sessions);
    const handshake = session.subarray(0, handshakeBytes);
    const rest = session.subarray(handshakeBytes, handshakeBytes + random.whole(200, 60_000));
    return random.whole(0, 9) === 0
      ? bentBytes(session, random)
      : Buffer.concat([handshake, bentBytes(rest, random)]);
  },
  'bent chunks': (real, key, random) => {
    const pushed = chunked(somePush(real, random));
    return Buffer.concat([opening(key), bentBytes(pushed, random)]);
  },
  'bent messages': (real, key, random) => {
    const bent = somePush(real, random).map((message) => bentMessage(message, random));
    return Buffer.concat([opening(key), chunked(bent)]);
  },
  noise: (_real, _key, random) => {
    const noise = Uint8Array.from({ length: random.whole(1, noiseBytesMax) }, () =>
      random.whole(0, 255),
    );
    return random.whole(0, 1) === 0 ? noise : Buffer.concat([handshake(), noise]);
  },
  breach: (_real, key, random) => {
    const breach = random.pick(breaches);
    return Buffer.concat([opening(key), breach]);
  },
};

/** Each breaks a bound of section 7 or the protocol itself. */
const breaches: readonly Uint8Array[] = [
  chunked([controlMessage(messageType.setChunkSize, 0)]),
  chunked([controlMessage(messageType.setChunkSize, 0x7fffffff)]),
  // A message of 16 MB, of a picture and of a command.
  Uint8Array.of(6, 0, 0, 0, 0xff, 0xff, 0xff, messageType.video, 1, 0, 0, 0),
  Uint8Array.of(3, 0, 0, 0, 0xff, 0xff, 0xff, messageType.command, 0, 0, 0, 0),
  // A chunk stream that begins without a header; another message inside a message.
  Uint8Array.of(0xc0 | 40),
  Buffer.concat([
    Uint8Array.of(6, 0, 0, 0, 0, 0x40, 0, messageType.video, 1, 0, 0, 0),
    new Uint8Array(chunkBytes),
    Uint8Array.of(6, 0, 0, 0, 0, 0x40, 0, messageType.video, 1, 0, 0, 0),
  ]),
  // More chunk streams than may be.
  Buffer.concat(
    Array.from({ length: 40 }, (_, at) =>
      Uint8Array.of(20 + at, 0, 0, 0, 0, 0, 1, messageType.audio, 1, 0, 0, 0, 0),
    ),
  ),
  chunked([commandMessage(0, 'connect', 1, { app: 'live' })]),
  chunked([commandMessage(1, 'publish', 0, null, 'again', 'live')]),
  // AMF nested without end, and a picture of a kind that is not packaged.
  chunked([{ type: messageType.command, streamId: 0, timestamp: 0, body: [deepAmf()] }]),
  chunked([{ type: messageType.video, streamId: 1, timestamp: 0, body: [Uint8Array.of(0x12, 0)] }]),
];

function deepAmf(): Uint8Array {
  const object = Uint8Array.of(3, 0, 1, 0x61);
  return Buffer.concat([
    Uint8Array.of(2, 0, 1, 0x78),
    ...Array.from({ length: 500 }, () => object),
  ]);
}

/** Everything up to the first of the media. */
function opening(key: string): Uint8Array {
  const connecting = { app: 'live', tcUrl: 'rtmp://localhost/live' };
  return Buffer.concat([
    handshake(),
    // In chunks of the size that holds before another is set.
    ...inChunks([commandMessage(0, 'connect', 1, connecting)], 128),
    ...inChunks([controlMessage(messageType.setChunkSize, chunkBytes)], 128),
    chunked([
      commandMessage(0, 'createStream', 2, null),
      commandMessage(1, 'publish', 3, null, key, 'live'),
    ]),
  ]);
}

function handshake(): Uint8Array {
  return Buffer.concat([clientHandshake(), new Uint8Array(helloBytes)]);
}

function somePush({ pushes }: RealMedia, random: Random): OutgoingMessage[] {
  return random
    .pick(pushes)
    .filter(({ type }) => type >= messageType.audio && type !== messageType.command)
    .slice(0, random.whole(1, pushedMessages))
    .map(({ type, timestamp, body }: KeptMessage) => ({
      type,
      streamId: 1,
      timestamp,
      body: [body],
    }));
}

function bentMessage(message: OutgoingMessage, random: Random): OutgoingMessage {
  const dice = random.whole(0, 19);
  if (dice === 0) return { ...message, timestamp: random.whole(0, 0xffffffff) };
  if (dice === 1) return { ...message, type: random.whole(0, 30) };
  if (dice > 3) return message;
  return { ...message, body: message.body.map((piece) => bentBytes(piece, random)) };
}

function chunked(messages: readonly OutgoingMessage[]): Uint8Array {
  return Buffer.concat(inChunks(messages, chunkBytes));
}

function inChunks(messages: readonly OutgoingMessage[], bytes: number): Uint8Array[] {
  return messages.flatMap((message) => chunksOf(message, bytes));
}

/** What is not bent beyond use is waited for so long, then left. */
const patienceMs = 150;
/** A goodbye takes 2 s at most. */
const closedWithinMs = 4_000;

/** Sends it in pieces from an address of its own; who ended it. Rejects where the server had to and did not. */
export async function throwSession(
  session: HostileSession,
  { port, random }: { port: number; random: Random },
): Promise<'server' | 'we'> {
  const { bytes, mustClose, kind } = session;
  const part = () => random.whole(1, 254);
  const localAddress = `127.${part()}.${part()}.${part()}`;
  const socket = connect({ host: '127.0.0.1', port, localAddress, noDelay: true });
  let isClosed = false;
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve())).then(() => {
    isClosed = true;
  });
  // Reset by the server: that is what closing it may look like.
  socket.on('error', () => {});
  socket.resume();
  for (const piece of cutAtRandom(bytes, random.pick([1_000, 20_000, 200_000]), random)) {
    if (isClosed) return 'server';
    socket.write(piece);
    if (random.whole(0, 9) === 0) await Bun.sleep(1);
  }
  await Promise.race([closed, Bun.sleep(mustClose ? patience(closedWithinMs) : patienceMs)]);
  if (isClosed) return 'server';
  socket.destroy();
  if (mustClose) throw new Error(`the server did not close a ${kind}`);
  return 'we';
}
