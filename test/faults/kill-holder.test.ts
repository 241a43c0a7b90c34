// The node that has a push is killed: what it had not named yet comes with it when it returns in time, and there is one video.
import { afterAll, afterEach, beforeAll, expect } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BucketStore, startBucketStore } from '../support/bucket-store.ts';
import { type ClipPush, startClipPush } from '../support/clip-push.ts';
import { type CuttingProxy, startCuttingProxy } from '../support/cutting-proxy.ts';
import { engines, temporaryFolder } from '../support/engines.ts';
import { newLiveChannel, until, untilLetIn, videosOf } from '../support/live-channel.ts';
import { judgeVideo, noJudge } from '../support/media-judge.ts';
import { testWith } from '../support/needs.ts';
import { type ServiceProcess, startProcess } from '../support/service-process.ts';

/** A node that can be killed and started again on its folder. */
interface Node {
  service: ServiceProcess;
  dataDir: string;
  again(): Promise<void>;
}

let store: BucketStore;
const lines: CuttingProxy[] = [];
const running: Node[] = [];
beforeAll(async () => {
  store = await startBucketStore();
});
afterEach(async () => {
  store.set('through');
  for (const { service } of running.splice(0)) if (service.isAlive()) await service.kill();
  for (const line of lines.splice(0)) await line.stop();
});
afterAll(() => store.stop());

async function twoNodes(more: Record<string, string> = {}): Promise<[Node, Node]> {
  const engine = engines.find(({ name }) => name === 'postgres');
  if (!engine) throw new Error('no PostgreSQL');
  const { DATABASE_URL } = await engine.fresh({ mayHaveTables: true });
  const place = store.emptyPlace();
  for (const name of ['node-1', 'node-2']) {
    const line = await startCuttingProxy('http://127.0.0.1:1', { cutAt: [] });
    lines.push(line);
    const dataDir = temporaryFolder();
    const settings = {
      ...{ DATA_DIR: dataDir, DATABASE_URL, NODE_NAME: name, NODE_URL: line.url },
      ...{ MIN_FREE_DISK: '1M', ...place, ...more },
    };
    const start = async (token = running[0]?.service.token) => {
      const service = await startProcess(settings, token === undefined ? {} : { token });
      line.lead(service.url);
      return service;
    };
    const node: Node = {
      service: await start(),
      dataDir,
      again: async () => {
        node.service = await start(node.service.token);
      },
    };
    running.push(node);
  }
  return running as [Node, Node];
}

async function pushTo({ service }: Node, channel_id: number): Promise<ClipPush> {
  const headers = { host: new URL(service.url).host };
  const { body } = await service.call('GET', `/v1/activities/${channel_id}`, { headers });
  const publish = () => startClipPush(body.rtmp_publish_addr);
  return (await untilLetIn(publish, { withinMs: 20_000 })).push;
}

async function sent(push: ClipPush, ms: number): Promise<void> {
  while (push.sentMs() < ms) await Bun.sleep(20);
}

function foldersOf({ dataDir }: Node): string[] {
  const root = join(dataDir, 'recordings');
  return existsSync(root) ? readdirSync(root).filter((name) => !name.startsWith('.')) : [];
}

async function oneVideo({ service }: Node, id: number) {
  await until(async () => (await videosOf(service, id)).length > 0, {
    withinMs: 40_000,
    otherwise: 'there is no video',
  });
  const [video, ...more] = await videosOf(service, id);
  expect(more).toEqual([]);
  return video as NonNullable<typeof video>;
}

/** A segment is cut at a key frame from 1.8 s on, and by force at 4 s. */
const segmentMsMax = 4_000;

testWith(noJudge, 'a node that returns with a tail adds it to the one recording', async () => {
  const [a, b] = await twoNodes();
  const { id } = await newLiveChannel(a.service);
  const first = await pushTo(a, id);
  await sent(first, 4_000);
  store.set('frozen');
  await sent(first, 9_000);
  const firstMs = first.sentMs();
  await a.service.kill();
  await first.over;
  store.set('through');
  const second = await pushTo(b, id);
  await sent(second, 4_000);
  expect(foldersOf(a)).toHaveLength(1);
  await a.again();
  await until(() => foldersOf(a).length === 0, {
    withinMs: 20_000,
    otherwise: 'the tail is not carried',
  });
  const secondMs = second.sentMs();
  await second.end();
  const video = await oneVideo(b, id);
  const { durationMs, problems } = await judgeVideo(video.m3u8);
  expect(problems).toEqual([]);
  expect(durationMs).toBeGreaterThan(firstMs + secondMs - segmentMsMax);
});

testWith(
  noJudge,
  'of a killed node whose encoder does not come back another makes the video',
  async () => {
    const [a, b] = await twoNodes({ RECONNECT_MS: '2000' });
    const { id } = await newLiveChannel(a.service);
    const push = await pushTo(a, id);
    await sent(push, 8_000);
    const pushedMs = push.sentMs();
    await a.service.kill();
    await push.over;
    const video = await oneVideo(b, id);
    const { durationMs, problems } = await judgeVideo(video.m3u8);
    expect(problems).toEqual([]);
    expect(durationMs).toBeGreaterThan(pushedMs - segmentMsMax - 1_000);
    // What it still has comes too late, and there is no second video.
    await a.again();
    await until(() => foldersOf(a).length === 0, {
      withinMs: 20_000,
      otherwise: 'its folder stays',
    });
    await oneVideo(a, id);
  },
);
