// The server and the client together, over real sockets on loopback.
import { afterEach, describe, expect, test } from 'bun:test';
import { captures, HeldLog, handshakeBytes, Recorded } from '../../../test/fixtures/rtmp/replay.ts';
import { readMessages } from '../../../test/support/read-messages.ts';
import { openLibc } from '../../base/lib/libc.ts';
import { Refusals } from '../../base/peers/refusals.ts';
import { ecmaArray, writeAmf } from '../formats/amf.ts';
import { ChunkReader } from './chunk-reader.ts';
import { chunksOf } from './chunk-writer.ts';
import { clientHandshake, Handshake, serverHandshake } from './handshake.ts';
import { type KeptMessage, keepMessage, messageType } from './message.ts';
import { PlayerBatch } from './player-batch.ts';
import { type PublicationRequest, Refused } from './publish-request.ts';
import { playFrom, publishTo, type RtmpPublisher } from './rtmp-client.ts';
import { userControlMessage } from './rtmp-command.ts';
import { arrivalRates, rtmpLimits } from './rtmp-limits.ts';
import type { Player } from './rtmp-player.ts';
import { rtmpRefusals } from './rtmp-refusals.ts';
import { type RtmpServer, type RtmpServerOptions, startRtmpServer } from './rtmp-server.ts';

