// A recording as objects is the recording as a file: any range of it, whatever pieces it lies in, and after a put that failed.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { type BucketStore, startBucketStore } from '../../../test/support/bucket-store.ts';
import { engines, temporaryFolder } from '../../../test/support/engines.ts';
import { clipPackets } from '../../../test/support/media.ts';
import { recordPush } from '../../../test/support/recorded-push.ts';
import { newChannel, openTestStore } from '../../../test/support/store.ts';
import type { Store } from '../../base/db/sql.ts';
import { fetchFiles, newKeyStart, putFile } from './bucket-files.ts';
import { BucketRecordings } from './bucket-recordings.ts';
import {
  addObjects,
  namedKeys,
  type RecordedObject,
  sealRecording,
} from './recorded-object-store.ts';
import { readIndex } from './recording-index.ts';
import { addRecording } from './recording-store.ts';
import { indexWithKeys, SegmentCarrier } from './segment-carrier.ts';
import { lastNamed, nameSegment } from './segment-store.ts';
import type { StoredFile } from './stored-recording.ts';

const recording = 'mb1-0123456789abcdef';
const folder = join(temporaryFolder(), recording);
const { signal } = new AbortController();
const inTurn = <T>(work: () => Promise<T>) => work();
let bucketStore: BucketStore;

beforeAll(async () => {
  bucketStore = await startBucketStore();
  // Two inits: a second one stands in the object of the first segment behind it.
  await recordPush(folder, clipPackets(5), clipPackets(5));
});
afterAll(() => bucketStore.stop());

async function bytesOf(file: StoredFile, at: number, size: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of file.pieces({ at, size })) pieces.push(piece);
  return Buffer.concat(pieces);
}

for (const engine of engines)
  describe(`a recording in the bucket on ${engine.name}`, () => {
    let store: Store;
    let recordings: BucketRecordings;
    let id = 0;
    const source = () => readFileSync(join(folder, 'source.mp4'));
    const index = () => readFileSync(join(folder, 'source.index'), 'utf8');
    const carrier = () => {
      const { bucket } = bucketStore;
      return new SegmentCarrier({
        ...{ recording, folder, node: 'here', store, bucket, inTurn, signal },
      });
    };

    beforeAll(async () => {
      store = await openTestStore(engine);
      recordings = new BucketRecordings({ store, bucket: bucketStore.bucket, redirects: false });
      const channel_id = await newChannel(store);
      const made = await store.perform(addRecording, {
        ...{ recording, channel_id, account_id: 1, show_at: null, show_ms: null, startText: '' },
        ...{ video_size: source().length, duration: 10, width: 640, height: 360, jobs: [] },
        ...{ start_time: 0, end_time: 0, sameAsSource: [], node: 'here', storage: 'spool', now: 0 },
      });
      id = Number(made);
    });
    afterAll(() => store.close());

    test('is named segment by segment, in order, and goes on where it was left', async () => {
      bucketStore.cutAfter(source().length / 2);
      await expect(carrier().carry()).rejects.toThrow('S3 is away');
      const last = () => store.perform(lastNamed, { push: recording, epoch: 1 });
      const all = readIndex(index()).length;
      expect(await last()).toBeLessThan(all - 1);
      await carrier().carry();
      expect(await last()).toBe(all - 1);
      const keys = await store.perform(namedKeys, { recording });
      expect(keys.sort()).toEqual(
        (await bucketStore.keys()).filter((key) => key.startsWith(`rec/${recording}/1/`)),
      );
    });

    test('is named once: another object for the same segment is refused', async () => {
      const segment = {
        ...{ push: recording, epoch: 2, sequence: 0, key: `rec/${recording}/2/0.m4s`, size: 1 },
        ...{ init_size: 0, width: 0, height: 0, duration_ms: 0, flags: 0, starts_at: 0 },
      };
      expect(await store.perform(nameSegment, segment)).toBe(false);
    });

    test('reads as its file, in any range', async () => {
      const { bucket } = bucketStore;
      const text = new Uint8Array(
        Buffer.from(indexWithKeys({ recording, note: undefined }, index())),
      );
      const key = `${newKeyStart(recording)}0-source.index`;
      await bucket.put(key, text);
      const { length } = source();
      const objects: RecordedObject[] = [
        { file: 'source.index', at: 0, key, size: text.length, tag: '"a"' },
        { file: 'source.mp4', at: 0, key, size: length, tag: '"a"' },
      ];
      expect(await store.perform(sealRecording, { id, objects, now: 0 })).toBe('sealed');
      expect(await store.perform(sealRecording, { id, objects, now: 0 })).toBe('gone');
      const stored = recordings.of(recording);
      expect(await stored.text('source.index')).toBe(index());
      const file = await stored.find('source.mp4');
      expect(file.size).toBe(length);
      await fc.assert(
        fc.asyncProperty(fc.nat(length - 1), fc.nat(length), async (at, wanted) => {
          const size = Math.min(Math.max(1, wanted), length - at);
          expect((await bytesOf(file, at, size)).equals(source().subarray(at, at + size))).toBe(
            true,
          );
        }),
        { numRuns: 15 },
      );
    });

    test('has large files in several pieces, and comes back byte for byte', async () => {
      const putting = { bucket: bucketStore.bucket, inTurn, signal, pieceBytesMax: 100_000 };
      const cover = join(folder, 'video.mp4');
      await Bun.write(cover, source());
      const objects = await putFile(putting, { recording, folder, file: 'video.mp4' });
      expect(objects.length).toBe(Math.ceil(source().length / 100_000));
      expect(await store.perform(addObjects, { id, objects })).toBe(true);
      const into = join(temporaryFolder(), 'fetched');
      const files = ['source.mp4', 'source.index', 'video.mp4', 'cover.jpg'];
      await fetchFiles(recordings.of(recording), { folder: into, files, signal });
      for (const file of ['source.mp4', 'source.index', 'video.mp4'])
        expect(readFileSync(join(into, file)).equals(readFileSync(join(folder, file)))).toBe(true);
      await expect(recordings.of(recording).find('cover.jpg')).rejects.toMatchObject({
        code: 'ENOENT',
      });
    });
  });
