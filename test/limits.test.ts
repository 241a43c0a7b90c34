// A limit that an operator has lowered holds in the running service, where the usual one would let it pass.
import { afterAll, expect, test } from 'bun:test';
import { engines } from './support/engines.ts';
import { frame, newTicket, RudePage } from './support/rude/rude-page.ts';
import { connectRudely, emptyMessages, rudeSession } from './support/rude/rude-rtmp.ts';
import { openRude } from './support/rude/rude-sockets.ts';
import { movingClock, startTestService } from './support/service.ts';
import { refusalsOf, rudeAddress } from './support/strangers.ts';

const [sqlite] = engines;
if (!sqlite) throw new Error('there is no engine');
const service = await startTestService(sqlite, {
  clock: movingClock(),
  settings: {
    MIN_FREE_DISK: '10M',
    HTTP_REQUESTS: '10',
    RTMP_STRANGER_MESSAGES: '16',
    RTMP_START_MS: '1000',
    AUDIENCE_FRAMES_PER_PAGE: '10',
    AUDIENCE_PINGS_PER_PAGE: '5',
    AUDIENCE_MESSAGES_PER_VIEWER: '6',
    QR_CODES_PER_NETWORK: '3',
  },
});
afterAll(() => service.stop());
const way = { port: Number(new URL(service.url).port), from: rudeAddress };
const { id } = (await service.call('POST', '/v1/activities', { body: { name: 'a show' } })).body;

const refused = async (reason: string) => (await refusalsOf(service))[reason] ?? 0;

async function enter(): Promise<RudePage> {
  const page = await RudePage.open(way);
  page.hello(await newTicket(way, id));
  await page.first('welcome');
  return page;
}

test('HTTP: how many requests a network may have under way', async () => {
  const ending = new AbortController();
  const head = `POST /v1/activities HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}`;
  const unfinished = `${head}\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n`;
  const sockets = await Promise.all(
    Array.from({ length: 8 }, () => openRude({ ...way, signal: ending.signal })),
  );
  for (const socket of sockets) socket.write(unfinished);
  const answers = sockets.map(async (socket) => {
    await socket.closed;
    return socket.read();
  });
  expect(await Promise.race(answers)).toStartWith('HTTP/1.1 503 ');
  ending.abort();
  await Promise.all(answers);
  expect(await refused('http busy_network')).toBeGreaterThan(0);
});

test('RTMP: what a stranger may send', async () => {
  const client = await connectRudely({ port: service.rtmpPort, from: rudeAddress });
  await client.send(rudeSession());
  await client.send(emptyMessages(99, 20));
  await client.closed;
  expect(await refused('rtmp stranger')).toBe(1);
});

test('RTMP: how long one may do nothing', async () => {
  const silent = await connectRudely({ port: service.rtmpPort, from: rudeAddress });
  const idle = await connectRudely({ port: service.rtmpPort, from: rudeAddress });
  await idle.send(rudeSession());
  await Promise.all([silent.closed, idle.closed]);
  expect([await refused('rtmp handshake'), await refused('rtmp idle')]).toEqual([1, 1]);
});

test.each([
  ['messages', frame(1, Buffer.from('x'))],
  ['pings', frame(9, Buffer.alloc(0))],
])('pages: how many %s one may send', async (_, one) => {
  const before = await refused('page flood');
  const page = await enter();
  await page.write(Buffer.concat(Array(12).fill(one)));
  await page.closed;
  expect(await refused('page flood')).toBe(before + 1);
});

test('pages: how often a viewer may write', async () => {
  const page = await enter();
  for (const text of ['one', 'two']) page.say({ type: 'chat', text });
  expect(await page.first('notice')).toEqual({ type: 'notice', notice: 'slow_down' });
  expect(await refused('page pace')).toBe(1);
  page.end();
});

test('pages: how many QR codes a network may have made', async () => {
  const shown = async (host: string) => {
    const { text } = await service.call('GET', `/watch/${id}`, { token: null, headers: { host } });
    return text.includes('id="share-qr"');
  };
  expect([await shown('a.example'), await shown('b.example')]).toEqual([true, false]);
});
