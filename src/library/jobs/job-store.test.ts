// The job queue on both engines: one runner a job, leases that end, tries that are counted.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Engine, engines } from '../../../test/support/engines.ts';
import { openTestStore } from '../../../test/support/store.ts';
import { migrations } from '../../base/db/migrations.ts';
import { type AnyOperation, type Sql, type Store, write } from '../../base/db/sql.ts';
import { migrateDatabase, openCommandStore } from '../../base/db/store.ts';
import { operations } from '../../operations.ts';
import { anyNode, type JobRow, jobKinds, triesMax } from './job.ts';
import {
  addJobs,
  claimJob,
  failJob,
  finishJob,
  listJobs,
  longestDue,
  releaseJob,
  releaseNode,
  renewLease,
  retryJob,
} from './job-store.ts';

interface Added {
  video_id: number;
  account_id?: number;
  node?: string;
  kinds: JobRow['kind'][];
  now: number;
}
const addForTest = write(
  'test.addJobs',
  async (sql, input: Added) => await addJobs(sql, { node: 'node', account_id: 1, ...input }),
);
const clearForTest = write('test.clearJobs', async (sql) => {
  await sql.run('DELETE FROM jobs');
  await sql.run('DELETE FROM job_turns');
});
const own = [addForTest, clearForTest] as readonly AnyOperation[];

