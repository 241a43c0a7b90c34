// Settings of the S3 bucket that recordings may lie in: all or none, and none is the folder.
import { type NodeBucket, noBucket } from '../base/nodes/node-bucket.ts';
import type { BucketOptions } from '../base/objects/bucket.ts';
import { baseUrl, flag, oneOf, type Settings, secretFile, text, type ValuesOf } from './setting.ts';

export const bucketSettings = {
  s3Url: {
    variable: 'S3_URL',
    default: '',
    sentence:
      'Address of an S3 store, such as `https://s3.example.com`; recordings then go into `S3_BUCKET`, and `DATA_DIR` holds what is on its way. Empty: recordings stay in `DATA_DIR`, and no second service may run on the database. Services on one database need the same bucket and prefix.',
    read: baseUrl(['http:', 'https:']),
  },
  s3Bucket: {
    variable: 'S3_BUCKET',
    default: '',
    sentence: 'Bucket for recordings; it must be there.',
    read: bucketName,
  },
  s3KeyId: {
    variable: 'S3_KEY_ID',
    default: '',
    sentence: 'Name of the access key of the store.',
    read: text,
  },
  s3Secret: {
    variable: 'S3_SECRET',
    default: '',
    sentence: 'Secret of the access key.',
    read: text,
  },
  s3SecretFile: {
    variable: 'S3_SECRET_FILE',
    default: '',
    sentence: 'File that holds the secret, in the place of `S3_SECRET`.',
    read: secretFile,
  },
  s3Region: {
    variable: 'S3_REGION',
    default: 'us-east-1',
    sentence: 'Region of the bucket; most stores other than Amazon take any.',
    read: text,
  },
  s3Prefix: {
    variable: 'S3_PREFIX',
    default: '',
    sentence:
      'Put before the key of every object, such as `footlight/`, where the bucket holds other things too. What is under it is ours: what no video names is removed.',
    read: prefix,
  },
  s3Style: {
    variable: 'S3_STYLE',
    default: 'path',
    sentence:
      '`path`: the bucket is the first part of the path; `host`: it is a name before the host, as Amazon wants it of new buckets.',
    read: oneOf(['path', 'host']),
  },
  s3Redirect: {
    variable: 'S3_REDIRECT',
    default: 'false',
    sentence:
      '`true`: players are sent to a signed address of the store where a file is one object, as MP4 and smaller variants are; the store must be reached from everywhere and allow other origins. `false`: all goes through the service.',
    read: flag,
  },
} satisfies Settings;

type BucketValues = ValuesOf<typeof bucketSettings>;

/** What is missing where some are set; undefined where all are or none. */
export function bucketSettingsProblem(values: BucketValues): string | undefined {
  const wanted = {
    S3_URL: values.s3Url,
    S3_BUCKET: values.s3Bucket,
    S3_KEY_ID: values.s3KeyId,
    S3_SECRET: values.s3Secret || values.s3SecretFile,
  };
  const missing = Object.entries(wanted).flatMap(([variable, value]) => (value ? [] : [variable]));
  if (missing.length === 0 || missing.length === Object.keys(wanted).length) return undefined;
  return `${missing.join(' and ')} must be set too, as other settings of S3 are`;
}

/** Undefined where recordings stay in the folder. */
export function bucketOptions(values: BucketValues): BucketOptions | undefined {
  if (values.s3Url === '') return undefined;
  return {
    url: values.s3Url,
    bucket: values.s3Bucket,
    keyId: values.s3KeyId,
    secret: values.s3Secret || values.s3SecretFile,
    region: values.s3Region,
    prefix: values.s3Prefix,
    isHostStyle: values.s3Style === 'host',
  };
}

/** What the row of the node says of it, for the others: nothing that opens it. */
export function nodeBucketOf({ s3Url, s3Bucket, s3Prefix }: BucketValues): NodeBucket {
  if (s3Url === '') return noBucket;
  const { origin, pathname } = new URL(s3Url);
  const bucket = s3Prefix === '' ? s3Bucket : `${s3Bucket}/${s3Prefix}`;
  return { bucket, bucket_url: `${origin}${pathname}` };
}

/** Where players are sent to, for the pages that play it; none where all goes through the service. */
export function redirectTargets({ s3Url, s3Bucket, s3Style, s3Redirect }: BucketValues): string[] {
  if (s3Url === '' || !s3Redirect) return [];
  return [s3Style === 'path' ? s3Url : s3Url.replace('://', `://${s3Bucket}.`)];
}

function bucketName(value: string): string {
  if (value !== '' && !/^[0-9A-Za-z][0-9A-Za-z._-]{1,254}$/.test(value))
    throw new Error(`must be the name of a bucket (got "${value}")`);
  return value;
}

/** With a slash at its end where there is one. */
function prefix(value: string): string {
  const bare = value.replace(/\/$/, '');
  if (bare === '') return '';
  const isPlain = bare.split('/').every((part) => /^[0-9A-Za-z][0-9A-Za-z._-]{0,99}$/.test(part));
  if (!isPlain || bare.length > 200)
    throw new Error(`must be letters, digits, dots, hyphens and slashes (got "${value}")`);
  return `${bare}/`;
}