const running: RtmpServer[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

describe('a publisher', () => {
  test.each([128, 4_096, 65_536])('arrives whole in chunks of %d bytes', async (chunkSize) => {
    const { url, pushes } = serve();
    const publisher = await publishTo(`${url}/live/key?token=x`, { chunkSize });
    sendMedia(publisher);
    await publisher.end();
    expect(await pushes[0]?.publication.ended.promise).toBe('ended');
    expect(pushes[0]?.request.key).toBe('key');
    expect(pushes[0]?.publication.events).toEqual(await sessionEvents());
    expect(await publisher.closed).toBe('the push is over');
  });

  test('arrives whole in the smallest slices, though it has closed before they were over', async () => {
    const limits = { publisherTurnMs: 0.000_001, strangerTurnMs: 0.000_001, strangerRestMs: 0 };
    const { server, pushes } = serve({ limits });
    await talk(server.port, captures[0]?.bytes ?? '');
    expect(await pushes[0]?.publication.ended.promise).toBe('ended');
    expect(pushes[0]?.publication.events).toEqual(await sessionEvents());
  });

  test('whose line breaks is cut', async () => {
    const { url, pushes } = serve();
    const publisher = await publishTo(`${url}/live/key`);
    publisher.cut();
    expect(await pushes[0]?.publication.ended.promise).toBe('cut');
    expect(await publisher.closed).toBe('it was cut');
  });

  test('is refused with the sentence of the service', async () => {
    const openPublication = () => Promise.reject(new Refused('This key is not known', 'key'));
    const { url, log } = serve({ openPublication });
    await expect(publishTo(`${url}/live/SecretKey0123456789`)).rejects.toThrow(
      'This key is not known',
    );
    expect(log.lines.join()).not.toContain('SecretKey');
  });

  test('is refused where there is no such application', async () => {
    const { url } = serve();
    await expect(publishTo(`${url}/vod/key`)).rejects.toThrow('rtmp://HOST/live/KEY');
  });

  test('of HEVC is told why while it sends', async () => {
    const { url, pushes } = serve();
    const publisher = await publishTo(`${url}/live/key`);
    publisher.send({ type: 'video', timestampMs: 0, body: Uint8Array.of(0x1c, 0, 0, 0, 0) });
    // It does not look at our answer before it has sent much more.
    for (let count = 0; count < 50; count += 1) {
      publisher.send({ type: 'video', timestampMs: 0, body: new Uint8Array(50_000).fill(0x1c) });
    }
    expect(await publisher.closed).toContain('HEVC');
    expect(pushes[0]?.publication.events).toEqual(['end cut']);
  });

  test('is told when the service ends its push', async () => {
    const { url, pushes } = serve();
    const publisher = await publishTo(`${url}/live/key`);
    pushes[0]?.request.abort('The key was changed');
    expect(await publisher.closed).toBe('The key was changed');
    expect(await pushes[0]?.publication.ended.promise).toBe('cut');
  });

  test('that freezes is cut', async () => {
    const { url, pushes } = serve({ limits: { silenceMaxMs: 50 } });
    const publisher = await publishTo(`${url}/live/key`);
    expect(await pushes[0]?.publication.ended.promise).toBe('cut');
    expect(await publisher.closed).toBe('the server closed the connection');
  });

  test('is not mixed up with another', async () => {
    const { url, pushes } = serve();
    const publishers = await Promise.all([
      publishTo(`${url}/live/one`, { chunkSize: 128 }),
      publishTo(`${url}/live/two`, { chunkSize: 1_000 }),
    ]);
    for (const publisher of publishers) sendMedia(publisher);
    await Promise.all(publishers.map((publisher) => publisher.end()));
    await Promise.all(pushes.map(({ publication }) => publication.ended.promise));
    const wanted = await sessionEvents();
    expect(pushes.map(({ request }) => request.key).sort()).toEqual(['one', 'two']);
    for (const { publication } of pushes) expect(publication.events).toEqual(wanted);
  });
});

describe('a player', () => {
  test('gets what is sent, until the end', async () => {
    const { url, players } = serve();
    const received: string[] = [];
    const playback = await playFrom(`${url}/play/abc`, {
      media: ({ kind, timestamp, body }) => received.push(`${kind} ${timestamp} ${body.toHex()}`),
      metadata: (values) => received.push(JSON.stringify(values)),
    });
    const [player] = players;
    const told = writeAmf('onMetaData', ecmaArray({ width: 640 }));
    player?.send(
      new PlayerBatch([{ kind: 'data', timestamp: 0, head: new Uint8Array(0), body: told }]),
    );
    player?.send(
      new PlayerBatch([
        { kind: 'video', timestamp: 5, head: Uint8Array.of(1), body: Uint8Array.of(2) },
      ]),
    );
    player?.send(
      new PlayerBatch([
        { kind: 'audio', timestamp: 6, head: Uint8Array.of(3), body: Uint8Array.of(4) },
      ]),
    );
    player?.end();
    expect(await playback.closed).toBe('the server closed the connection');
    expect(received).toEqual(['{"width":640}', 'video 5 0102', 'audio 6 0304']);
  });

  test('that stalls holds up nobody, and gets the rest when it reads again', async () => {
    const { url, players, drained } = serve();
    const counts = { stalled: 0, steady: 0 };
    const all = 200;
    const stalledHasAll = Promise.withResolvers<void>();
    const steadyHasAll = Promise.withResolvers<void>();
    const stalled = await playFrom(`${url}/play/abc`, {
      media() {
        counts.stalled += 1;
        if (counts.stalled === all) stalledHasAll.resolve();
      },
    });
    const steady = await playFrom(`${url}/play/abc`, {
      media() {
        counts.steady += 1;
        if (counts.steady === all) steadyHasAll.resolve();
      },
    });
    stalled.pause();
    const body = new Uint8Array(70_000);
    for (let count = 0; count < all; count += 1) {
      for (const player of players) {
        player.send(
          new PlayerBatch([{ kind: 'video', timestamp: count, head: Uint8Array.of(1), body }]),
        );
      }
      await new Promise(setImmediate);
    }
    await steadyHasAll.promise;
    expect(players[0]?.waitingBytes).toBeGreaterThan(1_000_000);
    expect(counts.stalled).toBeLessThan(all);
    stalled.resume();
    await stalledHasAll.promise;
    expect(players[0]?.waitingBytes).toBe(0);
    expect(drained).toContain(players[0] as Player);
    stalled.close();
    steady.close();
  });

  test('of a stream that is not there is told so', async () => {
    const { url } = serve({ openPlay: () => Promise.reject(new Refused('Not live', 'play')) });
    await expect(playFrom(`${url}/play/abc`, { media() {} })).rejects.toThrow('Not live');
  });
});

describe('connections', () => {
  test('that only wait make room, and whoever publishes stays', async () => {
    const { url, server, refusals } = serve({ limits: { strangersMax: 4 } });
    const first = await publishTo(`${url}/live/a`);
    const crowd = await Promise.all(Array.from({ length: 12 }, () => waitAt(server.port)));
    // A newcomer finds a place, however many wait.
    const second = await publishTo(`${url}/live/b`);
    expect(refusals()['crowded']).toBeGreaterThanOrEqual(10);
    await Promise.all([first.end(), second.end()]);
    for (const socket of crowd) socket.end();
  });

  test('that come in one moment all have their turn', async () => {
    const { server, refusals } = serve({ limits: { strangerTurnMs: 0.001, strangerRestMs: 1 } });
    const crowd = await Promise.all(Array.from({ length: 20 }, () => waitAt(server.port)));
    expect(Object.values(refusals()).every((count) => count === 0)).toBe(true);
    for (const socket of crowd) socket.end();
  });

  test('that wait for their turn may leave, and are let go when the server stops', async () => {
    const limits = { strangerTurnMs: 0.001, strangerRestMs: 600_000 };
    const { server, log } = serve({ limits });
    const crowd = await Promise.all(Array.from({ length: 5 }, () => visit(server.port)));
    const [, second] = crowd;
    second?.terminate();
    await server.stop();
    await Promise.all(crowd.map(({ data }) => data.promise));
    expect(log.lines.filter((line) => line.includes('failed'))).toEqual([]);
  });

  test('more than a network may open are closed before anything is made for them', async () => {
    const { server, refusals } = serve({ limits: arrivalRates(5), monotonicMs: () => 0 });
    const crowd = await Promise.all(Array.from({ length: 4 }, () => waitAt(server.port)));
    // They are on their way when the system is told to take no more.
    const [, sixth] = await Promise.all([visit(server.port), visit(server.port)]);
    await sixth.data.promise;
    expect(refusals()).toMatchObject({ connects: 1, crowded: 0, handshake: 0 });
    for (const socket of crowd) socket.end();
  });

  test('come as well where the system keeps nobody out', async () => {
    const limits = arrivalRates(5);
    const { server, refusals, log } = serve({ limits, monotonicMs: () => 0, libc: undefined });
    expect(log.lines.filter((line) => line.includes('not kept out'))).toHaveLength(1);
    const crowd = await Promise.all(Array.from({ length: 5 }, () => waitAt(server.port)));
    for (const count of [1, 2]) {
      const late = await visit(server.port);
      await late.data.promise;
      expect(refusals()).toMatchObject({ connects: count, dropped: 0 });
    }
    for (const socket of crowd) socket.end();
  });

  test('of an allowed network make room only where all places are taken', async () => {
    const limits = { strangersMax: 4 };
    const { server, refusals } = serve({ limits, isAllowed: () => true });
    const crowd = await Promise.all(Array.from({ length: 4 }, () => waitAt(server.port)));
    expect(refusals()['crowded']).toBe(0);
    crowd.push(await waitAt(server.port));
    await crowd[0]?.data.closed.promise;
    expect(refusals()['crowded']).toBe(1);
    for (const socket of crowd) socket.end();
  });

  test('are let go when the server stops', async () => {
    const { server, url, pushes } = serve();
    const publisher = await publishTo(`${url}/live/a`);
    const playback = await playFrom(`${url}/play/a`, { media() {} });
    await server.stop();
    expect(await publisher.closed).toBe('the server closed the connection');
    expect(await playback.closed).toBe('the server closed the connection');
    expect(pushes[0]?.publication.events).toEqual(['end cut']);
    await expect(publishTo(`${url}/live/a`)).rejects.toThrow('cannot be reached');
  });

  test('that talk nonsense harm nobody', async () => {
    const { url, server, pushes } = serve();
    const publisher = await publishTo(`${url}/live/a`);
    const answers = await Promise.all(
      ['GET / HTTP/1.1\r\n\r\n', '\u0006'.repeat(2_000), `\u0003${'x'.repeat(4_000)}`].map((text) =>
        talk(server.port, text),
      ),
    );
    expect(answers.map((bytes) => bytes > 0)).toEqual([false, false, true]);
    await publisher.end();
    expect(await pushes[0]?.publication.ended.promise).toBe('ended');
  });
});

describe('the client', () => {
  test.each(['http://127.0.0.1/live/Secret', 'rtmp:///live/Secret', 'nonsense Secret'])(
    'says what an address looks like, not what it was given: %s',
    async (url) => {
      await expect(publishTo(url)).rejects.toThrow(
        'An RTMP address looks like rtmp://HOST/APP/NAME',
      );
    },
  );

  test('answers pings, which some servers want of a publisher', async () => {
    const pong = Promise.withResolvers<KeptMessage>();
    const reader = new ChunkReader(rtmpLimits);
    const listener = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data(socket, bytes) {
          const rest = handshake.isDone ? bytes : handshake.push(bytes);
          reader.feed(Uint8Array.from(rest));
          for (let message = reader.next(); message; message = reader.next()) {
            if (message.type === messageType.userControl) pong.resolve(keepMessage(message));
            else socket.write(Buffer.concat(chunksOf(userControlMessage(6, 0x01020304), 128)));
          }
        },
        open(socket) {
          handshake = new Handshake((hello) => socket.write(serverHandshake(hello)));
        },
      },
    });
    let handshake = new Handshake(() => {});
    const refused = publishTo(`rtmp://127.0.0.1:${listener.port}/live/a`).catch(String);
    expect((await pong.promise).body.toHex()).toBe('000701020304');
    listener.stop(true);
    expect(await refused).toContain('closed the connection');
  });

  test('that was cut while its socket opened leaves none behind', async () => {
    const closed = Promise.withResolvers<void>();
    const listener = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data() {}, close: () => closed.resolve() },
    });
    const controller = new AbortController();
    const { signal } = controller;
    const cut = publishTo(`rtmp://127.0.0.1:${listener.port}/live/a`, { signal }).catch(String);
    controller.abort();
    expect(await cut).toContain('it was cut');
    await closed.promise;
    listener.stop(true);
  });

  test('does not wait for ever', async () => {
    const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
    const url = `rtmp://127.0.0.1:${silent.port}/live/a`;
    await expect(publishTo(url, { timeoutMs: 30 })).rejects.toThrow('did not answer in time');
    await expect(publishTo(url, { signal: AbortSignal.timeout(30) })).rejects.toThrow('cut');
    silent.stop(true);
  });
});