describe.each([...engines])('$name', (engine: Engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await openTestStore(engine, own);
  });
  afterAll(() => store.close());
  beforeEach(async () => {
    await store.perform(clearForTest, undefined);
  });

  const add = (video_id: number, kinds: JobRow['kind'][], now = 0) =>
    store.perform(addForTest, { video_id, kinds, now });
  const claim = (leased_by: string, now: number, leaseMs = 100) =>
    store.perform(claimJob, { node: 'node', leased_by, lease_until: now + leaseMs, now });
  const addOf = (account_id: number, video_id: number, kinds: JobRow['kind'][]) =>
    store.perform(addForTest, { account_id, video_id, kinds, now: 0 });
  /** Takes so many jobs and does them: the account and the kind of each. */
  const taken = async (count: number, now = 10) => {
    const order: string[] = [];
    for (let at = 0; at < count; at += 1) {
      const job = await claim('a', now);
      if (!job) break;
      await store.perform(finishJob, { id: job.id, leased_by: 'a', now });
      order.push(`${job.account_id} ${job.kind}`);
    }
    return order;
  };
  const list = () => store.perform(listJobs, { state: undefined, limit: 100, offset: 0 });
  const only = async () => (await list()).rows[0];

  test('the longest that a job has been due on a node, whatever its account and kind', async () => {
    const due = (now: number, node = 'node') => store.perform(longestDue, { node, now });
    expect(await due(10)).toBeUndefined();
    await addOf(1, 1, ['mp4', 'cover']);
    await store.perform(addForTest, { account_id: 2, video_id: 2, kinds: ['cover'], now: 30 });
    expect(await due(10)).toBe(0);
    expect(await due(10, 'another')).toBeUndefined();
    // While it runs it does not wait; what is made of it is not due before, and another account's not yet.
    const job = await claim('a', 10);
    expect(await due(20)).toBeUndefined();
    expect(await due(40)).toBe(30);
    await store.perform(finishJob, { id: job?.id ?? 0, leased_by: 'a', now: 20 });
    expect(await due(40)).toBe(0);
  });

  test('one that is begun again is due from then on, and hides none that has waited longer', async () => {
    const due = (now: number) => store.perform(longestDue, { node: 'node', now });
    await store.perform(addForTest, { account_id: 1, video_id: 1, kinds: ['mp4'], now: 10 });
    const job = await claim('a', 20);
    const failed = { id: job?.id ?? 0, leased_by: 'a', problem: 'bad', now: 30 };
    await store.perform(failJob, { ...failed, isFinal: true });
    await store.perform(retryJob, { id: job?.id ?? 0, now: 50 });
    expect(await due(60)).toBe(50);
    await store.perform(addForTest, { account_id: 1, video_id: 2, kinds: ['mp4'], now: 40 });
    expect(await due(60)).toBe(40);
  });

  test('a job is for the node on whose disk its recording lies', async () => {
    await add(1, ['mp4']);
    const other = { node: 'another', leased_by: 'b', lease_until: 100, now: 0 };
    expect(await store.perform(claimJob, other)).toBeUndefined();
    expect(await claim('a', 0)).toMatchObject({ video_id: 1 });
  });

  test('a job of what lies in the bucket is for any node, and of a killed one for the next', async () => {
    await store.perform(addForTest, { video_id: 1, kinds: ['mp4'], now: 0, node: anyNode });
    const claimAny = (leased_by: string, now: number) =>
      store.perform(claimJob, { node: anyNode, leased_by, lease_until: now + 100, now });
    expect(await claimAny('a/1', 0)).toMatchObject({ video_id: 1, tries: 1 });
    expect(await claimAny('b/1', 50)).toBeUndefined();
    // Another node's start frees nothing of it; its own does.
    await store.perform(releaseNode, { node: 'b', now: 50 });
    expect(await claimAny('b/1', 50)).toBeUndefined();
    await store.perform(releaseNode, { node: 'a', now: 50 });
    expect(await claimAny('b/1', 50)).toMatchObject({ video_id: 1, tries: 2 });
    // One that is not started again loses it by its lease.
    expect(await claimAny('c/1', 149)).toBeUndefined();
    expect(await claimAny('c/1', 150)).toMatchObject({ video_id: 1, tries: 3 });
  });

  test('what a node had begun before it was killed is begun again at once', async () => {
    await add(1, ['mp4']);
    await claim('a', 0, 1_000);
    await store.perform(releaseNode, { node: 'another', now: 5 });
    expect(await claim('b', 5)).toBeUndefined();
    await store.perform(releaseNode, { node: 'node', now: 5 });
    expect(await claim('b', 5)).toMatchObject({ leased_by: 'b', tries: 2 });
  });

  test('a video has each job once, and they are taken in the order of their kinds', async () => {
    await add(1, [...jobKinds]);
    await add(1, ['cover', '480'], 50);
    expect((await list()).counts).toEqual({ waiting: 5, running: 0, done: 0, failed: 0 });
    const taken: (string | undefined)[] = [];
    for (let at = 0; at < 6; at += 1) {
      const job = await claim(`a${at}`, 10);
      taken.push(job?.kind);
      if (job) await store.perform(finishJob, { id: job.id, leased_by: `a${at}`, now: 10 });
    }
    expect(taken).toEqual([...jobKinds, undefined]);
  });

  test('the other jobs of a video wait until its MP4 is made or given up', async () => {
    await add(1, ['mp4', 'cover']);
    await add(2, ['mp4', 'cover']);
    const first = (await claim('a', 0)) as JobRow;
    expect(await claim('b', 0)).toMatchObject({ video_id: 2, kind: 'mp4' });
    expect(await claim('c', 0)).toBeUndefined();
    await store.perform(finishJob, { id: first.id, leased_by: 'a', now: 0 });
    expect(await claim('c', 0)).toMatchObject({ video_id: 1, kind: 'cover' });
  });

  test('of whatever video, MP4s are made before covers, and covers before variants', async () => {
    await add(1, [...jobKinds], 0);
    await add(2, ['mp4', 'cover', '720'], 5);
    const taken: string[] = [];
    for (let at = 0; at < 8; at += 1) {
      const job = (await claim('a', 10)) as JobRow;
      taken.push(`${job.kind} of ${job.video_id}`);
      await store.perform(finishJob, { id: job.id, leased_by: 'a', now: 10 });
    }
    expect(taken).toEqual([
      ...['mp4 of 1', 'mp4 of 2', 'cover of 1', 'cover of 2'],
      ...['480 of 1', '720 of 1', '720 of 2', '1080 of 1'],
    ]);
  });

  test('accounts take turns, and one that comes late waits for the running job alone', async () => {
    for (let video_id = 1; video_id <= 20; video_id += 1)
      await addOf(1, video_id, ['mp4', 'cover']);
    await addOf(2, 101, ['mp4', 'cover']);
    expect(await taken(2)).toEqual(['1 mp4', '2 mp4']);
    const running = (await claim('a', 10)) as JobRow;
    await addOf(3, 102, ['mp4']);
    await store.perform(finishJob, { id: running.id, leased_by: 'a', now: 10 });
    expect(await taken(6)).toEqual(['3 mp4', '2 cover', '1 mp4', '1 mp4', '1 mp4', '1 mp4']);
    // Whose last began longest ago, however long nothing was to be done for it.
    await addOf(2, 103, ['mp4']);
    await addOf(3, 104, ['mp4']);
    expect(await taken(4)).toEqual(['3 mp4', '2 mp4', '1 mp4', '1 mp4']);
  });

  test('whose turn it is does not depend on the clock, nor on who asks', async () => {
    for (const account_id of [1, 2]) {
      await addOf(account_id, account_id, ['mp4', 'cover']);
      await addOf(account_id, 10 + account_id, ['mp4', 'cover']);
    }
    const order: string[] = [];
    for (const now of [500, 20, 400, 10]) order.push(...(await taken(1, now)));
    expect(order).toEqual(['1 mp4', '2 mp4', '1 mp4', '2 mp4']);
  });

  test('an account whose jobs are not due yet, or wait for their MP4, gives its turn away', async () => {
    await addOf(1, 1, ['mp4', 'cover']);
    await addOf(2, 2, ['mp4']);
    const { id } = (await claim('a', 10)) as JobRow;
    const given = { id, leased_by: 'a', run_at: 50, problem: 'no room', now: 10 };
    await store.perform(releaseJob, given);
    expect(await taken(2)).toEqual(['2 mp4']);
    expect(await taken(2, 50)).toEqual(['1 mp4', '1 cover']);
  });

  test('an MP4 that is tried again makes the others of its video wait again', async () => {
    await add(1, ['mp4', 'cover']);
    const { id } = (await claim('a', 0)) as JobRow;
    await store.perform(failJob, { id, leased_by: 'a', problem: 'no', isFinal: true, now: 0 });
    await store.perform(retryJob, { id, now: 0 });
    expect(await claim('b', 0)).toMatchObject({ kind: 'mp4' });
    expect(await claim('c', 0)).toBeUndefined();
  });

  test('a video without jobs adds none', async () => {
    await add(1, []);
    expect((await list()).rows).toEqual([]);
  });

  test('a claimed job is running, leased and counted as a try', async () => {
    await add(7, ['mp4'], 3);
    const job = await claim('a', 5);
    expect(job).toMatchObject({
      kind: 'mp4',
      video_id: 7,
      state: 'running',
      tries: 1,
      leased_by: 'a',
      lease_until: 105,
      created_at: 3,
      changed_at: 5,
    });
    expect(await only()).toEqual(job);
  });

  test('a job that is not due yet waits', async () => {
    await add(1, ['mp4'], 1_000);
    expect(await claim('a', 999)).toBeUndefined();
    expect(await claim('a', 1_000)).toBeDefined();
  });

  test('the holder alone may renew, finish, fail or give back', async () => {
    await add(1, ['mp4']);
    const { id } = (await claim('a', 0)) as JobRow;
    const stranger = { id, leased_by: 'b', now: 1 };
    expect(await store.perform(renewLease, { ...stranger, lease_until: 9_999 })).toBe(false);
    expect(await store.perform(finishJob, stranger)).toBe(false);
    const givenBack = { ...stranger, run_at: 0, problem: '' };
    expect(await store.perform(releaseJob, givenBack)).toBe(false);
    const failure = { ...stranger, problem: 'no', isFinal: false };
    expect(await store.perform(failJob, failure)).toBeUndefined();
    expect(await only()).toMatchObject({ state: 'running', leased_by: 'a', lease_until: 100 });
    expect(await store.perform(finishJob, { id, leased_by: 'a', now: 2 })).toBe(true);
    expect(await only()).toMatchObject({ state: 'done', leased_by: null, changed_at: 2 });
    expect(await store.perform(finishJob, { id, leased_by: 'a', now: 3 })).toBe(false);
  });

  test('a job whose lease ran out is taken by another, and its first holder is told so', async () => {
    await add(1, ['mp4']);
    const { id } = (await claim('a', 0)) as JobRow;
    expect(await store.perform(renewLease, { id, leased_by: 'a', lease_until: 300 })).toBe(true);
    expect(await claim('b', 299)).toBeUndefined();
    expect(await claim('b', 300)).toMatchObject({ id, leased_by: 'b', tries: 2 });
    expect(await store.perform(finishJob, { id, leased_by: 'a', now: 301 })).toBe(false);
    expect(await only()).toMatchObject({ state: 'running', leased_by: 'b' });
  });

  test('a late finish counts as long as nobody else has taken the job', async () => {
    await add(1, ['mp4']);
    const { id } = (await claim('a', 0)) as JobRow;
    expect(await store.perform(finishJob, { id, leased_by: 'a', now: 5_000 })).toBe(true);
  });

  test('a failed job rests longer each time and is given up at the third try', async () => {
    await add(1, ['mp4']);
    let now = 0;
    const rests: number[] = [];
    for (const state of ['waiting', 'waiting', 'failed'] as const) {
      const { id } = (await claim('a', now)) as JobRow;
      const failure = { id, leased_by: 'a', problem: 'x'.repeat(2_000), isFinal: false, now };
      expect(await store.perform(failJob, failure)).toBe(state);
      const job = await only();
      expect(job).toMatchObject({ state, leased_by: null, lease_until: null });
      expect(job?.problem).toHaveLength(500);
      rests.push((job?.run_at ?? 0) - now);
      now = job?.run_at ?? 0;
    }
    expect(rests).toEqual([30_000, 300_000, 0]);
    expect(await claim('a', now + 1e9)).toBeUndefined();
  });

  test('a hopeless failure is not tried again', async () => {
    await add(1, ['cover']);
    const { id } = (await claim('a', 0)) as JobRow;
    const failure = { id, leased_by: 'a', problem: 'not installed', isFinal: true, now: 1 };
    expect(await store.perform(failJob, failure)).toBe('failed');
    expect(await only()).toMatchObject({ state: 'failed', tries: 1, problem: 'not installed' });
  });

  test('a job that is given back has not been tried', async () => {
    await add(1, ['mp4']);
    for (let at = 0; at < 2 * triesMax; at += 1) {
      const { id } = (await claim(`a${at}`, at)) as JobRow;
      const given = { id, leased_by: `a${at}`, run_at: 0, problem: '', now: at };
      expect(await store.perform(releaseJob, given)).toBe(true);
    }
    expect(await only()).toMatchObject({ state: 'waiting', tries: 0 });
  });

  test('a job that is given back for later waits until then, with the reason', async () => {
    await add(1, ['mp4']);
    const { id } = (await claim('a', 0)) as JobRow;
    const given = { id, leased_by: 'a', run_at: 50, problem: 'no room', now: 1 };
    await store.perform(releaseJob, given);
    expect(await claim('b', 49)).toBeUndefined();
    expect(await claim('b', 50)).toMatchObject({ tries: 1, problem: 'no room' });
  });

  test('a failed job can be tried again from the beginning; another cannot', async () => {
    await add(1, ['mp4']);
    expect(await store.perform(retryJob, { id: 12_345, now: 0 })).toBeUndefined();
    const { id } = (await claim('a', 0)) as JobRow;
    expect(await store.perform(retryJob, { id, now: 1 })).toBe('running');
    const failure = { id, leased_by: 'a', problem: 'not installed', isFinal: true, now: 2 };
    await store.perform(failJob, failure);
    expect(await store.perform(retryJob, { id, now: 3 })).toBe('failed');
    expect(await only()).toMatchObject({ state: 'waiting', tries: 0, run_at: 0, changed_at: 3 });
    expect(await store.perform(retryJob, { id, now: 4 })).toBe('waiting');
    expect(await claim('b', 4)).toMatchObject({ id, tries: 1 });
  });

  test('a job whose runners were all lost is given up', async () => {
    await add(1, ['mp4']);
    for (const now of [0, 100, 200]) expect(await claim('a', now)).toBeDefined();
    expect(await claim('a', 299)).toBeUndefined();
    expect(await only()).toMatchObject({ state: 'running', tries: 3 });
    expect(await claim('a', 300)).toBeUndefined();
    expect(await only()).toMatchObject({ state: 'failed', tries: 3, leased_by: null });
    expect((await only())?.problem).not.toBe('');
  });

  test('jobs are listed newest first, by state, a page at a time', async () => {
    await add(1, ['mp4', 'cover', '480']);
    await claim('a', 0);
    const waiting = await store.perform(listJobs, { state: 'waiting', limit: 1, offset: 1 });
    expect(waiting.rows.map(({ kind }) => kind)).toEqual(['cover']);
    expect(waiting.counts).toEqual({ waiting: 2, running: 1, done: 0, failed: 0 });
  });

  test('however runners crash, each job is done once or failed after three tries', async () => {
    const step = fc.record({
      runner: fc.nat(3),
      does: fc.constantFrom('finish', 'fail', 'crash', 'release', 'renew'),
      passesMs: fc.constantFrom(0, 10, 120, 400_000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        await store.perform(clearForTest, undefined);
        await add(1, ['mp4', 'cover', '480']);
        await checkRun(store, steps);
      }),
      { numRuns: engine.name === 'sqlite' ? 12 : 10, seed: 18 },
    );
  });
});

