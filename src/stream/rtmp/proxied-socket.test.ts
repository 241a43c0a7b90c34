// RTMP behind a load balancer that sends PROXY headers, over real sockets: whose a connection is, and who is refused.
import { afterEach, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { captures, HeldLog, Recorded } from '../../../test/fixtures/rtmp/replay.ts';
import { Networks } from '../../base/lib/ip-address.ts';
import { openLibc } from '../../base/lib/libc.ts';
import { Refusals } from '../../base/peers/refusals.ts';
import { arrivalRates } from './rtmp-limits.ts';
import { rtmpRefusals } from './rtmp-refusals.ts';
import { type RtmpServer, type RtmpServerOptions, startRtmpServer } from './rtmp-server.ts';

const running: RtmpServer[] = [];
const open = new Set<Socket>();

afterEach(async () => {
  for (const socket of open) socket.destroy();
  open.clear();
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

const session = captures[0]?.bytes ?? new Uint8Array();
const lineOf = (peer: string) => Buffer.from(`PROXY TCP4 ${peer} 192.0.2.1 50000 1935\r\n`);
const binaryOf = (family: number, body: string) => {
  const bytes = Buffer.from(body, 'hex');
  const head = Buffer.from(`0d0a0d0a000d0a515549540a21${family.toString(16)}0000`, 'hex');
  head.writeUInt16BE(bytes.length, 14);
  return Buffer.concat([head, bytes]);
};
const ipv4 = 'cb007107c0000201c350078f';
const ipv6 = '20010db800000000000000000000000720010db8000000000000000000000001c350078f';
const extras = `040100${'00'.repeat(256)}`;

test.each([
  ['a line', lineOf('203.0.113.7'), '203.0.113.7'],
  ['a binary header of IPv4', binaryOf(0x11, ipv4), '203.0.113.7'],
  ['a binary header of IPv6, with more behind', binaryOf(0x21, ipv6 + extras), '2001:db8::7'],
  ['a header of a Unix socket', binaryOf(0x31, '2f'.repeat(216)), '127.0.0.1'],
  ['a header that does not say', Buffer.from('PROXY UNKNOWN\r\n'), '127.0.0.1'],
])('%s says whose the push is', async (_, header, address) => {
  const { server, pushes, refused } = serve();
  const all = Buffer.concat([header, session]);
  // Header and RTMP in one piece; the header alone, byte by byte.
  for (const pieces of [
    [all],
    [...header].map((byte) => Buffer.of(byte)).concat(all.subarray(header.length)),
  ]) {
    const peer = await visit(server.port);
    for (const piece of pieces) await peer.send(piece);
    peer.socket.end();
    await peer.closed;
  }
  expect(pushes.map((push) => push.address)).toEqual([address, address]);
  for (const { publication } of pushes) expect(await publication.ended.promise).toBe('ended');
  expect(pushes[1]?.publication.events).toEqual(pushes[0]?.publication.events ?? []);
  expect(refused()).toEqual({});
});

test.each([
  ['no header', session],
  ['another header', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ['an endless line', Buffer.from(`PROXY UNKNOWN ${'x'.repeat(100_000)}`)],
  ['an endless header', binaryOf(0x11, `${ipv4}${'00'.repeat(60_000)}`)],
  ['an address that is none', Buffer.from('PROXY TCP4 203.0.113.700 192.0.2.1 1 2\r\n')],
])('a proxy that sends %s is refused', async (_, bytes) => {
  const { server, pushes, refused } = serve();
  const peer = await visit(server.port);
  await peer.send(bytes);
  await peer.closed;
  expect(pushes).toEqual([]);
  expect(refused()).toEqual({ 'proxy 127.0.0.1': 1 });
});

test('half a header is waited for, and no longer than a handshake', async () => {
  const { server, refused } = serve({ limits: { handshakeWithinMs: 50 } });
  const peer = await visit(server.port);
  await peer.send(lineOf('203.0.113.7').subarray(0, 20));
  await peer.closed;
  expect(refused()).toEqual({ 'proxy 127.0.0.1': 1 });
});

test('a health check that says nothing and leaves is no refusal', async () => {
  const { server, refused, pushes } = serve();
  const check = await visit(server.port);
  check.socket.end();
  await check.closed;
  await pushBehind(server.port, '203.0.113.7');
  expect(pushes).toHaveLength(1);
  expect(refused()).toEqual({});
});

test('a stranger who sends a header of its own is refused, and its word is not taken', async () => {
  const { server, pushes, refused } = serve({ proxies: new Networks('192.0.2.99') });
  for (const header of [lineOf('203.0.113.7'), binaryOf(0x11, ipv4)]) {
    const peer = await visit(server.port);
    await peer.send(Buffer.concat([header, session]));
    await peer.closed;
  }
  expect(pushes).toEqual([]);
  expect(refused()).toEqual({ 'protocol 127.0.0.1': 2 });
});

test('a stranger beside the proxy pushes as ever', async () => {
  const { server, pushes } = serve({ proxies: new Networks('192.0.2.99') });
  const peer = await visit(server.port);
  await peer.send(session);
  peer.socket.end();
  await peer.closed;
  expect(pushes.map(({ address }) => address)).toEqual(['127.0.0.1']);
});

test('who floods behind the proxy is turned away, and nobody else is', async () => {
  const limits = { ...arrivalRates(3), strangersMax: 1_000 };
  const { server, pushes, refused } = serve({ limits, monotonicMs: () => 0 });
  const crowd = await Promise.all(Array.from({ length: 8 }, () => visit(server.port)));
  await Promise.all(crowd.map((peer) => peer.send(lineOf('198.51.100.1'))));
  // Three may stay.
  await Promise.all(crowd.slice(3).map((_, at) => nthClosed(crowd, at + 1)));
  await pushBehind(server.port, '203.0.113.7');
  expect(pushes.map(({ address }) => address)).toEqual(['203.0.113.7']);
  // Neither by us nor by the system: `dropped` would be the proxy's.
  expect(refused()).toEqual({ 'connects 198.51.100.1': 5 });
});

test('those who have said nothing yet make room for each other', async () => {
  const { server, pushes, refused } = serve({ limits: { strangersMax: 4 } });
  const crowd = await Promise.all(Array.from({ length: 4 }, () => visit(server.port)));
  await nthClosed(crowd, 2);
  await pushBehind(server.port, '203.0.113.7');
  expect(pushes).toHaveLength(1);
  expect(refused()['crowded 127.0.0.1']).toBeGreaterThanOrEqual(2);
});

test('a server that stops lets those go whose header has not come', async () => {
  const { server } = serve();
  const peers = await Promise.all([visit(server.port), visit(server.port)]);
  await peers[0]?.send(Buffer.from('PROXY '));
  await server.stop();
  await Promise.all(peers.map((peer) => peer.closed));
});

interface Push {
  address: string;
  publication: Recorded;
}

/** On 127.0.0.1, which is the proxy. */
function serve(options: Partial<RtmpServerOptions> = {}) {
  const pushes: Push[] = [];
  const refusals = new Refusals({ now: () => 0, log: new HeldLog() });
  const server = startRtmpServer({
    host: '127.0.0.1',
    port: 0,
    openPublication: async ({ address }) => {
      const publication = new Recorded();
      pushes.push({ address, publication });
      return publication;
    },
    openPlay: () => Promise.reject(new Error('nobody plays')),
    libc: openLibc(),
    log: new HeldLog(),
    refusals: refusals.book('rtmp', rtmpRefusals),
    proxies: new Networks('127.0.0.1'),
    ...options,
  });
  running.push(server);
  const refused = (): Record<string, number> =>
    Object.fromEntries(
      refusals.recent().map(({ reason, who, count }) => [`${reason} ${who}`, count]),
    );
  return { server, pushes, refused };
}

interface Visit {
  socket: Socket;
  send(bytes: Uint8Array): Promise<void>;
  closed: Promise<void>;
}

async function visit(port: number): Promise<Visit> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  open.add(socket);
  socket.on('error', () => {});
  socket.resume();
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.once('end', () => socket.destroy());
  });
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  const sent = (bytes: Uint8Array) =>
    new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
  return { socket, closed, send: (bytes) => Promise.race([sent(bytes), closed]) };
}

async function pushBehind(port: number, peer: string): Promise<void> {
  const encoder = await visit(port);
  await encoder.send(Buffer.concat([lineOf(peer), session]));
  encoder.socket.end();
  await encoder.closed;
}

/** Resolves when so many of them are closed. */
async function nthClosed(visits: readonly Visit[], count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let closed = 0;
  for (const one of visits)
    one.closed.then(() => {
      closed += 1;
      if (closed >= count) resolve();
    });
  await promise;
}
