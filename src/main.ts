// The program on one screen: config, store, routes, server, stop.
import { statfs } from 'node:fs/promises';
import pkg from '../package.json' with { type: 'json' };
import { createFirstToken } from './access/account-store.ts';
import { dailyLimit } from './access/daily-limit.ts';
import { audienceRoutes } from './audience/audience-routes.ts';
import { channelRoutes } from './channels/channel-routes.ts';
import type { Config } from './config.ts';
import { probe } from './db/probe.ts';
import type { Store } from './db/sql.ts';
import { startServiceStore } from './db/store.ts';
import type { Log } from './lib/log.ts';
import { startMetrics } from './lib/metrics.ts';
import { openApi } from './lib/openapi.ts';
import type { AnyRoute } from './lib/route.ts';
import { serviceClock } from './lib/time.ts';
import { docsPage } from './pages/docs-page.ts';
import { type PlainAnswer, type PlainHandler, startServer } from './server.ts';
import { videoRoutes } from './videos/video-routes.ts';

export interface Service {
  port: number;
  /** The first account's token, on the start that made it. */
  firstToken: string | undefined;
  routes: readonly AnyRoute[];
  store: Store;
  stop(): Promise<void>;
}

export async function startService(
  config: Config,
  { log, now = serviceClock() }: { log: Log; now?: () => number },
): Promise<Service> {
  const { store, lock } = await startServiceStore(
    {
      databaseUrl: config.databaseUrl,
      dataDir: config.dataDir,
      deadlineMs: config.databaseDeadlineMs,
      connectionsMax: config.databaseConnections,
    },
    new URL('./store-worker.ts', import.meta.url),
  );
  try {
    const firstToken = await store.perform(createFirstToken, { now: now() });
    const { zone } = config;
    const limit = dailyLimit({ store, now, zone, callsMax: config.recordsCallsPerDay });
    const routes = [
      ...channelRoutes({ store, now, zone, rtmpUrl: rtmpUrl(config) }),
      ...audienceRoutes({ store, zone, limit }),
      ...videoRoutes({ store, zone }),
    ];
    const metrics = startMetrics();
    const readiness = startReadiness({ config, store, now });
    const plain: Record<string, PlainHandler> = {
      '/': () => ({ status: 302, headers: { location: '/docs' }, body: null }),
      '/livez': () => ({ headers: { 'content-type': 'text/plain' }, body: 'ok\n' }),
      '/readyz': readiness.answer,
      '/metrics': async (call) => {
        if (!call.isLocal) await call.authorize('manage');
        return {
          headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
          body: metrics.text(processValues()),
        };
      },
      '/openapi.json': ({ baseUrl }) =>
        json(openApi(routes, { version: pkg.version, url: baseUrl })),
      '/docs': ({ baseUrl }) => docsPage(openApi(routes, { version: pkg.version, url: baseUrl })),
    };
    const { host, port, publicUrl, stopWithinMs } = config;
    const server = startServer({
      host,
      port,
      publicUrl,
      stopWithinMs,
      routes,
      plain,
      store,
      now,
      log,
      metrics,
    });
    log.info('started', { port: server.port, database: store.dialect, version: pkg.version });
    return {
      port: server.port,
      firstToken,
      routes,
      store,
      stop: async () => {
        readiness.drain();
        await server.stop();
        await store.close();
        lock?.release();
        log.info('stopped');
        log.flush();
      },
    };
  } catch (error) {
    await store.close();
    lock?.release();
    throw error;
  }
}

/** Below this the embedded database can soon not commit any more. */
const diskFreeMin = 16 * 1_048_576;
/** A database in trouble is tried at most this often, however many ask. */
const probeEveryMs = 1_000;

function startReadiness({
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
  const told = (check: Promise<string>) =>
    check.catch((error: unknown) => (error as Error).message);
  return {
    drain: () => {
      draining = true;
    },
    answer: async () => {
      const checks = { database: await told(database()), disk: await told(disk()) };
      const ready = !draining && Object.values(checks).every((check) => check === 'ok');
      return json({ ready, draining, checks }, ready ? 200 : 503);
    },
  };
}

function json(value: unknown, status = 200): PlainAnswer {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-cache',
  };
  return { status, headers, body: JSON.stringify(value) };
}

/** RTMP addresses start with the setting, or with the host the caller used. */
function rtmpUrl({ rtmpPublicUrl, rtmpPort }: Config) {
  return (baseUrl: string) => {
    if (rtmpPublicUrl !== '') return rtmpPublicUrl;
    const host = baseUrl.replace(/^https?:\/\//, '').replace(/(?::\d+)?(?:\/.*)?$/, '');
    return `rtmp://${host}:${rtmpPort}`;
  };
}

function processValues(): Record<string, number> {
  const { user, system } = process.cpuUsage();
  return {
    ...residentMemory(),
    process_cpu_seconds_total: (user + system) / 1e6,
    process_uptime_seconds: process.uptime(),
  };
}

/** Nothing while descriptors have run out: reading it opens a file, and the other values still matter then. */
function residentMemory(): Record<string, number> {
  try {
    return { process_resident_memory_bytes: process.memoryUsage.rss() };
  } catch {
    return {};
  }
}
