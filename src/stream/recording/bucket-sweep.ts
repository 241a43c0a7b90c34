// Removes objects that nobody names: of a put that was cut, of a node that lost its push, of a video that has gone. A step at a time.
import type { Store } from '../../base/db/sql.ts';
import type { Log } from '../../base/lib/log.ts';
import type { Bucket, ListedObject } from '../../base/objects/bucket.ts';
import { type Rounds, startRounds } from '../../base/turns/rounds.ts';
import { holdsBucket } from './bucket-holder.ts';
import type { BucketRecordings } from './bucket-recordings.ts';
import { bucketSpoolLimits } from './bucket-spool-limits.ts';
import { knownRecordings, namedKeys } from './recorded-object-store.ts';

export interface BucketSweepOptions {
  bucket: Bucket;
  store: Store;
  recordings: BucketRecordings;
  now: () => number;
  log: Log;
}

/** All keys of recordings begin so. */
const start = 'rec/';

export function startBucketSweep(options: BucketSweepOptions): Rounds {
  const sweep = new BucketSweep(options);
  return startRounds(bucketSpoolLimits.sweepEveryMs, () => sweep.round());
}

export class BucketSweep {
  private readonly options: BucketSweepOptions;

  /** Where the next step goes on. */
  private after: string | undefined;
  private notBefore = 0;

  constructor(options: BucketSweepOptions) {
    this.options = options;
  }

  /** A step, unless all was looked at lately. What goes wrong is left to a later one. */
  async round(): Promise<void> {
    const { now, log } = this.options;
    if (now() < this.notBefore) return;
    try {
      this.after = await this.step(this.after);
      if (this.after === undefined) this.notBefore = now() + bucketSpoolLimits.sweepAnewMs;
    } catch (error) {
      log.debug('the bucket could not be looked through', { error });
    }
  }

  /** Where the next goes on; undefined where it was the last. */
  async step(after: string | undefined): Promise<string | undefined> {
    const { bucket, store, log } = this.options;
    // Whoever claimed it since names what this database does not know.
    if (!(await holdsBucket({ store, bucket }))) {
      log.warn('the bucket is of another database now: nothing is removed from it');
      return undefined;
    }
    const listed = await bucket.list(start, after);
    const unnamed = await this.unnamed(listed.objects);
    await bucket.remove(unnamed);
    if (unnamed.length > 0)
      log.info('objects that nobody names were removed', { count: unnamed.length });
    return listed.after;
  }

  private async unnamed(objects: readonly ListedObject[]): Promise<string[]> {
    const { store, recordings, now } = this.options;
    const before = now() - bucketSpoolLimits.unnamedMs;
    const byRecording = new Map<string, string[]>();
    for (const { key, changedAt } of objects) {
      const recording = key.split('/')[1] ?? '';
      if (changedAt >= before || recording === '') continue;
      byRecording.set(recording, [...(byRecording.get(recording) ?? []), key]);
    }
    const names = [...byRecording.keys()];
    const known = new Set(await store.perform(knownRecordings, { recordings: names }));
    const unnamed: string[] = [];
    for (const [recording, keys] of byRecording) {
      if (!known.has(recording)) unnamed.push(...keys);
      else {
        const named = new Set(await store.perform(namedKeys, { recording }));
        for (const key of await recordings.sourceKeys(recording)) named.add(key);
        unnamed.push(...keys.filter((key) => !named.has(key)));
      }
    }
    return unnamed;
  }
}
