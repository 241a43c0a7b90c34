// One push is one recording and one video, whichever nodes have had it: whole services with a bucket, on PostgreSQL.
import { expect } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { moveRecordings } from '../src/stream/recording/recorded-object-store.ts';
import type { ClipPush } from './support/clip-push.ts';
import { LinkedStage, pushTo } from './support/linked-stage.ts';
import { isLive, newLiveChannel, until, videosOf } from './support/live-channel.ts';
import { judgeFile, judgeVideo, noJudge } from './support/media-judge.ts';
import { testWith } from './support/needs.ts';
import type { TestService } from './support/service.ts';

const stage = new LinkedStage();

/** Resolves when so much more has gone to the service. */
async function sent(push: ClipPush, ms: number): Promise<void> {
  while (push.sentMs() < ms) await Bun.sleep(20);
}

async function oneVideo(service: TestService, id: number) {
  await until(async () => (await videosOf(service, id)).length > 0, {
    withinMs: 40_000,
    otherwise: 'there is no video',
  });
  const [video, ...more] = await videosOf(service, id);
  expect(more).toEqual([]);
  if (!video) throw new Error('there is no video');
  return video;
}

function foldersOf({ settings }: TestService): string[] {
  const root = join(settings['DATA_DIR'] ?? '', 'recordings');
  return existsSync(root) ? readdirSync(root).filter((name) => !name.startsWith('.')) : [];
}

testWith(
  noJudge,
  'an encoder that moves twice between two nodes leaves one whole video',
  async () => {
    const [{ service: a }, { service: b }] = await stage.start(2);
    const channel = await newLiveChannel(a);
    let pushedMs = 0;
    for (const [at, node] of [a, b, a].entries()) {
      const push = await pushTo(node, channel.publishUrl);
      await sent(push, 5_000);
      pushedMs += push.sentMs();
      if (at < 2) push.publisher.cut();
      else await push.end();
    }
    const video = await oneVideo(b, channel.id);
    const { durationMs, problems } = await judgeVideo(video.m3u8);
    expect(problems).toEqual([]);
    // Of each of the three the last picture's length is not known, and nothing else is missing.
    expect(Math.abs(durationMs - pushedMs)).toBeLessThan(500);
    expect(await a.store.all('SELECT storage, recording_node FROM videos')).toEqual([
      { storage: 'bucket', recording_node: '*' },
    ]);
    const left = await a.store.one<{ n: number }>('SELECT COUNT(*) AS n FROM recording_stints');
    expect(left?.n).toBe(0);
    expect(await a.store.one('SELECT COUNT(*) AS n FROM segments')).toEqual({ n: 0 });
    for (const node of [a, b]) expect(foldersOf(node)).toEqual([]);
    // Its files are made by whichever node comes first, and read on both.
    await until(
      async () =>
        (await a.store.all("SELECT id FROM jobs WHERE state IN ('waiting', 'running')")).length ===
        0,
      { withinMs: 60_000, otherwise: 'its files are not made' },
    );
    const jobs = await a.store.all<{ kind: string; state: string }>(
      'SELECT kind, state FROM jobs ORDER BY kind',
    );
    expect(jobs).toContainEqual({ kind: 'mp4', state: 'done' });
    for (const node of [a, b]) {
      const file = await judgeFile(`${node.url}${new URL(video.video_url).pathname}`);
      expect(file.problems).toEqual([]);
      expect(Math.abs(file.durationMs - durationMs)).toBeLessThan(300);
    }
  },
);

testWith(
  noJudge,
  'a node that has a push for too short a time to show anything leaves a number that nobody else has',
  async () => {
    const [{ service: a }, { service: b }, { service: c }] = await stage.start(3);
    const channel = await newLiveChannel(a);
    const first = await pushTo(a, channel.publishUrl);
    await sent(first, 4_000);
    // They follow, so both know how far the numbers have come.
    const { pathname } = new URL(channel.playlistUrl);
    for (const { url } of [b, c]) expect((await fetch(`${url}${pathname}`)).status).toBe(200);
    first.publisher.cut();
    const short = await pushTo(b, channel.publishUrl);
    await sent(short, 80);
    short.publisher.cut();
    const last = await pushTo(c, channel.publishUrl);
    await sent(last, 6_000);
    const pushedMs = first.sentMs() + last.sentMs();
    await last.end();
    const video = await oneVideo(a, channel.id);
    const { durationMs, problems } = await judgeVideo(video.m3u8);
    expect(problems).toEqual([]);
    expect(durationMs).toBeGreaterThan(pushedMs - 500);
  },
);