test.each([...engines])(
  'runners that ask at once never get the same job ($name)',
  async (engine) => {
    const { DATA_DIR, DATABASE_URL } = await engine.fresh();
    const settings = {
      dataDir: DATA_DIR,
      databaseUrl: DATABASE_URL,
      deadlineMs: 10_000,
      connectionsMax: 1,
    };
    // One service runs on a SQLite file; on PostgreSQL there may be several.
    const nodes = engine.name === 'sqlite' ? 1 : 4;
    const stores = await Promise.all(
      Array.from({ length: nodes }, () => openCommandStore(settings, [...operations, ...own])),
    );
    const videos = 40;
    for (let video_id = 1; video_id <= videos; video_id += 1)
      await stores[0]?.perform(addForTest, { video_id, kinds: ['mp4'], now: 0 });
    const claims = await Promise.all(
      stores.flatMap((store, node) =>
        Array.from({ length: 60 / nodes }, (_, at) =>
          store.perform(claimJob, {
            node: 'node',
            leased_by: `${node}/${at}`,
            lease_until: 1_000,
            now: 1,
          }),
        ),
      ),
    );
    const taken = claims.filter((job) => job !== undefined).map(({ id }) => id);
    expect(taken).toHaveLength(videos);
    expect(new Set(taken).size).toBe(taken.length);
    for (const store of stores) await store.close();
  },
);

