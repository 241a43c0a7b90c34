// Made-up hosts and hosts that are none: 400 pages in one write are not made in one turn.
import { afterAll, expect, test } from 'bun:test';
import { attack } from '../support/attacks/host-flood.ts';
import { engines } from '../support/engines.ts';
import { refusalCounts } from '../support/refusal-counts.ts';
import { openRude, untilThen } from '../support/rude/rude-sockets.ts';
import { startTestService } from '../support/service.ts';

const [sqlite] = engines;
if (!sqlite) throw new Error('there is no engine');
const service = await startTestService(sqlite);
afterAll(() => service.stop());
const port = Number(new URL(service.url).port);
const { id } = (await service.call('POST', '/v1/activities', { body: { name: 'a show' } })).body;
// The scripts are bundled with the first page.
await service.call('GET', `/watch/${id}`);
const { signal } = new AbortController();
const from = '127.0.0.2';

const counts = async () => refusalCounts((await service.call('GET', '/metrics')).text);

/** Sends it and waits for the other side to close. */
async function told(request: string): Promise<string> {
  const socket = await openRude({ port, from, signal });
  socket.write(request);
  await socket.closed;
  return socket.read();
}

test.each([
  'a.example\r\nHost: b.example',
  'a.example\r\nhost: a.example',
  'a b',
  '',
  'a/b',
  'x'.repeat(300),
])('the host %p is answered 400, in the form of what was asked for', async (host) => {
  const ask = (path: string, more = '') =>
    told(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${more}\r\n`);
  const page = await ask(`/watch/${id}`);
  expect(page).toStartWith('HTTP/1.1 400 ');
  expect(page).toContain('<!doctype html>');
  const answer = await ask('/v1/activities', `Authorization: Bearer ${service.token}\r\n`);
  expect(answer).toStartWith('HTTP/1.1 400 ');
  expect(answer).toContain('"code":400001');
  const socket = await ask('/audience', 'Upgrade: websocket\r\n');
  expect(socket).toStartWith('HTTP/1.1 400 ');
});

test('HTTP/1.0 need not name a host', async () => {
  expect(await told('GET /livez HTTP/1.0\r\n\r\n')).toStartWith('HTTP/1.1 200 ');
});

test('many pages in one write end their connection, and others are served', async () => {
  const before = await counts();
  const ending = new AbortController();
  const target = {
    port,
    rtmpPort: service.rtmpPort,
    token: '',
    channels: [],
    show: { id, play_id: '' },
  };
  const attacking = attack.run(target, { from, signal: ending.signal });
  let served = 0;
  const done = attacking.then(() => ending.abort());
  await untilThen(ending.signal, async () => {
    expect((await service.call('GET', '/livez', { token: null })).status).toBe(200);
    served += 1;
  });
  await done;
  expect(served).toBeGreaterThan(0);
  const after = await counts();
  for (const refusal of attack.refusals)
    expect(after[refusal] ?? 0).toBeGreaterThan(before[refusal] ?? 0);
});
