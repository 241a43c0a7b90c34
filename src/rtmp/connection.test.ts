// One connection without a network: real sessions, every answer, every limit.
import { describe, expect, test } from 'bun:test';
import {
  bent,
  captures,
  HeldLog,
  HeldSocket,
  handshakeBytes,
  Recorded,
  randomCuts,
  seeded,
} from '../../test/fixtures/rtmp/replay.ts';
import { readMessages } from '../../test/support/read-messages.ts';
import { type AmfValue, readAmf, writeAmf } from '../media/amf.ts';
import { Refusals } from '../peers/refusals.ts';
import { ChunkReader } from './chunk-reader.ts';
import { chunksOf, type OutgoingMessage } from './chunk-writer.ts';
import { commandMessage, controlMessage, userControlMessage } from './command.ts';
import { type ConnectionOptions, RtmpConnection } from './connection.ts';
import { clientHandshake } from './handshake.ts';
import { perSecond, type RtmpLimits, rtmpLimits } from './limits.ts';
import { type Message, messageType, readUint32 } from './message.ts';
import type { Player, PlaySource } from './player.ts';
import { PlayerBatch } from './player-batch.ts';
import { Refused } from './publication.ts';
import { rtmpRefusals } from './refusals.ts';
import { openShared, type Shared } from './shared.ts';
import { Turns } from './turns.ts';

const key = 'SecretKey0123456789abcdefgh';
const nothing = new Uint8Array();

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
    expect(whole.events[0]).toMatch(/^said /);
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
    const media = whole.publication.events.filter((event) => !/^(said|end)/.test(event));
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
    const limits = { wrongKeyWaitMs: short };
    const wrong = await publishing({ openPublication, limits });
    const right = await publishing({ shared: wrong.shared });
    expect([wrong.socket.isShut, right.asked]).toEqual([false, [key]]);
    expect(await wrong.shut).toBeGreaterThanOrEqual(short - 1);
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
    const first = await publishing({ openPublication: () => opening.promise, limits });
    const left = await publishing({ shared: first.shared });
    const waiting = await publishing({ shared: first.shared });
    left.connection.closed();
    expect(waiting.asked).toEqual([]);
    opening.resolve(first.publication);
    await waiting.started;
    expect(left.asked).toEqual([]);
  });
});

describe('a stranger', () => {
  const budget = { strangerMessagesMax: 20, strangerBytesMax: 4_000 };

  test.each([
    ['chunk sizes', controlMessage(messageType.setChunkSize, 128)],
    ['aborts', controlMessage(messageType.abort, 9)],
    ['acknowledgements', controlMessage(messageType.acknowledgement, 1)],
    ['windows', controlMessage(messageType.windowSize, 1_000_000)],
    ['pings', userControlMessage(6, 1)],
    ['empty sounds', { type: 8, streamId: 1, timestamp: 0, body: [] }],
    ['nothing at all', { type: 99, streamId: 0, timestamp: 0, body: [] }],
    ['new streams', commandMessage(0, 'createStream', 2, null)],
    ['unknown calls', commandMessage(0, 'what', 2, null)],
  ])('may send a few %s, and is then cut', async (_what, message) => {
    const peer = greeted({ limits: budget });
    await peer.send(connect('live'), ...Array(19).fill(message));
    expect(peer.socket.isShut).toBe(false);
    await peer.send(message);
    expect(peer.refusals()).toEqual({ stranger: 1 });
    expect(peer.commands().at(-1)?.[3]).toMatchObject({
      description: 'Too much came before publish or play',
    });
  });

  test('may send a few bytes, of whole messages or not', async () => {
    const data = { type: 18, streamId: 0, timestamp: 0, body: [new Uint8Array(2_500)] };
    const whole = greeted({ limits: budget });
    await whole.send(data, data);
    expect(whole.refusals()).toEqual({ stranger: 1 });
    const half = greeted({ limits: { ...budget, strangerBytesMax: 1_000 } });
    half.connection.receive(Buffer.concat(chunksOf(data, 128)).subarray(0, 2_000));
    expect(half.refusals()).toEqual({ stranger: 1 });
  });

  test('that sends all at once is judged by what comes before publish', async () => {
    const peer = greeted({ limits: budget });
    const sounds = Array.from({ length: 100 }, () => sound(new Uint8Array(500).fill(0xaf)));
    await peer.send(connect('live'), publish, ...sounds);
    expect(peer.refusals()).toEqual({});
    expect(peer.asked).toEqual([key]);
  });

  test('that ends its push and goes on has what was left of its budget', async () => {
    const peer = await publishing({ limits: budget });
    for (let round = 0; round < 15 && !peer.socket.isShut; round += 1) {
      await peer.send(sound(new Uint8Array(2_000).fill(0xaf)));
      await peer.send(commandMessage(0, 'FCUnpublish', 0, null, key), publish);
    }
    expect(peer.socket.isShut).toBe(false);
    await peer.send(commandMessage(0, 'FCUnpublish', 0, null, key));
    await peer.send(...Array(5).fill(controlMessage(messageType.acknowledgement, 1)));
    expect(peer.refusals()).toEqual({ stranger: 1 });
  });

  test.each(captures)('like $name needs little of it', async ({ bytes }) => {
    const limits = { strangerMessagesMax: 12, strangerBytesMax: 2_048 };
    const peer = connected({ limits });
    receiveLent(peer.connection, bytes);
    await answered();
    expect(peer.asked).toHaveLength(1);
  });

  test('makes room for a newer one, and a publisher does not', async () => {
    const first = await publishing({ limits: { strangersMax: 1 } });
    const { shared } = first;
    const second = greeted({ shared });
    const third = greeted({ shared });
    expect([first, second, third].map(({ socket }) => socket.isTerminated)).toEqual([
      false,
      true,
      false,
    ]);
    expect(third.refusals()).toEqual({ crowded: 1 });
    expect(second.log.lines).toHaveLength(1);
    // What ends to publish is a stranger again.
    await first.send(commandMessage(0, 'deleteStream', 0, null, 1));
    expect(third.socket.isTerminated).toBe(true);
  });
});

