// Larger answers of a connection that may be HTTP/2: whole when they are taken, bounded while they are not.
import { afterAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/engines.ts';
import type { Connection } from '../../audience/connection/page-connection.ts';
import { startLog } from '../../base/lib/log.ts';
import { Refusals } from '../../base/peers/refusals.ts';
import { Asker } from './asker.ts';
import { TrustedProxies } from './client-address.ts';
import { httpBounds, httpLimits } from './http-limits.ts';
import { httpRefusals } from './http-refusals.ts';
import { type Body, UntakenAnswers } from './untaken-answers.ts';

const { pieceBytes, piecesPerTurn, smallAnswerBytes, sharedWeight, sharedPatience } = httpLimits;
const { untakenBytesMax, untakenMs } = httpBounds;
const server = Bun.serve<Connection>({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => new Response('x'),
  websocket: { message() {} },
});
afterAll(() => server.stop(true));

const clock = { now: 0 };
const now = () => clock.now;
const newUntaken = () => {
  const refusals = new Refusals({ now, log: startLog('silent') });
  const untaken = new UntakenAnswers({
    isSecure: true,
    asker: new Asker({ proxies: new TrustedProxies(''), publicUrl: '', isSecure: true }),
    peers: { isAllowed: () => false },
    refusals: refusals.book('http', httpRefusals),
    bounds: httpBounds,
    now,
  });
  return { refusals, untaken };
};
const { refusals, untaken } = newUntaken();
const request = new Request('https://localhost/');
const given = (body: Body, asked = request) => untaken.bounded(asked, server, body);
const bytesOf = (body: Body | 'refused') => new Response(body).bytes();

const file = join(temporaryFolder(), 'file');
await Bun.write(file, crypto.getRandomValues(new Uint8Array(3 * 65_536 + 5)));
// A character of two halves stands across the end of the first piece.
const text = `${'x'.repeat(pieceBytes - 1)}🎭${'小'.repeat(pieceBytes)}`;

test.each<[string, Body]>([
  ['text', text],
  ['bytes', new Uint8Array(200_000).fill(7)],
  ['a file', Bun.file(file)],
  ['a part of a file', Bun.file(file).slice(10, 70_000)],
  ['what many share', new Blob([text, text])],
])('%s arrives whole, in pieces', async (_, body) => {
  const sent = given(body);
  expect(sent).toBeInstanceOf(ReadableStream);
  expect(await bytesOf(sent)).toEqual(await new Response(body).bytes());
});

test.each<[string, Body, RequestInit]>([
  ['small', 'x'.repeat(smallAnswerBytes), {}],
  ['small and shared', new Blob(['x'.repeat(smallAnswerBytes)]), {}],
  ['shared, over HTTP/1.1', new Blob([text]), { headers: { connection: 'keep-alive' } }],
  ['no body', null, {}],
  ['for HEAD', text, { method: 'HEAD' }],
])('an answer that is %s goes as it is', (_, body, init) => {
  expect(given(body, new Request('https://localhost/', init))).toBe(body);
});

test('a long text over HTTP/1.1 arrives whole, of whatever characters', async () => {
  const sent = given(text, new Request('https://localhost/', { headers: { connection: 'close' } }));
  expect(sent).toBeInstanceOf(ReadableStream);
  expect(await new Response(sent as ReadableStream).text()).toBe(text);
});

test('a long text that is being taken arrives whole though the server stops', async () => {
  const long = 'x'.repeat(12_000_000);
  const own = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (asked) => new Response(given(long, asked) as ReadableStream),
  });
  const socket = connect(Number(own.port), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n');
  await new Promise((resolve) => socket.once('readable', resolve));
  const stopped = own.stop();
  let bytes = 0;
  for await (const chunk of socket) bytes += chunk.length;
  await stopped;
  expect(bytes).toBeGreaterThan(long.length);
});

