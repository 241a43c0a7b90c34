// What the first rows of an account or a channel cost where another account has nearly all: counted in rows looked at.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { newChannel, openTestStore, plainVideo } from '../../../test/support/store.ts';
import { tracesOfViewer } from '../../audience/privacy/viewer-data-store.ts';
import { createAccount } from '../../library/access/account-store.ts';
import { listChannels } from '../../library/channels/channel-store.ts';
import { deleteChannel } from '../../library/deletion/deleted-channel-store.ts';
import { listAccountJobs } from '../../library/jobs/job-store.ts';
import { lastVideo } from '../../library/videos/shown-video-store.ts';
import { addVideos, listVideos } from '../../library/videos/video-store.ts';
import type { Sql, Value } from './sql.ts';

const [, engine] = engines as [unknown, (typeof engines)[number]];
const store = await openTestStore(engine);
afterAll(() => store.close());

const first = await newChannel(store);
const added = [plainVideo({ external_id: 'first', channel_id: first })];
await store.perform(addVideos, { account_id: 1, videos: added });
const empty = await newChannel(store);
const deleted = await newChannel(store);
const hidden = plainVideo({ external_id: 'hidden', channel_id: deleted });
await store.perform(addVideos, { account_id: 1, videos: [hidden] });
const account_id = await store.perform(createAccount, { name: 'large', plan: 'traffic', now: 0 });
await store.run(`INSERT INTO channels (account_id, manager_id, name, page, stream_key, play_id, created_at)
  SELECT ${account_id}, 0, 'theirs', '{}', 'key ' || n, 'play ' || n, 0 FROM generate_series(1, 2000) AS n`);
const theirs = await store.one<{ id: number }>('SELECT MAX(id) AS id FROM channels');
const many = Array.from({ length: 2_000 }, (_, at) =>
  plainVideo({ external_id: `${at}`, channel_id: theirs?.id ?? 0 }),
);
await store.perform(addVideos, { account_id, videos: many });
await store.run(`INSERT INTO jobs (kind, video_id, account_id, node, state, tries, run_at, problem, created_at, changed_at)
  SELECT 'mp4', n, ${account_id}, 'here', 'done', 0, 0, '', 0, 0 FROM generate_series(1, 2000) AS n`);
// As a sample of them finds it where there are a hundred thousand.
for (const [table, column] of [
  ['videos', 'account_id'],
  ['videos', 'channel_id'],
  ['channels', 'account_id'],
  ['jobs', 'account_id'],
])
  await store.run(`ALTER TABLE ${table} ALTER COLUMN ${column} SET (n_distinct = 1)`);
await store.run('ANALYZE');
// As it plans a statement that it has been sent a few times.
await store.run('SET plan_cache_mode = force_generic_plan');

const owner = { account_id: 1, manager_id: 0 };
const page = { owner, live: false, manager: undefined, limit: 10, offset: 0 };
const videos = { ...page, title: undefined, act_id: undefined };

const jobs = { account_id: 1, state: undefined, limit: 10, offset: 0 };
const channel = { account_id: 1, last_push_stream_at: null };

const asks: [string, (sql: Sql) => Promise<unknown>][] = [
  ['the last video of a channel', (sql) => lastVideo(sql, { ...channel, id: first })],
  ['the last video of a channel without any', (sql) => lastVideo(sql, { ...channel, id: empty })],
  ['the videos of an account', (sql) => listVideos.run(sql, videos)],
  ['the videos of a channel', (sql) => listVideos.run(sql, { ...videos, act_id: first })],
  ['the videos of no manager', (sql) => listVideos.run(sql, { ...videos, manager: 0 })],
  ['a title', (sql) => listVideos.run(sql, { ...videos, title: 'vi' })],
  ['the jobs of an account', (sql) => listAccountJobs.run(sql, jobs)],
  ['its jobs that are done', (sql) => listAccountJobs.run(sql, { ...jobs, state: 'done' })],
  ['the channels of an account', (sql) => listChannels.run(sql, page)],
  ['the channels of no manager', (sql) => listChannels.run(sql, { ...page, manager: 0 })],
  ['the channels that are live', (sql) => listChannels.run(sql, { ...page, live: true })],
  [
    'the channels of a viewer',
    (sql) => tracesOfViewer.run(sql, { account_id: 1, viewer_id: 'v', channel_id: undefined }),
  ],
];

test.each(asks)('%s: no row of another account is looked at', async (_, ask) => {
  expect(await lookedAt(ask)).toBeLessThan(100);
});

describe('where a channel is deleted', () => {
  beforeAll(async () => {
    await store.perform(deleteChannel, { id: deleted, owner, now: 0 });
  });

  test.each(asks)('%s: no row of another account is looked at', async (_, ask) => {
    expect(await lookedAt(ask)).toBeLessThan(100);
  });
});

/** Rows that the first ones are found among. */
async function lookedAt(ask: (sql: Sql) => Promise<unknown>): Promise<number> {
  let looked = 0;
  const explained = async (text: string, params: readonly Value[] = []) => {
    const name = `explained_${Bun.hash(text).toString(36)}`;
    await store.run(`PREPARE ${name} AS ${text}`);
    const values = params.map((value) => (typeof value === 'string' ? `'${value}'` : value));
    const given = values.length > 0 ? `(${values.join(', ')})` : '';
    const [plan] = await store.all<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE ${name}${given}`,
    );
    await store.run(`DEALLOCATE ${name}`);
    looked += plan ? limited(plan['QUERY PLAN'][0].Plan) : 0;
  };
  await ask({
    ...store,
    all: async (text, params) => {
      await explained(text, params);
      return await store.all(text, params);
    },
    one: async (text, params) => {
      await explained(text, params);
      return await store.one(text, params);
    },
  });
  return looked;
}

interface Node {
  'Node Type': string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
}

/** Of what finds the first rows; how rows of known ids are fetched is another matter. */
function limited(node: Node): number {
  if (node['Node Type'] === 'Limit') return rowsOf(node);
  return (node.Plans ?? []).reduce((sum, one) => sum + limited(one), 0);
}

function rowsOf(node: Node): number {
  const below = (node.Plans ?? []).reduce((sum, one) => sum + rowsOf(one), 0);
  return node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + below;
}
