// Whether a bucket can be worked with: a small object is put, read, listed and removed; else one sentence that names the setting.
import { randomBytes } from 'node:crypto';
import type { Bucket } from './bucket.ts';
import { BucketError } from './bucket-problem.ts';

export interface BucketProblem {
  /** Away and full may pass; the rest must be mended. */
  mayPass: boolean;
  sentence: string;
}

/** Undefined where all is well. */
export async function bucketProblem(bucket: Bucket): Promise<BucketProblem | undefined> {
  try {
    await tryOut(bucket);
    return undefined;
  } catch (error) {
    if (!(error instanceof BucketError)) throw error;
    const mayPass = error.reason === 'away' || error.reason === 'full';
    return { mayPass, sentence: sentenceOf(error, bucket.name) };
  }
}

async function tryOut(bucket: Bucket): Promise<void> {
  const key = `check/${randomBytes(8).toString('hex')}`;
  const bytes = new Uint8Array(randomBytes(64));
  await bucket.put(key, bytes);
  try {
    const pieces: Uint8Array[] = [];
    for await (const piece of bucket.read(key, { from: 16, to: 47 })) pieces.push(piece);
    if (!Buffer.concat(pieces).equals(bytes.subarray(16, 48)))
      throw new BucketError('refused', 'OtherBytes', 'a range of an object');
    const { objects } = await bucket.list(key);
    if (!objects.some((one) => one.key === key))
      throw new BucketError('refused', 'NotListed', 'a list of objects');
  } finally {
    await bucket.remove([key]);
  }
}

function sentenceOf({ reason, code, message }: BucketError, name: string): string {
  if (reason === 'away') return `S3_URL: the store at ${name} does not answer (${code})`;
  if (reason === 'full') return `S3_BUCKET: the store at ${name} has no room (${code})`;
  return sentences[code] ?? `S3_BUCKET: ${message}, at ${name}`;
}

const sentences: Record<string, string> = {
  InvalidAccessKeyId: 'S3_KEY_ID is not known to the store',
  SignatureDoesNotMatch:
    'S3_SECRET is not the secret of S3_KEY_ID, or S3_REGION is not the right one',
  AuthorizationHeaderMalformed: 'S3_REGION is not the one of the bucket',
  AuthorizationQueryParametersError: 'S3_REGION is not the one of the bucket',
  PermanentRedirect: 'S3_URL or S3_REGION is not the one of the bucket',
  NoSuchBucket: 'S3_BUCKET is not there; make it first',
  InvalidBucketName: 'S3_BUCKET is no name of a bucket',
  AccessDenied: 'S3_KEY_ID may not put, read, list and remove objects in S3_BUCKET',
  OtherBytes: 'S3_URL: the store gives other bytes than were put, for a range of them',
  NotListed: 'S3_URL: the store does not list what was put',
};
