// Everything that can be asked for over HTTP besides media: the interface, our own operations, pages, health.
import pkg from '../package.json' with { type: 'json' };
import { chatRoutes } from './audience/chat/chat-routes.ts';
import type { Presence } from './audience/presence/presence.ts';
import { viewerRoutes } from './audience/privacy/viewer-routes.ts';
import { audienceListRoutes } from './audience/records/audience-list-routes.ts';
import { audienceRoutes } from './audience/records/audience-routes.ts';
import { exportRoutes } from './audience/records/export-routes.ts';
import { reportRoutes } from './audience/reports/report-routes.ts';
import type { ShowSheets } from './audience/reports/show-sheets.ts';
import { viewerVisitsRoutes } from './audience/reports/viewer-visits-routes.ts';
import type { PlainHandler } from './base/api/plain-answer.ts';
import type { AnyRoute } from './base/api/route.ts';
import type { Store } from './base/db/sql.ts';
import type { Log } from './base/lib/log.ts';
import type { Metrics } from './base/lib/metrics.ts';
import type { Peers } from './base/peers/peers.ts';
import type { Config } from './config.ts';
import { channelListRoutes } from './control/channel-list-routes.ts';
import { liveRoutes } from './control/live-routes.ts';
import { presentRoutes } from './control/present-routes.ts';
import { dailyLimit } from './library/access/daily-limit.ts';
import { channelRoutes } from './library/channels/channel-routes.ts';
import type { People } from './library/people/people.ts';
import { peopleRoutes } from './library/people/people-routes.ts';
import { videoRoutes } from './library/videos/video-routes.ts';
import type { Readiness } from './readiness.ts';
import type { River } from './river.ts';
import { consoleRoutes } from './web/console/console-routes.ts';
import { previewRoutes } from './web/console/preview-routes.ts';
import { startAssets } from './web/pages/assets.ts';
import { interfacePages } from './web/pages/interface-pages.ts';
import { pageRoutes } from './web/pages/page-routes.ts';

export interface ServedParts {
  config: Config;
  store: Store;
  sheets: ShowSheets;
  presence: Presence;
  river: Pick<River, 'pushOf' | 'hasPicture'>;
  peers: Peers;
  people: People;
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
  const { config, store, presence, river, now } = parts;
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
    ...audienceListRoutes({ store, zone }),
    ...reportRoutes({ store, zone, sheets: parts.sheets }),
    ...viewerVisitsRoutes({ store, zone, now }),
    ...videoRoutes({ store, zone }),
    ...exportRoutes({ store, zone }),
    ...viewerRoutes({ store, watch: presence }),
    ...chatRoutes({ store, now, zone, watch: presence }),
    ...previewRoutes({ store, now, zone }),
    ...peopleRoutes(parts.people.parts),
    ...channelListRoutes({ store, zone, now, presence, hasPicture: river.hasPicture }),
    ...presentRoutes({ store, zone, now, presence }),
    ...liveRoutes({
      store,
      zone,
      now,
      presence,
      pushOf: river.pushOf,
      kbpsMax: config.bounds.push.kbpsMax,
    }),
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
  const assets = startAssets({ log });
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
    ...pageRoutes({ store, zone, secret, qr: config.bounds.qr, peers, now, log, assets }),
    ...consoleRoutes({ store, zone, now, log, assets }),
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
