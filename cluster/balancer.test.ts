import { afterEach, expect, test } from 'bun:test';
import { until } from '../test/support/live-channel.ts';
import { type Balancer, type BalancerOrder, startBalancer } from './balancer.ts';
import { host } from './places.ts';

/** Answers with its name; whether it is ready is set by hand. */
function standIn(name: string) {
  const state = { isReady: true };
  const server = Bun.serve({
    hostname: host,
    port: 0,
    routes: {
      '/readyz': () => new Response('', { status: state.isReady ? 200 : 503 }),
      '/': () => new Response(name),
    },
  });
  running.push(() => server.stop(true));
  const port = server.port ?? 0;
  return { name, state, httpPort: port, rtmpPort: port, stop: () => server.stop(true) };
}

const running: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
});

async function balanced(nodes: BalancerOrder['nodes'], preferred?: string): Promise<Balancer> {
  const order = { nodes, host, httpPort: 0, rtmpPort: 0, ...(preferred && { preferred }) };
  const balancer = await startBalancer(order);
  running.push(() => balancer.stop());
  return balancer;
}

/** On a connection of its own; undefined where that was closed. */
async function ask(port: number): Promise<string | undefined> {
  const headers = { connection: 'close' };
  const asked = fetch(`http://${host}:${port}/`, { keepalive: false, headers });
  return await asked.then(
    (answer) => answer.text(),
    () => undefined,
  );
}

test('a node that is not ready gets nobody, and gets its share when it is', async () => {
  const [a, b] = [standIn('a'), standIn('b')];
  b.state.isReady = false;
  const { httpPort, rtmpPort } = await balanced([a, b]);
  for (let i = 0; i < 6; i += 1) expect(await ask(i % 2 ? httpPort : rtmpPort)).toBe('a');
  b.state.isReady = true;
  a.state.isReady = false;
  await until(async () => (await ask(httpPort)) === 'b', { withinMs: 5_000, otherwise: 'never b' });
});

test('who is preferred gets everybody while it is there; when it is gone the next one does, at once', async () => {
  const [a, b] = [standIn('a'), standIn('b')];
  const { httpPort } = await balanced([a, b], 'b');
  for (let i = 0; i < 4; i += 1) expect(await ask(httpPort)).toBe('b');
  await b.stop();
  expect(await ask(httpPort)).toBe('a');
});

test('where nobody is there a connection is closed', async () => {
  const a = standIn('a');
  const { httpPort } = await balanced([a]);
  await a.stop();
  expect(await ask(httpPort)).toBeUndefined();
});
