// Recordings in a bucket: a push, a clip and their files read from there, moved back and forth, removed, and with the store away.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../src/base/db/sql.ts';
import { startLog } from '../src/base/lib/log.ts';
import { type JobRow, Postponed } from '../src/library/jobs/job.ts';
import { BucketRecordings } from '../src/stream/recording/bucket-recordings.ts';
import { BucketSweep } from '../src/stream/recording/bucket-sweep.ts';
import { namedKeys, objectsOfFile } from '../src/stream/recording/recorded-object-store.ts';
import { recordingJobs } from '../src/stream/recording/recording-jobs.ts';
import { recordingStorage } from '../src/stream/recording/recording-storage.ts';
import type { Storage } from '../src/stream/recording/stored-recording.ts';
import { removeVideos } from '../src/stream/recording/video-retention.ts';
import { WrittenSizes } from '../src/stream/recording/written-sizes.ts';
import { type BucketStore, startBucketStore } from './support/bucket-store.ts';
import { startClipPush } from './support/clip-push.ts';
import { engines, temporaryFolder } from './support/engines.ts';
import { variantsAt, wantLadder } from './support/ladder-stage.ts';
import { videosOf } from './support/live-channel.ts';
import { judgeVideo, noJudge } from './support/media-judge.ts';
import { testWith } from './support/needs.ts';
import { movingClock, startTestService, type TestService } from './support/service.ts';
import { typed } from './support/typed-line.ts';
import { beginHeaders } from './support/uploads.ts';

interface Row {
  id: number;
  recording: string;
  recording_node: string;
  storage: Storage;
}

async function rowOf(store: Store, id: number): Promise<Row> {
  const row = await store.one<Row>(
    'SELECT id, recording, recording_node, storage FROM videos WHERE id = $1',
    [id],
  );
  if (!row) throw new Error(`no video ${id}`);
  return row;
}

