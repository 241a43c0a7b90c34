// Requests that come in one turn, on a real server: the first are begun at once, the others one a turn.
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { connect } from 'node:net';
import type { Connection } from '../../audience/connection/page-connection.ts';
import { startLog } from '../../base/lib/log.ts';
import { Refusals } from '../../base/peers/refusals.ts';
import { Asker } from './asker.ts';
import { TrustedProxies } from './client-address.ts';
import { httpRefusals } from './http-refusals.ts';
import { TurnGate } from './turn-gate.ts';

const workMs = 3;
const turnMs = 8;

const refusals = new Refusals({ now: () => 0, log: startLog('silent') });
const asker = new Asker({ proxies: new TrustedProxies(''), publicUrl: '', isSecure: false });
/** Connections whose requests were given up. */
const gaveUp: string[] = [];
const gateOf = (waitingMax: number) =>
  new TurnGate({
    asker,
    peers: { isAllowed: () => false },
    refusals: refusals.book('http', httpRefusals),
    bounds: { waitingMax },
    bytes: { gaveUp: (name) => void gaveUp.push(name), refused: () => {} },
    turnMs,
  });
let gate = gateOf(100);
let turn = 0;
/** In which turn each was begun. */
let begun: number[] = [];

const server = Bun.serve<Connection>({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request, own) => {
    const admission = await (gate.enter(request, own) ?? 'begin');
    if (admission !== 'begin') return new Response(admission, { status: 503 });
    begun.push(turn);
    const until = performance.now() + workMs;
    while (performance.now() < until);
    return new Response('done');
  },
  websocket: { message() {} },
});
const count = () => {
  turn += 1;
  immediate = setImmediate(count);
};
let immediate = setImmediate(count);
afterAll(() => {
  clearImmediate(immediate);
  server.stop(true);
});
beforeEach(() => {
  begun = [];
});

const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

/** What came until the other side closed it, or so many answers did. */
async function answersOf(text: string, wanted: number): Promise<string[]> {
  const socket = connect({ host: '127.0.0.1', port: server.port ?? 0 });
  socket.on('error', () => {});
  let came = '';
  await new Promise<void>((resolve) => {
    socket.on('connect', () => socket.write(text));
    socket.on('close', () => resolve());
    socket.on('data', (bytes) => {
      came += bytes;
      if ((came.match(/HTTP\/1\.1/g)?.length ?? 0) >= wanted) resolve();
    });
  });
  socket.destroy();
  return came.match(/HTTP\/1\.1 \d+/g) ?? [];
}

test('of many requests in one write a few are begun, and the connection ends', async () => {
  const answers = await answersOf(request.repeat(100), 100);
  expect(answers.length).toBeLessThanOrEqual(turnMs / workMs + 1);
  expect(begun).toHaveLength(answers.length);
  // The one that waited is found gone when its turn comes.
  while (refusals.counts.get('http')?.['gone'] !== 1) await Bun.sleep(1);
  expect(begun).toHaveLength(answers.length);
});

test('of many connections all are answered, a few a turn', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, () => answersOf(request, 1)));
  expect(answers.flat()).toEqual(Array(40).fill('HTTP/1.1 200'));
  const perTurn = [...Map.groupBy(begun, (at) => at).values()].map(({ length }) => length);
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(2 * (turnMs / workMs + 1));
});

test('beyond those that may wait they are refused, and a network has half of these', async () => {
  gate = gateOf(10);
  const answers = (
    await Promise.all(Array.from({ length: 60 }, () => answersOf(request, 1)))
  ).flat();
  expect(answers).toHaveLength(60);
  const refused = answers.filter((answer) => answer.endsWith('503')).length;
  expect(refused).toBe(refusals.counts.get('http')?.['busy_network'] ?? 0);
});
