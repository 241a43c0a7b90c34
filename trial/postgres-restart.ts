// Fault 16: PostgreSQL crashes and backends die inside transactions; no false success, no channel made twice.
import type pg from 'pg';
import { Ledger } from '../test/support/ledger.ts';
import { late } from '../test/support/machine-pace.ts';
import { onDatabase, startPostgres, type TestPostgres } from '../test/support/postgres.ts';
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
import { untilReady } from './support/readiness.ts';
import { createShared, repeatDoubtful, startWriters, type Writers } from './support/writers.ts';

/** From the end of the fault to a service that is ready and takes writes. */
const recoversWithinMs = 5_000;
/** The longest that writes go on undisturbed before the crash. */
const writingMs = 300;
/** How long backends are ended at random. */
const endingMs = 400;

export const trial: Trial = {
  sentence: 'PostgreSQL crashes, backends die in transactions: no false success, nothing twice',
  rounds: 20,
  run: postgresRestartRounds,
};

export async function postgresRestartRounds({ rounds, seed, say }: RoundOptions): Promise<Figures> {
  const server = await startPostgres({ isOwn: true });
  const ledger = new Ledger();
  const figures = { rounds: 0, crashes: 0, backends_ended: 0, slowest_recovery_ms: 0 };
  let service: ServiceProcess | undefined;
  try {
    const settings = { DATA_DIR: '', DATABASE_URL: await server.freshDatabase() };
    service = await startProcess({ ...settings, LOG_LEVEL: 'silent' });
    const run = { service, server, settings, ledger };
    for (let at = 0; at < rounds; at++) {
      await round('postgres-restart', seed + at, async () => {
        const seen = await disturb({ ...run, random: seeded(seed + at), tag: `r${at}` });
        figures.crashes += 1;
        figures.backends_ended += seen.ended;
        figures.slowest_recovery_ms = Math.max(figures.slowest_recovery_ms, seen.recoveryMs);
      });
      figures.rounds += 1;
      if ((at + 1) % 5 === 0) say(`${at + 1} rounds, ${JSON.stringify(ledger.counts)}`);
    }
  } finally {
    await service?.kill();
    await server.stop();
  }
  return { ...figures, ...ledger.counts, lost: 0, made_twice: 0 };
}

interface Run {
  service: ServiceProcess;
  server: TestPostgres;
  settings: DatabaseSettings;
  ledger: Ledger;
  random: Random;
  tag: string;
}

async function disturb(run: Run): Promise<{ ended: number; recoveryMs: number }> {
  const { service, server, settings, ledger, random, tag } = run;
  const { url, token } = service;
  const connection = await HttpConnection.open(url);
  const sharedId = await createShared(connection, { token, ledger, tag });
  const writers = startWriters({ url, token, ledger, random, tag, sharedId, repeats: true });
  await writers.next('acknowledged');
  let ended = await onDatabase(settings.DATABASE_URL, (client) => endBlocked(client, writers));
  const recoveries = [await recovery(url, writers)];
  ended += await onDatabase(settings.DATABASE_URL, (client) => endAtRandom(client, random));
  recoveries.push(await recovery(url, writers));
  await Bun.sleep(random.next() * writingMs);
  await Promise.all([
    server.crashAndRestart(),
    untilReady(url, { ready: false, withinMs: recoversWithinMs }),
  ]);
  recoveries.push(await recovery(url, writers));
  await writers.stop();
  const problems = Object.values(ledger.compare(await snapshot(settings))).flat();
  await repeatDoubtful(connection, { token, ledger });
  const found = await snapshot(settings);
  demand([...problems, ...Object.values(ledger.compare(found)).flat()]);
  ledger.settle(found);
  connection.close();
  return { ended, recoveryMs: Math.max(...recoveries) };
}

/** How long until writes are acknowledged again and the service says that it is ready. */
async function recovery(url: string, writers: Writers): Promise<number> {
  const startedAt = performance.now();
  await writers.next('acknowledged');
  await untilReady(url, { ready: true, withinMs: recoversWithinMs });
  const tookMs = Math.round(performance.now() - startedAt);
  demand(late('recovery', tookMs, recoversWithinMs));
  return tookMs;
}

/** Holds the totals, so that creates wait in the middle of their transaction, and ends those backends. */
async function endBlocked(client: pg.Client, writers: Writers): Promise<number> {
  await client.query('BEGIN; LOCK TABLE totals IN EXCLUSIVE MODE');
  for (;;) {
    const { rowCount } = await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'footlight'
         AND xact_start IS NOT NULL AND wait_event_type = 'Lock'`,
    );
    if (rowCount) {
      await writers.next('refused');
      await client.query('ROLLBACK');
      return rowCount;
    }
  }
}

/** Ends whatever backend of the service is in a transaction, again and again. */
async function endAtRandom(client: pg.Client, random: Random): Promise<number> {
  const until = performance.now() + endingMs;
  let ended = 0;
  while (performance.now() < until) {
    const { rowCount } = await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'footlight'
         AND xact_start IS NOT NULL`,
    );
    ended += rowCount ?? 0;
    // The moments are the point here: no event is waited for.
    await Bun.sleep(random.next() * 30);
  }
  return ended;
}
