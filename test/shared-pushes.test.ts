// Several whole services on one PostgreSQL, as nodes of one: who has a push, and what goes on when it moves.
import { afterEach, expect, test } from 'bun:test';
import { startClipPush, testClip } from './support/clip-push.ts';
import { engines, temporaryFolder } from './support/engines.ts';
import { isLive, newLiveChannel, taken, until, untilLetIn } from './support/live-channel.ts';
import { movingClock, startTestService, type TestService } from './support/service.ts';

const running: TestService[] = [];

afterEach(async () => {
  for (const service of running.splice(0).reverse()) await service.stop();
});

/** Nodes by these names, which share a database and a clock. */
async function startNodes(...names: string[]): Promise<TestService[]> {
  const engine = engines.find(({ name }) => name === 'postgres');
  if (!engine) throw new Error('there is no PostgreSQL');
  const clock = movingClock();
  const database = await engine.fresh({ mayHaveTables: true });
  const nodes: TestService[] = [];
  for (const name of names) {
    const settings = {
      ...{ ...database, DATA_DIR: temporaryFolder(), MIN_FREE_DISK: '10M' },
      ...{ NODE_NAME: name, NODE_URL: `http://${name}.example` },
    };
    nodes.push(await startTestService(engine, { settings, clock }));
    running.push(...nodes.slice(-1));
  }
  return nodes;
}

/** The same channel's publish address on another node. */
function publishUrlOn({ rtmpPort }: TestService, publishUrl: string): string {
  const { pathname } = new URL(publishUrl);
  return `rtmp://127.0.0.1:${rtmpPort}${pathname}`;
}

async function nextSequences(service: TestService, playlistUrl: string): Promise<number[]> {
  const { pathname } = new URL(playlistUrl);
  const playlist = await (await fetch(`${service.url}${pathname}?low_latency`)).text();
  const named = playlist.matchAll(/^(\d+)\.m4s$/gm);
  return Array.from(named, ([, sequence]) => Number(sequence));
}

test('of two encoders with one key on two nodes one is refused', async () => {
  const [a, b] = (await startNodes('a', 'b')) as [TestService, TestService];
  const channel = await newLiveChannel(a);
  const push = await startClipPush(channel.publishUrl, testClip());
  await until(() => isLive(b, channel.id), { withinMs: 5_000, otherwise: 'it is not live' });
  const second = startClipPush(publishUrlOn(b, channel.publishUrl), testClip());
  expect(await second.catch((error) => error.message)).toBe(taken);
  await push.end();
});

test('an encoder that was cut goes on on another node with the same show', async () => {
  const [a, b] = (await startNodes('a', 'b')) as [TestService, TestService];
  const channel = await newLiveChannel(a);
  const first = await startClipPush(channel.publishUrl, testClip());
  const shown = async (service: TestService) => {
    const numbers = await nextSequences(service, channel.playlistUrl);
    return numbers.length > 0 ? numbers : undefined;
  };
  await until(async () => !!(await shown(a)), { withinMs: 10_000, otherwise: 'nothing is shown' });
  first.publisher.cut();
  const { push } = await untilLetIn(
    () => startClipPush(publishUrlOn(b, channel.publishUrl), testClip()),
    { withinMs: 10_000 },
  );
  await until(async () => !!(await shown(b)), { withinMs: 10_000, otherwise: 'nothing goes on' });
  const [last = 0] = ((await shown(a)) ?? []).slice(-1);
  const [next = 0] = (await shown(b)) ?? [];
  expect(next).toBeGreaterThan(last);
  expect(await isLive(a, channel.id)).toBe(true);
  const shows = await a.store.all('SELECT end_at FROM shows WHERE channel_id = $1', [channel.id]);
  expect(shows).toEqual([{ end_at: null }]);
  const events = await a.store.all<{ type: string }>(
    "SELECT type FROM events WHERE type LIKE 'channel.%' ORDER BY seq",
  );
  expect(events.map(({ type }) => type)).toEqual(['channel.created', 'channel.live']);
  await push.end();
  await until(async () => !(await isLive(a, channel.id)), {
    withinMs: 5_000,
    otherwise: 'it does not end',
  });
  const ended = await a.store.all<{ end_at: number | null }>('SELECT end_at FROM shows');
  expect(ended).toHaveLength(1);
  expect(ended[0]?.end_at).not.toBeNull();
});