interface Push {
  request: PublicationRequest;
  publication: Recorded;
}

function serve(options: Partial<RtmpServerOptions> = {}) {
  const pushes: Push[] = [];
  const players: Player[] = [];
  const drained: Player[] = [];
  const log = new HeldLog();
  const refusals = new Refusals({ now: () => 0, log: new HeldLog() });
  const server = startRtmpServer({
    host: '127.0.0.1',
    port: 0,
    openPublication: async (request) => {
      const publication = new Recorded();
      pushes.push({ request, publication });
      return publication;
    },
    openPlay: async (_, player) => {
      players.push(player);
      return { drained: () => drained.push(player), close() {} };
    },
    libc: openLibc(),
    log,
    refusals: refusals.book('rtmp', rtmpRefusals),
    ...options,
    limits: { wrongKeyWaitMs: 1, ...options.limits },
  });
  running.push(server);
  const url = `rtmp://127.0.0.1:${server.port}`;
  const counts = () => refusals.counts.get('rtmp') ?? {};
  return { server, url, pushes, players, drained, log, refusals: counts };
}

/** Connects and says nothing; its data is that it was closed. */
function visit(port: number) {
  return Bun.connect<PromiseWithResolvers<void>>({
    hostname: '127.0.0.1',
    port,
    data: Promise.withResolvers(),
    socket: { data() {}, close: ({ data }) => data.resolve() },
  });
}

