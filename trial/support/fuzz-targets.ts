// What is fuzzed: each target takes real bytes, bends them and reads them; it returns, or throws what it declares.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keep } from '../../src/base/bytes/memory.ts';
import {
  ProxyHeader,
  ProxyHeaderError,
  type ReadHeader,
} from '../../src/base/peers/proxy-header.ts';
import { Refusals } from '../../src/base/peers/refusals.ts';
import { readAmf } from '../../src/stream/formats/amf.ts';
import { readAudioTag, readVideoTag } from '../../src/stream/formats/flv.ts';
import { flvFileHeader, flvFileTag, readFlvFile } from '../../src/stream/formats/flv-file.ts';
import { readInit, readMoof } from '../../src/stream/formats/fmp4-reader.ts';
import { cleanPicture, videoTrackOf } from '../../src/stream/formats/h264.ts';
import { boxHeaderBytes, readBoxes } from '../../src/stream/formats/mp4-box.ts';
import { MediaError } from '../../src/stream/formats/packet.ts';
import { mendRecording } from '../../src/stream/recording/mend.ts';
import { type RecordedSegment, readIndex } from '../../src/stream/recording/recording-index.ts';
import { type KeptMessage, messageType, WireError } from '../../src/stream/rtmp/message.ts';
import { Refused } from '../../src/stream/rtmp/publish-request.ts';
import { Rejection, readCommand } from '../../src/stream/rtmp/rtmp-command.ts';
import { Publishing, RtmpConnection } from '../../src/stream/rtmp/rtmp-connection.ts';
import { rtmpRefusals } from '../../src/stream/rtmp/rtmp-refusals.ts';
import { openShared } from '../../src/stream/rtmp/shared.ts';
import { HeldSocket, handshakeBytes } from '../../test/fixtures/rtmp/replay.ts';
import type { Random } from '../../test/support/random.ts';
import { bentBytes, cutAtRandom } from './bent-bytes.ts';
import type { RealMedia } from './real-media.ts';
import { SmallRiver } from './small-river.ts';

/** Whether the input was read to its end or refused in the words that are declared for it. */
export type Outcome = 'read' | 'refused';

export interface Target {
  name: string;
  /** How often it is chosen among the others: the cheap ones more often. */
  weight: number;
  run(real: RealMedia, random: Random, folder: string): Outcome | Promise<Outcome>;
}

export const targets: readonly Target[] = [
  { name: 'amf', weight: 200, run: fuzzAmf },
  { name: 'flv', weight: 200, run: fuzzFlv },
  { name: 'flv_file', weight: 20, run: fuzzFlvFile },
  { name: 'h264', weight: 200, run: fuzzH264 },
  { name: 'boxes', weight: 150, run: fuzzBoxes },
  { name: 'index', weight: 80, run: fuzzIndex },
  { name: 'proxy_header', weight: 200, run: fuzzProxyHeader },
  { name: 'session', weight: 100, run: fuzzSession },
  { name: 'push', weight: 45, run: fuzzPush },
  { name: 'mend', weight: 5, run: fuzzMend },
];

function fuzzAmf({ commands }: RealMedia, random: Random): Outcome {
  const message = random.pick(commands);
  const body = bentBytes(message.body, random);
  return declared(() => {
    if (random.whole(0, 1) === 0) readAmf(body);
    else readCommand({ ...message, body });
  });
}

function fuzzFlv({ media }: RealMedia, random: Random): Outcome {
  const { type, body } = random.pick(media);
  const bent = bentBytes(body, random);
  return declared(() => {
    if (type === messageType.video) readVideoTag(bent);
    else readAudioTag(bent);
  });
}

function fuzzFlvFile({ media }: RealMedia, random: Random): Outcome {
  const from = random.whole(0, media.length - 1);
  const tags = media.slice(from, from + 10).map(({ type, timestamp, body }) =>
    flvFileTag({
      type: type === messageType.video ? 'video' : 'audio',
      timestampMs: timestamp,
      body,
    }),
  );
  const bent = bentBytes(Buffer.concat([flvFileHeader(), ...tags]), random);
  return declared(() => {
    for (const { type, body } of readFlvFile(bent)) {
      if (type === 'video') readVideoTag(body);
      if (type === 'audio') readAudioTag(body);
    }
  });
}