test('what is left unread has a bound, and one that is taken makes room', async () => {
  const bytes = new Uint8Array(untakenBytesMax / 4 - pieceBytes);
  const answers = [1, 2, 3, 4].map(() => given(bytes));
  expect(untaken.isFull(request, server)).toBe(false);
  expect(given(bytes)).toBe('refused');
  expect(untaken.isFull(request, server)).toBe(true);
  expect(await bytesOf(answers[0] ?? null)).toHaveLength(bytes.length);
  expect(untaken.isFull(request, server)).toBe(false);
  const next = given(bytes);
  expect(next).toBeInstanceOf(ReadableStream);
  for (const left of [...answers.slice(1), next] as ReadableStream[]) await left.cancel();
  expect(refusals.counts.get('http')).toMatchObject({ unread: 2 });
});

test('one of which nothing is taken is broken off', async () => {
  const answer = given(new Uint8Array(untakenBytesMax - pieceBytes)) as ReadableStream<Uint8Array>;
  const reader = answer.getReader();
  await reader.read();
  clock.now += untakenMs;
  // There is room for another when it has gone.
  while (given(text) === 'refused') await Bun.sleep(10);
  expect(await reader.read().catch(() => 'broken off')).toBe('broken off');
  expect(refusals.counts.get('http')).toMatchObject({ stalled: 1 });
});

test('segments that nobody takes have a bound, in bytes and in time', async () => {
  const fresh = newUntaken();
  const segment = new Blob([new Uint8Array(untakenBytesMax / (8 * sharedWeight))]);
  const ask = () => fresh.untaken.bounded(request, server, segment);
  const answers: ReadableStream<Uint8Array>[] = [];
  for (let sent = ask(); sent instanceof ReadableStream; sent = ask()) answers.push(sent);
  expect(answers).toHaveLength(7);
  const counts = () => fresh.refusals.counts.get('http') ?? {};
  expect(counts()).toMatchObject({ unread: 1 });
  const stalled = async (count: number) => {
    while (counts()['stalled'] !== count) await Bun.sleep(10);
  };
  // One is taken too slowly, of the others nothing is.
  const reader = answers[0]?.getReader();
  const stepMs = untakenMs / 2;
  for (let passedMs = stepMs; passedMs <= sharedPatience * untakenMs; passedMs += stepMs) {
    expect((await reader?.read())?.value).toHaveLength(pieceBytes);
    clock.now += stepMs;
    if (passedMs === untakenMs) await stalled(6);
  }
  await stalled(7);
  expect(await reader?.read().catch(() => 'broken off')).toBe('broken off');
});

test('answers that were left while they waited for a turn hold up nobody', async () => {
  const fresh = newUntaken();
  const segment = new Blob([new Uint8Array(smallAnswerBytes + 1)]);
  const ask = () => {
    const answer = fresh.untaken.bounded(request, server, segment) as ReadableStream<Uint8Array>;
    const reader = answer.getReader();
    return { reader, piece: reader.read() };
  };
  const first = Array.from({ length: piecesPerTurn }, ask);
  const left = Array.from({ length: 8 * piecesPerTurn }, ask);
  const honest = ask();
  await first[0]?.piece;
  for (const { reader } of left) void reader.cancel();
  let turns = 0;
  const count = () => {
    turns += 1;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  await honest.piece;
  clearImmediate(immediate);
  expect(turns).toBeLessThanOrEqual(2);
  for (const { reader } of [...first, honest]) await reader.cancel();
});

test('of many that are taken at once a few pieces are given in a turn', async () => {
  const fresh = newUntaken();
  const segment = new Blob([new Uint8Array(10 * pieceBytes)]);
  const answers = Array.from({ length: piecesPerTurn }, () =>
    fresh.untaken.bounded(request, server, segment),
  ) as ReadableStream<Uint8Array>[];
  const turns = [0];
  const count = () => {
    turns.push(0);
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  const taken = answers.map(async (answer) => {
    for await (const _ of answer) turns[turns.length - 1] = (turns.at(-1) ?? 0) + 1;
  });
  await Promise.all(taken);
  clearImmediate(immediate);
  expect(turns.reduce((sum, pieces) => sum + pieces)).toBe(10 * answers.length);
  // What is counted as one may have the end of one and the beginning of the next.
  expect(Math.max(...turns)).toBeLessThanOrEqual(2 * piecesPerTurn);
});
