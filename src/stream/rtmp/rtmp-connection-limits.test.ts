// How much one peer may send, and how what it sends shares the turns of the event loop.
import { describe, expect, test } from 'bun:test';
import { captures } from '../../../test/fixtures/rtmp/replay.ts';
import {
  aacTrack,
  aggregate,
  answered,
  captureNamed,
  connect,
  connected,
  greeted,
  key,
  mediaOf,
  newShared,
  nothing,
  playing,
  publish,
  publishing,
  receiveLent,
  rested,
  sound,
  wire,
} from '../../../test/support/rtmp-peer.ts';
import { Turns } from '../../base/turns/turns.ts';
import { chunksOf, type OutgoingMessage } from './chunk-writer.ts';
import { clientHandshake } from './handshake.ts';
import { messageType } from './message.ts';
import { commandMessage, controlMessage, rejected, userControlMessage } from './rtmp-command.ts';
import { perSecond, type RtmpLimits } from './rtmp-limits.ts';

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

  const over = commandMessage(0, 'FCUnpublish', 0, null, key);
  const acknowledged = controlMessage(messageType.acknowledgement, 1);

  test('that ends a push with media and goes on has its budget anew', async () => {
    const peer = await publishing({ limits: budget });
    for (let round = 0; round < 50; round += 1) {
      await peer.send(sound(new Uint8Array(2_000).fill(0xaf)));
      await peer.send(over, ...Array(5).fill(acknowledged), publish);
    }
    expect(peer.refusals()).toEqual({});
    await peer.send(sound(new Uint8Array(2_000).fill(0xaf)), over);
    await peer.send(...Array(20).fill(acknowledged));
    expect(peer.socket.isShut).toBe(false);
    await peer.send(acknowledged);
    expect(peer.refusals()).toEqual({ stranger: 1 });
  });

  test('that ends a push without media and goes on has what was left', async () => {
    const peer = await publishing({ limits: budget });
    for (let round = 0; round < 18; round += 1) await peer.send(acknowledged, over, publish);
    expect(peer.refusals()).toEqual({});
    await peer.send(over, acknowledged);
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

describe('who is let go', () => {
  /** One that does not read its goodbye. */
  const linger = (peer: Awaited<ReturnType<typeof playing>>) => {
    peer.socket.room = 0;
    peer.connection.close(rejected(1, 'The stream has ended'));
    expect(peer.socket.isShut).toBe(false);
    return peer;
  };

  test('takes no place of those who come, and keeps its own when others come', async () => {
    const first = await playing({ limits: { strangersMax: 2 } });
    const { shared } = first;
    const players = [first, await playing({ shared }), await playing({ shared })];
    const encoder = greeted({ shared });
    for (const player of players) linger(player);
    await encoder.send(connect('live'), publish);
    greeted({ shared });
    expect([...players, encoder].map(({ socket }) => socket.isTerminated)).toEqual(
      Array(4).fill(false),
    );
    expect(encoder.asked).toEqual([key]);
    expect(encoder.refusals()).toEqual({});
    for (const { connection } of players) connection.drain();
  });

  test('is gone sooner where many go, the oldest first, and is not counted as refused', async () => {
    const first = await playing({ limits: { lingeringMax: 2 } });
    const { shared } = first;
    const players = [first, await playing({ shared })].map(linger);
    expect(players.map(({ socket }) => socket.isTerminated)).toEqual([true, false]);
    expect(first.refusals()).toEqual({});
    await answered();
    const third = linger(await playing({ shared }));
    expect([players[1]?.socket.isTerminated, third.socket.isTerminated]).toEqual([true, false]);
  });

  test('leaves its place when it has gone', async () => {
    const first = await playing({ limits: { lingeringMax: 2 } });
    const { shared } = first;
    linger(first);
    first.connection.closed();
    const second = linger(await playing({ shared }));
    expect([first.socket.isTerminated, second.socket.isTerminated]).toEqual([false, false]);
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

  test.each([128, 65_536])(
    'end in the middle of an aggregate in chunks of %d, whose bytes are gone',
    async (size) => {
      const sounds = mediaOf(captureNamed('obs29-ended')).filter(({ type }) => type === 8);
      const sent = [
        ...chunksOf(controlMessage(messageType.setChunkSize, size), 128),
        ...chunksOf(aggregate(sounds.slice(0, 60)), size),
      ];
      const whole = await publishing();
      receiveLent(whole.connection, Buffer.concat(sent));
      const peer = await publishing({ limits: sliced });
      await rested(peer);
      receiveLent(peer.connection, Buffer.concat(sent));
      expect(peer.socket.isPaused).toBe(true);
      const before = peer.publication.events.length;
      expect(before).toBeLessThan(whole.publication.events.length);
      await rested(peer);
      expect(peer.publication.events).toEqual(whole.publication.events);
    },
  );

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