/** A picture and the parameters that it is read with, either of them bent. */
function fuzzH264({ media }: RealMedia, random: Random): Outcome {
  const pictures = media.filter(({ type }) => type === messageType.video);
  return declared(() => {
    const record = pictures.find(({ body }) => body[1] === 0)?.body.subarray(5) ?? new Uint8Array();
    const isRecordBent = random.whole(0, 1) === 0;
    const track = videoTrackOf(isRecordBent ? bentBytes(record, random) : record);
    const bytes = random.pick(pictures).body.subarray(5);
    cleanPicture(isRecordBent ? bytes : bentBytes(bytes, random), track);
  });
}

function fuzzBoxes({ segments }: RealMedia, random: Random): Outcome {
  const { init, parts } = random.pick(segments);
  const tracks = readInit(init.bytes);
  const bytes = bentBytes(
    random.whole(0, 3) === 0 ? init.bytes : keep(random.pick(parts).bytes),
    random,
  );
  const read = random.pick([
    () => void [...readBoxes(bytes)],
    () => void readInit(bytes),
    () => void readMoof(bytes.subarray(boxHeaderBytes), tracks),
  ]);
  return declared(read);
}

function fuzzIndex({ recording }: RealMedia, random: Random): Outcome {
  const bent = bentBytes(Buffer.from(recording.index), random);
  return declared(() => void readIndex(Buffer.from(bent).toString()));
}

/** Cut into pieces it must be what it is in one. */
function fuzzProxyHeader(_: RealMedia, random: Random): Outcome {
  const bent = bentBytes(random.pick(proxyHeaders), random);
  const read = (pieces: Iterable<Uint8Array>) => {
    const header = new ProxyHeader();
    let restBytes = 0;
    let peer: string | undefined | null = null;
    for (const piece of pieces) {
      const found: ReadHeader | undefined = peer === null ? header.push(piece) : undefined;
      restBytes += found ? found.rest.length : peer === null ? 0 : piece.length;
      if (found) peer = found.peer;
    }
    return `${peer} ${restBytes}`;
  };
  const told = (pieces: Iterable<Uint8Array>) => {
    try {
      return read(pieces);
    } catch (error) {
      if (error instanceof ProxyHeaderError) return 'refused';
      throw error;
    }
  };
  const whole = told([bent]);
  if (told(cutAtRandom(bent, 20, random)) !== whole) throw new Error('in pieces it is another');
  return whole === 'refused' ? 'refused' : 'read';
}

/** A recording as damage left it, both files: it must be mended into what can be read, or into nothing. */
async function fuzzMend(real: RealMedia, random: Random, folder: string): Promise<Outcome> {
  const { file, index } = real.recording;
  const short = file.subarray(0, random.whole(0, file.length));
  mkdirSync(folder, { recursive: true });
  const source = random.whole(0, 1) === 0 ? bentBytes(short, random) : short;
  const lines = random.whole(0, 1) === 0 ? bentBytes(Buffer.from(index), random) : index;
  writeFileSync(join(folder, 'source.mp4'), source);
  writeFileSync(join(folder, 'source.index'), lines);
  const segments = await mendRecording(folder);
  const again = await mendRecording(folder);
  if (placesOf(again) !== placesOf(segments)) throw new Error('mended twice it is another');
  return segments.length > 0 ? 'read' : 'refused';
}

/** As balancers send them, with the first bytes of RTMP behind: lines, addresses of each family, what they add. */
const proxyHeaders = [
  Buffer.from('PROXY TCP4 203.0.113.7 192.0.2.1 50000 1935\r\n\x03abc'),
  Buffer.from('PROXY TCP6 2001:db8::7 2001:db8::1 50000 1935\r\n\x03abc'),
  Buffer.from('PROXY UNKNOWN\r\n\x03abc'),
  binaryHeader(0x21, 0x11, 'cb007107c0000201c350078f03000a'),
  binaryHeader(0x21, 0x21, `20010db8${'00'.repeat(11)}0720010db8${'00'.repeat(11)}01c350078f`),
  binaryHeader(0x21, 0x31, '2f'.repeat(216)),
  binaryHeader(0x20, 0x00, ''),
  binaryHeader(0x21, 0x11, `cb007107c0000201c350078f040400${'00'.repeat(1_024)}`),
];

