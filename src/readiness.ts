// `/readyz`: whether the service can do its work now.
import { statfs } from 'node:fs/promises';
import type { Config } from './config.ts';
import { probe } from './db/probe.ts';
import type { Store } from './db/sql.ts';
import { ApiError } from './lib/errors.ts';
import { jsonType, type PlainAnswer } from './server.ts';

/** Below this the embedded database can soon not commit any more. */
const diskFreeMin = 16 * 1_048_576;
/** A database in trouble is tried at most this often, however many ask. */
const probeEveryMs = 1_000;

export function startReadiness({
  config,
  store,
  now,
}: {
  config: Config;
  store: Store;
  now: () => number;
}) {
  let draining = false;
  let probedAt = 0;
  /** Tries a write after trouble, so that readiness comes back by itself. */
  const database = async () => {
    await store.one('SELECT 1 AS one');
    if (store.trouble() !== undefined && now() - probedAt >= probeEveryMs) {
      probedAt = now();
      await store.perform(probe, { now: now() });
    }
    return store.trouble() ?? 'ok';
  };
  const disk = async () => {
    if (config.databaseUrl !== '') return 'ok';
    const { bavail, bsize } = await statfs(config.dataDir);
    return bavail * bsize >= diskFreeMin ? 'ok' : 'almost full';
  };
  /** Anyone may ask, so only what is written for callers is said. */
  const told = (check: Promise<string>) =>
    check.catch((error: unknown) => (error instanceof ApiError ? error.message : 'not reachable'));
  return {
    drain: () => {
      draining = true;
    },
    answer: async (): Promise<PlainAnswer> => {
      const checks = { database: await told(database()), disk: await told(disk()) };
      const ready = !draining && Object.values(checks).every((check) => check === 'ok');
      return {
        status: ready ? 200 : 503,
        headers: { 'content-type': jsonType, 'cache-control': 'no-store' },
        body: JSON.stringify({ ready, draining, checks }),
      };
    },
  };
}
