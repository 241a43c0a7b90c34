// The bucket's side of recordings, joined: tried out at the start, then read from and written to.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import { Bucket, type BucketOptions } from '../../base/objects/bucket.ts';
import { type BucketProblem, bucketProblem } from '../../base/objects/bucket-check.ts';
import { isDoneWithin } from '../../base/turns/within.ts';
import { bucketHolderProblem } from './bucket-holder.ts';
import { BucketRecordings } from './bucket-recordings.ts';
import { BucketSpool } from './bucket-spool.ts';
import { startBucketSweep } from './bucket-sweep.ts';
import type { WrittenSizes } from './written-sizes.ts';

export interface BucketSideOptions {
  options: BucketOptions;
  redirects: boolean;
  dataDir: string;
  node: string;
  store: Store;
  freeBytesMin: number;
  hasDiskRoom(): boolean;
  written: WrittenSizes;
  /** A stint is over and all of it named. */
  onCarried?: (() => void) | undefined;
  now: () => number;
  log: Log;
}

export interface BucketSide {
  bucket: Bucket;
  recordings: BucketRecordings;
  spool: BucketSpool;
  /** Begins to carry what there is. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A store that is silent holds up the start for no longer. */
const triedWithinMs = 5_000;

const stoppedWithinMs = 3_000;

/** Throws a sentence that names the setting, where one is wrong. One that is away may come back: shows do not wait for it. */
export async function openBucketSide(given: BucketSideOptions): Promise<BucketSide> {
  const { options, redirects, store, log, now } = given;
  const bucket = new Bucket(options);
  const problem = await startProblem(store, new Bucket({ ...options, silentMs: triedWithinMs }));
  if (problem && !problem.mayPass) throw new Error(problem.sentence);
  if (problem) log.warn(`${problem.sentence}; recordings wait on the disk`);
  const recordings = new BucketRecordings({ store, bucket, redirects });
  const spool = new BucketSpool({ ...given, bucket, recordings });
  const stops: { stop(): Promise<void> }[] = [];
  return {
    bucket,
    recordings,
    spool,
    start: async () => {
      await spool.start();
      stops.push(spool, startBucketSweep({ bucket, store, recordings, now, log }));
    },
    stop: async () => {
      // A store that is silent must not keep the service: what is under way is done anew by the next start.
      await isDoneWithin(Promise.all(stops.map((part) => part.stop())), stoppedWithinMs);
    },
  };
}

async function startProblem(store: Store, bucket: Bucket): Promise<BucketProblem | undefined> {
  return (await bucketProblem(bucket)) ?? (await bucketHolderProblem({ store, bucket }));
}
