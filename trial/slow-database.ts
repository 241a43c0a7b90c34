// Fault 5: another program holds a lock for longer than the deadline; writes answer 503 in time and are not made.
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { sqliteFile } from '../src/base/db/store.ts';
import { type Engine, engines } from '../test/support/engines.ts';
import { type Ending, Ledger, pageValue } from '../test/support/ledger.ts';
import { late } from '../test/support/machine-pace.ts';
import { HttpConnection } from '../test/support/rude/http-connection.ts';
import { type ServiceProcess, startProcess } from '../test/support/service-process.ts';
import { type DatabaseSettings, snapshot } from '../test/support/snapshot.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import { startReaders } from './support/readers.ts';
import { untilReady } from './support/readiness.ts';
import { createShared, endingOf } from './support/writers.ts';

/** An answer may come so much later than the deadline. */
const marginMs = 500;
/** A read beside the lock takes no longer than this, on two noisy cores. */
const readWithinMs = 500;
/** Writes at once: more than PostgreSQL has connections for. */
const writesAtOnce = 40;

export interface Lock {
  name: string;
  engine: Engine['name'];
  /** Takes the lock; the promise's function gives it back. */
  take(settings: DatabaseSettings): Promise<() => Promise<void>>;
  /** Whether the lock stops reads of channels too. */
  stopsChannelReads: boolean;
}

export const locks: readonly Lock[] = [
  {
    name: 'sqlite BEGIN IMMEDIATE',
    engine: 'sqlite',
    take: async ({ DATA_DIR }) => {
      const db = new DatabaseSync(sqliteFile({ dataDir: DATA_DIR }));
      db.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE');
      return once(async () => db.close());
    },
    stopsChannelReads: false,
  },
  {
    name: 'postgres EXCLUSIVE',
    engine: 'postgres',
    take: ({ DATABASE_URL }) => lockTable(DATABASE_URL, 'EXCLUSIVE'),
    stopsChannelReads: false,
  },
  {
    name: 'postgres ACCESS EXCLUSIVE',
    engine: 'postgres',
    take: ({ DATABASE_URL }) => lockTable(DATABASE_URL, 'ACCESS EXCLUSIVE'),
    stopsChannelReads: true,
  },
];

export const trial: Trial = {
  sentence: 'a lock held past the deadline, both engines: 503 in time, not made, reads go on',
  rounds: 4,
  run: async (options) => {
    const figures: Figures = {};
    for (const lock of locks) {
      options.say(lock.name);
      const found = await slowDatabaseRounds({ ...options, lock, deadlineMs: 4_000 });
      for (const [name, figure] of Object.entries(found)) figures[`${lock.name} ${name}`] = figure;
    }
    return figures;
  },
};

export async function slowDatabaseRounds(
  options: RoundOptions & { lock: Lock; deadlineMs: number },
): Promise<Figures> {
  const { rounds, seed, lock, deadlineMs } = options;
  const engine = engines.find(({ name }) => name === lock.engine) as Engine;
  const settings = {
    ...(await engine.fresh()),
    DATABASE_DEADLINE_MS: String(deadlineMs),
    LOG_LEVEL: 'silent',
  };
  const service = await startProcess(settings);
  const ledger = new Ledger();
  const slowest = { refusalMs: 0, readMs: 0 };
  let reads = 0;
  try {
    for (let at = 0; at < rounds; at++) {
      await round('slow-database', seed + at, async () => {
        const run = { service, settings, ledger, lock, deadlineMs, tag: `r${at}` };
        const seen = await lockPastDeadline(run);
        slowest.refusalMs = Math.max(slowest.refusalMs, seen.refusalMs);
        slowest.readMs = Math.max(slowest.readMs, seen.readMs);
        reads += seen.reads;
        await lockShorterThanDeadline(run);
      });
    }
  } finally {
    await service.kill();
  }
  return {
    ...ledger.counts,
    deadline_ms: deadlineMs,
    slowest_refusal_ms: Math.round(slowest.refusalMs),
    reads_beside_the_lock: reads,
    slowest_read_ms: Math.round(slowest.readMs),
  };
}

interface Run {
  service: ServiceProcess;
  settings: DatabaseSettings;
  ledger: Ledger;
  lock: Lock;
  deadlineMs: number;
  tag: string;
}

