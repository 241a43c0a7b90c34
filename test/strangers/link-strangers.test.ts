// Strangers at the door of the links: they cost next to nothing, learn nothing, and keep no node out.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { linkLimits } from '../../src/base/links/link-limits.ts';
import { engines } from '../support/engines.ts';
import { type LinkedServices, startLinkedServices } from '../support/linked-services.ts';
import { until } from '../support/live-channel.ts';
import { startTestService } from '../support/service.ts';
import { refusalsOf } from '../support/strangers.ts';

let nodes: LinkedServices;
let url = '';
beforeAll(async () => {
  nodes = await startLinkedServices(2);
  await nodes.linked();
  url = nodes.all[0]?.service.url ?? '';
});
afterAll(() => nodes.stop());

const target = () => {
  const [one] = nodes.all;
  if (!one) throw new Error('no service');
  return one;
};
const refused = async (reason: string) =>
  (await refusalsOf(target().service))[`link ${reason}`] ?? 0;

/** Resolves with what came before it was closed. */
function stranger(said: (string | Uint8Array<ArrayBuffer>)[], { ping = false } = {}) {
  const came: unknown[] = [];
  const socket = new WebSocket(`${url.replace('http', 'ws')}/link`);
  const closed = new Promise<unknown[]>((resolve) => {
    socket.onclose = () => resolve(came);
  });
  socket.onmessage = ({ data }) => came.push(data);
  socket.onopen = () => {
    for (const one of said) socket.send(one);
    if (ping) (socket as WebSocket & { ping(): void }).ping();
  };
  return { closed, close: () => socket.close() };
}

const hello = (change: Record<string, unknown> = {}) =>
  JSON.stringify({
    link: 1,
    node: '0',
    run: '1',
    to: target().node,
    address: new URL(target().line.url).host,
    nonce: '0'.repeat(32),
    secrets: ['0'.repeat(16)],
    ...change,
  });

test('a service without other nodes has no such path', async () => {
  const [sqlite] = engines;
  if (!sqlite) throw new Error('no engine');
  const alone = await startTestService(sqlite, { settings: { NODE_URL: 'http://127.0.0.1:1' } });
  const { status } = await alone.call('GET', '/link', { token: null });
  const upgrade = await fetch(`${alone.url}/link`, {
    headers: { upgrade: 'websocket', connection: 'upgrade', 'sec-websocket-version': '13' },
  });
  await alone.stop();
  expect([status, upgrade.status]).toEqual([404, 404]);
});

test('who asks without a WebSocket is told so', async () => {
  expect((await fetch(`${url}/link`)).status).toBe(426);
});

const attacks: [string, () => (string | Uint8Array<ArrayBuffer>)[], string][] = [
  ['words of no node', () => ['hello'], 'words'],
  ['bytes', () => [new Uint8Array(100)], 'words'],
  ['more than a handshake has', () => [hello({ more: 'x'.repeat(2_000) })], 'words'],
  ['a name of another node', () => [hello({ to: 'other' })], 'node'],
  ['another address', () => [hello({ address: 'example.com:80' })], 'address'],
  ['no secret of ours', () => [hello()], 'secret'],
];
for (const [what, said, reason] of attacks)
  test(`a stranger with ${what} is cut, and told nothing`, async () => {
    const before = await refused(reason);
    expect(await stranger(said()).closed).toEqual([]);
    expect(await refused(reason)).toBe(before + 1);
  });

test('a frame beyond what the server takes ends the connection', async () => {
  expect(await stranger(['x'.repeat(100_000)]).closed).toEqual([]);
});

test('pings are no words of a node', async () => {
  const before = await refused('words');
  await stranger([], { ping: true }).closed;
  expect(await refused('words')).toBe(before + 1);
});

test('who knows the name of the secret and not the secret proves nothing', async () => {
  const row = await target().service.store.one<{ value: string }>(
    "SELECT value FROM secrets WHERE name = 'links'",
  );
  const { secretName } = await import('../../src/base/links/link-proof.ts');
  const before = await refused('proof');
  const named = hello({ secrets: [secretName(row?.value ?? '')] });
  const came = await stranger([named, JSON.stringify({ proof: '0'.repeat(64) })]).closed;
  // The challenge, and no proof of the other side.
  expect(came).toHaveLength(1);
  expect(Object.keys(JSON.parse(String(came[0]))).toSorted()).toEqual([
    'node',
    'nonce',
    'run',
    'secret',
  ]);
  expect(await refused('proof')).toBe(before + 1);
});

test('who says nothing is cut in time', async () => {
  const before = await refused('late');
  const from = performance.now();
  await stranger([]).closed;
  expect(performance.now() - from).toBeGreaterThan(linkLimits.handshakeMs - 500);
  expect(await refused('late')).toBe(before + 1);
});

test('of a crowd few stay, and a node that was cut comes back beside it', async () => {
  const crowd: { close(): void }[] = [];
  let isOver = false;
  const flood = (async () => {
    while (!isOver) {
      crowd.push(...Array.from({ length: 10 }, () => stranger([])));
      await Bun.sleep(100);
    }
  })();
  await until(async () => (await refused('late')) > 20, {
    withinMs: 10_000,
    otherwise: 'the crowd is not refused',
  });
  const opened = () =>
    target().service.logLines.filter((line) => line.includes('a link is open')).length;
  const before = opened();
  for (const { line } of nodes.all) line.cut();
  await until(async () => opened() > before, {
    withinMs: 20_000,
    otherwise: 'the node did not come back',
  });
  isOver = true;
  await flood;
  for (const one of crowd) one.close();
});
