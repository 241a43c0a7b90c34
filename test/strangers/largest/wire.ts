// The most that one read of an RTMP socket can bring: by strangers, players and publishers with a key.
import { Refusals } from '../../../src/base/peers/refusals.ts';
import { nextTurn } from '../../../src/base/turns/turn-slice.ts';
import { writeAmf } from '../../../src/stream/formats/amf.ts';
import { LiveStream } from '../../../src/stream/live/live-stream.ts';
import { pushBounds, pushRates } from '../../../src/stream/live/push-limits.ts';
import { PushesMemory } from '../../../src/stream/live/push-memory.ts';
import { PushMeters } from '../../../src/stream/live/push-meter.ts';
import { Segmenter } from '../../../src/stream/packaging/segmenter.ts';
import { LiveWindow } from '../../../src/stream/playback/live-window.ts';
import { chunksOf, type OutgoingMessage } from '../../../src/stream/rtmp/chunk-writer.ts';
import { clientHandshake } from '../../../src/stream/rtmp/handshake.ts';
import { messageType, userEvent } from '../../../src/stream/rtmp/message.ts';
import {
  commandMessage,
  controlMessage,
  userControlMessage,
} from '../../../src/stream/rtmp/rtmp-command.ts';
import { RtmpConnection } from '../../../src/stream/rtmp/rtmp-connection.ts';
import { rtmpLimits } from '../../../src/stream/rtmp/rtmp-limits.ts';
import { rtmpRefusals } from '../../../src/stream/rtmp/rtmp-refusals.ts';
import { openShared } from '../../../src/stream/rtmp/shared.ts';
import { liveChannel as channel } from '../../fixtures/live-channel.ts';
import { HeldLog, HeldSocket } from '../../fixtures/rtmp/replay.ts';
import { aggregate, clipRecord, header, picture, slice } from '../../support/rude/rude-media.ts';
import type { Largest, Work } from '../../support/stretch.ts';
import { amfOf, longestNames, manyUnits } from './media.ts';

/** What Bun reads of a socket at once is half of this at most. */
const readBytes = rtmpLimits.earlyBytesMax;
const { audio, video, data, command, acknowledgement } = messageType;
const record = clipRecord();
const megabytes = (count: number) => count * 1_048_576;

export const wire: readonly Largest[] = [
  stranger('a handshake, byte by byte', () =>
    Array.from(Buffer.concat([clientHandshake(), new Uint8Array(1_536)]), (byte) =>
      Uint8Array.of(byte),
    ),
  ),
  stranger('a megabyte of empty messages', () => [greeting(), emptyMessages(audio)]),
  stranger('commands that are all values', () => [
    greeting(),
    repeated(message(command, amfOf(16_000))),
  ]),
  player('a megabyte of acknowledgements', () => emptyMessages(acknowledgement)),
  player('a megabyte of pings', () => repeated(ping)),
  player('a megabyte of unknown commands', () =>
    repeated(commandMessage(0, 'createStream', 9, null)),
  ),
  publisher('a megabyte of empty messages', () => [emptyMessages(audio)]),
  publisher('a megabyte of empty data', () => [emptyMessages(data)]),
  publisher('a megabyte of pings', () => [repeated(ping)]),
  publisher('a megabyte of chunk sizes', () => [
    repeated(controlMessage(messageType.setChunkSize, 128)),
  ]),
  publisher('a megabyte of commands that are all values', () => [
    repeated(message(command, amfOf(16_000))),
  ]),
  publisher('a megabyte of metadata that is all names', () => [
    repeated(message(data, metadataOf(rtmpLimits.wordsBytesMax))),
  ]),
  publisher('a megabyte of data that nobody reads', () => [
    repeated(message(data, amfOf(rtmpLimits.dataBytesMax))),
  ]),
  publisher('sixteen messages, a small chunk of each in turn', () => [interleaved(0)]),
  publisher('sixteen messages whose stamps are written out in each chunk', () => [
    interleaved(0x1000000),
  ]),
  publisher('an aggregate of 260,000 empty parts', () =>
    aggregateOf(parts(260_000, () => new Uint8Array())),
  ),
  publisher('an aggregate of 200,000 parts that are one sound each', () =>
    aggregateOf(parts(200_000, () => Uint8Array.of(0xaf, 1, 0x21, 0x10))),
  ),
  publisher('an aggregate of 80,000 pictures of one slice', () =>
    aggregateOf(
      Array.from({ length: 80_000 }, (_, n) => ({
        type: 'video' as const,
        timestamp: n * 8,
        body: picture([slice(20, { isKey: n % 250 === 0 })], { isKey: n % 250 === 0 }),
      })),
    ),
  ),
  publisher('an aggregate of parameters, each other than the last', () =>
    aggregateOf(
      Array.from({ length: 20_000 }, (_, n) => ({
        type: 'video' as const,
        timestamp: n,
        body:
          n % 2 === 0
            ? header(Buffer.concat([record, Uint8Array.of(n >> 8, n)]))
            : picture([slice(20)]),
      })),
    ),
  ),
  publisher('pictures of 4 MB, of the most units', () =>
    Array.from({ length: 4 }, () => longMessage(video, picture(manyUnits(4_096, 1_015)))),
  ),
  publisher('pictures of 4 MB, all one slice', () =>
    Array.from({ length: 4 }, () => longMessage(video, picture([slice(4_194_200)]))),
  ),
  publisher('a picture of 4 MB in chunks of 128 bytes', () => [
    Buffer.concat([
      chunkSize(128),
      ...chunksOf({ ...message(video, picture([slice(4_194_200)])) }, 128),
    ]),
  ]),
];

