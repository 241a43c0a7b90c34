// What comes over connections beyond requests: who is closed for it, who is kept out, and who is left alone.
import { expect, test } from 'bun:test';
import type { BunServer } from './bun-handler.ts';
import { BytesWatch } from './bytes-watch.ts';
import { TrustedProxies } from './client-address.ts';
import type { OpenConnection } from './connections.ts';
import { httpLimits } from './http-limits.ts';
import { LookSlices } from './look-slices.ts';

const bytesPerSecond = 1_000_000;
const atOnce = httpLimits.bytesAtOnceSeconds * bytesPerSecond;
const ofNetwork = httpLimits.networkBytesShare * atOnce;

test('who sends more than its requests is closed, and nobody else of its network', async () => {
  const hall = openHall();
  const [rude, quiet] = [hall.connection('192.0.2.1'), hall.connection('192.0.2.1')];
  // Nobody knows yet what it is.
  expect(await hall.look([rude, ofNetwork + 1], [quiet, 500])).toEqual([]);
  expect(hall.watch.isAlert).toBe(true);
  expect(await hall.look([rude, atOnce], [quiet, 500])).toEqual([]);
  expect(await hall.look([rude, atOnce], [quiet, 500])).toEqual([rude]);
  hall.pass(2 * httpLimits.countedMs);
  await hall.look([quiet, 0]);
  await hall.look([quiet, 0]);
  expect(hall.watch.isAlert).toBe(false);
});

test('what requests and their bodies account for is no flood', async () => {
  const hall = openHall();
  const caller = hall.connection('192.0.2.1');
  await hall.look([caller, 2 * ofNetwork]);
  for (let look = 0; look < 20; look += 1) {
    const sent = hall.ask(caller, { requests: 100, bodyBytes: 20_000 });
    expect(await hall.look([caller, sent])).toEqual([]);
  }
});

test.each([
  { kind: 'over HTTP/2 a head counts as what it takes once it is packed', isSecure: true },
  { kind: 'over HTTP/1.1 it counts whole', isSecure: true, headers: { connection: 'close' } },
  { kind: 'without TLS there is no HTTP/2', isSecure: false },
])('$kind', async ({ isSecure, headers = {} }) => {
  const hall = openHall({ isSecure });
  const isPacked = isSecure && !('connection' in headers);
  const caller = hall.connection('192.0.2.1');
  await hall.look([caller, 2 * ofNetwork]);
  const requests = Math.ceil(atOnce / 10_000) + 1;
  hall.ask(caller, { requests, headers: { ...headers, 'x-long': 'x'.repeat(12_000) } });
  const over = await hall.look([caller, requests * (10_000 + httpLimits.packedHeadBytesMax)]);
  expect(over).toEqual(isPacked ? [caller] : []);
});

test('a long body is no flood, though its network sent little when it began', async () => {
  const hall = openHall();
  const caller = hall.connection('192.0.2.1');
  const [address = '', port] = caller.name.split(' ');
  const server = { requestIP: () => ({ address, port: Number(port) }) } as unknown as BunServer;
  const request = new Request('http://a/', { method: 'POST' });
  hall.watch.began(request, server);
  hall.watch.followBody(request, server);
  for (let look = 0; look < 20; look += 1) {
    hall.watch.bodyRead(request, 2 * ofNetwork);
    expect(await hall.look([caller, 2 * ofNetwork])).toEqual([]);
  }
  expect(hall.watch.isCounted('192.0.2.1')).toBe(true);
});

test('what Bun takes in ahead of who reads a body piece by piece is no flood, as long as it is read', async () => {
  const hall = openHall();
  const caller = hall.connection('192.0.2.1');
  const [address = '', port] = caller.name.split(' ');
  const server = { requestIP: () => ({ address, port: Number(port) }) } as unknown as BunServer;
  const request = new Request('http://a/', { method: 'PATCH' });
  await hall.look([caller, 2 * ofNetwork]);
  const ended = hall.watch.followBody(request, server);
  const ahead = httpLimits.bodyAheadBytesMax;
  for (let look = 0; look < 20; look += 1) {
    expect(await hall.look([caller, ahead + atOnce / 2])).toEqual([]);
    hall.watch.bodyRead(request, ahead + atOnce / 2);
    expect(await hall.look([caller, 0])).toEqual([]);
  }
  expect(await hall.look([caller, ahead])).toEqual([]);
  ended(true);
  // Nobody reads any more what comes.
  expect(await hall.look([caller, 2 * atOnce])).toEqual([caller]);
});

