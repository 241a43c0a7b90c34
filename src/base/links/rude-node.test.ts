// A peer that knows the secret and does not keep to the rules: an older node gone wrong, or one that was taken over.
import { afterEach, expect, test } from 'bun:test';
import { type LinkNode, startLinkNode, talk } from '../../../test/support/link-node.ts';
import { frameKinds, headBytes, writeFrame } from './link-frame.ts';
import { dialling, linkAddress } from './link-handshake.ts';
import { linkLimits } from './link-limits.ts';

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