test.each([...engines])('jobs of before accounts took turns are theirs ($name)', async (engine) => {
  const { DATA_DIR, DATABASE_URL } = await engine.fresh();
  const settings = {
    dataDir: DATA_DIR,
    databaseUrl: DATABASE_URL,
    deadlineMs: 10_000,
    connectionsMax: 1,
  };
  const video = (id: number, account_id: number) =>
    `INSERT INTO videos (id, account_id, channel_id, manager_id, name, folded_name, video_url, video_size, m3u8,
       m3u8_480, m3u8_720, m3u8_1080, duration, width, height, cover_url)
     VALUES (${id}, ${account_id}, 1, 0, '', '', '', 0, '', '', '', '', 1, 0, 0, '')`;
  const job = (video_id: number, kind: string, state: string) =>
    `INSERT INTO jobs (kind, video_id, node, state, tries, run_at, problem, created_at, changed_at)
     VALUES ('${kind}', ${video_id}, 'node', '${state}', 0, 0, '', 0, 0)`;
  const before = [
    ...[1, 2].map(
      (
        id,
      ) => `INSERT INTO accounts (id, name, plan, auto_save_live_video, viewer_secret, created_at)
       VALUES (${id}, '', 'traffic', 1, '', 0)`,
    ),
    ...[video(1, 1), video(2, 1), video(3, 2)],
    ...[job(1, 'mp4', 'waiting'), job(1, 'cover', 'waiting'), job(2, 'mp4', 'waiting')],
    ...[job(3, 'mp4', 'done'), job(3, 'cover', 'waiting')],
  ];
  const steps = migrations.map((step) =>
    step.name === 'jobs by account'
      ? { ...step, statements: (...given: StepWords) => [...before, ...step.statements(...given)] }
      : step,
  );
  await migrateDatabase(settings, steps);
  const store = await openCommandStore(settings, operations);
  const order: string[] = [];
  for (const leased_by of ['a', 'b', 'c', 'd']) {
    const job = await store.perform(claimJob, { node: 'node', leased_by, lease_until: 9, now: 1 });
    order.push(job ? `${job.account_id} ${job.kind}` : 'none');
  }
  await store.close();
  expect(order).toEqual(['1 mp4', '2 cover', '1 mp4', 'none']);
});

