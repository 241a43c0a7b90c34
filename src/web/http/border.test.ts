// What the border says to those beyond what may be done at once, and whom it counts a refusal for.
import { afterAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import type { Connection } from '../../audience/connection/page-connection.ts';
import { ApiError, busy, unavailable } from '../../base/api/errors.ts';
import type { PlainAnswer } from '../../base/api/plain-answer.ts';
import { startLog } from '../../base/lib/log.ts';
import { startMetrics } from '../../base/lib/metrics.ts';
import { Refusals } from '../../base/peers/refusals.ts';
import { Asker } from './asker.ts';
import { Border, type BusyForm } from './border.ts';
import { TrustedProxies } from './client-address.ts';
import { httpBounds, httpLimits } from './http-limits.ts';
import { httpRefusals } from './http-refusals.ts';
import { UntakenAnswers } from './untaken-answers.ts';

const proxies = new TrustedProxies('127.0.0.1');
const log = startLog('silent');
const now = () => 0;
const refusals = new Refusals({ now, log });
const given = {
  isSecure: true,
  asker: new Asker({ proxies, publicUrl: '', isSecure: true }),
  peers: { isAllowed: () => false },
  refusals: refusals.book('http', httpRefusals),
  bounds: httpBounds,
  metrics: startMetrics(),
  securityHeader: 'max-age=1',
  isDraining: () => false,
  now,
  log,
};
const border = new Border({ ...given, untaken: new UntakenAnswers(given) });
const server = Bun.serve<Connection>({
  port: 0,
  hostname: '127.0.0.1',
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  fetch: (request, own) => border.refuse(request, own, border.hostError(request, own)),
  websocket: { message() {} },
});
afterAll(() => server.stop(true));

const text = 'text/plain; charset=utf-8';

test.each<[BusyForm, string, string | null]>([
  ['interface', 'application/json; charset=utf-8', null],
  ['page', text, null],
  ['media', text, '*'],
])('who asks for %s and is too many is told so in its form', async (form, type, origin) => {
  const answer = border.busyAnswer(new Request('https://localhost/'), { form });
  expect(answer.status).toBe(503);
  const { headers } = answer;
  expect(headers.get('content-type')).toBe(type);
  expect(headers.get('access-control-allow-origin')).toBe(origin);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('strict-transport-security')).toBe('max-age=1');
  expect(headers.get('retry-after')).toBe('2');
  expect(headers.get('connection')).toBe('close');
  const id = headers.get('x-request-id') ?? '';
  expect(id).not.toBe('');
  const body = await answer.text();
  if (form === 'interface') expect(JSON.parse(body).errors).toMatchObject({ request_id: id });
  else expect(body).toBe('Too many requests are under way\n');
});

test('a page beyond its share is refused in words, not in JSON', async () => {
  const { promise, resolve } = Promise.withResolvers<PlainAnswer>();
  const request = new Request('https://localhost/');
  const refuse = () => ({ headers: {}, body: 'a page' });
  const ask = () =>
    border.answer(request, server, { operation: 'page', make: () => promise, refuse });
  const { underWayMax } = httpBounds;
  const unshared = underWayMax * httpLimits.unsharedUnderWay;
  const share = Math.ceil((underWayMax - unshared) / 2);
  const underWay = Array.from({ length: unshared + share }, ask);
  const beyond = await ask();
  expect(beyond.status).toBe(503);
  expect(beyond.headers.get('content-type')).toBe(text);
  resolve({ headers: {}, body: 'made' });
  for (const answer of await Promise.all(underWay)) expect(answer.status).toBe(200);
});

test('a host that is none is counted for who asked, also through a proxy', async () => {
  const headers = { 'x-forwarded-for': '192.0.2.7' };
  const { status } = await fetch(`http://127.0.0.1:${server.port}/`, { headers });
  expect(status).toBe(400);
  const who = refusals.recent().flatMap((one) => (one.reason === 'host' ? one.who : []));
  expect(who).toEqual(['192.0.2.7']);
});

test.each([
  ['GET', 'Transfer-Encoding: chunked', '1\r\nx\r\n'],
  ['POST', 'Transfer-Encoding: chunked', '1\r\nx\r\n'],
  ['GET', 'Content-Length: 1099511627776', 'x'],
  ['POST', 'Content-Length: 1099511627776', 'x'],
])('a body without an end that nobody reads ends its connection: %s, %s', async (...given) => {
  const [method, header, piece] = given;
  const said = await talk(`${method} / HTTP/1.1\r\nHost: a b\r\n${header}\r\n\r\n${piece}`);
  expect(said).toStartWith('HTTP/1.1 400 ');
  // Without it Bun goes on reading, until nothing has come for seconds.
  expect(said).toMatch(/\r\nconnection: close\r\n/i);
});

test('behind a short body that nobody reads the connection goes on', async () => {
  const first = 'POST / HTTP/1.1\r\nHost: a b\r\nContent-Length: 2\r\n\r\n{}';
  const last = 'GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n';
  const said = await talk(first + last);
  expect(said.match(/HTTP\/1\.1 400 /g)).toHaveLength(2);
});

/** All that is answered until the other end closes the connection. */
async function talk(words: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: Number(server.port) });
  let said = '';
  socket.on('data', (bytes: Buffer) => {
    said += bytes.toString('latin1');
  });
  socket.write(words);
  await new Promise((resolve) => socket.once('end', resolve));
  socket.destroy();
  return said;
}

test('what cannot be answered is told by a line in ten seconds, with how many there were', async () => {
  const lines: Record<string, unknown>[] = [];
  let at = 0;
  const own = new Border({
    ...given,
    untaken: new UntakenAnswers(given),
    now: () => at,
    log: { ...log, error: (message, fields) => lines.push({ message, ...fields }) },
  });
  const ask = async (operation: string, error: unknown) => {
    const make = () => {
      throw error;
    };
    const refuse = ({ status }: ApiError) => ({ status, headers: {}, body: 'a page' });
    const asked = { operation, make, ...(operation === 'page' && { refuse }) };
    const { status } = await own.answer(new Request('https://localhost/'), server, asked);
    return status;
  };
  const gone = unavailable('The database cannot be reached');
  for (const operation of ['page', 'getVideo', 'page', 'getVideo'])
    expect(await ask(operation, gone)).toBe(503);
  expect(await ask('page', busy('Your own calls before it took its time'))).toBe(503);
  expect(await ask('page', new ApiError('noChannel'))).toBe(404);
  const fault = new Error('a fault of ours');
  for (const operation of ['page', 'getVideo', 'page'])
    expect(await ask(operation, fault)).toBe(500);
  at = 10_000;
  await ask('getVideo', gone);
  await ask('page', fault);
  expect(
    lines.map(({ operation, reason, cause, count }) => [operation, reason, cause, count]),
  ).toEqual([
    ['page', 'The database cannot be reached', undefined, 1],
    ['page', 'Internal error', fault, 1],
    ['getVideo', 'Internal error', fault, 1],
    ['getVideo', 'The database cannot be reached', undefined, 4],
    ['page', 'Internal error', fault, 2],
  ]);
});

test('where not even the page that says what is wrong can be made, it is said without', async () => {
  const broken = () => {
    throw new ApiError('noChannel');
  };
  const asked = { operation: 'page', make: broken, refuse: broken };
  const answer = await border.answer(new Request('https://localhost/'), server, asked);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    404,
    'application/json; charset=utf-8',
  ]);
});
