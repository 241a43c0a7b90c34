// A peer that knows the secret and does not keep to the rules: an older node gone wrong, or one that was taken over.
import { afterEach, expect, test } from 'bun:test';
import { type LinkNode, media, startLinkNode, talk } from '../../../test/support/link-node.ts';
import { frameKinds, headBytes, writeFrame } from './link-frame.ts';
import { dialling, linkAddress } from './link-handshake.ts';
import { linkLimits } from './link-limits.ts';
import type { TopicStream } from './links.ts';

const started: { stop(): void }[] = [];
afterEach(() => {
  for (const one of started.splice(0)) one.stop();
});

interface RudeNode {
  socket: WebSocket;
  closed: Promise<void>;
}

/** Proves who it is as a node does; then it may say anything. */
async function rude(node: LinkNode): Promise<RudeNode> {
  const address = linkAddress(node.known.link_url);
  const own = { node: '0', run: '0-1', secrets: () => ['the secret of the database'] };
  const handshake = dialling(own, { to: node.node, address });
  const socket = new WebSocket(`${node.known.link_url.replace('http', 'ws')}/link`);
  socket.binaryType = 'arraybuffer';
  started.push({ stop: () => socket.close() });
  const closed = new Promise<void>((resolve) => {
    socket.onclose = () => resolve();
  });
  await new Promise<void>((resolve) => {
    socket.onopen = () => socket.send(handshake.first);
    socket.onmessage = ({ data }) => {
      if (typeof data !== 'string') return;
      const step = handshake.hear(data);
      if ('say' in step) socket.send(step.say);
      if ('proved' in step) resolve();
    };
  });
  return { socket, closed };
}

function start(): LinkNode {
  const node = startLinkNode('b');
  started.push(node);
  return node;
}

const topics = writeFrame({ kind: 'topics' }, new TextEncoder().encode('["talk"]'));
const bent: [string, () => string | Uint8Array<ArrayBuffer>, string][] = [
  ['a text', () => 'hello', 'words'],
  ['less than a head', () => topics.slice(0, headBytes - 1), 'words'],
  ['a kind that nobody knows', () => new Uint8Array(20).fill(99), 'words'],
  [
    'topics without an end',
    () =>
      writeFrame(
        { kind: 'topics' },
        new TextEncoder().encode(JSON.stringify(Array(linkLimits.topicsMax + 1).fill('t'))),
      ),
    'words',
  ],
  [
    'topics that are none',
    () => writeFrame({ kind: 'topics' }, new TextEncoder().encode('{"a":1}')),
    'words',
  ],
];
for (const [what, said, why] of bent)
  test(`a node that says ${what} is cut`, async () => {
    const b = start();
    const { socket, closed } = await rude(b);
    socket.send(said());
    await closed;
    expect(b.links.linked).toEqual([]);
    expect(b.log()).toContain(`"why":"${why}"`);
  });

test('a frame beyond what the server takes ends the link', async () => {
  const b = start();
  const { socket, closed } = await rude(b);
  socket.send(writeFrame({ kind: 'message' }, new Uint8Array(100_000)));
  await closed;
  await b.hears('closed 0');
});

test('answers, parts and ends that nobody asked for are passed over', async () => {
  const b = start();
  const { socket } = await rude(b);
  for (const kind of Object.keys(frameKinds) as (keyof typeof frameKinds)[])
    if (kind !== 'topics')
      for (const id of [0, 1, 2 ** 32 - 1]) socket.send(writeFrame({ kind, id, topic: 7 }));
  socket.send(topics);
  socket.send(writeFrame({ kind: 'message', topic: 0 }, new TextEncoder().encode('"still"')));
  await b.hears('0: "still"');
});

test('words that a feature cannot take are told in a line, however many they are', async () => {
  const b = start();
  const { socket } = await rude(b);
  const say = (words: string) => new TextEncoder().encode(words);
  socket.send(topics);
  for (let id = 0; id < 200; id += 1)
    for (const kind of ['message', 'ask'] as const)
      socket.send(writeFrame({ kind, topic: 0, id }, say('{')));
  socket.send(writeFrame({ kind: 'message', topic: 0, id: 200 }, say('"still"')));
  await b.hears('0: "still"');
  expect(b.log().match(/was not (taken|answered)/g)).toHaveLength(2);
});

