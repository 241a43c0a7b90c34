// Everything that can be asked for over HTTP besides media: the interface, our own operations, pages, health.
import pkg from '../package.json' with { type: 'json' };
import { dailyLimit } from './access/daily-limit.ts';
import { audienceRoutes } from './audience/audience-routes.ts';
import { exportRoutes } from './audience/export-routes.ts';
import { channelRoutes } from './channels/channel-routes.ts';
import { chatRoutes } from './chat/chat-routes.ts';
import type { Config } from './config.ts';
import type { Store } from './db/sql.ts';
import type { Log } from './lib/log.ts';
import type { Metrics } from './lib/metrics.ts';
import type { PlainHandler } from './lib/plain-answer.ts';
import type { AnyRoute } from './lib/route.ts';
import { interfacePages } from './pages/interface-pages.ts';
import { pageRoutes } from './pages/page-routes.ts';
import type { Peers } from './peers/peers.ts';
import type { Presence } from './presence/presence.ts';
import { viewerRoutes } from './privacy/viewer-routes.ts';
import type { Readiness } from './readiness.ts';
import { videoRoutes } from './videos/video-routes.ts';

export interface ServedParts {
  config: Config;
  store: Store;
  presence: Presence;
  peers: Peers;
  /** What viewers' cookies and tickets are signed with. */
  secret: string;
  rtmpPort: number;
  readiness: Readiness;
  metrics: Metrics;
  now: () => number;
  log: Log;
}

/** The operations, as the route table holds them. */
export function operationRoutes(parts: ServedParts): AnyRoute[] {
  const { config, store, presence, now } = parts;
  const { zone } = config;
  const limit = dailyLimit({ store, now, zone, callsMax: config.recordsCallsPerDay });
  return [
    ...channelRoutes({
      store,
      now,
      zone,
      channelsMax: config.channelsPerAccount,
      rtmpUrl: rtmpUrl(config, parts.rtmpPort),
    }),
    ...audienceRoutes({ store, zone, limit }),
    ...videoRoutes({ store, zone }),
    ...exportRoutes({ store, zone }),
    ...viewerRoutes({ store, watch: presence }),
    ...chatRoutes({ store, now, zone, watch: presence }),
  ];
}

/** Answers outside the route table, by path. */
export function plainRoutes(
  parts: ServedParts,
  routes: readonly AnyRoute[],
): Record<string, PlainHandler> {
  const { config, store, peers, secret, readiness, metrics, now, log } = parts;
  const { zone } = config;
  const documents = interfacePages(routes, pkg.version);
  return {
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
    '/openapi.json': documents.document,
    '/docs': documents.docs,
    ...pageRoutes({ store, zone, secret, qr: config.bounds.qr, peers, now, log }),
  };
}

/** RTMP addresses start with the setting, or with the host the caller used. */
function rtmpUrl({ rtmpPublicUrl }: Config, rtmpPort: number) {
  return (baseUrl: string) => {
    if (rtmpPublicUrl !== '') return rtmpPublicUrl;
    const host = baseUrl.replace(/^https?:\/\//, '').replace(/(?::\d+)?(?:\/.*)?$/, '');
    return `rtmp://${host}:${rtmpPort}`;
  };
}