const ping = userControlMessage(userEvent.pingRequest, 1);

function stranger(what: string, pieces: () => Uint8Array[]): Largest {
  return { name: `a stranger: ${what}`, prepare: () => received(connected(), pieces()) };
}

function player(what: string, bytes: () => Uint8Array): Largest {
  return {
    name: `an RTMP player: ${what}`,
    prepare: async () => {
      const peer = connected();
      peer.connection.receive(Buffer.concat([greeting(), wireOf(play)]));
      await rested(peer);
      return received(peer, [bytes()]);
    },
  };
}

function publisher(what: string, pieces: () => Uint8Array[]): Largest {
  return {
    name: `a publisher: ${what}`,
    prepare: async () => {
      const peer = connected();
      const tracks = [header(record), Uint8Array.of(0xaf, 0, 0x11, 0x90)];
      const [picture, sound] = tracks.map((body, n) => message(n === 0 ? video : audio, body));
      peer.connection.receive(Buffer.concat([greeting(), wireOf(publish)]));
      await rested(peer);
      if (picture && sound) peer.connection.receive(wireOf(picture, sound));
      return received(peer, pieces().flatMap(reads));
    },
  };
}

type Peer = ReturnType<typeof connected>;

/** As from the network: the next read comes when the socket is not paused. */
function received(peer: Peer, pieces: readonly Uint8Array[]): Work {
  return async () => {
    for (const piece of pieces) {
      peer.connection.receive(piece);
      await rested(peer);
    }
    peer.connection.closed();
  };
}

async function rested({ socket }: Peer): Promise<void> {
  do await nextTurn();
  while (socket.isPaused && !socket.isShut && !socket.isTerminated);
}

/** A connection over a socket without a network; who publishes has a stream with its packager and its window. */
function connected() {
  const log = new HeldLog();
  const refusals = new Refusals({ now: () => 0, log }).book('rtmp', rtmpRefusals);
  const socket = new HeldSocket();
  const connection = new RtmpConnection({
    ...openShared({ refusals }),
    socket,
    address: '192.0.2.7',
    network: '192.0.2.7',
    services: {
      openPublication: async () => publication(),
      openPlay: async () => ({ drained: () => {}, close: () => {} }),
    },
    log,
    monotonicMs: () => performance.now(),
  });
  return { connection, socket };
}

function publication() {
  const monotonicMs = () => performance.now();
  const bytes = megabytes(128);
  const memory = new PushesMemory({
    pushBytes: bytes,
    accountBytes: 3 * bytes,
    allBytes: 4 * bytes,
  });
  const rates = pushRates(pushBounds);
  const meter = new PushMeters({ rates, memory, monotonicMs }).open(channel);
  const stream = new LiveStream(channel, 0, { meter });
  const window = new LiveWindow({
    partTargetMs: () => 220,
    onEnded: () => {},
    memory: meter.memory,
  });
  stream.join(new Segmenter({ readers: [window], firstSequence: 1, now: () => 0, meter }));
  return stream.publication({ isHeld: () => true, onMedia: () => {}, onEnd: () => {} });
}