describe('messages a second', () => {
  const empty = { type: messageType.acknowledgement, streamId: 1, timestamp: 0, body: [] };
  const empties = (count: number) => Array<OutgoingMessage>(count).fill(empty);

  test('of a publisher are many at once, then so many a second', async () => {
    const peer = await publishing({ limits: { publisherMessages: perSecond(100) } });
    await peer.send(...empties(1_000));
    peer.clock.at += 5_000;
    await peer.send(...empties(500));
    expect(peer.socket.isShut).toBe(false);
    peer.answers();
    await peer.send(...empties(200));
    expect(peer.commands()[0]?.[3]).toMatchObject({
      code: 'NetStream.Publish.Rejected',
      description: 'The encoder sends more than 100 messages a second',
    });
    expect(peer.refusals()).toEqual({ messages: 1 });
    expect(peer.publication.events).toEqual(['end cut']);
  });

  test('are those in an aggregate too', async () => {
    const limits = { publisherMessages: perSecond(100) };
    const peer = await publishing({ limits });
    const tags = Array.from({ length: 2_000 }, () => ({ ...sound(nothing), body: nothing }));
    await peer.send(aggregate(tags));
    expect(peer.refusals()).toEqual({ messages: 1 });
  });

  test('count the more the longer they are', async () => {
    const limits = { publisherMessages: perSecond(100) };
    const peer = await publishing({ limits });
    const words = { type: 18, streamId: 1, timestamp: 0, body: [new Uint8Array(50_000)] };
    await peer.send(...Array(5).fill(words));
    expect(peer.socket.isShut).toBe(false);
    await peer.send(...Array(5).fill(words));
    expect(peer.refusals()).toEqual({ messages: 1 });
  });

  test('that may be answered count as many', async () => {
    const limits = { publisherMessages: perSecond(100) };
    for (const message of [userControlMessage(6, 1), commandMessage(0, 'createStream', 2, null)]) {
      const peer = await publishing({ limits });
      await peer.send(...Array(50).fill(message));
      expect(peer.socket.isShut).toBe(false);
      await peer.send(...Array(50).fill(message));
      expect(peer.refusals()).toEqual({ messages: 1 });
    }
  });

  test('of a player are a trickle', async () => {
    const peer = await playing();
    for (let second = 0; second < 60; second += 1) {
      await peer.send(...empties(50));
      peer.clock.at += 1_000;
    }
    expect(peer.socket.isShut).toBe(false);
    await peer.send(...empties(1_000));
    expect(peer.refusals()).toEqual({ messages: 1 });
    expect(peer.sourceEvents).toEqual(['close']);
  });
});

