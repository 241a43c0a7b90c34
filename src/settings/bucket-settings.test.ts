import { expect, test } from 'bun:test';
import { noBucket } from '../base/nodes/node-bucket.ts';
import { readConfig } from '../config.ts';
import { nodeBucketOf } from './bucket-settings.ts';

const set = {
  ...{ S3_URL: 'https://us:er@s3.example.com/', S3_BUCKET: 'recordings', S3_KEY_ID: 'key' },
  S3_SECRET: 'secret',
};

test('what other nodes are told of the bucket is where it is, and nothing that opens it', () => {
  expect(nodeBucketOf(readConfig({}))).toEqual(noBucket);
  expect(nodeBucketOf(readConfig(set))).toEqual({
    bucket: 'recordings',
    bucket_url: 'https://s3.example.com/',
  });
  expect(nodeBucketOf(readConfig({ ...set, S3_PREFIX: 'shows' })).bucket).toBe('recordings/shows/');
});
