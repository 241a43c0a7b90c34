// One connection without a network: real sessions, every answer, every limit.
import { describe, expect, test } from 'bun:test';
import {
  bent,
  captures,
  handshakeBytes,
  Recorded,
  randomCuts,
  seeded,
} from '../../../test/fixtures/rtmp/replay.ts';
import {
  aggregate,
  answered,
  captureNamed,
  connect,
  connected,
  greeted,
  key,
  mediaOf,
  nothing,
  playing,
  publishing,
  receiveLent,
  video,
} from '../../../test/support/rtmp-peer.ts';
import { readUint32 } from '../../base/bytes/memory.ts';
import { readAmf, writeAmf } from '../formats/amf.ts';
import { messageType } from './message.ts';
import { PlayerBatch } from './player-batch.ts';
import { Refused } from './publish-request.ts';
import { commandMessage, controlMessage, userControlMessage } from './rtmp-command.ts';
import { perSecond, rtmpLimits } from './rtmp-limits.ts';
import type { PlaySource } from './rtmp-player.ts';

describe.each(captures)('the session of $name', ({ bytes, how, key: name }) => {
  test('is the same whole, byte by byte and however it is cut', async () => {
    const whole = await replay([bytes]);
    expect(whole.asked).toEqual([name]);
    expect(whole.events.at(-1)).toBe(how === 'ended' ? 'end ended' : 'end cut');
    expect(whole.log.some((line) => line.includes('4:4:4'))).toBe(how === 'refused');
    const count = (kind: string) => whole.events.filter((event) => event.startsWith(kind)).length;
    expect([count('track'), Math.min(1, count('key'))]).toEqual(
      how === 'refused' ? [0, 0] : [2, 1],
    );
    expect(whole.events[0]).toMatch(/^words /);
    expect((await replay(randomCuts(bytes, 1, () => 0))).events).toEqual(whole.events);
    for (let seed = 1; seed <= 5; seed += 1) {
      const cut = await replay(randomCuts(bytes, 10 ** seed, seeded(seed)));
      expect(cut.events).toEqual(whole.events);
      expect(cut.log).toEqual(whole.log);
    }
  });

  async function replay(pieces: Iterable<Uint8Array>) {
    const peer = connected();
    for (const piece of pieces) {
      receiveLent(peer.connection, piece);
      while (peer.socket.isPaused) await answered();
    }
    peer.connection.closed();
    return { events: peer.publication.events, asked: peer.asked, log: peer.log.lines };
  }
});

describe('bent sessions', () => {
  const bentPerCapture = 500;

  test.each(captures)('of $name end that connection and nothing else', async ({ bytes }) => {
    const random = seeded(bytes.length);
    const handshake = bytes.subarray(0, handshakeBytes);
    const prefix = bytes.subarray(handshakeBytes, 40_000);
    for (let round = 0; round < bentPerCapture; round += 1) {
      const peer = connected();
      const session = Buffer.concat([handshake, bent(prefix, random)]);
      for (const piece of randomCuts(session, 20_000, random)) {
        receiveLent(peer.connection, piece);
        if (peer.socket.isPaused) await answered();
      }
      peer.connection.closed();
      expect(peer.log.lines).toHaveLength(1);
      expect(peer.log.lines[0]).toContain('an RTMP connection closed');
      const ends = peer.publication.events.filter((event) => event.startsWith('end'));
      expect(ends).toHaveLength(peer.asked.length);
    }
  });
});

