// Objects put, read, listed and removed on a real store, and what a bad line or a wrong setting comes to.
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BucketStore, startBucketStore } from '../../../test/support/bucket-store.ts';
import { bucketProblem } from './bucket-check.ts';
import { BucketError } from './bucket-problem.ts';

let store: BucketStore;
let folder: string;

beforeAll(async () => {
  store = await startBucketStore();
  folder = await mkdtemp(join(tmpdir(), 'footlight-objects-'));
});
beforeEach(() => store.set('through'));
afterAll(async () => {
  await store.stop();
  await rm(folder, { recursive: true, force: true });
});

function someBytes(size: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8)) & 255);
}

async function whole(key: string, range?: { from: number; to: number }): Promise<Buffer> {
  if (!range) return Buffer.from(await store.bucket.bytes(key, 1_000_000));
  const pieces: Uint8Array[] = [];
  for await (const piece of store.bucket.read(key, range)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function problemOf(work: Promise<unknown>): Promise<BucketError> {
  const problem = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(problem instanceof BucketError)) throw new Error(`no problem of a bucket: ${problem}`);
  return problem;
}

test('what is put is read, whole and by ranges, and has its size', async () => {
  const bytes = someBytes(700_000);
  await store.bucket.put('rec/a/1/0.m4s', bytes);
  expect((await whole('rec/a/1/0.m4s')).equals(bytes)).toBe(true);
  const middle = await whole('rec/a/1/0.m4s', { from: 50_000, to: 649_999 });
  expect(middle.equals(bytes.subarray(50_000, 650_000))).toBe(true);
  expect(await store.bucket.size('rec/a/1/0.m4s')).toBe(700_000);
  expect(await store.bucket.size('rec/a/1/1.m4s')).toBeUndefined();
  expect((await problemOf(whole('rec/a/1/1.m4s'))).reason).toBe('missing');
});

test('more than is there, or than may be, is told', async () => {
  await store.bucket.put('rec/a/short', someBytes(1_000));
  expect((await problemOf(whole('rec/a/short', { from: 900, to: 1_099 }))).reason).toBe('away');
  expect((await problemOf(store.bucket.bytes('rec/a/short', 999))).reason).toBe('refused');
});

test('a stretch of a file is put as it stands', async () => {
  const bytes = someBytes(900_000);
  const path = join(folder, 'file');
  await Bun.write(path, bytes);
  await store.bucket.putFile('rec/a/stretch.mp4', { path, at: 1_000, size: 800_000 });
  expect((await whole('rec/a/stretch.mp4')).equals(bytes.subarray(1_000, 801_000))).toBe(true);
  expect(
    (await problemOf(store.bucket.putFile('x', { path, at: 800_000, size: 800_000 }))).reason,
  ).toBe('away');
});

test('objects are listed in steps, by the start of their keys, and removed', async () => {
  const keys = Array.from({ length: 7 }, (_, n) => `rec/listed/1/${n}.m4s`);
  for (const key of keys) await store.bucket.put(key, someBytes(10));
  await store.bucket.put('rec/listed2/1/0.m4s', someBytes(10));
  const first = await store.bucket.list('rec/listed/', undefined, 4);
  expect(first.objects.map(({ key }) => key)).toEqual(keys.slice(0, 4));
  expect(first.objects[0]?.size).toBe(10);
  expect(Math.abs((first.objects[0]?.changedAt ?? 0) - Date.now())).toBeLessThan(60_000);
  const rest = await store.bucket.list('rec/listed/', first.after, 4);
  expect(rest).toMatchObject({ after: undefined, objects: keys.slice(4).map((key) => ({ key })) });
  await store.bucket.remove([...keys, 'rec/never/was.m4s']);
  expect((await store.bucket.list('rec/listed')).objects.map(({ key }) => key)).toEqual([
    'rec/listed2/1/0.m4s',
  ]);
});

test('a key that is none of ours is refused before anything is asked', async () => {
  for (const key of ['../a', 'a/../b', 'a//b', '/a', 'a/', 'a?b', 'a b', '', 'ä', 'x'.repeat(600)])
    await expect(store.bucket.put(key, someBytes(1))).rejects.toThrow('no name of an object');
});

test('a store that does not answer is away after its time of silence', async () => {
  store.set('frozen');
  const bucket = store.open({ silentMs: 200 });
  expect((await problemOf(bucket.put('rec/a/frozen', someBytes(2_000_000)))).reason).toBe('away');
  expect((await problemOf(bucket.size('rec/a/frozen'))).reason).toBe('away');
  expect((await problemOf(bucket.list('rec/'))).reason).toBe('away');
  store.set('through');
  expect(await store.bucket.size('rec/a/frozen')).toBeUndefined();
});

test('what a store says is told apart', async () => {
  for (const [mode, reason] of [
    ['failing', 'away'],
    ['slow down', 'away'],
    ['full', 'full'],
  ] as const) {
    store.set(mode);
    expect((await problemOf(store.bucket.put('rec/a/told', someBytes(10)))).reason).toBe(reason);
  }
});

test('a line that is cut in the middle is told', async () => {
  store.cutAfter(300_000);
  const problem = await problemOf(store.bucket.put('rec/a/cut', someBytes(2_000_000)));
  // What has come by then s3rver keeps, as no other store does; it is never named.
  expect(problem.reason).toBe('away');
});

test('no problem tells an address or a secret', async () => {
  store.set('frozen');
  const problem = await problemOf(store.open({ silentMs: 50, secret: 'hush' }).size('rec/a'));
  expect(Bun.inspect(problem)).not.toMatch(/hush|X-Amz|Signature|http:/);
});

test('a signed address is read by who has no secret', async () => {
  await store.bucket.put('rec/a/shown.jpg', someBytes(50));
  const answer = await fetch(store.bucket.signedAddress('rec/a/shown.jpg', 60));
  expect(new Uint8Array(await answer.arrayBuffer())).toEqual(someBytes(50));
});

test('a bucket that can be worked with passes its check and is left as it was', async () => {
  const before = await store.keys();
  expect(await bucketProblem(store.bucket)).toBeUndefined();
  expect(await store.keys()).toEqual(before);
});

test('a wrong setting is named in one sentence', async () => {
  const wrong = [
    [{ bucket: 'elsewhere' }, false, 'S3_BUCKET is not there'],
    [{ keyId: 'nobody' }, false, 'S3_KEY_ID is not known'],
    [
      { url: 'http://127.0.0.1:1' },
      true,
      'S3_URL: the store at http://127.0.0.1:1/recordings does not answer',
    ],
  ] as const;
  for (const [options, mayPass, sentence] of wrong) {
    const problem = await bucketProblem(store.open(options));
    expect(problem).toMatchObject({ mayPass, sentence: expect.stringContaining(sentence) });
  }
  store.set('full');
  expect(await bucketProblem(store.bucket)).toMatchObject({ mayPass: true });
});

test('a secret that is not the right one is named, too', async () => {
  const refusing = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response('<Error><Code>SignatureDoesNotMatch</Code></Error>', { status: 403 }),
  });
  const bucket = store.open({ url: `http://127.0.0.1:${refusing.port}` });
  expect((await bucketProblem(bucket))?.sentence).toStartWith('S3_SECRET is not the secret');
  await refusing.stop(true);
});