for (const engine of engines)
  describe(`recordings in a bucket on ${engine.name}`, () => {
    let bucketStore: BucketStore;
    let service: TestService;
    let channel: { id: number; rtmp_publish_addr: string };
    let video: { id: number; m3u8: string; video_url: string; duration: number };

    const folderOf = (recording: string) =>
      join(service.settings['DATA_DIR'] ?? '', 'recordings', recording);
    const until = async (id: number, storage: Storage) => {
      for (;;) {
        const row = await rowOf(service.store, id);
        if (row.storage === storage) return row;
        await Bun.sleep(50);
      }
    };
    const pushed = async (seconds: number) => {
      const before = (await videosOf(service, channel.id)).length;
      const push = await startClipPush(channel.rtmp_publish_addr);
      while (push.sentMs() < seconds * 1_000) await Bun.sleep(20);
      await push.end();
      for (;;) {
        const [newest, ...others] = await videosOf(service, channel.id);
        if (newest && others.length === before) return newest;
        await Bun.sleep(20);
      }
    };
    const judged = async (m3u8: string) => {
      const { durationMs, problems } = await judgeVideo(m3u8);
      expect(problems).toEqual([]);
      return durationMs;
    };
    /** The sound alone, which its ladder made while it was on, is had like the source. */
    const hasSizes = async (m3u8: string) => {
      const list = `${m3u8.replace('index.m3u8', 'all.m3u8')}?still=1`;
      const listed = (await variantsAt(list)).map(({ url }) => url);
      expect(listed.map((url) => url.split('/').at(-1))).toEqual([
        ...['index.m3u8', 'sound.m3u8', 'still.m3u8'],
      ]);
      for (const url of listed) await judged(url);
    };

    beforeAll(async () => {
      bucketStore = await startBucketStore();
      const settings = { ...bucketStore.environment, RECONNECT_MS: '0' };
      service = await startTestService(engine, { clock: movingClock(), settings });
      const body = { name: 'launch' };
      channel = (await service.call('POST', '/v1/activities', { body })).body;
      await wantLadder(service, true);
    });
    afterAll(async () => {
      await service.stop();
      await bucketStore.stop();
    });

    testWith(
      noJudge,
      'a push can be watched from the disk at once, then from the bucket',
      async () => {
        video = await pushed(7);
        const fromDisk = await judged(video.m3u8);
        const row = await until(video.id, 'bucket');
        expect(row.recording_node).toBe('*');
        const keys = (await bucketStore.keys()).filter((key) => key.includes(row.recording));
        expect(keys).toContain(`rec/${row.recording}/1/0.m4s`);
        expect(keys.some((key) => key.endsWith('0-video.mp4'))).toBe(true);
        while (existsSync(folderOf(row.recording))) await Bun.sleep(20);
        expect(await judged(video.m3u8)).toBe(fromDisk);
        await hasSizes(video.m3u8);
        expect(await service.store.one('SELECT COUNT(*) AS n FROM segments')).toEqual({ n: 0 });
      },
    );

    testWith(noJudge, 'its files are read whole and by ranges', async () => {
      const whole = await (await fetch(video.video_url)).bytes();
      const { body } = await service.call('GET', `/v1/videos/${video.id}`);
      expect(whole).toHaveLength(body.video_size);
      const some = await fetch(video.video_url, { headers: { range: 'bytes=1000-200999' } });
      expect(some.status).toBe(206);
      expect(some.headers.get('content-range')).toBe(`bytes 1000-200999/${whole.length}`);
      expect(Buffer.from(await some.bytes()).equals(whole.subarray(1_000, 201_000))).toBe(true);
      const known = await fetch(video.video_url, {
        headers: { 'if-none-match': some.headers.get('etag') ?? '' },
      });
      expect(known.status).toBe(304);
      const past = await fetch(video.video_url, { headers: { range: `bytes=${whole.length}-` } });
      expect(past.status).toBe(416);
      const source = video.video_url.replace('video.mp4', 'source.mp4');
      const all = await (await fetch(source)).bytes();
      const middle = await fetch(source, { headers: { range: `bytes=9-${all.length - 10}` } });
      expect(Buffer.from(await middle.bytes()).equals(all.subarray(9, -9))).toBe(true);
      if (body.cover_url !== '') expect((await fetch(body.cover_url)).status).toBe(200);
    });

    testWith(noJudge, 'a file that is uploaded becomes a video in the bucket', async () => {
      const file = await (await fetch(video.video_url)).bytes();
      const headers = beginHeaders({ channel_id: channel.id, name: 'a file' }, file.length);
      const begun = await service.call('POST', '/manage/v1/uploads', { headers });
      const at = new URL(begun.headers.get('location') ?? '', service.url);
      const sent = await fetch(at, {
        method: 'PATCH',
        headers: {
          authorization: `Bearer ${service.token}`,
          'tus-resumable': '1.0.0',
          'upload-offset': '0',
          'content-type': 'application/offset+octet-stream',
        },
        body: file,
      });
      expect(sent.status).toBe(204);
      for (;;) {
        const uploaded = (await videosOf(service, channel.id)).find(({ id }) => id > video.id);
        const row = uploaded && (await rowOf(service.store, uploaded.id));
        if (uploaded && row?.storage === 'bucket') {
          await judged(uploaded.m3u8);
          break;
        }
        await Bun.sleep(50);
      }
    });

    testWith(noJudge, 'a clip of it is a video in the bucket of its own', async () => {
      const asked = { video_id: video.id, from_ms: 2_000, to_ms: 5_000 };
      const path = `/manage/v1/channels/${channel.id}/clips`;
      const { status, body } = await service.call('POST', path, { body: asked });
      expect(status).toBe(200);
      const clip = (await service.call('GET', `/v1/videos/${body.id}`)).body;
      await until(body.id, 'bucket');
      const durationMs = await judged(clip.m3u8);
      expect(Math.abs(durationMs - (body.to_ms - body.from_ms))).toBeLessThan(100);
    });

    testWith(
      noJudge,
      'a job that is begun again fetches what it needs, and leaves nothing on the disk',
      async () => {
        const { store, settings } = service;
        const dataDir = settings['DATA_DIR'] ?? '';
        const { bucket } = bucketStore;
        const recordings = new BucketRecordings({ store, bucket, redirects: false });
        const { handlers } = recordingJobs({
          ...{ store, dataDir, bucket, freeBytesMin: 0, memoryBytesMax: 512 * 1_048_576 },
          refusals: { note: () => {} },
          storage: recordingStorage({ dataDir, bucket: recordings }),
          written: new WrittenSizes(),
        });
        const { recording } = await rowOf(store, video.id);
        const keyNow = async () =>
          (await objectsOfFile(store, { recording, file: 'video.mp4' }))[0]?.key;
        const before = { key: await keyNow(), bytes: await (await fetch(video.video_url)).bytes() };
        const job = { kind: 'mp4', video_id: video.id, account_id: 1 } as JobRow;
        const { signal } = new AbortController();
        await handlers.mp4(job, signal);
        expect(await keyNow()).not.toBe(before.key);
        expect(await (await fetch(video.video_url)).bytes()).toEqual(before.bytes);
        expect(readdirSync(join(dataDir, 'scratch'))).toEqual([]);
        bucketStore.set('failing');
        await expect(handlers.mp4(job, signal)).rejects.toBeInstanceOf(Postponed);
        bucketStore.set('through');
      },
    );

    testWith(noJudge, 'it is moved to the disk and back, and is the same', async () => {
      const fromBucket = await judged(video.m3u8);
      const source = video.video_url.replace('video.mp4', 'source.mp4');
      const before = await fetch(source);
      const there = await typed(service.settings, ['storage', 'move', '--to', 'disk', '--wait']);
      expect(there).toMatchObject({ code: 0, err: expect.stringContaining('are on their way') });
      expect(there.lines()).toEqual([{ to: 'disk', on_their_way: 0 }]);
      const row = await until(video.id, 'disk');
      expect(row.recording_node).not.toBe('*');
      expect(existsSync(join(folderOf(row.recording), 'recording.json'))).toBe(true);
      expect(await judged(video.m3u8)).toBe(fromBucket);
      const onDisk = await fetch(source);
      expect(Buffer.from(await onDisk.bytes()).equals(await before.bytes())).toBe(true);
      await hasSizes(video.m3u8);
      for (;;) {
        const left = (await bucketStore.keys()).filter((key) => key.includes(row.recording));
        if (left.length === 0) break;
        await Bun.sleep(50);
      }
      const back = await typed(service.settings, ['storage', 'move', '--to', 's3']);
      expect(back.lines()).toMatchObject([{ to: 's3' }]);
      await until(video.id, 'bucket');
      const counted = (await typed(service.settings, ['storage', 'list'])).lines();
      expect(counted).toContainEqual({
        storage: 'bucket',
        videos: expect.any(Number),
        bytes: expect.any(Number),
      });
      expect(await judged(video.m3u8)).toBe(fromBucket);
      await hasSizes(video.m3u8);
    });

    // The spool is the same whatever the database: once is enough.
    for (const mode of engine === engines[0] ? (['frozen', 'failing', 'full'] as const) : [])
      testWith(
        noJudge,
        `a show goes on while the store is ${mode}, and all of it comes later`,
        async () => {
          bucketStore.set(mode);
          const late = await pushed(4);
          const durationMs = await judged(late.m3u8);
          expect((await rowOf(service.store, late.id)).storage).toBe('spool');
          bucketStore.set('through');
          await until(late.id, 'bucket');
          expect(await judged(late.m3u8)).toBe(durationMs);
          await hasSizes(late.m3u8);
        },
      );

    testWith(noJudge, 'a put that is cut in its middle is made again', async () => {
      bucketStore.cutAfter(200_000);
      const late = await pushed(4);
      const durationMs = await judged(late.m3u8);
      await until(late.id, 'bucket');
      expect(await judged(late.m3u8)).toBe(durationMs);
    });

    testWith(noJudge, 'what nobody names is collected after a day, and nothing else', async () => {
      const { store } = service;
      const { bucket } = bucketStore;
      const recordings = new BucketRecordings({ store, bucket, redirects: false });
      const named = new Set(['holder']);
      for (const { id } of await videosOf(service, channel.id)) {
        const { recording } = await until(id, 'bucket');
        for (const key of await recordings.sourceKeys(recording)) named.add(key);
        for (const key of await store.perform(namedKeys, { recording })) named.add(key);
      }
      const { recording } = await rowOf(store, video.id);
      for (const key of ['rec/never-named/1/0.m4s', `rec/${recording}/2/9.m4s`])
        await bucket.put(key, new Uint8Array(10));
      const sweepAt = async (now: () => number) => {
        const sweep = new BucketSweep({ store, bucket, recordings, now, log: startLog('silent') });
        return await sweep.step(undefined);
      };
      const before = await bucketStore.keys();
      await sweepAt(Date.now);
      expect(await bucketStore.keys()).toEqual(before);
      await sweepAt(() => Date.now() + 25 * 3_600_000);
      expect(await bucketStore.keys()).toEqual([...named].sort());
    });

    testWith(noJudge, 'a video that is deleted for good takes its objects along', async () => {
      const { store, settings } = service;
      const { recording } = await rowOf(store, video.id);
      const retention = {
        ...{ store, dataDir: settings['DATA_DIR'] ?? '', node: 'here', retentionDays: 1 },
        ...{ bucket: bucketStore.bucket, log: startLog('silent'), now: () => 2 * Date.now() },
      };
      const objects = async () =>
        (await bucketStore.keys()).filter((key) => key.includes(recording)).length;
      expect(await objects()).toBeGreaterThan(3);
      bucketStore.set('failing');
      await expect(removeVideos(retention)).rejects.toThrow('S3 is away');
      expect(await rowOf(store, video.id)).toMatchObject({ recording });
      bucketStore.set('through');
      await removeVideos(retention);
      expect(await objects()).toBe(0);
      await expect(rowOf(store, video.id)).rejects.toThrow('no video');
      expect(await objectsOfFile(store, { recording, file: 'video.mp4' })).toEqual([]);
    });
  });