describe('commands', () => {
  test('connect is answered with window, bandwidth, chunk size and a result', async () => {
    const peer = greeted();
    await peer.send(connect('live'));
    const answers = peer.answers();
    expect(answers.map(({ type }) => type)).toEqual([5, 6, 20]);
    expect(readAmf(answers[2]?.body ?? new Uint8Array())).toMatchObject([
      '_result',
      1,
      { capabilities: 31 },
      { code: 'NetConnection.Connect.Success' },
    ]);
  });

  test('before connect are refused', async () => {
    const peer = greeted();
    await peer.send(commandMessage(0, 'createStream', 1, null));
    expect(peer.socket.isShut).toBe(true);
  });

  test('to another application are refused with the right address', async () => {
    const peer = greeted();
    await peer.send(connect('vod'));
    expect(peer.commands()).toMatchObject([
      ['_error', 1, null, { code: 'NetConnection.Connect.Rejected' }],
    ]);
    expect(peer.socket.isShut).toBe(true);
  });

  test('of a publisher are answered in their order', async () => {
    const peer = greeted();
    await peer.send(connect('live'));
    peer.answers();
    await peer.send(commandMessage(0, 'releaseStream', 2, null, key));
    await peer.send(commandMessage(0, 'FCPublish', 3, null, key));
    await peer.send(commandMessage(0, 'createStream', 4, null));
    await peer.send(commandMessage(1, 'publish', 5, null, `${key}?a=b`, 'live'));
    expect(peer.commands()).toMatchObject([
      ['_result', 2, null],
      ['onFCPublish', 0, null, { code: 'NetStream.Publish.Start' }],
      ['_result', 3, null],
      ['_result', 4, null, 1],
      ['onStatus', 0, null, { level: 'status', code: 'NetStream.Publish.Start' }],
    ]);
    expect(peer.asked).toEqual([key]);
  });

  test('with transaction 0 get no result', async () => {
    const peer = greeted();
    await peer.send(connect('live'));
    peer.answers();
    await peer.send(commandMessage(0, 'releaseStream', 0, null, key));
    await peer.send(commandMessage(0, 'FCPublish', 0, null, key));
    expect(peer.commands().map(([name]) => name)).toEqual(['onFCPublish']);
  });

  test.each([
    ['_checkbw', 6, ['_result']],
    ['getStreamLength', 6, ['_result']],
    ['whatever', 6, ['_error']],
    ['whatever', 0, []],
    ['pause', 0, []],
    ['_result', 6, []],
    ['_error', 6, []],
  ])('%s with transaction %d is answered with %p', async (name, transaction, wanted) => {
    const peer = greeted();
    await peer.send(connect('live'));
    peer.answers();
    await peer.send(commandMessage(0, name, transaction, null, true));
    const answers = peer.commands();
    expect(answers.map(([answer]) => answer)).toEqual(wanted);
    expect(answers.every(([, answerTo]) => answerTo === transaction)).toBe(true);
  });

  test('may stand in the envelope of AMF3', async () => {
    const peer = greeted();
    const { body } = connect('live');
    await peer.send({
      ...connect('live'),
      type: messageType.amf3Command,
      body: [Uint8Array.of(0), ...body],
    });
    expect(peer.commands()).toHaveLength(1);
  });

  test.each(['live/SecretKey0123456789abcdefgh', 'live/SecretKey0123456789abcdefgh?x=1'])(
    'the key may stand in the application: %s',
    async (app) => {
      const peer = greeted();
      await peer.send(connect(app));
      await peer.send(commandMessage(1, 'publish', 5, null, '', 'live'));
      expect(peer.asked).toEqual([key]);
    },
  );

  test('a second publish is refused', async () => {
    const peer = await publishing();
    await peer.send(commandMessage(1, 'publish', 6, null, key, 'live'));
    expect(peer.publication.events).toEqual(['end cut']);
    expect(peer.socket.isShut).toBe(true);
  });
});

