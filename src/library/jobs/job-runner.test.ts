// The runner of jobs against a real queue: what it runs, what ends it, and what it survives.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { openTestStore } from '../../../test/support/store.ts';
import { type AnyOperation, type Operation, type Store, write } from '../../base/db/sql.ts';
import type { Log, LogFields } from '../../base/lib/log.ts';
import { HopelessError, type JobKind, type JobRow, jobKinds, Postponed } from './job.ts';
import { type JobRunner, type JobRunnerOptions, startJobRunner } from './job-runner.ts';
import { addJobs, claimJob, listJobs } from './job-store.ts';

const addForTest = write(
  'test.addJobs',
  async (sql, input: { video_id: number; kinds: JobKind[] }) =>
    await addJobs(sql, { ...input, account_id: 1, node: 'node', now: 0 }),
);

const [sqlite] = engines;
if (!sqlite) throw new Error('no engine');

let store: Store;
let clock = 0;
let runners: JobRunner[] = [];

beforeEach(async () => {
  store = await openTestStore(sqlite, [addForTest as AnyOperation]);
  clock = 1_000;
  runners = [];
});

afterEach(async () => {
  await Promise.all(runners.map((runner) => runner.stop()));
  await store.close();
});

describe('a runner', () => {
  test('runs the jobs that wait, one at a time, in their order', async () => {
    const ran: string[] = [];
    let isRunning = false;
    const log = new HeardLog();
    await add(1, ['mp4', 'cover', '480']);
    const { counts } = start({
      log,
      handle: async ({ kind }) => {
        expect(isRunning).toBe(false);
        isRunning = true;
        await Bun.sleep(1);
        isRunning = false;
        ran.push(kind);
      },
    });
    await log.heard('job done', 3);
    expect(ran).toEqual(['mp4', 'cover', '480']);
    expect((await list()).counts).toEqual({ waiting: 0, running: 0, done: 3, failed: 0 });
    expect(counts).toEqual({ done: 3, failed: 0, put_off: 0 });
  });

  test('begins at once when it is woken', async () => {
    const log = new HeardLog();
    const runner = start({ log, pollMs: 3_600_000 });
    await add(1, ['mp4']);
    runner.wake();
    await log.heard('job done');
  });

  test('finds by itself what nobody woke it for', async () => {
    const log = new HeardLog();
    start({ log, pollMs: 5 });
    await add(1, ['mp4']);
    await log.heard('job done');
  });

  test('tries a failed job again when its rest is over, three times in all', async () => {
    const log = new HeardLog();
    await add(1, ['mp4']);
    const { counts } = start({
      log,
      handle: async () => {
        throw new Error('the disk is full');
      },
    });
    for (const failures of [1, 2, 3]) {
      await log.heard('job failed', failures);
      clock += 1_000_000;
    }
    expect(await only()).toMatchObject({ state: 'failed', tries: 3, problem: 'the disk is full' });
    expect(counts).toEqual({ done: 0, failed: 3, put_off: 0 });
  });

  test('does not try again what is hopeless', async () => {
    const log = new HeardLog();
    await add(1, ['cover']);
    start({
      log,
      handle: async () => {
        throw new HopelessError('not installed');
      },
    });
    await log.heard('job failed');
    expect(await only()).toMatchObject({ state: 'failed', tries: 1, problem: 'not installed' });
  });

  test('puts off what cannot be done now: it is no try, is said once, and is done later', async () => {
    const log = new HeardLog();
    await add(1, ['mp4']);
    let times = 0;
    start({
      log,
      // Every look at the clock is half a minute later, so that no minute is waited for.
      now: () => {
        clock += 30_000;
        return clock;
      },
      handle: async () => {
        times += 1;
        if (times <= 5) throw new Postponed('no room');
      },
    });
    await log.heard('job done');
    expect(times).toBe(6);
    expect(log.count('job put off')).toBe(1);
    expect(log.count('job failed')).toBe(0);
    expect(await only()).toMatchObject({ state: 'done', tries: 1, problem: '' });
  });

  test('does not begin a job that was put off before its minute is over', async () => {
    const log = new HeardLog();
    await add(1, ['mp4']);
    start({
      log,
      handle: async () => {
        throw new Postponed('no room');
      },
    });
    await log.heard('job put off');
    expect(await only()).toMatchObject({
      state: 'waiting',
      tries: 0,
      run_at: clock + 60_000,
      problem: 'no room',
    });
  });

  test('asks how long a job may take when it begins it, once', async () => {
    const log = new HeardLog();
    await add(1, ['mp4']);
    const asked: number[] = [];
    start({
      log,
      deadlineMs: async ({ video_id }) => {
        asked.push(video_id);
        return 5;
      },
      handle: untilAborted,
    });
    await log.heard('job failed');
    expect(asked).toEqual([1]);
    expect((await only())?.problem).toContain('longer');
  });

  test('counts it as a failed try when it cannot learn how long a job may take', async () => {
    const log = new HeardLog();
    await add(1, ['mp4']);
    start({
      log,
      deadlineMs: async () => {
        throw new Error('the database is away');
      },
    });
    await log.heard('job failed');
    expect(await only()).toMatchObject({ state: 'waiting', problem: 'the database is away' });
  });

  test('ends a job at its deadline, which counts as a failed try', async () => {
    const log = new HeardLog();
    await add(1, ['mp4']);
    start({ log, handle: untilAborted, deadlineMs: () => 5 });
    await log.heard('job failed');
    expect(await only()).toMatchObject({ state: 'waiting', tries: 1 });
    expect((await only())?.problem).toContain('longer');
  });

  test('gives the running job back when it stops, as if it had not been begun', async () => {
    const log = new HeardLog();
    await add(1, ['mp4']);
    const runner = start({ log, handle: untilAborted });
    await log.heard('job begun');
    await runner.stop();
    expect(await only()).toMatchObject({ state: 'waiting', tries: 0, leased_by: null });
  });

  test('renews its lease for as long as the job runs', async () => {
    const log = new HeardLog();
    await add(1, ['mp4']);
    const ending = Promise.withResolvers<void>();
    const watched = heardOperations(store, 'jobs.renew');
    start({ log, store: watched.store, leaseMs: 9, handle: () => ending.promise });
    await log.heard('job begun');
    const before = (await only())?.lease_until ?? 0;
    clock += 5_000;
    await watched.heard(2);
    expect((await only())?.lease_until).toBeGreaterThan(before);
    ending.resolve();
    await log.heard('job done');
  });

  test('ends a job that another has taken over, and leaves it to them', async () => {
    const log = new HeardLog();
    await add(1, ['mp4']);
    start({ log, leaseMs: 300, handle: untilAborted });
    await log.heard('job begun');
    await store.perform(claimJob, {
      node: 'node',
      leased_by: 'other',
      lease_until: 1e12,
      now: clock + 1_000,
    });
    await log.heard('job lost: its lease ran out');
    expect(await only()).toMatchObject({ state: 'running', leased_by: 'other', tries: 2 });
  });

  test('waits out a database that is away, before, during and after a job', async () => {
    const log = new HeardLog();
    await add(1, ['mp4']);
    const away = { 'jobs.claim': 3, 'jobs.renew': 2, 'jobs.finish': 3 };
    const renewed = Promise.withResolvers<void>();
    start({
      log,
      store: failing(store, away, (name) => name === 'jobs.renew' && renewed.resolve()),
      pollMs: 2,
      leaseMs: 30,
      handle: () => renewed.promise,
    });
    await log.heard('job done');
    expect(await only()).toMatchObject({ state: 'done', tries: 1 });
    expect(away).toEqual({ 'jobs.claim': 0, 'jobs.renew': 0, 'jobs.finish': 0 });
  });

  test('gives up a job whose lease it could not renew in time', async () => {
    const log = new HeardLog();
    await add(1, ['mp4']);
    const away = { 'jobs.renew': Number.POSITIVE_INFINITY };
    const first = Promise.withResolvers<void>();
    start({
      log,
      store: failing(store, away, () => first.resolve()),
      leaseMs: 9,
      handle: untilAborted,
    });
    await first.promise;
    clock += 60_000;
    await log.heard('job lost: its lease ran out');
  });
});