function connect(app: string): OutgoingMessage {
  return commandMessage(0, 'connect', 1, { app, tcUrl: `rtmp://127.0.0.1/${app}` });
}

const publish = [connect('live'), commandMessage(1, 'publish', 5, null, 'key', 'live')];
const play = [connect('play'), commandMessage(1, 'play', 0, null, 'abc')];

function greeting(): Uint8Array {
  return Buffer.concat([clientHandshake(), new Uint8Array(1_536)]);
}

function wireOf(...messages: (OutgoingMessage | OutgoingMessage[])[]): Uint8Array {
  return Buffer.concat(messages.flat().flatMap((one) => chunksOf(one, 128)));
}

function message(type: number, body: Uint8Array): OutgoingMessage {
  return { type, streamId: 1, timestamp: 0, body: [body] };
}

function chunkSize(bytes: number): Uint8Array {
  return wireOf(controlMessage(messageType.setChunkSize, bytes));
}

/** In chunks of the largest size. */
function longMessage(type: number, body: Uint8Array): Uint8Array {
  const { chunkBytesMax } = rtmpLimits;
  return Buffer.concat([chunkSize(chunkBytesMax), ...chunksOf(message(type, body), chunkBytesMax)]);
}

function reads(bytes: Uint8Array): Uint8Array[] {
  const count = Math.ceil(bytes.length / readBytes);
  return Array.from({ length: count }, (_, n) =>
    bytes.subarray(n * readBytes, (n + 1) * readBytes),
  );
}

/** One byte each, after a header that they all repeat. */
function emptyMessages(type: number): Uint8Array {
  const bytes = Buffer.alloc(readBytes, 0xc4);
  bytes.fill(0, 0, 12);
  bytes[0] = 4;
  bytes[7] = type;
  return bytes;
}

function repeated(one: OutgoingMessage): Uint8Array {
  const bytes = wireOf(one);
  return Buffer.concat(Array.from({ length: Math.floor(readBytes / bytes.length) }, () => bytes));
}

/** Messages on all chunk streams that there may be, a chunk of the smallest size of each in turn. */
function interleaved(timestamp: number): Uint8Array {
  const ids = Array.from({ length: rtmpLimits.chunkStreamsMax }, (_, n) => n + 3);
  const messages = ids.map((id) => smallChunks(id, timestamp));
  const count = messages[0]?.length ?? 0;
  const inTurn = Array.from({ length: count }, (_, n) => messages.flatMap((one) => one[n] ?? []));
  return Buffer.concat(inTurn.flat());
}

/** Of a picture of 60,000 bytes on a chunk stream of its own. */
function smallChunks(id: number, timestamp: number): Uint8Array[] {
  const { chunkBytesMin } = rtmpLimits;
  const body = new Uint8Array(60_000);
  const isExtended = timestamp >= 0xffffff;
  const stamp = Buffer.alloc(isExtended ? 4 : 0);
  if (isExtended) stamp.writeUInt32BE(timestamp);
  const head = Buffer.alloc(12);
  head[0] = id;
  head.writeUIntBE(isExtended ? 0xffffff : timestamp, 1, 3);
  head.writeUIntBE(body.length, 4, 3);
  head[7] = video;
  head.writeUInt32LE(1, 8);
  return Array.from({ length: Math.ceil(body.length / chunkBytesMin) }, (_, n) =>
    Buffer.concat([
      n === 0 ? head : Uint8Array.of(0xc0 | id),
      stamp,
      body.subarray(n * chunkBytesMin, (n + 1) * chunkBytesMin),
    ]),
  );
}

function parts(count: number, body: () => Uint8Array) {
  return Array.from({ length: count }, (_, n) => ({
    type: 'audio' as const,
    timestamp: n,
    body: body(),
  }));
}

function aggregateOf(messages: Parameters<typeof aggregate>[0]): Uint8Array[] {
  const body = aggregate(messages);
  if (body.length > rtmpLimits.mediaBytesMax) throw new Error(`it has ${body.length} bytes`);
  return [longMessage(messageType.aggregate, body)];
}

function metadataOf(bytes: number): Uint8Array {
  const name = writeAmf('onMetaData');
  return Buffer.concat([name, longestNames(bytes - name.length)]);
}