async function lockPastDeadline(run: Run) {
  const { service, settings, ledger, lock, deadlineMs, tag } = run;
  const { url, token } = service;
  const id = await shared(run);
  const release = await lock.take(settings);
  const problems: string[] = [];
  let refusalMs = 0;
  try {
    // A video is shown where its channel is: that is read, too.
    const channelPaths = lock.stopsChannelReads
      ? []
      : ['/v1/activities', `/v1/activities/${id}`, '/v1/videos'];
    const paths = [...channelPaths, '/manage/v1/me', '/livez'];
    const readers = await startReaders({ url, token, paths });
    const writes = await writeAtOnce(run, id, `${tag}-refused`);
    const blocked = lock.stopsChannelReads ? [await timedRead(service, id)] : [];
    const { reads, slowestMs, problems: readProblems } = await readers.stop();
    problems.push(...readProblems);
    for (const { ending, tookMs } of [...writes, ...blocked]) {
      if (ending !== 'refused') problems.push(`behind the lock a call was ${ending}`);
      problems.push(...late('a refusal', tookMs, deadlineMs + marginMs));
      refusalMs = Math.max(refusalMs, tookMs);
    }
    problems.push(...late('a read', slowestMs, readWithinMs));
    await release();
    const [again] = await writeAtOnce({ ...run, count: 1 }, id, `${tag}-after`);
    if (again?.ending !== 'acknowledged') problems.push('after the lock a write is still refused');
    await untilReady(url, { ready: true, withinMs: 3_000 });
    const found = await snapshot(settings);
    problems.push(...Object.values(ledger.compare(found, { exact: true })).flat());
    demand(problems);
    return { refusalMs, readMs: slowestMs, reads };
  } finally {
    await release();
  }
}

/** Who waits for less than the deadline is served. */
async function lockShorterThanDeadline(run: Run): Promise<void> {
  const { settings, ledger, lock, deadlineMs, tag } = run;
  const id = await shared({ ...run, tag: `${tag}-short` });
  const release = await lock.take(settings);
  try {
    const writing = writeAtOnce({ ...run, count: 5 }, id, `${tag}-waited`);
    // The length of the lock is the point here: no event is waited for.
    await Bun.sleep(deadlineMs / 4);
    await release();
    const late = (await writing).filter(({ ending }) => ending !== 'acknowledged');
    demand(late.map(() => 'a write that waited for less than the deadline was refused'));
    const found = await snapshot(settings);
    demand(Object.values(ledger.compare(found, { exact: true })).flat());
  } finally {
    await release();
  }
}

async function shared({ service, ledger, tag }: Run): Promise<number> {
  const connection = await HttpConnection.open(service.url);
  const id = await createShared(connection, { token: service.token, ledger, tag });
  connection.close();
  return id;
}

/** Creates, renames and page changes, each on its own connection, all sent together. */
async function writeAtOnce(
  { service, ledger, count = writesAtOnce }: Run & { count?: number },
  id: number,
  tag: string,
): Promise<{ ending: Ending; tookMs: number }[]> {
  const { url, token } = service;
  const connections = await Promise.all(
    Array.from({ length: count }, () => HttpConnection.open(url)),
  );
  const writes = connections.map(async (connection, at) => {
    const text = `${tag}-${at}`;
    const startedAt = performance.now();
    const ask = async (method: string, path: string, body: unknown) => {
      const answer = await connection.request(method, path, { token, body });
      const ended = { ending: endingOf(answer), tookMs: performance.now() - startedAt };
      return { ...ended, made: answer.body.id as number | undefined };
    };
    if (at === 1) {
      const ended = await ask('PUT', `/v1/activities/${id}`, { name: text });
      ledger.changed(id, 'name', text, ended.ending);
      return ended;
    }
    if (at === 2) {
      const ended = await ask('PUT', `/v1/activities/${id}/page`, { footer: text });
      ledger.changed(id, 'page:footer', pageValue({ footer: text }, 'page:footer'), ended.ending);
      return ended;
    }
    const ended = await ask('POST', '/v1/activities', { name: text });
    ledger.created(text, ended.ending, ended.made);
    return ended;
  });
  try {
    return await Promise.all(writes);
  } finally {
    for (const connection of connections) connection.close();
  }
}

async function timedRead(service: ServiceProcess, id: number) {
  const startedAt = performance.now();
  const ending = endingOf(await service.call('GET', `/v1/activities/${id}`));
  return { ending, tookMs: performance.now() - startedAt };
}

async function lockTable(url: string, mode: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`BEGIN; LOCK TABLE channels IN ${mode} MODE`);
  return once(async () => await client.end());
}

/** A lock is given back in the round, and again where the round fails. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