test('several runners share the jobs, and each job is run once', async () => {
  const ran: number[] = [];
  for (let video = 1; video <= 6; video += 1) await add(video, [...jobKinds]);
  const log = new HeardLog();
  for (let runner = 0; runner < 3; runner += 1)
    start({ log, handle: async ({ id }) => void ran.push(id) });
  await log.heard('job done', 30);
  expect(ran.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
});

async function add(video_id: number, kinds: JobKind[]): Promise<void> {
  await store.perform(addForTest, { video_id, kinds });
}

async function list() {
  return await store.perform(listJobs, { state: undefined, limit: 10, offset: 0 });
}

async function only(): Promise<JobRow | undefined> {
  return (await list()).rows[0];
}

type Handle = JobRunnerOptions['handlers']['mp4'];

/** A runner on the test's store and clock, with the same handler for every kind. */
function start({
  handle = async () => {},
  ...more
}: Partial<JobRunnerOptions> & { log: Log; handle?: Handle }): JobRunner {
  const runner = startJobRunner({
    store,
    nodeId: 'node',
    now: () => clock,
    handlers: Object.fromEntries(jobKinds.map((kind) => [kind, handle])) as Record<JobKind, Handle>,
    deadlineMs: () => 60_000,
    pollMs: 5,
    ...more,
  });
  runners.push(runner);
  return runner;
}

async function untilAborted(_job: JobRow, signal: AbortSignal): Promise<void> {
  await new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')));
  });
}

/** A log whose lines can be awaited. */
class HeardLog implements Log {
  private readonly counts = new Map<string, number>();
  private readonly waiting = new Set<() => void>();

  /** Resolves once that message has been written so many times. */
  async heard(message: string, times = 1): Promise<void> {
    while (this.count(message) < times)
      await new Promise<void>((resolve) => this.waiting.add(resolve));
  }

  count(message: string): number {
    return this.counts.get(message) ?? 0;
  }

  private line(message: string, _fields?: LogFields): void {
    this.counts.set(message, (this.counts.get(message) ?? 0) + 1);
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }

  debug = this.line;
  info = this.line;
  warn = this.line;
  error = this.line;
  request() {}
  flush() {}
}

/** The store, with so many calls of an operation refused first. */
function failing(
  real: Store,
  refusals: Record<string, number>,
  refused: (name: string) => void,
): Store {
  return {
    ...real,
    perform: async <Input, Output>(operation: Operation<Input, Output>, input: Input) => {
      const left = refusals[operation.name] ?? 0;
      if (left === 0) return await real.perform(operation, input);
      refusals[operation.name] = left - 1;
      if (left - 1 === 0 || left === Number.POSITIVE_INFINITY) refused(operation.name);
      throw new Error('the database is away');
    },
  };
}

/** The store, and when an operation has been performed so many times. */
function heardOperations(real: Store, name: string) {
  const log = new HeardLog();
  const watched: Store = {
    ...real,
    perform: async <Input, Output>(operation: Operation<Input, Output>, input: Input) => {
      const output = await real.perform(operation, input);
      log.info(operation.name);
      return output;
    },
  };
  return { store: watched, heard: (times: number) => log.heard(name, times) };
}