describe('a push', () => {
  test.each([
    ['FCUnpublish', key],
    ['deleteStream', 1],
    ['deleteStream', key],
    ['closeStream', 1],
  ])('ends with %s %p', async (name, value) => {
    const peer = await publishing();
    await peer.send(commandMessage(0, name, 0, null, value));
    expect(peer.publication.events).toEqual(['end ended']);
    await peer.send(commandMessage(0, 'deleteStream', 0, null, 1));
    peer.connection.closed();
    expect(peer.publication.events).toEqual(['end ended']);
  });

  test('is cut when the socket closes without a word', async () => {
    const peer = await publishing();
    peer.connection.closed();
    expect(peer.publication.events).toEqual(['end cut']);
  });

  test('of a codec we cannot package is refused with the reason', async () => {
    const peer = await publishing();
    peer.answers();
    await peer.send(video(0, Uint8Array.of(0x1c, 0, 0, 0, 0)));
    const [, , , status] = peer.commands()[0] ?? [];
    expect(status).toMatchObject({ level: 'error', code: 'NetStream.Publish.Rejected' });
    expect((status as { description: string }).description).toContain('HEVC');
    expect(peer.socket.isShut).toBe(true);
    expect(peer.publication.events).toEqual(['end cut']);
  });

  test('of a key that is refused is told why', async () => {
    const openPublication = () => Promise.reject(new Refused('This key is not known', 'key'));
    const peer = await publishing({ openPublication });
    await peer.shut;
    expect(peer.commands().at(-1)).toMatchObject([
      'onStatus',
      0,
      null,
      { level: 'error', code: 'NetStream.Publish.BadName', description: 'This key is not known' },
    ]);
    // A socket that reads on until the peer closes, or the reason would be lost in a reset.
    expect([peer.socket.isShut, peer.socket.isPaused]).toEqual([true, false]);
  });

  test('that fails for a reason of ours is told to try again, and logged', async () => {
    const openPublication = () => Promise.reject(new Error('the disk is on fire'));
    const peer = await publishing({ openPublication });
    expect(JSON.stringify(peer.commands().at(-1))).not.toContain('fire');
    expect(peer.log.lines.join()).toContain('the disk is on fire');
  });

  test('that the service cannot even end leaves the connection closed', async () => {
    const end = () => {
      throw new Error('the hub is broken');
    };
    const broken = Object.assign(new Recorded(), { end });
    const peer = await publishing({ openPublication: async () => broken });
    peer.connection.close('for a test');
    expect(peer.socket.isShut).toBe(true);
    expect(peer.log.lines.join()).toContain('the hub is broken');
  });

  test('may be aborted with a reason the encoder is told', async () => {
    const peer = await publishing();
    peer.answers();
    peer.aborts[0]?.('The key was changed');
    expect(peer.commands()[0]?.[3]).toMatchObject({ description: 'The key was changed' });
    expect(peer.publication.events).toEqual(['end cut']);
  });

  test('that is let in after its connection has gone ends at once', async () => {
    const opening = Promise.withResolvers<Recorded>();
    const peer = await publishing({ openPublication: () => opening.promise });
    peer.connection.closed();
    opening.resolve(peer.publication);
    await answered();
    expect(peer.publication.events).toEqual(['end cut']);
  });

  test('tells the same parameters once, and what comes in aggregates too', async () => {
    const session = captureNamed('obs29-ended');
    const whole = connected();
    whole.connection.receive(session);
    await answered();
    const tags = mediaOf(session);
    const peer = await publishing();
    for (let at = 0; at < tags.length; at += 5) await peer.send(aggregate(tags.slice(at, at + 5)));
    for (const tag of tags.slice(0, 2)) await peer.send({ ...tag, body: [tag.body] });
    const media = whole.publication.events.filter((event) => !/^(words|end)/.test(event));
    expect(peer.publication.events).toEqual(media);
  });

  test('whose words are very long goes on without them', async () => {
    const peer = await publishing();
    const saying = (frameRate: number, bytes: number) => ({
      type: messageType.data,
      streamId: 1,
      timestamp: 0,
      body: [
        writeAmf('onMetaData', { framerate: frameRate }),
        ...Array.from({ length: bytes / 1_000 }, () => writeAmf('x'.repeat(997))),
      ],
    });
    await peer.send(saying(30, 10_000), saying(60, 20_000));
    expect(peer.publication.events).toEqual([expect.stringContaining('"frameRate":30')]);
    expect(peer.socket.isShut).toBe(false);
  });

  test('tells new parameters that come inside a picture before that picture', async () => {
    // OBS writes them into each key frame; the record is another encoder's.
    const [record] = mediaOf(captureNamed('ffmpeg51-ended')).filter(({ type }) => type === 9);
    const [, key] = mediaOf(captureNamed('obs29-ended')).filter(({ type }) => type === 9);
    const peer = await publishing();
    for (const message of [record, key]) await peer.send(video(0, message?.body ?? nothing));
    expect(peer.publication.events.map((event) => event.split(' ')[0])).toEqual([
      'track',
      'track',
      'key',
    ]);
  });

  test('is read on when it did not wait for our answer', async () => {
    const opening = Promise.withResolvers<Recorded>();
    const peer = await publishing({ openPublication: () => opening.promise });
    expect(peer.socket.isPaused).toBe(true);
    await peer.send(video(0, Uint8Array.of(0x1c, 0, 0, 0, 0)));
    expect(peer.socket.isShut).toBe(false);
    opening.resolve(peer.publication);
    await answered();
    expect(peer.socket.isPaused).toBe(false);
    expect(peer.socket.isShut).toBe(true);
  });
});