test('a service does not start on a bucket that is not there, and says which setting it is', async () => {
  const [engine] = engines;
  if (!engine) throw new Error('no engine');
  const store = await startBucketStore();
  const settings = { ...store.environment, S3_BUCKET: 'elsewhere' };
  await expect(startTestService(engine, { settings })).rejects.toThrow('S3_BUCKET is not there');
  await store.stop();
});

test('a restored copy does not work on the bucket beside its service, until it takes its place', async () => {
  const [engine] = engines;
  if (!engine) throw new Error('no engine');
  const bucketStore = await startBucketStore();
  const s3 = bucketStore.environment;
  const service = await startTestService(engine, { settings: s3 });
  const file = join(temporaryFolder(), 'copy.tar');
  expect(await typed(service.settings, ['backup', file])).toMatchObject({ code: 0 });
  const copy = await engine.fresh();
  expect(await typed(copy, ['restore', file])).toMatchObject({ code: 0 });
  const startCopy = () =>
    startTestService({ ...engine, fresh: async () => copy }, { settings: s3 });
  const refusal = 'is the bucket of another database';
  await expect(startCopy()).rejects.toThrow(refusal);

  const unnamed = 'rec/never-named/1/0.m4s';
  await bucketStore.bucket.put(unnamed, new Uint8Array(10));
  expect(await typed({ ...copy, ...s3 }, ['storage', 'claim'])).toMatchObject({ code: 0 });
  const sweepOf = ({ store }: TestService) => {
    const { bucket } = bucketStore;
    const recordings = new BucketRecordings({ store, bucket, redirects: false });
    const now = () => Date.now() + 25 * 3_600_000;
    return new BucketSweep({ store, bucket, recordings, now, log: startLog('silent') });
  };
  await sweepOf(service).step(undefined);
  expect(await bucketStore.keys()).toContain(unnamed);
  await service.stop();
  const taken = await startCopy();
  await sweepOf(taken).step(undefined);
  expect(await bucketStore.keys()).not.toContain(unnamed);
  await taken.stop();
  const { DATA_DIR = '', DATABASE_URL = '' } = service.settings;
  const before = { ...engine, fresh: async () => ({ DATA_DIR, DATABASE_URL }) };
  await expect(startTestService(before, { settings: s3 })).rejects.toThrow(refusal);
  await bucketStore.stop();
});