test('a body that comes while it is asked who sends it is no flood, and many such are as one', async () => {
  const hall = openHall();
  const caller = hall.connection('192.0.2.1');
  const [address = '', port] = caller.name.split(' ');
  const server = { requestIP: () => ({ address, port: Number(port) }) } as unknown as BunServer;
  await hall.look([caller, 2 * ofNetwork]);
  const ahead = httpLimits.bodyAheadBytesMax;
  for (let round = 0; round < 10; round += 1) {
    const request = new Request('http://a/', { method: 'POST' });
    const answered = hall.watch.expectBody(request, server);
    expect(await hall.look([caller, ahead])).toEqual([]);
    const ended = hall.watch.followBody(request, server);
    hall.watch.bodyRead(request, ahead);
    ended(true);
    answered();
    expect(await hall.look([caller, 0])).toEqual([]);
  }
  for (let more = 0; more < 3; more += 1)
    hall.watch.expectBody(new Request('http://a/', { method: 'POST' }), server);
  expect(await hall.look([caller, ahead])).toEqual([]);
  expect(await hall.look([caller, 2 * atOnce])).toEqual([caller]);
});

test('a body that is refused is still on its way for a moment', async () => {
  const hall = openHall();
  const caller = hall.connection('192.0.2.1');
  const [address = '', port] = caller.name.split(' ');
  const server = { requestIP: () => ({ address, port: Number(port) }) } as unknown as BunServer;
  await hall.look([caller, 2 * ofNetwork]);
  for (let round = 0; round < 10; round += 1) {
    const request = new Request('http://a/', { method: 'PATCH' });
    hall.watch.followBody(request, server)(false);
    expect(await hall.look([caller, httpLimits.bodyAheadBytesMax])).toEqual([]);
  }
  expect(await hall.look([caller, 2 * atOnce])).toEqual([caller]);
});

test('what has come and is told of later is no flood', async () => {
  const hall = openHall();
  const caller = hall.connection('192.0.2.1');
  await hall.look([caller, 2 * ofNetwork]);
  for (let look = 0; look < 20; look += 1) {
    expect(await hall.look([caller, atOnce / 2])).toEqual([]);
    hall.ask(caller, { requests: 1, bodyBytes: atOnce / 2 });
    expect(await hall.look([caller, 0])).toEqual([]);
  }
});

test('who only asks for much makes nobody be looked at more often', async () => {
  const hall = openHall();
  const caller = hall.connection('192.0.2.1');
  await hall.look([caller, 2 * ofNetwork]);
  for (let look = 0; look < 20; look += 1) {
    const sent = hall.ask(caller, { requests: 100, bodyBytes: 20_000 });
    await hall.look([caller, sent]);
    expect(hall.watch.isCounted('192.0.2.1')).toBe(true);
    expect(hall.watch.isAlert).toBe(false);
  }
  await hall.look([caller, httpLimits.untoldRequestBytesMax + 1]);
  expect(hall.watch.isAlert).toBe(true);
});

test('nothing is done for who sends nothing', () => {
  const hall = openHall();
  const idle = hall.connection('192.0.2.1');
  const before = hall.clock.asked;
  hall.watch.begin();
  hall.watch.came(idle, 0);
  hall.watch.came(idle, -100);
  expect(hall.clock.asked).toBe(before);
});

test('of many connections that together send too much those go that sent most', async () => {
  const hall = openHall();
  const crowd = Array.from({ length: 40 }, () => hall.connection('192.0.2.1'));
  const quiet = hall.connection('192.0.2.1');
  const other = hall.connection('192.0.2.2');
  const sends = (bytes: number) => [
    ...crowd.map((one): Sent => [one, bytes]),
    [quiet, 100] as Sent,
    [other, 100] as Sent,
  ];
  const share = atOnce / 8;
  expect(await hall.look(...sends(share))).toEqual([]);
  const closed = await hall.look(...sends(share));
  // A network may send four times what one may; with what the quiet one has sent it is a little more.
  const left = Math.floor(ofNetwork / share) - 1;
  expect(closed).toEqual(crowd.slice(0, crowd.length - left));
});

test('a trusted proxy sends what it likes', async () => {
  const hall = openHall();
  const proxy = hall.connection('192.0.2.8');
  for (let look = 0; look < 5; look += 1) expect(await hall.look([proxy, 10 * atOnce])).toEqual([]);
  expect(hall.watch.isAlert).toBe(false);
});

test('an allowed network may send more, but not one connection of it', async () => {
  const hall = openHall();
  const crowd = Array.from({ length: 40 }, () => hall.connection('192.0.2.7'));
  const rude = hall.connection('192.0.2.7');
  const sends = (rudely: number) => [
    ...crowd.map((one): Sent => [one, atOnce / 8]),
    [rude, rudely] as Sent,
  ];
  for (let look = 0; look < 3; look += 1) expect(await hall.look(...sends(100))).toEqual([]);
  expect(await hall.look(...sends(atOnce + 1))).toEqual([rude]);
});

test.each(['192.0.2.7', '192.0.2.8'])(
  '%s, which has no bounds, is never kept out',
  async (free) => {
    const hall = openHall();
    await hall.look([hall.connection(free), 2 * ofNetwork]);
    for (let cut = 0; cut <= httpLimits.cutsOfNetwork.atOnce; cut += 1)
      await hall.look([hall.connection(free), 2 * atOnce]);
    for (let n = 0; n <= httpLimits.goneOfNetwork.atOnce; n += 1)
      hall.watch.gaveUp(hall.connection(free).name);
    await hall.look();
    expect(hall.wasShutOut).toEqual([]);
  },
);

