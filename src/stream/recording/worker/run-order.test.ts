// Fault 18: a worker that hangs, crashes, talks nonsense or meets a hostile file harms nobody.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { engines, temporaryFolder } from '../../../../test/support/engines.ts';
import { clipPackets } from '../../../../test/support/media.ts';
import { recordPush } from '../../../../test/support/recorded-push.ts';
import { openTestStore } from '../../../../test/support/store.ts';
import { type AnyOperation, type Store, write } from '../../../base/db/sql.ts';
import { startLog } from '../../../base/lib/log.ts';
import { type JobKind, jobKinds } from '../../../library/jobs/job.ts';
import { type JobRunnerOptions, startJobRunner } from '../../../library/jobs/job-runner.ts';
import { addJobs, listJobs } from '../../../library/jobs/job-store.ts';
import { runOrder } from './run-order.ts';

const memoryBytesMax = 768 * 1_048_576;
const workerPath = join(import.meta.dir, 'job-worker.ts');

/** What a stub does after it has read its order. */
const stubs = {
  hangs: 'await half(); setInterval(() => {}, 1_000);',
  crashes: 'await half(); console.error("boom\\nat last"); process.exit(3);',
  'is killed': 'await half(); process.kill(process.pid, "SIGSEGV"); setInterval(() => {}, 1_000);',
  'talks nonsense': 'console.log("hello"); process.exit(0);',
  'answers something else': 'console.log(JSON.stringify({ ok: true })); process.exit(0);',
  'answers for ever': 'for (;;) await Bun.write(Bun.stdout, "x".repeat(65_536));',
  'takes much memory':
    'const all = []; for (;;) { all.push(Buffer.alloc(8_388_608, 1)); await Bun.sleep(1); }',
  'complains much':
    'process.stderr.write("x".repeat(5_000_000), () => { console.log(JSON.stringify({ ok: true, size: 5 })); process.exit(0); });',
};