/** Connects and shakes hands, and then says nothing more. */
async function waitAt(port: number) {
  const greeted = Promise.withResolvers<void>();
  let bytes = 0;
  const socket = await Bun.connect<{ closed: PromiseWithResolvers<void> }>({
    hostname: '127.0.0.1',
    port,
    data: { closed: Promise.withResolvers() },
    socket: {
      open: (opened) => void opened.write(Buffer.concat([clientHandshake(), new Uint8Array(1536)])),
      data(_, received) {
        bytes += received.length;
        if (bytes >= handshakeBytes) greeted.resolve();
      },
      close(closed) {
        greeted.resolve();
        closed.data.closed.resolve();
      },
    },
  });
  await greeted.promise;
  return socket;
}

const tagTypes: Record<number, 'audio' | 'video' | 'script'> = { 8: 'audio', 9: 'video' };

function sendMedia(publisher: RtmpPublisher): void {
  for (const { type, timestamp, body } of sessionMedia()) {
    publisher.send({ type: tagTypes[type] ?? 'script', timestampMs: timestamp, body });
  }
}

/** Sound, pictures and metadata of a session of OBS. */
function sessionMedia(): KeptMessage[] {
  const reader = new ChunkReader(rtmpLimits);
  reader.allowMedia();
  reader.feed(captures[0]?.bytes.subarray(handshakeBytes) ?? new Uint8Array());
  const messages: KeptMessage[] = [];
  for (const message of readMessages(reader)) {
    if (message.type in tagTypes) messages.push(message);
    // The publisher puts its own call before what a file would hold.
    if (message.type === messageType.data)
      messages.push({ ...message, body: message.body.subarray(writeAmf('@setDataFrame').length) });
  }
  return messages;
}

