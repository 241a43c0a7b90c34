// What the settings' checks refuse, and what they must not repeat.
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../test/support/engines.ts';
import { chatBounds } from './audience/chat/chat-limits.ts';
import { pageBounds } from './audience/protocol/page-limits.ts';
import { readConfig, settings } from './config.ts';
import { signInBounds } from './library/people/sign-in-limits.ts';
import { webhookBounds } from './library/webhooks/webhook-limits.ts';
import { bucketOptions } from './settings/bucket-settings.ts';
import { pushBounds } from './stream/live/push-limits.ts';
import { playbackBounds } from './stream/playback/playback-limits.ts';
import { rtmpBounds } from './stream/rtmp/rtmp-limits.ts';
import { httpBounds } from './web/http/http-limits.ts';
import { qrBounds } from './web/pages/qr-limits.ts';

test('what peers may do is a setting, and without it as the limits say', () => {
  expect(readConfig({}).bounds).toEqual({
    http: httpBounds,
    signIn: signInBounds,
    playback: playbackBounds,
    qr: qrBounds,
    rtmp: rtmpBounds,
    push: pushBounds,
    page: { ...pageBounds, ...chatBounds },
    webhook: webhookBounds,
  });
  const { bounds } = readConfig({ RTMP_STRANGER_BYTES: '1M', AUDIENCE_PINGS_PER_PAGE: '7' });
  expect(bounds.rtmp).toEqual({ ...rtmpBounds, strangerBytesMax: 1_048_576 });
  expect(bounds.page).toEqual({ ...pageBounds, ...chatBounds, pingsPerPage: 7 });
});

test('all that is wrong is told at once', () => {
  const wrong = Object.fromEntries(settings.map(({ variable }) => [variable, '\u{1F3AD}']));
  const told = () => readConfig(wrong);
  // A text may be anything.
  const texts = [
    'HOST',
    'NOTIFY_SOCKET',
    'DATA_DIR',
    'TLS_CERT',
    'TLS_KEY',
    'PLACE_FILE',
    'NODE_CA',
  ];
  texts.push('S3_KEY_ID', 'S3_SECRET', 'S3_REGION');
  for (const { variable } of settings)
    if (!texts.includes(variable)) expect(told).toThrow(`${variable} must `);
});

test.each([
  'postgres://user:a#secret@localhost/db',
  'postgres://user:12#secret@localhost/db',
  'postgres://user:secret@localhost:99999/db',
])('the database address %j is refused without being repeated', (address) => {
  const read = () => readConfig({ DATABASE_URL: address });
  expect(read).toThrow('DATABASE_URL must be an address such as postgres://');
  expect(read).not.toThrow('secret');
});

test.each([
  '',
  'postgres://user:a%23b@localhost:5432/db',
  'postgresql://localhost/db?sslmode=require',
  'postgres://user:password@/db?host=/var/run/postgresql',
  'postgres://%2Fvar%2Frun/db',
])('the database address %j is taken', (address) => {
  expect(readConfig({ DATABASE_URL: address }).databaseUrl).toBe(address);
});

test('the password may stand in a file of its own', () => {
  const file = join(temporaryFolder(), 'password');
  writeFileSync(file, 'a#b/c@d\n');
  const url = (DATABASE_URL: string) =>
    readConfig({ DATABASE_URL, DATABASE_PASSWORD_FILE: file }).databaseUrl;
  expect(url('postgres://user@host:5432/name')).toBe(
    'postgres://user:a%23b%2Fc%40d@host:5432/name',
  );
  expect(url('postgres://user:own@host/name')).toBe('postgres://user:own@host/name');
  expect(url('')).toBe('');
  writeFileSync(file, 'first secret\nsecond');
  expect(() => url('')).toThrow('DATABASE_PASSWORD_FILE must be a file with one line');
  expect(() => url('')).not.toThrow('secret');
});

test.each([
  ['TRUSTED_PROXIES', '10.0.0.0/8, ::1, fd00::/8'],
  ['COUNT_DIRECT_PLAYERS', 'true'],
  ['AUDIENCE_CONNECTIONS', '1'],
])('%s may be %j', (variable, value) => {
  expect(() => readConfig({ [variable]: value })).not.toThrow();
});

test.each([
  ['TRUSTED_PROXIES', '10.0.0.0/8, proxy', 'a comma list of addresses and networks'],
  ['COUNT_DIRECT_PLAYERS', 'yes', 'one of true, false (got "yes")'],
  ['AUDIENCE_RETENTION_DAYS', '-1', '0 to 36500 (got "-1")'],
  ['IP_RETENTION_DAYS', '1.5', '0 to 36500 (got "1.5")'],
  ['AUDIENCE_CONNECTIONS', '0', '1 to 1000000 (got "0")'],
])('%s %j is refused with a sentence', (variable, value, sentence) => {
  expect(() => readConfig({ [variable]: value })).toThrow(`${variable} must be ${sentence}`);
});

test('a flag is on only where it says true', () => {
  expect(readConfig({}).countDirectPlayers).toBe(false);
  expect(readConfig({ COUNT_DIRECT_PLAYERS: 'true' }).countDirectPlayers).toBe(true);
});

test('the settings of S3 are all there or none', () => {
  const all = {
    S3_URL: 'https://s3.example.com/',
    S3_BUCKET: 'shows',
    S3_KEY_ID: 'key',
    S3_SECRET: 'hush',
    S3_PREFIX: 'footlight',
  };
  expect(bucketOptions(readConfig({}))).toBeUndefined();
  expect(bucketOptions(readConfig(all))).toEqual({
    url: 'https://s3.example.com',
    bucket: 'shows',
    keyId: 'key',
    secret: 'hush',
    region: 'us-east-1',
    prefix: 'footlight/',
    isHostStyle: false,
  });
  const { S3_SECRET: _, ...lacking } = all;
  expect(() => readConfig(lacking)).toThrow('S3_SECRET must be set too');
  expect(() => readConfig({ S3_SECRET: 'hush' })).toThrow('S3_URL and S3_BUCKET and S3_KEY_ID');
  expect(() => readConfig({ ...all, S3_PREFIX: '../other' })).toThrow('S3_PREFIX must be letters');
});
