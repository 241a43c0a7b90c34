// A peer of a connection without a network: its socket keeps what is written, and nobody is late by chance.
import { Refusals } from '../../src/base/peers/refusals.ts';
import { type AmfValue, readAmf } from '../../src/stream/formats/amf.ts';
import { ChunkReader } from '../../src/stream/rtmp/chunk-reader.ts';
import { chunksOf, type OutgoingMessage } from '../../src/stream/rtmp/chunk-writer.ts';
import { clientHandshake } from '../../src/stream/rtmp/handshake.ts';
import { type KeptMessage, messageType } from '../../src/stream/rtmp/message.ts';
import { commandMessage } from '../../src/stream/rtmp/rtmp-command.ts';
import { type ConnectionOptions, RtmpConnection } from '../../src/stream/rtmp/rtmp-connection.ts';
import { type RtmpLimits, rtmpLimits } from '../../src/stream/rtmp/rtmp-limits.ts';
import type { Player } from '../../src/stream/rtmp/rtmp-player.ts';
import { rtmpRefusals } from '../../src/stream/rtmp/rtmp-refusals.ts';
import { openShared, type Shared } from '../../src/stream/rtmp/shared.ts';
import {
  captures,
  HeldLog,
  HeldSocket,
  handshakeBytes,
  Recorded,
} from '../fixtures/rtmp/replay.ts';
import { readMessages } from './read-messages.ts';

/** What it publishes with. */
export const key = 'SecretKey0123456789abcdefgh';
export const nothing = new Uint8Array();

export interface PeerOptions extends Partial<ConnectionOptions['services']> {
  limits?: Partial<RtmpLimits>;
  /** Of a peer that is there already. */
  shared?: Shared & { counts: ReturnType<typeof newShared>['counts'] };
}

/** Nobody is late because the machine is slow, and nobody waits for long. */
const unhurried = {
  publisherTurnMs: 600_000,
  strangerTurnMs: 600_000,
  sendTurnMs: 600_000,
  wrongKeyWaitMs: 1,
};

export function newShared(limits: Partial<RtmpLimits> | undefined) {
  const refusals = new Refusals({ now: () => 0, log: new HeldLog() });
  const book = refusals.book('rtmp', rtmpRefusals);
  const counts = refusals.counts.get('rtmp') ?? {};
  return { ...openShared({ refusals: book, limits: { ...unhurried, ...limits } }), counts };
}

/** A connection over a socket that keeps what is written, before the handshake. */
export function connected({ limits, shared = newShared(limits), ...services }: PeerOptions = {}) {
  const clock = { at: 0 };
  const startedAt = performance.now();
  const shut = Promise.withResolvers<number>();
  const gone = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const socket = new HeldSocket();
  const shutdown = () => {
    socket.isShut = true;
    shut.resolve(performance.now() - startedAt);
    // The peer closes its side.
    queueMicrotask(() => connection.closed());
  };
  const terminate = () => {
    socket.isTerminated = true;
    gone.resolve();
    queueMicrotask(() => connection.closed());
  };
  const publication = new Recorded();
  const log = new HeldLog();
  const asked: string[] = [];
  const aborts: ((reason: string) => void)[] = [];
  const players: Player[] = [];
  const sourceEvents: string[] = [];
  const connection: RtmpConnection = new RtmpConnection({
    ...shared,
    socket: Object.assign(socket, { shutdown, terminate }),
    address: '192.0.2.7',
    network: '192.0.2.7',
    services: {
      openPublication: ({ key, abort, lookUp }) =>
        lookUp(async () => {
          asked.push(key);
          started.resolve();
          aborts.push(abort);
          return publication;
        }),
      openPlay: async (_, player) => {
        players.push(player);
        return {
          drained: () => sourceEvents.push('drained'),
          close: () => sourceEvents.push('close'),
        };
      },
      ...services,
    },
    log,
    monotonicMs: () => clock.at,
  });
  const reader = new ChunkReader(rtmpLimits);
  reader.allowMedia();
  let readWrites = 0;
  let skipBytes = handshakeBytes;
  const answers = (): KeptMessage[] => {
    const bytes = Buffer.concat(socket.written.slice(readWrites));
    readWrites = socket.written.length;
    reader.feed(bytes.subarray(skipBytes));
    skipBytes = Math.max(0, skipBytes - bytes.length);
    return readMessages(reader);
  };
  return {
    connection,
    shared,
    clock,
    /** What was counted, of all that share with it. */
    refusals: () =>
      Object.fromEntries(Object.entries(shared.counts).filter(([, count]) => count > 0)),
    socket,
    publication,
    log,
    asked,
    aborts,
    sourceEvents,
    shut: shut.promise,
    gone: gone.promise,
    /** Its key is looked up. */
    started: started.promise,
    player() {
      const [player] = players;
      if (!player) throw new Error('nobody plays');
      return player;
    },
    /** Sends messages in one piece and waits until they are handled. */
    async send(...messages: OutgoingMessage[]) {
      connection.receive(wire(...messages));
      await answered();
    },
    /** What was sent since it was last asked, without what concerns the chunks alone. */
    answers,
    commands: (): AmfValue[][] =>
      answers()
        .filter(({ type }) => type === messageType.command)
        .map(({ body }) => readAmf(body)),
  };
}

