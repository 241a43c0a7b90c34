// Two services with a bucket, as nodes of one: a recording that still lies on the disk of one is watched and cut on the other.
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { type BucketStore, startBucketStore } from './support/bucket-store.ts';
import { startClipPush, testClip } from './support/clip-push.ts';
import { wantLadder } from './support/ladder-stage.ts';
import { type LinkedServices, startLinkedServices } from './support/linked-services.ts';
import { newLiveChannel, until, videosOf } from './support/live-channel.ts';
import type { TestService } from './support/service.ts';

let bucketStore: BucketStore;
let nodes: LinkedServices | undefined;

beforeAll(async () => {
  bucketStore = await startBucketStore();
});
afterEach(async () => {
  bucketStore.set('through');
  await nodes?.stop();
  nodes = undefined;
});
afterAll(() => bucketStore.stop());

const seconds = 3;

/** A video of the first node, which the store takes nothing of. */
async function recorded() {
  nodes = await startLinkedServices(2, {
    settings: { MIN_FREE_DISK: '10M', ...bucketStore.emptyPlace() },
  });
  await nodes.linked();
  const [a, b] = nodes.all.map(({ service }) => service) as [TestService, TestService];
  bucketStore.set('failing');
  await wantLadder(a, true);
  const channel = await newLiveChannel(a);
  const push = await startClipPush(channel.publishUrl, testClip());
  await until(() => push.sentMs() > seconds * 1_000, { withinMs: 20_000, otherwise: 'it stands' });
  await push.end();
  await until(async () => (await videosOf(a, channel.id)).length > 0, {
    withinMs: 20_000,
    otherwise: 'there is no video',
  });
  const storage = async () =>
    (await a.store.one<{ storage: string }>('SELECT storage FROM videos'))?.storage;
  const video = async () => {
    const [found] = await videosOf(a, channel.id);
    if (!found) throw new Error('there is no video');
    return found;
  };
  await until(async () => (await video()).cover_url !== '', {
    withinMs: 30_000,
    otherwise: 'its files are not made',
  });
  expect(await storage()).toBe('spool');
  return { a, b, channel, video: await video(), storage };
}

async function read({ url }: TestService, address: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${url}${new URL(address).pathname}`, { headers });
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, headers: answer.headers, bytes };
}

test('all of its files are read on the other node, whole and in ranges, until the bucket has them', async () => {
  const { a, b, video, storage } = await recorded();
  const source = video.m3u8.replace('index.m3u8', 'source.mp4');
  // Its ladder has made the sound alone, of so small a picture nothing else.
  const sizes = ['all.m3u8', 'sound.m3u8', 'sound.mp4', 'still.mp4'];
  const all = [video.m3u8, source, video.video_url, video.cover_url];
  all.push(...sizes.map((name) => video.m3u8.replace('index.m3u8', name)));
  const readAll = async () => {
    for (const address of all) {
      const [here, there] = [await read(a, address), await read(b, address)];
      expect([address, there.status]).toEqual([address, 200]);
      expect(there.bytes.equals(here.bytes)).toBe(true);
      expect(there.headers.get('etag')).toBe(here.headers.get('etag'));
      expect(there.headers.get('content-type')).toBe(here.headers.get('content-type'));
    }
  };
  await readAll();
  const whole = await read(a, source);
  for (const range of ['bytes=100-299', 'bytes=-500', `bytes=${whole.bytes.length - 10}-`]) {
    const [here, there] = [await read(a, source, { range }), await read(b, source, { range })];
    expect(there.status).toBe(206);
    expect(there.headers.get('content-range')).toBe(here.headers.get('content-range'));
    expect(there.bytes.equals(here.bytes)).toBe(true);
  }
  const beyond = await read(b, source, { range: `bytes=${whole.bytes.length}-` });
  expect(beyond.status).toBe(416);
  expect((await read(b, video.m3u8.replace('index.m3u8', '1080.m3u8'))).status).toBe(404);
  bucketStore.set('through');
  await until(async () => (await storage()) === 'bucket', {
    withinMs: 90_000,
    otherwise: 'it does not come into the bucket',
  });
  for (const address of all) expect((await read(b, address)).status).toBe(200);
}, 120_000);

test('a clip of it is cut on the other node', async () => {
  const { b, a, channel, video } = await recorded();
  const { status, body } = await b.call('POST', `/manage/v1/channels/${channel.id}/clips`, {
    token: a.token,
    body: { video_id: video.id, from_ms: 0, to_ms: 2_000 },
  });
  expect([status, body.error]).toEqual([200, undefined]);
  const clip = await b.store.one<{ recording_node: string }>(
    'SELECT recording_node FROM videos WHERE id = $1',
    [body.id],
  );
  expect(clip?.recording_node).toBe('node-2');
}, 60_000);

test('it is said to be away, not to be nowhere, while its node is', async () => {
  const { a, b, video } = await recorded();
  await a.stop();
  nodes?.all.shift();
  for (const address of [video.m3u8, video.video_url]) {
    const answer = await read(b, address);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('2');
  }
}, 60_000);
