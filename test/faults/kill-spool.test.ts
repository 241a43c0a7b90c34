// A service is killed while its bucket is away: the next start finds what waits on the disk, and all of it comes into the bucket.
import { afterAll, beforeAll, expect } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BucketStore, startBucketStore } from '../support/bucket-store.ts';
import { startClipPush } from '../support/clip-push.ts';
import { temporaryFolder } from '../support/engines.ts';
import { newLiveChannel, videosOf } from '../support/live-channel.ts';
import { judgeVideo, noJudge } from '../support/media-judge.ts';
import { testWith } from '../support/needs.ts';
import { startProcess } from '../support/service-process.ts';

let store: BucketStore;
beforeAll(async () => {
  store = await startBucketStore();
});
afterAll(() => store.stop());

testWith(noJudge, 'what a killed service had not put is put by the next', async () => {
  const dataDir = temporaryFolder();
  const settings = {
    DATA_DIR: dataDir,
    RECONNECT_MS: '0',
    MIN_FREE_DISK: '1M',
    ...store.environment,
  };
  const first = await startProcess(settings);
  const channel = await newLiveChannel(first);
  const push = await startClipPush(channel.publishUrl);
  // Some of it is there before the store is away.
  while (!(await store.keys()).some((key) => key.startsWith('rec/'))) await Bun.sleep(50);
  store.set('frozen');
  const sentMs = push.sentMs();
  while (push.sentMs() < sentMs + 5_000) await Bun.sleep(20);
  await first.kill();
  await push.over;
  const [recording = ''] = readdirSync(join(dataDir, 'recordings'));
  const folder = join(dataDir, 'recordings', recording);
  // It starts though the store is silent, and has the video from the disk.
  const second = await startProcess(settings, { token: first.token });
  const video = await found(async () => (await videosOf(second, channel.id))[0]);
  const before = await judgeVideo(video.m3u8);
  expect(before.problems).toEqual([]);
  expect(before.durationMs).toBeGreaterThan(4_000);
  const source = readFileSync(join(folder, 'source.mp4'));
  await second.kill();
  store.set('through');
  const third = await startProcess(settings, { token: first.token });
  while (existsSync(folder)) await Bun.sleep(50);
  const [listed] = await videosOf(third, channel.id);
  const after = await judgeVideo(listed?.m3u8 ?? '');
  expect(after).toEqual(before);
  const answer = await fetch(`${third.url}/recordings/${video.id}/source.mp4`);
  expect(Buffer.from(await answer.bytes()).equals(source)).toBe(true);
  expect(await third.stop()).toBe(0);
  // No secret in any log.
  for (const { log } of [first, second, third]) expect(log()).not.toMatch(/X-Amz|Signature=/);
});

async function found<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const one = await look();
    if (one !== undefined) return one;
    await Bun.sleep(50);
  }
}