describe('the log', () => {
  test('has one line a connection, and no key in it', async () => {
    const refuse = () => Promise.reject(new Refused('This key is not known', 'key'));
    for (const peer of [await publishing(), await publishing({ openPublication: refuse })]) {
      await peer.send(commandMessage(0, 'FCUnpublish', 9, null, key));
      peer.connection.closed();
      expect(peer.log.lines).toHaveLength(1);
      expect(peer.log.lines.join()).not.toContain(key);
    }
  });
});

describe('control', () => {
  test('a ping is answered with its own number', async () => {
    const peer = greeted();
    await peer.send(userControlMessage(6, 0xfedcba98));
    const [pong] = peer.answers();
    expect([...(pong?.body ?? [])]).toEqual([0, 7, 0xfe, 0xdc, 0xba, 0x98]);
  });

  test('what was received is acknowledged after each window', async () => {
    const peer = await publishing();
    await peer.send(controlMessage(messageType.windowSize, 20_000));
    peer.answers();
    const data = {
      type: messageType.data,
      streamId: 1,
      timestamp: 0,
      body: [new Uint8Array(9_000)],
    };
    for (let count = 0; count < 5; count += 1) await peer.send(data);
    const acknowledged = peer.answers().map(({ body }) => readUint32(body, 0));
    expect(acknowledged).toHaveLength(2);
    expect(acknowledged[0]).toBeGreaterThan(20_000);
    expect((acknowledged[1] ?? 0) - (acknowledged[0] ?? 0)).toBeGreaterThanOrEqual(20_000);
  });
});

