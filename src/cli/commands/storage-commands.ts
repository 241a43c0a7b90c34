// `footlight storage list|move|claim`: where recordings lie, the way of a whole library into S3 or back, and whose the bucket is.
import type { Store } from '../../base/db/sql.ts';
import { Bucket } from '../../base/objects/bucket.ts';
import { bucketOptions } from '../../settings/bucket-settings.ts';
import { claimBucket } from '../../stream/recording/bucket-holder.ts';
import { moveRecordings, storageCounts } from '../../stream/recording/recorded-object-store.ts';
import { type Storage, storages } from '../../stream/recording/stored-recording.ts';
import { type Command, command } from '../parts/command.ts';
import { withStore } from '../parts/command-database.ts';
import { refused } from '../parts/exit-codes.ts';
import { flag, needed } from '../parts/option.ts';
import { sizeOf } from '../parts/progress.ts';
import { oneOf } from '../parts/value-kinds.ts';

/** Videos that are sent on their way in one write. */
const sentAtOnce = 1_000;
const lookEveryMs = 1_000;

export const storageCommands: readonly Command[] = [
  command({
    name: 'storage list',
    audit: 'nothing',
    sentence:
      'How many recordings lie on disks, how many in S3, and how many are on their way between.',
    run: async (_, run) => {
      await withStore(run, async (store) => {
        const counts = await countsOf(store);
        const rows = storages.map((storage) => ({ storage, ...counts[storage] }));
        await run.out.all(rows, ['storage', 'videos', 'bytes']);
      });
      return undefined;
    },
  }),
  command({
    name: 'storage move',
    audit: 'videos',
    sentence: 'Send all recordings into S3, or back to the disk; the service carries them.',
    more: 'Each video goes whole or not at all, and can be watched all the while. The service that runs does the work, and goes on with it after a restart; storage list says how much is left. The other direction turns back those that are on their way. New recordings go to S3 for as long as S3_URL is set.',
    options: {
      to: needed(oneOf(['s3', 'disk']), 'Whither.'),
      wait: flag('Stay until all of them are there.'),
    },
    examples: ['storage move --to s3', 'storage move --to disk --wait'],
    run: async ({ to, wait }, run) => {
      if (!bucketOptions(run.config))
        throw refused('S3_URL is not set: the service must know the bucket to move recordings');
      await withStore(run, async (store) => {
        const order = { to: to === 's3' ? ('bucket' as const) : ('disk' as const) };
        while ((await store.perform(moveRecordings, { ...order, limit: sentAtOnce })) > 0);
        const moving = to === 's3' ? 'spool' : 'leaving';
        let counts = await countsOf(store);
        for (; wait && counts[moving].videos > 0; counts = await countsOf(store)) {
          const { videos, bytes } = counts[moving];
          await run.out.remark(`${videos} videos are on their way, ${sizeOf(bytes)}`);
          await Bun.sleep(lookEveryMs);
        }
        await run.out.thing({ to, on_their_way: counts[moving].videos });
      });
      return undefined;
    },
  }),
  command({
    name: 'storage claim',
    audit: 'service',
    sentence:
      'Make the bucket this database’s, where it is another’s: for a service that takes the place of one that is lost.',
    more: 'The service that had it before removes nothing from it any more, and does not start with it again.',
    run: async (_, run) => {
      const options = bucketOptions(run.config);
      if (!options) throw refused('S3_URL is not set: there is no bucket to be claimed');
      const bucket = new Bucket(options);
      await withStore(run, (store) => claimBucket({ store, bucket }));
      await run.out.thing({ claimed: bucket.name });
    },
  }),
];

type Counts = Record<Storage, { videos: number; bytes: number }>;

async function countsOf(store: Store): Promise<Counts> {
  const rows = await store.perform(storageCounts, {});
  const counts = Object.fromEntries(storages.map((one) => [one, { videos: 0, bytes: 0 }]));
  for (const { storage, n, bytes } of rows) counts[storage] = { videos: n, bytes };
  return counts as Counts;
}