type StepWords = Parameters<(typeof migrations)[number]['statements']>;

test('a job is found through the index alone, however many wait (sqlite)', async () => {
  const [sqlite] = engines;
  if (!sqlite) throw new Error('no engine');
  const plansForTest = write('test.plans', async (sql) => {
    const plans: string[] = [];
    const one: Sql['one'] = async (text, params) => {
      const steps = await sql.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, params);
      plans.push(...steps.map(({ detail }) => detail));
      return await sql.one(text, params);
    };
    await addJobs(sql, { node: 'node', account_id: 1, video_id: 1, kinds: ['720'], now: 0 });
    await claimJob.run({ ...sql, one, all: sql.all.bind(sql), run: sql.run.bind(sql) }, anyClaim);
    return plans;
  });
  const anyClaim = { node: 'node', leased_by: 'a', lease_until: 100, now: 10 };
  const store = await openTestStore(sqlite, [plansForTest as AnyOperation]);
  const plans = await store.perform(plansForTest, undefined);
  await store.close();
  expect(plans.filter((step) => step.includes('SCAN'))).toEqual([]);
  expect(plans.filter((step) => step.includes('jobs_to_do'))).toHaveLength(2 * jobKinds.length);
});

interface Step {
  runner: number;
  does: 'finish' | 'fail' | 'crash' | 'release' | 'renew';
  passesMs: number;
}