describe('limits', () => {
  const short = 40;

  test.each([
    ['no handshake', { handshakeWithinMs: short }, () => connected],
    ['neither publish nor play', { startWithinMs: short }, () => greeted],
  ] as const)('%s is cut', async (_what, limits, make) => {
    const peer = make()({ limits });
    expect(await peer.shut).toBeGreaterThanOrEqual(short - 1);
  });

  test('a publisher that sends nothing is cut', async () => {
    const peer = await publishing({ limits: { silenceMaxMs: short } });
    expect(await peer.shut).toBeGreaterThanOrEqual(short - 10);
    expect(peer.publication.events).toEqual(['end cut']);
  });

  test('a publisher that sends only pings is cut too, one that sends sound is not', async () => {
    // Longer than a busy machine lets a timer wait.
    const limits = { silenceMaxMs: 20 * short };
    const pinging = await publishing({ limits });
    const sounding = await publishing({ limits });
    const timer = setInterval(() => {
      pinging.send(userControlMessage(6, 1));
      sounding.send({ type: 8, streamId: 1, timestamp: 0, body: [Uint8Array.of(0xaf, 1, 1)] });
    }, short / 4);
    await pinging.shut;
    clearInterval(timer);
    expect(sounding.socket.isShut).toBe(false);
    sounding.connection.closed();
  });

  test('a player that takes nothing is cut', async () => {
    const peer = await playing({ limits: { stallMaxMs: short, closeWithinMs: short } });
    peer.socket.room = 0;
    peer
      .player()
      .send(
        new PlayerBatch([
          { kind: 'audio', timestamp: 0, head: new Uint8Array(2), body: new Uint8Array(9) },
        ]),
      );
    await peer.gone;
    expect(peer.sourceEvents).toEqual(['close']);
  });

  test('a player that is sent nothing is not', async () => {
    const limits = { stallMaxMs: short, closeWithinMs: 1 };
    const idle = await playing({ limits });
    const stalled = await playing({ limits });
    stalled.socket.room = 0;
    stalled
      .player()
      .send(new PlayerBatch([{ kind: 'audio', timestamp: 0, head: nothing, body: nothing }]));
    await stalled.gone;
    expect(idle.socket.isShut).toBe(false);
    idle.connection.closed();
  });

  test('a publisher that reads its answers may ask for many', async () => {
    const peer = await publishing();
    peer.answers();
    const pings = Array.from({ length: 100 }, () => userControlMessage(6, 1));
    for (let count = 0; count < 5; count += 1) await peer.send(...pings);
    expect(peer.answers()).toHaveLength(500);
    expect(peer.socket.isShut).toBe(false);
  });

  test('a peer that lets answers pile up is cut', async () => {
    const peer = await publishing({ limits: { publisherMessages: perSecond(1_000_000) } });
    peer.socket.room = 0;
    const pings = Array.from({ length: 100 }, () => userControlMessage(6, 1));
    let count = 0;
    while (!peer.log.lines[0] && count < 100_000) {
      await peer.send(...pings);
      count += pings.length;
    }
    // A pong has 18 bytes.
    expect(count * 18).toBeLessThan(rtmpLimits.answerBytesMax + 10_000);
    expect(peer.log.lines[0]).toContain('does not read');
    expect(peer.refusals()).toEqual({ unread: 1 });
  });

  test('one that does not wait for an answer may send a megabyte', async () => {
    const peer = await publishing({ openPublication: () => new Promise(() => {}) });
    const piece = new Uint8Array(262_144);
    for (let count = 0; count < 4; count += 1) peer.connection.receive(piece);
    expect(peer.socket.isShut).toBe(false);
    peer.connection.receive(piece);
    expect(peer.socket.isShut).toBe(true);
  });

  test('a goodbye that is not read is cut short', async () => {
    const peer = greeted({ limits: { closeWithinMs: short } });
    await answered();
    peer.socket.room = 0;
    await peer.send(connect('vod'));
    expect(peer.socket.isShut).toBe(false);
    await peer.gone;
  });

  test('a wrong key is told late, and nobody else waits', async () => {
    const openPublication = () => Promise.reject(new Refused('This key is not known', 'key'));
    const wrongKeyWaitMs = 50 * short;
    const limits = { wrongKeyWaitMs };
    const wrong = await publishing({ openPublication, limits });
    const right = await publishing({ shared: wrong.shared });
    expect([wrong.socket.isShut, right.asked]).toEqual([false, [key]]);
    expect(await wrong.shut).toBeGreaterThanOrEqual(wrongKeyWaitMs - 1);
    expect(wrong.refusals()).toEqual({ key: 1 });
  });

  test('a right key at a wrong time is told at once', async () => {
    const openPublication = () => Promise.reject(new Refused('It is live already', 'taken'));
    const peer = await publishing({ openPublication, limits: { wrongKeyWaitMs: 60_000 } });
    expect(peer.socket.isShut).toBe(true);
  });

  test('the key of one who left before its turn is not looked up', async () => {
    const opening = Promise.withResolvers<Recorded>();
    const limits = { lookUpsMax: 1 };
    const first = await publishing({
      openPublication: ({ lookUp }) => lookUp(() => opening.promise),
      limits,
    });
    const left = await publishing({ shared: first.shared });
    const waiting = await publishing({ shared: first.shared });
    left.connection.closed();
    expect(waiting.asked).toEqual([]);
    opening.resolve(first.publication);
    await waiting.started;
    expect(left.asked).toEqual([]);
  });
});