test('who comes back after each time is kept out', async () => {
  const hall = openHall();
  const { atOnce: cuts } = httpLimits.cutsOfNetwork;
  await hall.look([hall.connection('192.0.2.1'), 2 * ofNetwork]);
  for (let cut = 0; cut < cuts; cut += 1)
    expect(await hall.look([hall.connection('192.0.2.1'), 2 * atOnce])).toHaveLength(1);
  expect(hall.wasShutOut).toEqual([]);
  await hall.look([hall.connection('192.0.2.1'), 2 * atOnce]);
  expect(hall.wasShutOut).toEqual(['192.0.2.1']);
});

test('who gives up request after request is kept out', async () => {
  const hall = openHall();
  const { name } = hall.connection('192.0.2.1');
  for (let n = 0; n < httpLimits.goneOfNetwork.atOnce; n += 1) hall.watch.gaveUp(name);
  await hall.look();
  expect(hall.wasShutOut).toEqual([]);
  hall.watch.gaveUp(name);
  await hall.look();
  expect(hall.wasShutOut).toEqual(['192.0.2.1']);
});

test('who goes on to ask though it is refused is closed, and nobody else of its network', async () => {
  const hall = openHall();
  const [rude, quiet] = [hall.connection('192.0.2.1'), hall.connection('192.0.2.1')];
  const { atOnce } = httpLimits.refusedOfConnection;
  hall.refuse(quiet, atOnce);
  hall.refuse(rude, atOnce);
  expect(await hall.look([rude, 10], [quiet, 10])).toEqual([]);
  hall.refuse(rude, 1);
  expect(await hall.look([rude, 10], [quiet, 10])).toEqual([rude]);
  expect(await hall.look([quiet, 10])).toEqual([]);
});

test('one that has no bounds may be refused as often as it likes', async () => {
  const hall = openHall();
  const free = hall.connection('192.0.2.7');
  hall.refuse(free, 10 * httpLimits.refusedOfConnection.atOnce);
  expect(await hall.look([free, 10])).toEqual([]);
});

test('who comes back each time to ask on is kept out', async () => {
  const hall = openHall();
  for (let cut = 0; cut <= httpLimits.cutsOfNetwork.atOnce; cut += 1) {
    expect(hall.wasShutOut).toEqual([]);
    const one = hall.connection('192.0.2.1');
    hall.refuse(one, httpLimits.refusedOfConnection.atOnce + 1);
    expect(await hall.look([one, 10])).toEqual([one]);
  }
  expect(hall.wasShutOut).toEqual(['192.0.2.1']);
});

type Sent = [connection: OpenConnection, bytes: number];

function openHall({ isSecure = false } = {}) {
  const clock = { at: 0, asked: 0 };
  const watch = new BytesWatch({
    isSecure,
    bounds: { bytesPerSecond },
    peers: { isAllowed: (network) => network === '192.0.2.7' },
    proxies: new TrustedProxies('192.0.2.8'),
    monotonicMs: () => {
      clock.asked += 1;
      return clock.at;
    },
  });
  const wasShutOut: string[] = [];
  let opened = 0;
  const connection = (address: string): OpenConnection => {
    opened += 1;
    return { fd: opened, socket: opened, name: `${address} ${opened}`, network: address };
  };
  const look = async (...sent: Sent[]) => {
    watch.begin();
    for (const [one, bytes] of sent) watch.came(one, bytes);
    const { over, shutOut } = await watch.judge(new LookSlices());
    wasShutOut.push(...shutOut);
    return over;
  };
  /** How many bytes it sends for it at most. */
  const ask = (
    { name }: OpenConnection,
    given: { requests: number; bodyBytes?: number; headers?: Record<string, string> },
  ) => {
    const { requests, bodyBytes = 0, headers = { authorization: 'Bearer a' } } = given;
    const [address = '', port] = name.split(' ');
    const server = { requestIP: () => ({ address, port: Number(port) }) } as unknown as BunServer;
    const target = '/v1/activities';
    for (let n = 0; n < requests; n += 1) {
      const request = new Request(`http://a${target}`, { method: 'POST', headers });
      watch.began(request, server);
      watch.bodyRead(request, bodyBytes);
    }
    const line = 'POST  HTTP/1.1'.length + target.length;
    return requests * (line + 'authorization: Bearer a\r\n'.length + bodyBytes);
  };
  const refuse = ({ name }: OpenConnection, count: number) => {
    const [address = '', port] = name.split(' ');
    for (let n = 0; n < count; n += 1) watch.refused({ address, port: Number(port) });
  };
  const pass = (ms: number) => {
    clock.at += ms;
  };
  return { watch, clock, wasShutOut, connection, look, ask, refuse, pass };
}
