// A recording goes into the bucket before its jobs are done, as where the disk is short: what its ladder left goes along.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type BucketStore, startBucketStore } from '../../../test/support/bucket-store.ts';
import { type Engine, engines, temporaryFolder } from '../../../test/support/engines.ts';
import { clipPackets } from '../../../test/support/media.ts';
import { recordPush } from '../../../test/support/recorded-push.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { startLog } from '../../base/lib/log.ts';
import { nextTurn } from '../../base/turns/turn-slice.ts';
import { BucketRecordings } from './bucket-recordings.ts';
import { BucketSpool } from './bucket-spool.ts';
import { filesInBucket } from './recorded-object-store.ts';
import { recordingFolder } from './recording-folder.ts';
import { addRecording, isInBucket } from './recording-store.ts';
import { WrittenSizes } from './written-sizes.ts';

let bucketStore: BucketStore;
let store: Store;

beforeAll(async () => {
  bucketStore = await startBucketStore();
  store = await openTestStore(engines[0] as Engine);
});
afterAll(async () => {
  await store.close();
  await bucketStore.stop();
});

/** A recording that has ended, with what its ladder has left of other sizes; its jobs are still to be done. */
async function endedRecording(recording: string) {
  const dataDir = temporaryFolder();
  const folder = recordingFolder(dataDir, recording);
  await recordPush(folder, clipPackets(5));
  for (const name of ['360', 'sound'])
    for (const end of ['mp4', 'index'])
      copyFileSync(join(folder, `source.${end}`), join(folder, `${name}.ladder.${end}`));
  await store.perform(addRecording, {
    ...{ recording, channel_id: await newChannel(store), account_id: 1, startText: '' },
    ...{ show_at: null, show_ms: null, sameAsSource: [], jobs: ['mp4', '480'] },
    ...{ video_size: statSync(join(folder, 'source.mp4')).size, duration: 5 },
    ...{ width: 640, height: 360, start_time: 0, end_time: 0, node: 'here', now: 0 },
    storage: 'spool',
  });
  const { bucket } = bucketStore;
  const recordings = new BucketRecordings({ store, bucket, redirects: false });
  const written = new WrittenSizes();
  const spool = new BucketSpool({
    ...{ dataDir, node: 'here', store, bucket, recordings, written, freeBytesMin: 0 },
    ...{ hasDiskRoom: () => false, now: () => 0, log: startLog('silent') },
  });
  return { folder, recordings, written, spool };
}

test('sizes that no job makes later go into the bucket when they are whole', async () => {
  const recording = 'mb1-0123456789abcdef';
  const { folder, recordings, written, spool } = await endedRecording(recording);
  const media = readFileSync(join(folder, 'source.mp4'));
  const isOver = written.begun(recording);
  await spool.start();
  // All of the source is there; what is still written beside it is waited for.
  const keys = () => bucketStore.keys();
  const segments = readFileSync(join(folder, 'source.index'), 'utf8').match(/"segment"/g)?.length;
  while ((await keys()).length < (segments ?? 0)) await nextTurn();
  expect(await isInBucket(store, recording)).toBe(false);
  isOver();
  while (existsSync(folder)) await nextTurn();
  expect(await filesInBucket(store, recording)).toEqual([
    ...['360.index', '360.mp4', 'recording.json'],
    ...['sound.index', 'sound.mp4', 'source.index', 'source.mp4'],
  ]);
  const found = await recordings.of(recording).find('sound.mp4');
  const pieces: Uint8Array[] = [];
  for await (const piece of found.pieces({ at: 0, size: found.size })) pieces.push(piece.slice());
  expect(Buffer.concat(pieces).equals(media)).toBe(true);
  await spool.stop();
});

test('where they cannot be taken, as on a disk that is full, the recording goes without them', async () => {
  const recording = 'mb1-123456789abcdef0';
  const { folder, spool } = await endedRecording(recording);
  // No file comes into the place of a folder.
  mkdirSync(join(folder, '360.index'));
  await spool.start();
  while (existsSync(folder)) await nextTurn();
  expect(await filesInBucket(store, recording)).toEqual([
    ...['recording.json', 'source.index', 'source.mp4'],
  ]);
  await spool.stop();
});