test('who begins streams and reads nothing of what comes of it is cut', async () => {
  const b = start();
  const { socket, closed } = await rude(b);
  socket.send(topics);
  // It never says what it has worked on, so behind the first of them all answers wait. Nobody has such streams.
  const asked = linkLimits.untoldBytesMax / headBytes + linkLimits.streamsMax + 10;
  for (let id = 0; id < asked; id += 1) socket.send(writeFrame({ kind: 'follow', id }));
  await closed;
  expect(b.log()).toContain('"why":"flood"');
});

test('who pings far more often than a node does is cut: each has an answer that may wait', async () => {
  const b = start();
  const { socket, closed } = await rude(b);
  for (let n = 0; n < 10 * linkLimits.pingsMax; n += 1)
    socket.send(writeFrame({ kind: 'ping' }, new Uint8Array(8)));
  await closed;
  expect(b.log()).toContain('"why":"flood"');
});

test('streams that nobody takes hold no more together than a link may, and none begins beyond that', async () => {
  const b = start();
  /** What waits of each, as far as its sender knows. */
  const waiting = new Map<TopicStream<Uint8Array>, number>();
  b.links.join(media, {
    followed: (_, __, stream) => {
      waiting.set(stream, 0);
      return () => {};
    },
  });
  const { socket } = await rude(b);
  const say = (words: string) => new TextEncoder().encode(words);
  const follow = (id: number) => socket.send(writeFrame({ kind: 'follow', id }, say('1')));
  const heardSo = async (word: string) => {
    socket.send(writeFrame({ kind: 'message', topic: 1 }, say(`"${word}"`)));
    await b.hears(`0: "${word}"`);
  };
  socket.send(writeFrame({ kind: 'topics' }, say('["media","talk"]')));
  // With all that each alone may hold it would be twice as much.
  const wanted = (2 * linkLimits.streamsBytesMax) / linkLimits.streamBytesMax;
  for (let id = 0; id < wanted; id += 1) follow(id);
  await heardSo('begun');
  expect(waiting.size).toBe(wanted);
  const part = new Uint8Array(linkLimits.streamBytesMax / 4);
  const sum = () => [...waiting.values()].reduce((all, one) => all + one, 0);
  const feedAll = () => {
    for (const [stream, held] of waiting)
      waiting.set(stream, stream.send(part) ? held + part.length : 0);
  };
  feedAll();
  feedAll();
  expect(sum()).toBe(linkLimits.streamsBytesMax);
  follow(wanted);
  await heardSo('more');
  expect(waiting.size).toBe(wanted);
  feedAll();
  feedAll();
  expect(sum()).toBeLessThanOrEqual(linkLimits.streamsBytesMax);
});

test('a flood is worked on in many turns, and others have theirs between', async () => {
  const b = startLinkNode('b');
  started.push(b);
  let heard = 0;
  let turns = 0;
  let turnsAtEnd = 0;
  const slow = { ...talk, name: 'slow' };
  const all = 100;
  const done = Promise.withResolvers<void>();
  b.links.join(slow, {
    received: () => {
      const until = performance.now() + 2;
      while (performance.now() < until);
      heard += 1;
      turnsAtEnd = turns;
      if (heard === all) done.resolve();
    },
  });
  const { socket } = await rude(b);
  socket.send(writeFrame({ kind: 'topics' }, new TextEncoder().encode('["slow"]')));
  const count = () => {
    turns += 1;
    if (heard < all) setImmediate(count);
  };
  for (let id = 0; id < all; id += 1)
    socket.send(writeFrame({ kind: 'message', topic: 0, id }, new TextEncoder().encode('1')));
  count();
  await done.promise;
  // Two hundred milliseconds of work, in slices of a few.
  expect(turnsAtEnd).toBeGreaterThan(10);
});

test('who does not wait until what it sent was worked on is cut before it takes memory', async () => {
  const b = start();
  const held = Promise.withResolvers<void>();
  const slow = { ...talk, name: 'slow' };
  b.links.join(slow, {
    received: () => {
      const until = performance.now() + 20;
      while (performance.now() < until);
      held.resolve();
    },
  });
  const { socket, closed } = await rude(b);
  socket.send(writeFrame({ kind: 'topics' }, new TextEncoder().encode('["slow"]')));
  const message = new TextEncoder().encode(JSON.stringify('x'.repeat(4_000)));
  for (let id = 0; id < 1_500; id += 1)
    socket.send(writeFrame({ kind: 'message', topic: 0, id }, message));
  await closed;
  await b.hears('closed 0');
  expect(b.log()).toContain('"why":"flood"');
  expect(b.links.counts.receivedBytes).toBeLessThan(3 * linkLimits.untoldBytesMax);
});
