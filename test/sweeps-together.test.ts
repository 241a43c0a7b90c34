// Two nodes that sweep at the same moment: each thing goes once, accounts in turns, and neither node has an error.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startLog } from '../src/base/lib/log.ts';
import { removeOldRows } from '../src/library/audit/audit-sweep.ts';
import { removeGone } from '../src/library/deletion/channel-removal.ts';
import { deleteChannel } from '../src/library/deletion/deleted-channel-store.ts';
import { removeOldEvents } from '../src/library/events/event-sweep.ts';
import { removeUnnamed } from '../src/library/images/image-sweep.ts';
import { addRecording } from '../src/stream/recording/recording-store.ts';
import { removeVideos } from '../src/stream/recording/video-retention.ts';
import { type BucketStore, startBucketStore } from './support/bucket-store.ts';
import { temporaryFolder } from './support/engines.ts';
import { type LinkedServices, startLinkedServices } from './support/linked-services.ts';
import { newLiveChannel } from './support/live-channel.ts';
import { fileOf, jpegOf } from './support/pictures.ts';
import type { TestService } from './support/service.ts';
import { newChannel } from './support/store.ts';

const dayMs = 86_400_000;
const log = startLog('silent');
let nodes: LinkedServices;
let bucketStore: BucketStore;
/** Lines of each before they were linked, which may take more than one dial. */
let linesBefore: number[];
beforeAll(async () => {
  bucketStore = await startBucketStore();
  nodes = await startLinkedServices(2, {
    settings: { MIN_FREE_DISK: '10M', ...bucketStore.environment },
  });
  await nodes.linked();
  linesBefore = services().map(({ logLines }) => logLines.length);
});
afterAll(async () => {
  await nodes.stop();
  await bucketStore.stop();
});

function services(): [TestService, TestService] {
  return nodes.all.map(({ service }) => service) as [TestService, TestService];
}

/** By both, three times each. */
async function byBoth(work: (service: TestService) => Promise<void>): Promise<void> {
  const all = [...services(), ...services(), ...services()];
  await Promise.all(all.map(work));
}

async function countOf(table: string, where = '1 = 1'): Promise<number> {
  const [{ store }] = services();
  const row = await store.one<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table} WHERE ${where}`);
  return Number(row?.n);
}

test('rows of the audit log, events and pictures go, by whichever node comes', async () => {
  const [a] = services();
  const { store } = a;
  const channel = await newLiveChannel(a);
  const old = 1_000_000;
  for (let n = 0; n < 2; n += 1)
    await store.run(
      `INSERT INTO audit_log (account_id, at, via, person_id, token_id, who_name, manager_id, manager_username, operation,
         op_group, target_kind, target_id, target_name, of_channel, fields, told, address, folded, times)
       SELECT $1, g, 'command', 0, 0, '', 0, '', 'x', 'service', '', 0, '', 0, '', '', '', '', 1
       FROM generate_series(1, 4000) g`,
      [100 + n],
    );
  expect(await countOf('audit_log', `at < ${old}`)).toBe(8_000);
  await byBoth((service) =>
    removeOldRows({ store: service.store, now: () => old + dayMs, auditDays: 1 }),
  );
  expect(await countOf('audit_log', `at < ${old}`)).toBe(0);
  await store.run(
    `INSERT INTO events (account_id, feed, seq, id, type, channel_id, manager_id, at, data)
     SELECT 1, 0, -g, 'e' || g, 'channel.created', 1, 0, 1, '{}' FROM generate_series(1, 3000) g`,
  );
  await byBoth((service) =>
    removeOldEvents({ store: service.store, now: () => old + dayMs, eventDays: 1 }),
  );
  expect(await countOf('events', `at < ${old}`)).toBe(0);
  const path = `/manage/v1/channels/${channel.id}/images`;
  for (let n = 0; n < 5; n += 1)
    await a.call('POST', path, { body: fileOf(jpegOf(2_000 + n), 'image/jpeg') });
  expect(await countOf('images')).toBe(5);
  const at = a.clock.now;
  for (const now of [at, at + 2 * dayMs, at + 4 * dayMs])
    await byBoth((service) => removeUnnamed({ store: service.store, now: () => now }));
  expect(await countOf('images')).toBe(0);
});

/** Videos in the bucket, the oldest first; their objects are gone already. */
async function oldVideos(service: TestService, account_id: number, count: number, from: number) {
  const channel_id = await newChannel(service.store, account_id);
  for (let n = 0; n < count; n += 1)
    await service.store.perform(addRecording, {
      ...{ recording: `old-${account_id}-${n}`, channel_id, account_id },
      ...{ show_at: null, show_ms: null, name: 'old', startText: '', video_size: 1, duration: 1 },
      ...{ width: 0, height: 0, start_time: 0, end_time: 0, sameAsSource: [], jobs: [] },
      ...{ node: '*', storage: 'bucket', now: from + n },
    });
}

test('videos that are too old go once, and a large library holds up no other', async () => {
  const [a, b] = services();
  const [large, small] = [await a.newAccount(), await a.newAccount()];
  await oldVideos(a, large, 150, 1);
  await oldVideos(a, small, 2, 1_000);
  const sweep = (service: TestService, node: string) =>
    removeVideos({
      ...{ store: service.store, dataDir: temporaryFolder(), node, log },
      ...{ now: () => 10 * dayMs, retentionDays: 1, bucket: bucketStore.bucket },
    });
  await sweep(a, 'node-1');
  expect(await countOf('videos', `account_id = ${small}`)).toBe(0);
  expect(await countOf('videos', `account_id = ${large}`)).toBe(52);
  await Promise.all([sweep(a, 'node-1'), sweep(b, 'node-2'), sweep(b, 'node-3')]);
  expect(await countOf('videos', `account_id IN (${large}, ${small})`)).toBe(0);
  // Told once each, and counted no more.
  expect(await countOf('events', "type = 'video.deleted'")).toBe(152);
  const totals = await a.store.all('SELECT * FROM totals WHERE total < 0');
  expect(totals).toEqual([]);
});

test('channels that are gone go with all that is theirs', async () => {
  const [a] = services();
  const channels = await Promise.all(Array.from({ length: 12 }, () => newLiveChannel(a)));
  const now = a.clock.now;
  for (const { id } of channels) {
    await a.store.run(
      `INSERT INTO shares (channel_id, shared_at, viewer_id) SELECT $1, g, 'v' || g FROM generate_series(1, 600) g`,
      [id],
    );
    await a.store.perform(deleteChannel, {
      ...{ id, owner: { account_id: 1, manager_id: 0 } },
      ...{ awaitedMs: undefined, now },
    });
  }
  for (const at of [now + 40 * dayMs, now + 41 * dayMs])
    await byBoth(({ store }) => removeGone({ store, now: () => at, log, keptMs: 30 * dayMs }));
  expect(await countOf('shares')).toBe(0);
  const ids = channels.map(({ id }) => id).join(', ');
  expect(await countOf('channels', `id IN (${ids})`)).toBe(0);
  const lines = services().flatMap(({ logLines }, n) => logLines.slice(linesBefore[n]));
  expect(lines.filter((line) => /"level":"(warn|error)"/.test(line))).toEqual([]);
});
