// An S3 store for tests, s3rver on a free port, and a line to it that can be frozen, cut or made to fail.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bucket, type BucketOptions } from '../../src/base/objects/bucket.ts';
import { type LineMode, startFaultLine } from './fault-line.ts';

export interface BucketStore {
  /** As the settings of a service have it. */
  environment: Record<string, string>;
  /** The same with a place in it that no other database has: a bucket is one's alone. */
  emptyPlace(): Record<string, string>;
  bucket: Bucket;
  /** The same past the line, for those who judge. */
  direct: Bucket;
  /** With other options than the usual. */
  open(options: Partial<BucketOptions>): Bucket;
  /** How the line is from now on; what is under way on it is cut. */
  set(mode: LineMode): void;
  /** Every line is cut when so many more bytes have gone to the store. */
  cutAfter(bytes: number): void;
  /** Requests that have come to the line since it was last set. */
  requests(): number;
  /** Of the store itself, past the line. */
  port: number;
  /** The program itself does nothing, and its connections stay. */
  pause(isPaused: boolean): void;
  /** It takes nothing any more; undefined where it cannot be told to. */
  fill?(isFull: boolean): Promise<void>;
  /** All keys, without the prefix. */
  keys(): Promise<string[]>;
  stop(): Promise<void>;
}

export async function startBucketStore(prefix = 'shows/'): Promise<BucketStore> {
  const directory = await mkdtemp(join(tmpdir(), 'footlight-s3-'));
  // By Node, as it lists folders in order, which s3rver counts on.
  const program = Bun.spawn(['node', join(import.meta.dir, 's3-program.mjs'), directory], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const port = await firstNumber(program.stdout);
  return await openBucketStore({
    ...{ port, prefix, keyId: 'S3RVER', secret: 'S3RVER' },
    pause: (isPaused) => program.kill(isPaused ? 'SIGSTOP' : 'SIGCONT'),
    stop: async () => {
      program.kill();
      await program.exited;
      await rm(directory, { recursive: true, force: true });
    },
  });
}

/** A program that runs and has the bucket `recordings`. */
export interface RunningStore extends Pick<BucketStore, 'port' | 'pause' | 'fill' | 'stop'> {
  keyId: string;
  secret: string;
  prefix: string;
}

export async function openBucketStore(running: RunningStore): Promise<BucketStore> {
  const { port, keyId, secret, prefix, pause, fill } = running;
  const line = await startFaultLine(port);
  const options = (url: string): BucketOptions => ({
    ...{ url, keyId, secret, prefix },
    bucket: 'recordings',
    region: 'us-east-1',
    isHostStyle: false,
    silentMs: 2_000,
  });
  const url = `http://127.0.0.1:${line.port}`;
  const direct = new Bucket(options(`http://127.0.0.1:${port}`));
  const environment = {
    S3_URL: url,
    S3_BUCKET: 'recordings',
    S3_KEY_ID: keyId,
    S3_SECRET: secret,
    S3_PREFIX: prefix,
  };
  let places = 0;
  return {
    environment,
    emptyPlace: () => {
      places += 1;
      return { ...environment, S3_PREFIX: `${prefix}${places}/` };
    },
    ...{ port, pause, ...(fill && { fill }) },
    bucket: new Bucket(options(url)),
    direct,
    open: (other) => new Bucket({ ...options(url), ...other }),
    set: line.set,
    cutAfter: line.cutAfter,
    requests: line.requests,
    keys: async () => {
      const keys: string[] = [];
      for (let after: string | undefined, isMore = true; isMore; ) {
        const listed = await direct.list('', after);
        keys.push(...listed.objects.map(({ key }) => key));
        after = listed.after;
        isMore = after !== undefined;
      }
      return keys;
    },
    stop: async () => {
      await line.stop();
      await running.stop();
    },
  };
}

async function firstNumber(output: ReadableStream<Uint8Array>): Promise<number> {
  for await (const piece of output) return Number(new TextDecoder().decode(piece));
  throw new Error('the S3 store did not start');
}
