// `/readyz`: whether the service can do its work now.
import { statfs } from 'node:fs/promises';
import { ApiError } from './base/api/errors.ts';
import type { PlainAnswer } from './base/api/plain-answer.ts';
import { probe, probeRead } from './base/db/probe.ts';
import type { Store } from './base/db/sql.ts';
import { JoinedWork } from './base/turns/joined-work.ts';
import type { Config } from './config.ts';
import { jsonType } from './web/http/border.ts';

/** Below this the embedded database can soon not commit any more. */
const diskFreeMin = 16 * 1_048_576;
/** A try is made at most this often, however many ask. */
const probeEveryMs = 1_000;

/** Whether the service can do its work, and what each part says of itself: `ok`, or what ails it. */
export interface ReadinessNow {
  ready: boolean;
  draining: boolean;
  checks: { database: string; disk: string; rtmp: string };
}

/** Also told when the service begins to stop. */
export type Readiness = ReturnType<typeof startReadiness>;

export function startReadiness({
  config,
  store,
  now,
  rtmpPort,
}: {
  config: Config;
  store: Store;
  now: () => number;
  rtmpPort: number;
}) {
  let draining = false;
  let probedAt = 0;
  /** Tries a write after trouble, so that readiness comes back by itself. */
  const database = async () => {
    await probeRead(store);
    if (store.trouble() !== undefined && now() - probedAt >= probeEveryMs) {
      probedAt = now();
      await store.perform(probe, { now: now() });
    }
    return store.trouble() ?? 'ok';
  };
  /** One question at a time, however many ask. */
  const databaseOnce = new JoinedWork(database);
  const disk = async () => {
    if (config.databaseUrl !== '') return 'ok';
    const { bavail, bsize } = await statfs(config.dataDir);
    return bavail * bsize >= diskFreeMin ? 'ok' : 'almost full';
  };
  let asked: { at: number; answer: Promise<string> } | undefined;
  /** Whether the listener takes connections; asked at most once a second, as anyone may ask us. */
  const rtmp = (knownMs: number) => {
    const at = performance.now();
    if (!asked || at - asked.at >= Math.max(knownMs, probeEveryMs))
      asked = { at, answer: connected(config, rtmpPort) };
    return asked.answer;
  };
  /** Anyone may ask, so only what is written for callers is said. */
  const told = (check: Promise<string>) =>
    check.catch((error: unknown) => (error instanceof ApiError ? error.message : 'not reachable'));
  /** `rtmpKnownMs`: what is known of the listener may be so old; each try takes one of this machine's own connects. */
  const look = async ({ rtmpKnownMs = 0 } = {}): Promise<ReadinessNow> => {
    const [databaseSays, diskSays, rtmpSays] = await Promise.all([
      told(databaseOnce.run()),
      told(disk()),
      told(rtmp(rtmpKnownMs)),
    ]);
    const checks = { database: databaseSays, disk: diskSays, rtmp: rtmpSays };
    const ready = !draining && Object.values(checks).every((check) => check === 'ok');
    return { ready, draining, checks };
  };
  return {
    drain: () => {
      draining = true;
    },
    look,
    answer: async (): Promise<PlainAnswer> => {
      const now = await look();
      return {
        status: now.ready ? 200 : 503,
        headers: { 'content-type': jsonType, 'cache-control': 'no-store' },
        body: JSON.stringify(now),
      };
    },
  };
}

async function connected({ host }: Config, port: number): Promise<string> {
  const hostname = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  const socket = await Bun.connect({ hostname, port, socket: { data: () => {} } });
  socket.end();
  return 'ok';
}
