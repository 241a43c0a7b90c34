// Which database a bucket is of: a service on another one, such as a restored copy, would remove what it does not know.
import { takeServiceSecret } from '../../base/db/service-secret-store.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Bucket } from '../../base/objects/bucket.ts';
import type { BucketProblem } from '../../base/objects/bucket-check.ts';
import { BucketError } from '../../base/objects/bucket-problem.ts';

interface Holding {
  store: Store;
  bucket: Bucket;
}

/** An object that says whose the bucket is. */
const holderKey = 'holder';
/** Whatever else somebody has put there is another's. */
const markBytesMax = 1_000;

/** Whether the bucket is this database's; one that is nobody's becomes it. */
export async function holdsBucket(holding: Holding): Promise<boolean> {
  const own = await ownMark(holding);
  const found = await foundMark(holding.bucket);
  if (found === undefined) await putMark(holding.bucket, own);
  return (found ?? own) === own;
}

/** Whosever it was before. */
export async function claimBucket(holding: Holding): Promise<void> {
  await putMark(holding.bucket, await ownMark(holding));
}

/** As `bucketProblem` has it, for whoever starts a service. */
export async function bucketHolderProblem(holding: Holding): Promise<BucketProblem | undefined> {
  const { name } = holding.bucket;
  try {
    if (await holdsBucket(holding)) return undefined;
    const sentence = `S3_BUCKET: ${name} is the bucket of another database, of which this one may be a copy. Beside the service that has it this one needs a bucket of its own; to take its place, once it has ended for good, run: npx footlight storage claim`;
    return { mayPass: false, sentence };
  } catch (error) {
    if (!(error instanceof BucketError)) throw error;
    return { mayPass: true, sentence: `S3_BUCKET: ${error.message}, at ${name}` };
  }
}

/** It is in no backup: the database that is restored from one has another. */
async function ownMark({ store }: Holding): Promise<string> {
  return await store.perform(takeServiceSecret, { name: 'bucket' });
}

async function foundMark(bucket: Bucket): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await bucket.bytes(holderKey, markBytesMax));
  } catch (error) {
    if (error instanceof BucketError && error.reason === 'missing') return undefined;
    throw error;
  }
}

async function putMark(bucket: Bucket, mark: string): Promise<void> {
  await bucket.put(holderKey, new TextEncoder().encode(mark));
}