describe('a worker that', () => {
  const outcomes: [keyof typeof stubs, object][] = [
    ['crashes', { ok: false, problem: expect.stringMatching(/code 3.*at last/) }],
    ['is killed', { ok: false, problem: expect.stringContaining('SIGSEGV') }],
    ['talks nonsense', { ok: false, problem: expect.stringContaining('without an answer') }],
    [
      'answers something else',
      { ok: false, problem: expect.stringContaining('without an answer') },
    ],
    ['answers for ever', { ok: false, problem: 'it answered too much' }],
    ['complains much', { ok: true, size: 5 }],
    [
      'takes much memory',
      { ok: false, problem: 'it took more than 768 MB: JOB_MEMORY', final: 'memory' },
    ],
  ];
  test.each(outcomes)('%s has an answer, ends, and leaves nothing', async (name, answer) => {
    const folder = temporaryFolder();
    const { signal } = new AbortController();
    const options = { signal, workerUrl: stub(name) };
    expect<unknown>(await runOrder({ kind: 'mp4', folder, memoryBytesMax }, options)).toEqual(
      answer,
    );
    expect(leftIn(folder)).toEqual([]);
    expect(isAlive(folder)).toBe(false);
  });

  test('is not wanted any more is killed', async () => {
    const folder = temporaryFolder();
    const ending = new AbortController();
    const running = runOrder(
      { kind: 'mp4', folder, memoryBytesMax },
      { signal: ending.signal, workerUrl: stub('hangs') },
    );
    while (!readdirSync(folder).some((file) => file.includes('.tmp-'))) await Bun.sleep(5);
    expect(isAlive(folder)).toBe(true);
    ending.abort();
    expect(await running).toEqual({ ok: false, problem: 'it was ended' });
    expect(isAlive(folder)).toBe(false);
    expect(leftIn(folder)).toEqual([]);
  });

  test('cannot even start has an answer, whether it took its order or not', async () => {
    const { signal } = new AbortController();
    const workerUrl = pathToFileURL(join(temporaryFolder(), 'absent.ts'));
    for (let round = 0; round < 5; round += 1) {
      const order = { kind: 'mp4', folder: temporaryFolder(), memoryBytesMax } as const;
      expect(await runOrder(order, { signal, workerUrl })).toMatchObject({
        ok: false,
        problem: expect.stringContaining('absent.ts'),
      });
    }
  });

  test('was not wanted from the start is never begun', async () => {
    const folder = temporaryFolder();
    const options = { signal: AbortSignal.abort(), workerUrl: stub('hangs') };
    expect(await runOrder({ kind: 'mp4', folder, memoryBytesMax }, options)).toMatchObject({
      ok: false,
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('our own worker', () => {
  test('runs at a low priority and ends when the service is gone', async () => {
    const worker = Bun.spawn([process.execPath, workerPath], { stdin: 'pipe', stdout: 'pipe' });
    while (getPriority(worker.pid) !== 10) await Bun.sleep(5);
    worker.stdin.end();
    expect(await worker.exited).toBe(1);
  });

  const hostile: [string, Record<string, Buffer | string>][] = [
    ['nothing at all', {}],
    ['random bytes', { 'source.mp4': noise(50_000), 'source.index': noise(5_000) }],
    ['an index of something else', { 'source.mp4': noise(50_000), 'source.index': '{"kind":1}\n' }],
    [
      'a moov that says it is huge',
      {
        'source.mp4': Buffer.concat([Buffer.from('7fffffff6d6f6f76', 'hex'), noise(5_000)]),
        'source.index':
          '{"kind":"init","at":0,"size":2147483647,"width":1,"height":1}\n{"kind":"segment","at":2147483647,"size":9,"durationMs":1,"isIndependent":true,"isDiscontinuity":false,"startsAt":0}\n',
      },
    ],
    // The transcoder's own reader meets this one.
    ['a damaged file of its own', { 'video.mp4': noise(50_000) }],
  ];
  const kinds: JobKind[] = ['mp4', 'cover'];
  test.each(hostile)('fails cleanly on %s', async (_name, files) => {
    const folder = temporaryFolder();
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
    const { signal } = new AbortController();
    for (const kind of kinds) {
      const answer = await runOrder({ kind, folder, memoryBytesMax }, { signal });
      expect(answer).toMatchObject({ ok: false, problem: expect.stringMatching(/^.{5,300}$/) });
      expect(JSON.stringify(answer)).not.toContain('without an answer');
    }
    expect(readdirSync(folder).sort()).toEqual(Object.keys(files).sort());
  });

  test('says so when the transcoder is not installed', async () => {
    const folder = temporaryFolder();
    await recordPush(folder, clipPackets(1));
    writeFileSync(join(folder, 'video.mp4'), noise(100));
    const script = join(temporaryFolder(), 'worker.ts');
    writeFileSync(
      script,
      `Bun.plugin({ name: 'absent', setup: (build) => build.module('node-av/api', () => { throw new Error('absent'); }) });
       await import(${JSON.stringify(workerPath)});`,
    );
    const { signal } = new AbortController();
    const options = { signal, workerUrl: pathToFileURL(script) };
    expect(await runOrder({ kind: 'cover', folder, memoryBytesMax }, options)).toEqual({
      ok: false,
      problem: 'the transcoder is not installed',
      final: 'transcoder',
    });
  });
});

describe('a job whose worker never succeeds', () => {
  const addForTest = write(
    'test.addJobs',
    async (sql, kinds: JobKind[]) =>
      await addJobs(sql, { video_id: 1, account_id: 1, kinds, node: 'node', now: 0 }),
  );
  let store: Store;
  beforeAll(async () => {
    const [engine] = engines;
    if (!engine) throw new Error('no engine');
    store = await openTestStore(engine, [addForTest as AnyOperation]);
  });
  afterAll(() => store.close());

  test('is tried three times and leaves its problem alone', async () => {
    const folder = temporaryFolder();
    let now = 0;
    const failed = Promise.withResolvers<void>();
    const handle: JobRunnerOptions['handlers']['mp4'] = async ({ kind, tries }, signal) => {
      const workerUrl = stub(kind === 'mp4' ? 'crashes' : 'hangs');
      const answer = await runOrder({ kind, folder, memoryBytesMax }, { signal, workerUrl });
      if (kind === 'cover' && tries === 3) setImmediate(failed.resolve);
      if (!answer.ok) throw new Error(answer.problem);
    };
    await store.perform(addForTest, ['mp4', 'cover']);
    const runner = startJobRunner({
      store,
      nodeId: 'node',
      // Every look at the clock is a minute later, so that no rest is waited for.
      now: () => {
        now += 60_000;
        return now;
      },
      log: startLog('silent'),
      handlers: Object.fromEntries(
        jobKinds.map((kind) => [kind, handle]),
      ) as JobRunnerOptions['handlers'],
      deadlineMs: ({ kind }) => (kind === 'cover' ? 300 : 10_000),
      pollMs: 5,
    });
    await failed.promise;
    await runner.stop();
    const { rows } = await store.perform(listJobs, { state: undefined, limit: 9, offset: 0 });
    expect(rows.map(({ kind, state, tries }) => ({ kind, state, tries }))).toEqual([
      { kind: 'cover', state: 'failed', tries: 3 },
      { kind: 'mp4', state: 'failed', tries: 3 },
    ]);
    expect(rows.map(({ problem }) => problem)).toEqual([
      'it took longer than it may',
      expect.stringContaining('code 3'),
    ]);
    expect(leftIn(folder)).toEqual([]);
  });
});

/** A program that reads its order, notes who it is, and does what its name says. */
function stub(name: keyof typeof stubs): URL {
  const script = join(temporaryFolder(), 'stub.ts');
  writeFileSync(
    script,
    `const order = JSON.parse((await new Promise((resolve) => process.stdin.once('data', resolve))).toString());
     await Bun.write(order.folder + '/pid', String(process.pid));
     const half = () => Bun.write(order.folder + (order.kind === 'mp4' ? '/video.mp4' : '/cover.jpg') + '.tmp-1', 'half');
     ${stubs[name]}`,
  );
  return pathToFileURL(script);
}

/** Whether a stub has come as far as saying who it is does not matter. */
function leftIn(folder: string): string[] {
  return readdirSync(folder).filter((file) => file !== 'pid');
}

function isAlive(folder: string): boolean {
  try {
    process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 0);
    return true;
  } catch {
    return false;
  }
}

function noise(size: number): Buffer {
  let state = 7;
  const byte = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) & 0xff;
  };
  return Buffer.from(Array.from({ length: size }, byte));
}