describe('slices', () => {
  const sliced = { publisherTurnMs: 0.000_001, strangerTurnMs: 0.000_001, strangerRestMs: 0 };

  test.each(captures)('of $name come to the same', async ({ bytes, how }) => {
    const whole = await session(bytes, {});
    const slices = await session(bytes, sliced);
    expect(slices.events).toEqual(whole.events);
    expect(slices.answers).toEqual(whole.answers);
    expect(slices.log).toEqual(whole.log);
    if (how !== 'refused') expect(slices.turns).toBeGreaterThan(whole.turns);
  });

  /** In one read, and what was read goes at once. */
  async function session(bytes: Uint8Array, limits: Partial<RtmpLimits>) {
    const peer = connected({ limits });
    receiveLent(peer.connection, bytes);
    let turns = 0;
    for (; peer.socket.isPaused; turns += 1) await answered();
    const answers = peer.answers().map(({ type }) => type);
    peer.connection.closed();
    return { events: peer.publication.events, answers, log: peer.log.lines, turns };
  }

  test('end in the middle of an aggregate, whose bytes are gone', async () => {
    const tags = mediaOf(captureNamed('obs29-ended')).slice(0, 60);
    const whole = await publishing();
    await whole.send(aggregate(tags));
    const peer = await publishing({ limits: sliced });
    await rested(peer);
    receiveLent(peer.connection, wire(aggregate(tags)));
    expect(peer.socket.isPaused).toBe(true);
    const before = peer.publication.events.length;
    expect(before).toBeLessThan(whole.publication.events.length);
    await rested(peer);
    expect(peer.publication.events).toEqual(whole.publication.events);
  });

  test('of many late ones are theirs in turn', async () => {
    const first = await publishing({ limits: { publisherTurnMs: 0.000_001 } });
    const { shared } = first;
    const peers = [first, await publishing({ shared }), await publishing({ shared })];
    await rested(...peers);
    const order: number[] = [];
    for (const [at, { publication, connection }] of peers.entries()) {
      publication.sound = () => order.push(at);
      connection.receive(wire(aacTrack, ...Array(100).fill(sound(Uint8Array.of(0xaf, 1, 1)))));
    }
    await rested(...peers);
    expect(order).toHaveLength(300);
    // Before one is done each of the others has begun.
    expect(new Set(order.slice(0, order.lastIndexOf(order[0] ?? 0))).size).toBe(3);
    expect(order.slice(0, 50)).toContain(2);
  });

  test('a turn that is used up begins with nobody else', async () => {
    const first = await publishing({ limits: sliced });
    await rested(first);
    const second = connected({ shared: first.shared });
    const third = connected({ shared: first.shared });
    const hello = clientHandshake();
    for (const { connection } of [second, third]) receiveLent(connection, hello);
    expect([second, third].map(({ socket }) => socket.isPaused)).toEqual([false, true]);
    await rested(third);
    expect(third.socket.written).toHaveLength(1);
  });

  test('that are left are worked on when the peer has gone', async () => {
    const peer = await publishing({ limits: sliced });
    await rested(peer);
    const sounds = Array(100).fill(sound(Uint8Array.of(0xaf, 1, 1)));
    const over = commandMessage(0, 'FCUnpublish', 0, null, key);
    receiveLent(peer.connection, wire(aacTrack, ...sounds, over));
    peer.connection.closed();
    expect(peer.publication.events.at(-1)).toStartWith('sound');
    await peer.publication.ended.promise;
    expect(peer.publication.events).toHaveLength(1 + 100 + 1);
    expect(peer.publication.events.at(-1)).toBe('end ended');
    await answered();
    expect(peer.log.lines).toHaveLength(1);
  });

  test('that wait are no silence', async () => {
    const limits = { silenceMaxMs: 20 };
    const publisherTurns = new Turns({ turnMs: 0.000_001, restMs: 1_000 });
    const late = await publishing({ shared: { ...newShared(limits), publisherTurns } });
    // The first uses the turn up, the second waits for one that is far.
    for (const body of [nothing, nothing]) late.connection.receive(wire(sound(body)));
    expect(late.socket.isPaused).toBe(true);
    const silent = await publishing({ limits: { silenceMaxMs: 40 } });
    await silent.shut;
    expect(late.socket.isShut).toBe(false);
    late.connection.closed();
  });

  test('what comes meanwhile is bounded, for one and for all', async () => {
    const limits = { ...sliced, earlyBytesMax: 100_000, earlyBytesInAllMax: 150_000 };
    const first = await publishing({ limits });
    await rested(first);
    const many = wire(...Array(3_000).fill(sound(Uint8Array.of(0xaf, 1, 1))));
    first.connection.receive(many);
    first.connection.receive(new Uint8Array(100_000));
    expect(first.refusals()).toEqual({});
    first.connection.receive(new Uint8Array(1));
    expect(first.refusals()).toEqual({ backlog: 1 });
    expect(first.log.lines.join()).toContain('did not wait for its turn');
    const second = await publishing({ limits });
    const third = await publishing({ shared: second.shared });
    await rested(second, third);
    for (const { connection } of [second, third]) {
      connection.receive(many);
      connection.receive(new Uint8Array(80_000));
    }
    expect([second.socket.isShut, third.socket.isShut]).toEqual([false, true]);
    expect(third.log.lines.join()).toContain('no room');
    second.connection.closed();
    while (second.shared.keptInAll.bytes > 0) await answered();
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

interface PeerOptions extends Partial<ConnectionOptions['services']> {
  limits?: Partial<RtmpLimits>;
  /** Of a peer that is there already. */
  shared?: Shared & { counts: ReturnType<typeof newShared>['counts'] };
}

/** Nobody is late because the machine is slow, and nobody waits for long. */
const unhurried = { publisherTurnMs: 600_000, strangerTurnMs: 600_000, wrongKeyWaitMs: 1 };

function newShared(limits: Partial<RtmpLimits> | undefined) {
  const refusals = new Refusals({ now: () => 0, log: new HeldLog() });
  const book = refusals.book('rtmp', rtmpRefusals);
  const counts = refusals.counts.get('rtmp') ?? {};
  return { ...openShared({ refusals: book, limits: { ...unhurried, ...limits } }), counts };
}

/** A connection over a socket that keeps what is written, before the handshake. */
function connected({ limits, shared = newShared(limits), ...services }: PeerOptions = {}) {
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
      openPublication: async (request) => {
        asked.push(request.key);
        started.resolve();
        aborts.push(request.abort);
        return publication;
      },
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
  const answers = (): Message[] => {
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

function greeted(options: PeerOptions = {}) {
  const peer = connected(options);
  peer.connection.receive(Buffer.concat([clientHandshake(), new Uint8Array(1536)]));
  return peer;
}

async function publishing(options: PeerOptions = {}) {
  const peer = greeted(options);
  await peer.send(connect('live'), publish);
  return peer;
}

async function playing(options: PeerOptions = {}) {
  const peer = greeted(options);
  await peer.send(connect('play'), commandMessage(1, 'play', 0, null, 'abc'));
  return peer;
}

function connect(app: string): OutgoingMessage {
  return commandMessage(0, 'connect', 1, { app, tcUrl: `rtmp://127.0.0.1/${app}` });
}

const publish = commandMessage(1, 'publish', 5, null, key, 'live');

const aacTrack = sound(Uint8Array.of(0xaf, 0, 0x11, 0x90));

function sound(body: Uint8Array): OutgoingMessage {
  return { type: messageType.audio, streamId: 1, timestamp: 0, body: [body] };
}

/** As it is sent. */
function wire(...messages: OutgoingMessage[]): Uint8Array {
  return Buffer.concat(messages.flatMap((message) => chunksOf(message, 128)));
}

function video(timestamp: number, body: Uint8Array): OutgoingMessage {
  return { type: messageType.video, streamId: 1, timestamp, body: [body] };
}

function captureNamed(name: string): Uint8Array {
  const capture = captures.find((one) => one.name === name);
  if (!capture) throw new Error(`there is no capture ${name}`);
  return capture.bytes;
}

/** The sound and pictures of a session. */
function mediaOf(session: Uint8Array): Message[] {
  const reader = new ChunkReader(rtmpLimits);
  reader.allowMedia();
  reader.feed(session.subarray(handshakeBytes));
  return readMessages(reader).filter(({ type }) => type === 8 || type === 9);
}

/** Parts whose timestamps count from elsewhere: only their distance means anything. */
function aggregate(tags: readonly Message[]): OutgoingMessage {
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
function answered(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Until nobody is late, and the next turn is theirs. */
async function rested(...peers: readonly { socket: HeldSocket }[]): Promise<void> {
  while (peers.some(({ socket }) => socket.isPaused)) await answered();
  await answered();
}

/** As from a socket: what was received is taken back at once. */
function receiveLent(connection: RtmpConnection, bytes: Uint8Array): void {
  const received = new Uint8Array(bytes);
  connection.receive(received);
  received.fill(0x55);
  received.buffer.transfer(0);
}