function binaryHeader(command: number, family: number, body: string): Uint8Array {
  const bytes = Buffer.from(body, 'hex');
  const head = Buffer.from('0d0a0d0a000d0a515549540a00000000', 'hex');
  head[12] = command;
  head[13] = family;
  head.writeUInt16BE(bytes.length, 14);
  return Buffer.concat([head, bytes, Buffer.from('\x03abc')]);
}

function placesOf(segments: readonly RecordedSegment[]): string {
  return segments
    .map(({ init, at, size, durationMs, startsAt }) => [init.at, at, size, durationMs, startsAt])
    .join(' ');
}

/** All in one turn: what is found must be found again from the same seed. */
const unhurried = { publisherTurnMs: 600_000, strangerTurnMs: 600_000 };

/** Bytes behind a handshake, bent before or after they are cut into pieces; all the way to the playlist. */
async function fuzzSession(real: RealMedia, random: Random): Promise<Outcome> {
  const bytes = random.pick(real.sessions);
  const length = random.pick([600, 3_000, 20_000, 80_000]);
  const plain = bytes.subarray(handshakeBytes, handshakeBytes + length);
  const pieces = [
    random.whole(0, 20) === 0
      ? bentBytes(bytes.subarray(0, handshakeBytes), random)
      : bytes.subarray(0, handshakeBytes),
    bentBytes(plain, random),
  ];
  const river = new SmallRiver();
  const socket = new HeldSocket();
  const problems: unknown[] = [];
  const log = logInto(problems);
  const refusals = new Refusals({ now: () => 0, log }).book('rtmp', rtmpRefusals);
  const connection = new RtmpConnection({
    ...openShared({ refusals, limits: unhurried }),
    socket,
    address: '127.0.0.1',
    network: '127.0.0.1',
    services: {
      openPublication: async () => river.publication(),
      openPlay: async () => {
        throw new Refused('No live channel has this play address', 'play');
      },
    },
    log,
    monotonicMs: () => 0,
  });
  for (const piece of cutAtRandom(Buffer.concat(pieces), random.pick([50, 4_000]), random)) {
    // The reader must copy what it keeps: these bytes are overwritten, as a socket's are.
    const shared = Uint8Array.from(piece);
    connection.receive(shared);
    shared.fill(0xaa);
    for (let turns = 0; socket.isPaused && turns < 20; turns++) await Promise.resolve();
  }
  const outcome = socket.isShut || socket.isTerminated ? 'refused' : 'read';
  connection.closed();
  river.end();
  if (problems.length > 0) throw problems[0];
  return outcome;
}

/** Messages whose bodies or times are bent, past the chunks: they reach the packager. */
function fuzzPush(real: RealMedia, random: Random): Outcome {
  const messages = random.pick(real.pushes);
  const river = new SmallRiver();
  const publishing = new Publishing(river.publication());
  const outcome = declared(() => {
    for (const message of bentPush(messages, random)) publishing.take(message);
  });
  river.end();
  return outcome;
}

const pushedMax = 200;

function* bentPush(messages: readonly KeptMessage[], random: Random): Generator<KeptMessage> {
  const everyNth = random.pick([3, 10, 40]);
  let shift = 0;
  for (const message of messages.slice(0, random.whole(1, pushedMax))) {
    const isBent = random.whole(1, everyNth) === 1;
    const what = random.pick(['body', 'time', 'times', 'left out', 'twice'] as const);
    if (isBent && what === 'left out') continue;
    if (isBent && what === 'times')
      shift = random.pick([0, 1_000, 3_600_000, 0x7fffffff, 0xffff0000]);
    const timestamp =
      isBent && what === 'time' ? random.whole(0, 0xffffffff) : (message.timestamp + shift) >>> 0;
    const body = isBent && what === 'body' ? bentBytes(message.body, random) : message.body;
    yield { ...message, timestamp, body };
    if (isBent && what === 'twice') yield { ...message, timestamp, body };
  }
}

function declared(read: () => void): Outcome {
  try {
    read();
    return 'read';
  } catch (error) {
    if (error instanceof MediaError || error instanceof WireError || error instanceof Rejection)
      return 'refused';
    throw error;
  }
}

/** A connection tells of an error of our own in its log alone. */
function logInto(problems: unknown[]) {
  const nothing = () => {};
  return {
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: (message: string, fields: { error?: unknown } = {}) =>
      void problems.push(fields.error ?? new Error(message)),
    request: nothing,
    flush: nothing,
  };
}
