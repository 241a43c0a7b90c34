// The program on one screen: config, store, routes, server, stop.
import { readFile } from 'node:fs/promises';
import pkg from '../package.json' with { type: 'json' };
import { createFirstToken } from './access/account-store.ts';
import { dailyLimit } from './access/daily-limit.ts';
import { audienceRoutes } from './audience/audience-routes.ts';
import { channelRoutes } from './channels/channel-routes.ts';
import type { Config } from './config.ts';
import type { Store } from './db/sql.ts';
import { startServiceStore } from './db/store.ts';
import type { Log } from './lib/log.ts';
import { startMetrics } from './lib/metrics.ts';
import type { AnyRoute } from './lib/route.ts';
import { serviceClock } from './lib/time.ts';
import { interfacePages } from './pages/interface-pages.ts';
import { startReadiness } from './readiness.ts';
import { type River, startRiver } from './river.ts';
import { type HttpServer, type PlainHandler, startServer } from './server.ts';
import { videoRoutes } from './videos/video-routes.ts';

export interface Service {
  port: number;
  rtmpPort: number;
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
  let river: River | undefined;
  let server: HttpServer | undefined;
  const stop = async () => {
    await Promise.all([server?.stop(), river?.stop()]);
    await store.close();
    lock.release();
  };
  try {
    river = await startRiver({ config, store, now, log });
    const { media, rtmpPort, liveCount } = river;
    const { zone } = config;
    const limit = dailyLimit({ store, now, zone, callsMax: config.recordsCallsPerDay });
    const routes = [
      ...channelRoutes({ store, now, zone, rtmpUrl: rtmpUrl(config, rtmpPort) }),
      ...audienceRoutes({ store, zone, limit }),
      ...videoRoutes({ store, zone }),
    ];
    const metrics = startMetrics();
    metrics.gauge('footlight_live_channels', 'Channels on air, or about to come back.', liveCount);
    const readiness = startReadiness({ config, store, now, rtmpPort });
    const pages = interfacePages(routes, pkg.version);
    const plain: Record<string, PlainHandler> = {
      '/': () => ({ status: 302, headers: { location: '/docs' }, body: null }),
      '/livez': () => ({ headers: { 'content-type': 'text/plain' }, body: 'ok\n' }),
      '/readyz': readiness.answer,
      '/metrics': async (call) => {
        if (!call.isLocal) await call.authorize('manage');
        return {
          headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
          body: metrics.text(),
        };
      },
      '/openapi.json': pages.document,
      '/docs': pages.docs,
    };
    const { host, port, publicUrl, stopWithinMs } = config;
    server = startServer({
      host,
      port,
      publicUrl,
      stopWithinMs,
      routes,
      plain,
      media,
      tls: await readTls(config),
      store,
      now,
      log,
      metrics,
    });
    const { port: listening } = server;
    // Only now is it sure that somebody will see it: it is shown once.
    const firstToken = await store.perform(createFirstToken, { now: now() });
    log.info('started', {
      port: listening,
      rtmp_port: rtmpPort,
      database: store.dialect,
      version: pkg.version,
    });
    return {
      port: listening,
      rtmpPort,
      firstToken,
      routes,
      store,
      stop: async () => {
        readiness.drain();
        await stop();
        log.info('stopped');
        log.flush();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function readTls({ tlsCert, tlsKey }: Config) {
  if (tlsCert === '' && tlsKey === '') return undefined;
  const read = async (file: string, variable: string) => {
    try {
      return await readFile(file, 'utf8');
    } catch (error) {
      throw new Error(`${variable} names a file that cannot be read: "${file}"`, { cause: error });
    }
  };
  return { cert: await read(tlsCert, 'TLS_CERT'), key: await read(tlsKey, 'TLS_KEY') };
}

/** RTMP addresses start with the setting, or with the host the caller used. */
function rtmpUrl({ rtmpPublicUrl }: Config, rtmpPort: number) {
  return (baseUrl: string) => {
    if (rtmpPublicUrl !== '') return rtmpPublicUrl;
    const host = baseUrl.replace(/^https?:\/\//, '').replace(/(?::\d+)?(?:\/.*)?$/, '');
    return `rtmp://${host}:${rtmpPort}`;
  };
}