export function greeted(options: PeerOptions = {}) {
  const peer = connected(options);
  peer.connection.receive(Buffer.concat([clientHandshake(), new Uint8Array(1536)]));
  return peer;
}

export async function publishing(options: PeerOptions = {}) {
  const peer = greeted(options);
  await peer.send(connect('live'), publish);
  return peer;
}

export async function playing(options: PeerOptions = {}) {
  const peer = greeted(options);
  await peer.send(connect('play'), commandMessage(1, 'play', 0, null, 'abc'));
  return peer;
}

export function connect(app: string): OutgoingMessage {
  return commandMessage(0, 'connect', 1, { app, tcUrl: `rtmp://127.0.0.1/${app}` });
}

export const publish = commandMessage(1, 'publish', 5, null, key, 'live');

export const aacTrack = sound(Uint8Array.of(0xaf, 0, 0x11, 0x90));

export function sound(body: Uint8Array): OutgoingMessage {
  return { type: messageType.audio, streamId: 1, timestamp: 0, body: [body] };
}

/** As it is sent. */
export function wire(...messages: OutgoingMessage[]): Uint8Array {
  return Buffer.concat(messages.flatMap((message) => chunksOf(message, 128)));
}

export function video(timestamp: number, body: Uint8Array): OutgoingMessage {
  return { type: messageType.video, streamId: 1, timestamp, body: [body] };
}

export function captureNamed(name: string): Uint8Array {
  const capture = captures.find((one) => one.name === name);
  if (!capture) throw new Error(`there is no capture ${name}`);
  return capture.bytes;
}

/** The sound and pictures of a session. */
export function mediaOf(session: Uint8Array): KeptMessage[] {
  const reader = new ChunkReader(rtmpLimits);
  reader.allowMedia();
  reader.feed(session.subarray(handshakeBytes));
  return readMessages(reader).filter(({ type }) => type === 8 || type === 9);
}

/** Parts whose timestamps count from elsewhere: only their distance means anything. */
export function aggregate(tags: readonly KeptMessage[]): OutgoingMessage {
  const body = tags.flatMap(({ type, timestamp, body }) => {
    const head = Buffer.alloc(11);
    head.writeUInt8(type);
    head.writeUIntBE(body.length, 1, 3);
    head.writeUIntBE(timestamp + 77, 4, 3);
    return [head, body, new Uint8Array(4)];
  });
  return { type: messageType.aggregate, streamId: 1, timestamp: tags[0]?.timestamp ?? 0, body };
}

/** Long enough for every promise that waits on nothing else. */
export function answered(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Until nobody is late, and the next turn is theirs. */
export async function rested(...peers: readonly { socket: HeldSocket }[]): Promise<void> {
  while (peers.some(({ socket }) => socket.isPaused)) await answered();
  await answered();
}

/** As from a socket: what was received is taken back at once. */
export function receiveLent(connection: RtmpConnection, bytes: Uint8Array): void {
  const received = new Uint8Array(bytes);
  connection.receive(received);
  received.fill(0x55);
  received.buffer.transfer(0);
}
