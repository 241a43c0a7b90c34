import { describe, expect, test } from 'bun:test';
import { HeldSocket } from '../../../test/fixtures/rtmp/replay.ts';
import { nextTurn } from '../../base/turns/turn-slice.ts';
import { type HeldBytes, uncounted } from '../live/push-memory.ts';
import { SendTurns } from './send-turns.ts';
import { SocketWriter } from './socket-writer.ts';

/** Of sockets that share nothing. */
const alone = {
  turns: new SendTurns({ turnMs: Infinity }),
  unread: uncounted,
  network: '192.0.2.1',
};

describe('a writer', () => {
  test('writes what comes in one tick at once', async () => {
    const { socket, writer } = writerOn();
    writer.write([bytes('a'), bytes('b')]);
    writer.write([bytes('c')]);
    expect(socket.written).toEqual([]);
    expect(writer.waitingBytes).toBe(3);
    await tick();
    expect(texts(socket)).toEqual(['abc']);
    expect(writer.waitingBytes).toBe(0);
  });

  test('does not copy a piece that stands alone', async () => {
    const given: Uint8Array[] = [];
    const write = (piece: Uint8Array) => given.push(piece) && piece.length;
    const { writer } = writerOn({ write });
    const piece = bytes('alone');
    writer.write([piece]);
    await tick();
    expect(given[0]).toBe(piece);
  });

  test('copies little: what is long waits as it is, for many sockets', async () => {
    const given: Uint8Array[] = [];
    const write = (piece: Uint8Array) => given.push(piece) && piece.length;
    const { writer } = writerOn({ write, bytesMax: 10_000_000 });
    const long = new Uint8Array(1_048_576);
    writer.write([bytes('a'), bytes('b'), long, bytes('c')]);
    await tick();
    expect(given.map(({ length }) => length)).toEqual([2, 262_144, 262_144, 262_144, 262_144, 1]);
    expect(given.filter(({ buffer }) => buffer === long.buffer).length).toBe(4);
  });

  test('keeps what the socket does not take, in order, until it drains', async () => {
    const { socket, writer, told } = writerOn();
    socket.room = 2;
    writer.write([bytes('abc')]);
    await tick();
    writer.write([bytes('de')]);
    await tick();
    expect(texts(socket)).toEqual(['ab']);
    expect([writer.waitingBytes, writer.takenBytes]).toEqual([3, 2]);
    expect(told).toEqual([]);
    socket.room = Number.POSITIVE_INFINITY;
    writer.drain();
    expect(texts(socket)).toEqual(['ab', 'c', 'de']);
    expect(told).toEqual(['drained']);
    expect([writer.waitingBytes, writer.takenBytes]).toEqual([0, 5]);
  });

  test('tells of a drain only when it had been full and all is taken', async () => {
    const { socket, writer, told } = writerOn();
    writer.drain();
    expect(told).toEqual([]);
    socket.room = 0;
    writer.write([bytes('abcd')]);
    await tick();
    socket.room = 3;
    writer.drain();
    expect(told).toEqual([]);
    socket.room = 3;
    writer.drain();
    expect(told).toEqual(['drained']);
  });

  test('tells of a drain, too, when its turn came late', async () => {
    let at = 0;
    const turns = new SendTurns({ turnMs: 1, monotonicMs: () => ++at });
    const { socket, writer, told } = writerOn({ turns });
    writer.write([bytes('a')]);
    await tick();
    writer.write([bytes('bc')]);
    await tick();
    expect([texts(socket), told]).toEqual([['a'], []]);
    await nextTurn();
    expect([texts(socket), told]).toEqual([['a', 'bc'], ['drained']]);
  });

  test('has nothing counted any more once it is closed', async () => {
    const counted: number[] = [];
    const { socket, writer } = writerOn({ unread: { set: (held) => counted.push(held) } });
    socket.room = 1;
    writer.write([bytes('abc')]);
    await tick();
    writer.close();
    expect(counted).toEqual([3, 2, 0]);
  });

  test('gives up when more waits than may', async () => {
    const { socket, writer, told } = writerOn({ bytesMax: 10 });
    socket.room = 0;
    writer.write([bytes('0123456789')]);
    await tick();
    expect(told).toEqual([]);
    writer.write([bytes('x')]);
    expect(told).toEqual(['overflow']);
    expect(writer.waitingBytes).toBe(0);
    writer.write([bytes('y')]);
    expect(told).toEqual(['overflow']);
  });

  test('takes the refusal of a closed socket for a full one', async () => {
    const { writer } = writerOn({ write: () => -1 });
    writer.write([bytes('abc')]);
    await tick();
    expect(writer.waitingBytes).toBe(3);
  });
});

test('a reader that stalls gets every byte in order once it reads again', async () => {
  const total = 24 * 1_048_576;
  const drained = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<SocketWriter>();
  const listener = Bun.listen<SocketWriter | undefined>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        const writer = new SocketWriter({
          socket,
          bytesMax: total,
          ...alone,
          onDrained: drained.resolve,
          onOverflow: () => drained.reject(new Error('overflow')),
        });
        socket.data = writer;
        opened.resolve(writer);
      },
      drain: (socket) => socket.data?.drain(),
      data() {},
    },
  });
  const hash = new Bun.CryptoHasher('sha256');
  let receivedBytes = 0;
  const allReceived = Promise.withResolvers<void>();
  const client = await Bun.connect({
    hostname: '127.0.0.1',
    port: listener.port,
    socket: {
      open: (socket) => socket.pause(),
      data(_, received) {
        hash.update(received);
        receivedBytes += received.length;
        if (receivedBytes === total) allReceived.resolve();
      },
    },
  });
  const writer = await opened.promise;
  const sent = new Bun.CryptoHasher('sha256');
  for (let at = 0; at < total; at += 65_536) {
    const piece = new Uint8Array(65_536).fill(at / 65_536);
    sent.update(piece);
    writer.write([piece.subarray(0, 12), piece.subarray(12)]);
    await tick();
  }
  // More than the system holds for both ends, so most of it waits with us.
  expect(writer.waitingBytes).toBeGreaterThan(total / 2);
  const { waitingBytes } = writer;
  client.resume();
  await Promise.all([drained.promise, allReceived.promise]);
  expect(writer.waitingBytes).toBeLessThan(waitingBytes);
  expect(hash.digest('hex')).toBe(sent.digest('hex'));
  client.terminate();
  listener.stop(true);
});

function writerOn({
  bytesMax = 1_000,
  write,
  ...shared
}: {
  bytesMax?: number;
  write?: (piece: Uint8Array) => number;
  turns?: SendTurns;
  unread?: HeldBytes;
} = {}) {
  const socket = new HeldSocket();
  const told: string[] = [];
  const writer = new SocketWriter({
    socket: write ? { write } : socket,
    bytesMax,
    ...alone,
    ...shared,
    onDrained: () => told.push('drained'),
    onOverflow: () => told.push('overflow'),
  });
  return { socket, writer, told };
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function texts(socket: HeldSocket): string[] {
  return socket.written.map((written) => Buffer.from(written).toString());
}

function tick(): Promise<void> {
  return Promise.resolve();
}