describe('a player', () => {
  test('hears that it begins before the first of it', async () => {
    const peer = await playing();
    expect(peer.commands().map(([, , , status]) => (status as { code: string }).code)).toEqual([
      'NetConnection.Connect.Success',
      'NetStream.Play.Reset',
      'NetStream.Play.Start',
    ]);
  });

  test('gets what is sent, head and body as one', async () => {
    const peer = await playing();
    peer.answers();
    const body = new Uint8Array(200_000).fill(7);
    peer
      .player()
      .send(
        new PlayerBatch([{ kind: 'video', timestamp: 0x1000001, head: Uint8Array.of(1, 2), body }]),
      );
    await answered();
    const [picture] = peer.answers();
    expect(picture).toMatchObject({ type: 9, streamId: 1, timestamp: 0x1000001 });
    expect(picture?.body.toHex()).toBe(`0102${body.toHex()}`);
  });

  test('messages of one tick leave in one write', async () => {
    const peer = await playing();
    const before = peer.socket.written.length;
    for (let count = 0; count < 10; count += 1) {
      peer.player().send(
        new PlayerBatch([
          {
            kind: 'audio',
            timestamp: count,
            head: new Uint8Array(2),
            body: new Uint8Array(9),
          },
        ]),
      );
    }
    await answered();
    expect(peer.socket.written.length).toBe(before + 1);
  });

  test('that was slow is told of when it has caught up', async () => {
    const peer = await playing();
    peer.socket.room = 5;
    peer
      .player()
      .send(
        new PlayerBatch([
          { kind: 'audio', timestamp: 0, head: new Uint8Array(2), body: new Uint8Array(9) },
        ]),
      );
    await answered();
    expect(peer.player().waitingBytes).toBe(12 + 11 - 5);
    peer.socket.room = 1_000;
    peer.connection.drain();
    expect(peer.player().waitingBytes).toBe(0);
    expect(peer.sourceEvents).toEqual(['drained']);
  });

  test('is told of the end and closed', async () => {
    const peer = await playing();
    peer.answers();
    peer.player().end();
    expect(peer.commands().map(([, , , status]) => (status as { code: string }).code)).toEqual([
      'NetStream.Play.UnpublishNotify',
      'NetStream.Play.Stop',
    ]);
    expect(peer.socket.isShut).toBe(true);
    expect(peer.sourceEvents).toEqual(['close']);
  });

  test('that leaves is told of once', async () => {
    const peer = await playing();
    await peer.send(commandMessage(0, 'deleteStream', 0, null, 1));
    peer.connection.closed();
    expect(peer.sourceEvents).toEqual(['close']);
  });

  test('that left before it was let in is told of too', async () => {
    const opening = Promise.withResolvers<PlaySource>();
    const peer = await playing({ openPlay: () => opening.promise });
    peer.connection.closed();
    const closed = Promise.withResolvers<void>();
    opening.resolve({ drained() {}, close: closed.resolve });
    await closed.promise;
    expect(peer.commands()).toHaveLength(1);
  });

  test('of a stream that is not there is told so', async () => {
    const peer = await playing({ openPlay: () => Promise.reject(new Refused('Not live', 'play')) });
    expect(peer.commands().at(-1)?.[3]).toMatchObject({
      code: 'NetStream.Play.StreamNotFound',
      description: 'Not live',
    });
  });

  test('at the address for publishing is refused, and the other way round', async () => {
    const wrongWay = greeted();
    await wrongWay.send(connect('live'), commandMessage(1, 'play', 0, null, 'x'));
    expect(wrongWay.socket.isShut).toBe(true);
    const otherWay = greeted();
    await otherWay.send(connect('play'), commandMessage(1, 'publish', 0, null, 'x'));
    expect(otherWay.socket.isShut).toBe(true);
    expect([...wrongWay.asked, ...otherWay.asked]).toEqual([]);
  });
});