test('the command line and the doctor say what is wrong with the settings', async () => {
  const [engine] = engines;
  if (!engine) throw new Error('no engine');
  const store = await startBucketStore();
  const service = await startTestService(engine);
  const without = await typed(service.settings, ['storage', 'move', '--to', 's3']);
  expect(without).toMatchObject({
    code: expect.any(Number),
    err: expect.stringContaining('S3_URL is not set'),
  });
  const examined = async (more: Record<string, string>) => {
    const { lines } = await typed({ ...service.settings, ...store.environment, ...more }, [
      'doctor',
      '--json',
    ]);
    return lines().find(({ check }: { check: string }) => check === 'S3');
  };
  expect(await examined({})).toMatchObject({ state: 'ok' });
  expect(await examined({ S3_KEY_ID: 'nobody' })).toMatchObject({
    state: 'failed',
    says: 'S3_KEY_ID is not known to the store',
  });
  await service.stop();
  await store.stop();
});

testWith(
  noJudge,
  'where it is set, players are sent to the store, and pages let them',
  async () => {
    const [engine] = engines;
    if (!engine) throw new Error('no engine');
    const store = await startBucketStore();
    const settings = { ...store.environment, RECONNECT_MS: '0', S3_REDIRECT: 'true' };
    const service = await startTestService(engine, { clock: movingClock(), settings });
    const body = { name: 'launch' };
    const channel = (await service.call('POST', '/v1/activities', { body })).body;
    const push = await startClipPush(channel.rtmp_publish_addr);
    while (push.sentMs() < 4_000) await Bun.sleep(20);
    await push.end();
    for (;;) {
      const [video] = await videosOf(service, channel.id);
      if (video && (await rowOf(service.store, video.id)).storage === 'bucket') {
        const answer = await fetch(video.video_url, { redirect: 'manual' });
        expect(answer.status).toBe(302);
        expect(answer.headers.get('location')).toStartWith(
          `${store.environment['S3_URL']}/recordings/shows/rec/`,
        );
        const some = await fetch(video.video_url, { headers: { range: 'bytes=10-19' } });
        expect([some.status, (await some.bytes()).length]).toEqual([206, 10]);
        // A source is many objects: it goes through the service.
        expect((await judgeVideo(video.m3u8)).problems).toEqual([]);
        const page = await fetch(`${service.url}/videos/${video.id}`);
        expect(page.headers.get('content-security-policy')).toContain(
          `blob: ${store.environment['S3_URL']};`,
        );
        break;
      }
      await Bun.sleep(50);
    }
    await service.stop();
    await store.stop();
  },
);
