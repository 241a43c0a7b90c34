// Fault 4: the disk answers EIO to writes and fsyncs; nothing is acknowledged that is not there after a restart.
import { join } from 'node:path';
import { temporaryFolder } from '../test/support/engines.ts';
import { injectEio } from '../test/support/injection.ts';
import { Ledger } from '../test/support/ledger.ts';
import { type Random, seeded } from '../test/support/random.ts';
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
import { createShared, startWriters } from './support/writers.ts';

const recoversWithinMs = 3_000;
/** More descriptors than this after a round than before it are a leak. */
const descriptorsSlack = 8;
/** How long the disk stays broken. */
const brokenMs = 300;

/** What fails: the calls, on which of the database's files, and whether all of them or some. */
interface Fault {
  calls: readonly string[];
  files: readonly string[];
  isEvery: boolean;
}

const writing = ['pwrite64', 'write', 'ftruncate', 'fallocate'];
const syncing = ['fsync', 'fdatasync'];
const database = ['footlight.db', 'footlight.db-wal', 'footlight.db-shm'];

/** A seed's remainder chooses; the first three are the short form's. */
export const faults: readonly Fault[] = [
  { calls: writing, files: ['footlight.db-wal'], isEvery: true },
  { calls: syncing, files: ['footlight.db-wal'], isEvery: true },
  // The connection that an fsync broke can be opened anew only by half.
  { calls: [...syncing, 'openat'], files: ['footlight.db-wal'], isEvery: true },
  { calls: [...writing, ...syncing], files: database, isEvery: true },
  { calls: [...writing, ...syncing, 'openat'], files: database, isEvery: true },
  { calls: writing, files: ['footlight.db-wal'], isEvery: false },
  { calls: syncing, files: ['footlight.db-wal'], isEvery: false },
  { calls: [...writing, ...syncing, 'openat'], files: database, isEvery: false },
];

export const trial: Trial = {
  sentence: 'EIO on write and fsync (strace): never a false success, alive, recovers by itself',
  rounds: 48,
  run: ioErrorRounds,
};

export async function ioErrorRounds({ rounds, seed, say }: RoundOptions): Promise<Figures> {
  const settings = { DATA_DIR: temporaryFolder(), DATABASE_URL: '', LOG_LEVEL: 'silent' };
  const ledger = new Ledger();
  let service = await startProcess(settings);
  let reads = 0;
  let slowestRecoveryMs = 0;
  try {
    for (let at = 0; at < rounds; at++) {
      await round('io-error', seed + at, async () => {
        const fault = faults[(seed + at) % faults.length] as Fault;
        const random = seeded(seed + at);
        const given = { service, settings, ledger, random, tag: `r${at}`, fault };
        const seen = await breakDisk(given);
        reads += seen.reads;
        slowestRecoveryMs = Math.max(slowestRecoveryMs, seen.recoveryMs);
        await service.kill();
        service = await startProcess(settings, { token: service.token });
        const found = await snapshot(settings);
        demand(Object.values(ledger.compare(found)).flat());
        ledger.settle(found);
      });
      if ((at + 1) % 8 === 0) say(`${at + 1} rounds, ${JSON.stringify(ledger.counts)}`);
    }
  } finally {
    await service.kill();
  }
  return {
    rounds,
    ...ledger.counts,
    lost: 0,
    reads_while_broken: reads,
    slowest_recovery_ms: Math.round(slowestRecoveryMs),
  };
}

/** Writes go on while calls fail and, in most rounds, until they succeed again. */
async function breakDisk(given: {
  service: ServiceProcess;
  settings: DatabaseSettings;
  ledger: Ledger;
  random: Random;
  tag: string;
  fault: Fault;
}): Promise<{ reads: number; recoveryMs: number }> {
  const { service, settings, ledger, random, tag, fault } = given;
  const { url, token, pid } = service;
  const connection = await HttpConnection.open(url);
  const sharedId = await createShared(connection, { token, ledger, tag });
  connection.close();
  const writers = startWriters({ url, token, ledger, random, tag, sharedId });
  await writers.next('acknowledged');
  const descriptors = service.descriptors();
  const injection = await injectEio({
    pid,
    calls: fault.calls,
    files: fault.files.map((file) => join(settings.DATA_DIR, file)),
    when: fault.isEvery ? '1+' : `${random.whole(1, 20)}+${random.whole(2, 30)}`,
  });
  try {
    await writers.next('refused');
    if (fault.isEvery) await untilReady(url, { ready: false, withinMs: 1_000 });
    const paths = [`/v1/activities/${sharedId}`, '/v1/activities', '/livez'];
    const readers = await startReaders({ url, token, paths });
    // The length of the fault is the point here: no event is waited for.
    await Bun.sleep(brokenMs);
    const { reads, problems } = await readers.stop();
    demand(problems);
    if (!service.isAlive()) throw new Error('the service ended');
    const more = service.descriptors() - descriptors;
    if (more > descriptorsSlack) throw new Error(`${more} descriptors were not given back`);
    if (random.whole(1, 4) === 1) {
      await service.kill();
      await writers.ended;
      return { reads, recoveryMs: 0 };
    }
    const startedAt = performance.now();
    await injection.end();
    await writers.next('acknowledged');
    await untilReady(url, { ready: true, withinMs: recoversWithinMs });
    await writers.stop();
    return { reads, recoveryMs: performance.now() - startedAt };
  } finally {
    await injection.end();
  }
}