/** What OBS's own bytes become. */
async function sessionEvents(): Promise<string[]> {
  const { server, pushes } = serve();
  await talk(server.port, captures[0]?.bytes ?? '');
  const [push] = pushes;
  await push?.publication.ended.promise;
  return push?.publication.events ?? [];
}

/** Sends bytes, ends its side and counts what comes back until the server closes. */
async function talk(port: number, bytes: Uint8Array | string): Promise<number> {
  let receivedBytes = 0;
  let rest = Buffer.from(bytes as string);
  const closed = Promise.withResolvers<void>();
  const push = (socket: Bun.Socket) => {
    rest = rest.subarray(Math.max(0, socket.write(rest)));
    if (rest.length === 0) socket.shutdown();
  };
  await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      open: push,
      drain: push,
      data(_, received) {
        receivedBytes += received.length;
      },
      close: () => closed.resolve(),
    },
  });
  await closed.promise;
  return receivedBytes;
}

test('what a socket has handed over is ours: Bun does not write to it again', async () => {
  const bytesMin = 20_000_000;
  const received: { bytes: Uint8Array; hash: number | bigint }[] = [];
  let receivedBytes = 0;
  const hasAll = Promise.withResolvers<void>();
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      binaryType: 'uint8array',
      data(_, bytes) {
        received.push({ bytes, hash: Bun.hash(bytes) });
        receivedBytes += bytes.length;
        if (receivedBytes > bytesMin) hasAll.resolve();
      },
    },
  });
  const noise = crypto.getRandomValues(new Uint8Array(60_000));
  const send = (socket: Bun.Socket) => {
    while (socket.write(noise) === noise.length) noise[0] = received.length;
  };
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: listener.port,
    socket: { data() {}, open: send, drain: send },
  });
  await hasAll.promise;
  socket.terminate();
  listener.stop(true);
  expect(received.length).toBeGreaterThan(10);
  expect(received.filter(({ bytes, hash }) => Bun.hash(bytes) !== hash)).toEqual([]);
});