testWith(noJudge, 'a push that one node has alone is listed at once from its disk', async () => {
  const [{ service: a }] = await stage.start(2);
  const channel = await newLiveChannel(a);
  const push = await pushTo(a, channel.publishUrl);
  await sent(push, 4_000);
  stage.bucketStore.set('frozen');
  await push.end();
  const video = await oneVideo(a, channel.id);
  expect((await judgeVideo(video.m3u8)).problems).toEqual([]);
  expect(await a.store.all('SELECT storage FROM videos')).toEqual([{ storage: 'spool' }]);
  stage.bucketStore.set('through');
  await until(
    async () => (await a.store.all("SELECT id FROM videos WHERE storage = 'bucket'")).length === 1,
    { withinMs: 60_000, otherwise: 'it does not come into the bucket' },
  );
  expect((await judgeVideo(video.m3u8)).problems).toEqual([]);
  expect(await a.store.all('SELECT recording FROM recording_stints')).toEqual([]);
  // Its folder still says of which push it is, when it lies on a disk again and goes back.
  for (const to of ['disk', 'bucket'] as const) {
    await a.store.perform(moveRecordings, { to, limit: 9 });
    await until(
      async () => (await a.store.all('SELECT id FROM videos WHERE storage = $1', [to])).length > 0,
      { withinMs: 60_000, otherwise: `it does not come to the ${to}` },
    );
  }
  const [moved] = await a.store.all<{ recording_node: string }>(
    'SELECT recording_node FROM videos',
  );
  expect(moved?.recording_node).toBe('*');
  expect((await judgeVideo(video.m3u8)).problems).toEqual([]);
});

testWith(
  noJudge,
  'a node that stops names what it has, and the push goes on elsewhere',
  async () => {
    const [{ service: a }, { service: b }] = await stage.start(2);
    const channel = await newLiveChannel(b);
    const first = await pushTo(a, channel.publishUrl);
    await sent(first, 5_000);
    let pushedMs = first.sentMs();
    await stage.stopFirst();
    const second = await pushTo(b, channel.publishUrl);
    await sent(second, 4_000);
    pushedMs += second.sentMs();
    await second.end();
    const video = await oneVideo(b, channel.id);
    const { durationMs, problems } = await judgeVideo(video.m3u8);
    expect(problems).toEqual([]);
    expect(foldersOf(a)).toEqual([]);
    expect(pushedMs - durationMs).toBeLessThan(1_000);
  },
);

testWith(
  noJudge,
  'what nobody comes back to is ended, and becomes a video of any node',
  async () => {
    const [{ service: a }, { service: b }] = await stage.start(2, { RECONNECT_MS: '2000' });
    const channel = await newLiveChannel(b);
    const push = await pushTo(a, channel.publishUrl);
    await sent(push, 5_000);
    // It lets go of the push, which may come back anywhere, and does not.
    await stage.stopFirst();
    const video = await oneVideo(b, channel.id);
    const { durationMs, problems } = await judgeVideo(video.m3u8);
    expect(problems).toEqual([]);
    expect(durationMs).toBeGreaterThan(4_000);
    expect(await isLive(b, channel.id)).toBe(false);
    const pushes = await b.store.all<{ state: string }>('SELECT state FROM pushes');
    expect(pushes).toEqual([{ state: 'ended' }]);
    const events = await b.store.all<{ type: string }>(
      "SELECT type FROM events WHERE type LIKE 'channel.%' ORDER BY seq",
    );
    expect(events.map(({ type }) => type)).toEqual([
      'channel.created',
      'channel.live',
      'channel.offline',
    ]);
  },
);

testWith(
  noJudge,
  'a clip of a show that is on reaches back into what another node has recorded of it',
  async () => {
    const [{ service: a }, { service: b }] = await stage.start(2);
    const channel = await newLiveChannel(a);
    const first = await pushTo(a, channel.publishUrl);
    await sent(first, 5_000);
    first.publisher.cut();
    const second = await pushTo(b, channel.publishUrl);
    await sent(second, 5_000);
    const manage = `/manage/v1/channels/${channel.id}`;
    const [show] = (await a.call('GET', `${manage}/shows`)).body.shows;
    // Of the first node all is named: its folder is gone.
    await until(() => foldersOf(a).length === 0, {
      withinMs: 20_000,
      otherwise: 'the rest of the first is not carried',
    });
    const body = { show: show.id, from_ms: 1_000, to_ms: 6_500 };
    // By the node that has no push: it asks the other.
    const { status, body: clip } = await a.call('POST', `${manage}/clips`, { body });
    expect({ status, clip }).toMatchObject({ status: 200, clip: { from_ms: 0 } });
    expect(clip.to_ms).toBeGreaterThanOrEqual(6_500);
    const video = (await b.call('GET', `/v1/videos/${clip.id}`, { token: a.token })).body;
    const { durationMs, problems } = await judgeVideo(`${b.url}${new URL(video.m3u8).pathname}`);
    expect(problems).toEqual([]);
    expect(Math.abs(durationMs - (clip.to_ms - clip.from_ms))).toBeLessThan(150);
    const last = await a.call('POST', `${manage}/clips`, { body: { last_seconds: 60 } });
    expect(last).toMatchObject({ status: 200, body: { from_ms: 0 } });
    await second.end();
  },
);