/** Plays runners on a clock of our own and holds the queue to what it promises. */
async function checkRun(store: Store, steps: readonly Step[]): Promise<void> {
  let now = 0;
  let leases = 0;
  const held = new Map<number, { id: number; leased_by: string; until: number }>();
  const done = new Set<number>();
  for (const { runner, does, passesMs } of steps) {
    now += passesMs;
    const mine = held.get(runner);
    if (!mine) {
      const leased_by = `runner ${runner}, lease ${leases++}`;
      const job = await store.perform(claimJob, {
        node: 'node',
        leased_by,
        lease_until: now + 100,
        now,
      });
      if (!job) continue;
      expect(job.tries).toBeLessThanOrEqual(triesMax);
      expect(done.has(job.id)).toBe(false);
      if (job.kind !== 'mp4') expect(await isSettled(store, 'mp4')).toBe(true);
      // Two hold one job only where the first has let its lease run out.
      for (const other of held.values())
        if (other.id === job.id) expect(other.until).toBeLessThanOrEqual(now);
      held.set(runner, { id: job.id, leased_by, until: now + 100 });
      continue;
    }
    const { id, leased_by } = mine;
    if (does === 'renew') {
      if (await store.perform(renewLease, { id, leased_by, lease_until: now + 100 }))
        mine.until = now + 100;
      continue;
    }
    held.delete(runner);
    if (does === 'finish' && (await store.perform(finishJob, { id, leased_by, now }))) {
      expect(done.has(id)).toBe(false);
      done.add(id);
    }
    if (does === 'release')
      await store.perform(releaseJob, { id, leased_by, run_at: 0, problem: '', now });
    if (does === 'fail')
      await store.perform(failJob, { id, leased_by, problem: 'no', isFinal: false, now });
  }
  const { rows, counts } = await store.perform(listJobs, {
    state: undefined,
    limit: 10,
    offset: 0,
  });
  expect(counts.done).toBe(done.size);
  for (const { id, state, tries } of rows) {
    expect(tries).toBeLessThanOrEqual(triesMax);
    expect(state === 'done').toBe(done.has(id));
  }
}

async function isSettled(store: Store, kind: JobRow['kind']): Promise<boolean> {
  const { rows } = await store.perform(listJobs, { state: undefined, limit: 10, offset: 0 });
  const job = rows.find((row) => row.kind === kind);
  return job?.state === 'done' || job?.state === 'failed';
}
