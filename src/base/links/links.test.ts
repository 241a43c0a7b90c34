// Nodes with real sockets on loopback: that they find, know and hear each other, and what happens when a line is cut.
import { afterEach, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { makeCertificate, noOpenssl } from '../../../test/support/certificate.ts';
import { startCuttingProxy } from '../../../test/support/cutting-proxy.ts';
import {
  introduce,
  type LinkNode,
  media,
  startLinkNode,
  talk,
} from '../../../test/support/link-node.ts';
import { LinkFailure } from './link.ts';
import { linkLimits } from './link-limits.ts';

const started: { stop(): unknown }[] = [];

afterEach(async () => {
  for (const one of started.splice(0)) await one.stop();
});

function start(...given: Parameters<typeof startLinkNode>): LinkNode {
  const node = startLinkNode(...given);
  started.push(node);
  return node;
}

async function linked(one: LinkNode, other: LinkNode): Promise<void> {
  await Promise.all([one.hears(`opened ${other.node}`), other.hears(`opened ${one.node}`)]);
}

async function pair(): Promise<[LinkNode, LinkNode]> {
  const [a, b] = [start('a'), start('b')];
  introduce(a, b);
  await linked(a, b);
  return [a, b];
}

test('three nodes have one link for each pair, and hear each other', async () => {
  const [a, b, c] = [start('a'), start('b'), start('c')];
  introduce(a, b, c);
  await Promise.all([linked(a, b), linked(a, c), linked(b, c)]);
  expect(a.links.linked.toSorted()).toEqual(['b', 'c']);
  expect(c.links.linked.toSorted()).toEqual(['a', 'b']);
  expect([a, b, c].map(({ links }) => links.counts.opened)).toEqual([2, 2, 2]);
  c.links.sendAll(talk, { line: 'to all' });
  await a.hears('c: {"line":"to all"}');
  await b.hears('c: {"line":"to all"}');
  expect(b.links.send(talk, 'a', 'to one')).toBe(true);
  await a.hears('b: "to one"');
  expect(c.heard).not.toContain('b: "to one"');
});

test('messages come in the order they were sent, both ways, and none is lost', async () => {
  const [a, b] = await pair();
  for (let i = 0; i < 1_000; i += 1) {
    a.links.send(talk, 'b', i);
    b.links.send(talk, 'a', -i);
  }
  await Promise.all([b.hears('a: 999'), a.hears('b: -999')]);
  expect(b.heard.filter((one) => /^a: /.test(one)).map((one) => Number(one.slice(3)))).toEqual(
    Array.from({ length: 1_000 }, (_, i) => i),
  );
  expect([...a.heard, ...b.heard].filter((one) => one.startsWith('gap'))).toEqual([]);
});

test('a question is answered, and one of which no answer comes fails in time', async () => {
  const [a, b] = await pair();
  expect(await a.links.ask(talk, 'b', { how: 'are you' }, 5_000)).toEqual({ how: 'are you' });
  expect(await b.links.ask(talk, 'a', 7, 5_000)).toBe(7);
  const nobody = await a.links.ask(talk, 'z', 1, 5_000).catch((error: LinkFailure) => error);
  expect(nobody).toBeInstanceOf(LinkFailure);
  expect((nobody as LinkFailure).reason).toBe('down');
  b.stop();
  const cut = await a.links.ask(talk, 'b', 1, 5_000).catch((error: LinkFailure) => error);
  expect((cut as LinkFailure).reason).toBe('down');
});

test('a question that the other node cannot answer is refused, without its words', async () => {
  const [a, b] = [start('a'), start('b')];
  const sums = { ...talk, name: 'sums' };
  a.links.join(sums, {});
  b.links.join(sums, {
    asked: () => {
      throw new Error('a path of this machine');
    },
  });
  introduce(a, b);
  await linked(a, b);
  const failed = await a.links.ask(sums, 'b', 1, 5_000).catch((error: LinkFailure) => error);
  expect((failed as LinkFailure).reason).toBe('refused');
  expect((failed as LinkFailure).message).toBe('the node could not answer');
  const other = await b.links.ask(sums, 'a', 1, 5_000).catch((error: LinkFailure) => error);
  expect((other as LinkFailure).reason).toBe('refused');
});

test('a topic that only one of two knows is not spoken, and is from when the other joins it', async () => {
  const [a, b] = await pair();
  const later = { ...talk, name: 'later' };
  const opened = Promise.withResolvers<string>();
  a.links.join(later, { opened: opened.resolve });
  expect(a.links.send(later, 'b', 1)).toBe(false);
  const came = Promise.withResolvers<unknown>();
  b.links.join(later, { received: (_, message) => came.resolve(message) });
  expect(await opened.promise).toBe('b');
  expect(a.links.send(later, 'b', 2)).toBe(true);
  expect(await came.promise).toBe(2);
});

test('a message of several megabytes comes whole, and small ones of another topic come before it', async () => {
  const [a, b] = [start('a'), start('b')];
  const came: string[] = [];
  const whole = Promise.withResolvers<Uint8Array>();
  a.links.join(media, {});
  b.links.join(media, {
    received: (_, bytes) => {
      came.push('large');
      whole.resolve(bytes);
    },
  });
  introduce(a, b);
  await linked(a, b);
  const large = crypto.getRandomValues(new Uint8Array(65_536));
  const bytes = Buffer.concat(Array.from({ length: 100 }, () => large));
  a.links.send(media, 'b', bytes);
  a.links.send(talk, 'b', 'small');
  await b.hears('a: "small"');
  expect(came).toEqual([]);
  expect(Buffer.compare(await whole.promise, bytes)).toBe(0);
  // And the other way, where the pieces are larger.
  const back = Promise.withResolvers<Uint8Array>();
  const media2 = { ...media, name: 'media back' };
  a.links.join(media2, { received: (_, one) => back.resolve(one) });
  const opened = Promise.withResolvers<string>();
  b.links.join(media2, { opened: opened.resolve });
  await opened.promise;
  b.links.send(media2, 'a', bytes);
  expect(Buffer.compare(await back.promise, bytes)).toBe(0);
});

test('a line that is cut is made anew, and both are told', async () => {
  const [a, b] = [start('a'), start('b')];
  const proxy = await startCuttingProxy(b.known.link_url, { cutAt: [] });
  started.push(proxy);
  // Its own address is what it gives to others: here that of the proxy.
  b.stop();
  const [, , port = ''] = b.known.link_url.split(':');
  const b2 = start('b', { linkUrl: proxy.url, port: Number(port) });
  introduce(a, b2);
  await linked(a, b2);
  proxy.cut();
  await Promise.all([a.hears('closed b'), b2.hears('closed a')]);
  a.heard.splice(0);
  b2.heard.splice(0);
  await linked(a, b2);
  a.links.send(talk, 'b', 'again');
  await b2.hears('a: "again"');
  expect(a.links.counts.opened).toBe(2);
  const said = a.log().match(/"a link is open"/g);
  expect(said).toHaveLength(2);
});

test('a node that starts anew is dialled at its new address, and its older link ends', async () => {
  const [a, b] = await pair();
  b.stop();
  await a.hears('closed b');
  const b2 = start('b', { run: 'b-2' });
  introduce(a, b2);
  a.heard.splice(0);
  await linked(a, b2);
  expect(a.links.linked).toEqual(['b']);
});

test('a node that is at another address by now is dialled there when its link ends', async () => {
  const [a, b] = await pair();
  const moved = start('b');
  // The list is newer than what the sockets have told.
  introduce(a, moved);
  b.stop();
  await a.hears('closed b');
  a.heard.splice(0);
  await linked(a, moved);
});

test('while a node cannot be reached one line says so, however often it is tried', async () => {
  const tries: number[] = [];
  const a = start('a', {
    random: () => 0,
    dial: (_, { closed }) => {
      tries.push(performance.now());
      queueMicrotask(closed);
      return { send: () => true, sendText: () => {}, terminate: () => {} };
    },
  });
  a.directory.set([{ node: 'b', run: '1', link_url: 'http://127.0.0.1:1' }]);
  while (tries.length < 4) await Bun.sleep(20);
  expect(a.log().match(/there is no link/g)).toHaveLength(1);
  const waits = tries.slice(1).map((at, i) => at - (tries[i] ?? 0));
  // 50, 100, 200 ms: a timer may be late, never early.
  expect(waits[0]).toBeGreaterThan(45);
  expect(waits[1]).toBeGreaterThan(95);
  expect(waits[2]).toBeGreaterThan(195);
});

test('a link outlives a list that is lost with the database, and is made anew without it', async () => {
  const [a, b] = await pair();
  a.directory.set([]);
  b.directory.set([]);
  a.links.send(talk, 'b', 'still there');
  await b.hears('a: "still there"');
  const { port } = new URL(b.known.link_url);
  b.stop();
  await a.hears('closed b');
  a.heard.splice(0);
  const again = start('b', { port: Number(port) });
  await linked(a, again);
});

test('a node that the list has lost for long is dialled no more', async () => {
  let tries = 0;
  const a = start('a', {
    unlistedMs: 300,
    dial: (_, { closed }) => {
      tries += 1;
      queueMicrotask(closed);
      return { send: () => true, sendText: () => {}, terminate: () => {} };
    },
  });
  a.directory.set([{ node: 'b', run: '1', link_url: 'http://127.0.0.1:1' }]);
  a.directory.set([]);
  await Bun.sleep(350);
  const before = tries;
  expect(before).toBeGreaterThan(1);
  await Bun.sleep(1_000);
  expect(tries).toBe(before);
});

test('nodes without a common secret never link, and one that was changed is known by both for a while', async () => {
  const secrets = { a: ['old'], b: ['new', 'old'] };
  const a = start('a', { secrets: () => secrets.a });
  const b = start('b', { secrets: () => secrets.b });
  const stranger = start('c', { secrets: () => ['another'] });
  introduce(a, b, stranger);
  await linked(a, b);
  while ((stranger.refusals.counts.get('link')?.['secret'] ?? 0) < 2) await Bun.sleep(20);
  expect(stranger.links.linked).toEqual([]);
  // The old one ends: its link, too, and it is made anew by the new one.
  secrets.a = ['new', 'old'];
  a.heard.splice(0);
  secrets.b = ['newest', 'new'];
  b.links.secretsChanged();
  await a.hears('closed b');
  await a.hears('opened b');
});

test('who is listed with another run is refused until the list knows better', async () => {
  const [a, b] = [start('a', { run: 'new-run' }), start('b')];
  b.directory.set([{ ...a.known, run: 'old-run' }, b.known]);
  a.directory.set([a.known, b.known]);
  while ((b.refusals.counts.get('link')?.['run'] ?? 0) < 1) await Bun.sleep(10);
  expect(b.links.linked).toEqual([]);
  b.directory.set([a.known, b.known]);
  await linked(a, b);
});

test('a topic that overflows loses its oldest, and the other side is told of the gap', async () => {
  const [a, b] = await pair();
  const { messagesMax } = linkLimits.topic;
  const text = 'x'.repeat(2_000);
  // More than one turn can send: nothing is read meanwhile.
  for (let i = 0; i < messagesMax + 1_500; i += 1) a.links.send(talk, 'b', `${i} ${text}`);
  await b.hears(new RegExp(`^a: "${messagesMax + 1_499} `));
  expect(b.heard.filter((one) => one === 'gap a').length).toBeGreaterThan(0);
  expect(a.links.counts.gaps).toBeGreaterThan(0);
  const numbers = b.heard.flatMap((one) =>
    one.startsWith('a: "') ? [parseInt(one.slice(4), 10)] : [],
  );
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
  expect(numbers.length).toBe(messagesMax + 1_500 - a.links.counts.gaps);
});

test('a stream is followed until its follower stops, and a slow follower goes on with a whole segment', async () => {
  const [a, b] = [start('a'), start('b')];
  const part = new Uint8Array(500_000);
  const stopped = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<(parts: number, from: number) => boolean[]>();
  a.links.join(media, {});
  b.links.join(media, {
    followed: (_node, position, stream) => {
      // Each segment has four parts.
      begun.resolve((parts, from) =>
        Array.from({ length: parts }, (_, i) => {
          const bytes = part.slice();
          new DataView(bytes.buffer).setUint32(0, from + i);
          return stream.send(bytes, { isStart: (from + i) % 4 === 0 });
        }),
      );
      expect(position).toBe(17);
      return () => stopped.resolve('stopped');
    },
  });
  introduce(a, b);
  await linked(a, b);
  const came: { number: number; hasGap: boolean }[] = [];
  let onPart = () => {};
  const stop = a.links.follow(media, 'b', 17, {
    part: (bytes, hasGap) => {
      came.push({ number: new DataView(bytes.buffer, bytes.byteOffset).getUint32(0), hasGap });
      onPart();
    },
    ended: () => {},
  });
  const feed = await begun.promise;
  // 20 MB at once, where 4 may wait.
  const sent = feed(40, 0);
  expect(sent).toContain(false);
  // When what was sent has come, the next whole segment goes on.
  const lastSent = sent.lastIndexOf(true);
  await new Promise<void>((resolve) => {
    onPart = () => {
      const last = came.at(-1)?.number ?? -1;
      if (last >= lastSent || feed(1, 40)[0]) resolve();
    };
    onPart();
  });
  while (!came.some(({ number }) => number >= 40)) {
    feed(1, 44);
    await Bun.sleep(5);
  }
  const afterGap = came.filter(({ hasGap }) => hasGap);
  expect(afterGap.length).toBeGreaterThan(0);
  for (const { number } of afterGap) expect(number % 4).toBe(0);
  stop?.();
  expect(await stopped.promise).toBe('stopped');
});

test('a stream ends with its holder, with the link, and at once where there is none', async () => {
  const [a, b] = [start('a'), start('b')];
  const feeds: { end(): void }[] = [];
  const stops: number[] = [];
  a.links.join(media, {});
  b.links.join(media, {
    followed: (_node, position, stream) => {
      if (position === 0) return undefined;
      feeds.push(stream);
      return () => stops.push(position);
    },
  });
  introduce(a, b);
  await linked(a, b);
  const follow = (position: number) =>
    new Promise<number>((resolve) => {
      a.links.follow(media, 'b', position, { part: () => {}, ended: () => resolve(position) });
    });
  expect(await follow(0)).toBe(0);
  const [one, two] = [follow(1), follow(2)];
  while (feeds.length < 2) await Bun.sleep(5);
  feeds[0]?.end();
  expect(await one).toBe(1);
  b.stop();
  expect(await two).toBe(2);
  expect(stops).toEqual([2]);
});

test('a message that a feature cannot take ends neither the link nor what comes after', async () => {
  const [a, b] = [start('a'), start('b')];
  const strict = { ...talk, name: 'strict' };
  const came: unknown[] = [];
  a.links.join(strict, {});
  b.links.join(strict, {
    received: (_, message) => {
      if (message === 'bad') throw new Error('not this');
      came.push(message);
    },
  });
  introduce(a, b);
  await linked(a, b);
  a.links.send(strict, 'b', 'bad');
  a.links.send(strict, 'b', 'good');
  a.links.send(talk, 'b', 'end');
  await b.hears('a: "end"');
  expect(came).toEqual(['good']);
  expect(b.log()).toContain('what a node said was not taken');
});

test.skipIf(noOpenssl !== undefined)(
  'over TLS a node is linked whose certificate is known, and no other',
  async () => {
    const read = ({ TLS_CERT, TLS_KEY }: ReturnType<typeof makeCertificate>) => ({
      cert: readFileSync(TLS_CERT, 'utf8'),
      key: readFileSync(TLS_KEY, 'utf8'),
    });
    const tls = read(makeCertificate());
    const b = start('b', { tls });
    const [known, other, unset] = [
      start('a', { ca: tls.cert }),
      start('a2', { ca: read(makeCertificate()).cert }),
      start('a3'),
    ];
    introduce(known, b);
    for (const one of [other, unset]) one.directory.set([one.known, b.known]);
    await linked(known, b);
    for (const one of [other, unset]) {
      while (!one.log().includes('there is no link to a node')) await Bun.sleep(10);
      expect(one.links.linked).toEqual([]);
    }
    known.links.send(talk, 'b', 'behind TLS');
    await b.hears('a: "behind TLS"');
  },
);

test('the time there and back is known after the first beat', async () => {
  const [a] = await pair();
  while (a.links.roundTrips.get('b') === undefined) await Bun.sleep(50);
  expect(a.links.roundTrips.get('b')).toBeGreaterThanOrEqual(0);
});

test('a node that is stopped is given up after five seconds, and linked again when it goes on', async () => {
  const b = Bun.spawn(
    [process.execPath, `${import.meta.dir}/../../../test/support/link-node.ts`, 'b'],
    {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    },
  );
  started.push({ stop: () => b.kill('SIGKILL') });
  const { value } = await b.stdout.getReader().read();
  const known = JSON.parse(new TextDecoder().decode(value));
  const a = start('a');
  b.stdin.write(`${JSON.stringify([a.known, known])}\n`);
  b.stdin.flush();
  a.directory.set([a.known, known]);
  await a.hears('opened b');
  const stoppedAt = performance.now();
  b.kill('SIGSTOP');
  await a.hears('closed b');
  expect(performance.now() - stoppedAt).toBeGreaterThan(linkLimits.silenceMs - 1_500);
  expect(a.log()).toContain('"why":"silent"');
  a.heard.splice(0);
  b.kill('SIGCONT');
  await a.hears('opened b');
});
