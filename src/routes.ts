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
import { viewerSecretRoutes } from './audience/viewers/viewer-secret-routes.ts';
import type { PlainHandler } from './base/api/plain-answer.ts';
import type { AnyRoute } from './base/api/route.ts';
import type { Store } from './base/db/sql.ts';
import type { Log } from './base/lib/log.ts';
import type { Metrics } from './base/lib/metrics.ts';
import { networkHost } from './base/lib/network-address.ts';
import type { Links } from './base/links/links.ts';
import type { Nodes } from './base/nodes/membership.ts';
import type { Peers } from './base/peers/peers.ts';
import type { Config } from './config.ts';
import { channelListRoutes } from './control/channel-list-routes.ts';
import { liveRoutes } from './control/live-routes.ts';
import type { FiguresOfNodes } from './control/node-figures.ts';
import { nodeRoutes } from './control/node-routes.ts';
import { pictureRoutes } from './control/picture-routes.ts';
import { presentRoutes } from './control/present-routes.ts';
import { dailyLimit } from './library/access/daily-limit.ts';
import { accountRoutes } from './library/account/account-routes.ts';
import { jobRoutes } from './library/account/job-routes.ts';
import { managerRoutes } from './library/account/manager-routes.ts';
import { tokenRoutes } from './library/account/token-routes.ts';
import { accessCodeRoutes } from './library/admission/access-code-routes.ts';
import { admissionRoutes } from './library/admission/admission-routes.ts';
import type { Admissions } from './library/admission/admissions.ts';
import type { Doorkeeper } from './library/admission/doorkeeper.ts';
import { registrationRoutes } from './library/admission/registration-routes.ts';
import { auditRoutes } from './library/audit/audit-routes.ts';
import { captionsRoutes } from './library/captions/captions-routes.ts';
import { channelRoutes } from './library/channels/channel-routes.ts';
import { keptMsOf } from './library/deletion/deleted-channel.ts';
import { deletedChannelRoutes } from './library/deletion/deleted-channel-routes.ts';
import { deletedVideoRoutes } from './library/deletion/deleted-video-routes.ts';
import { eventRoutes } from './library/events/event-routes.ts';
import type { EventWatch } from './library/events/event-watch.ts';
import { imagePaths, imageRoutes } from './library/images/image-routes.ts';
import type { People } from './library/people/people.ts';
import { peopleRoutes } from './library/people/people-routes.ts';
import { managedVideoRoutes } from './library/videos/managed-video-routes.ts';
import { videoRoutes } from './library/videos/video-routes.ts';
import type { TargetGuard } from './library/webhooks/target-guard.ts';
import { webhookRoutes } from './library/webhooks/webhook-routes.ts';
import type { WebhookSender } from './library/webhooks/webhook-sender.ts';
import type { Readiness } from './readiness.ts';
import type { River } from './river.ts';
import type { ServerOptions } from './server.ts';
import { redirectTargets } from './settings/bucket-settings.ts';
import { clipRoutes } from './stream/clips/clip-routes.ts';
import { passPath } from './stream/playback/admitted-media.ts';
import { uploadRoutes } from './stream/uploads/upload-routes.ts';
import { consoleRoutes } from './web/console/console-routes.ts';
import { previewRoutes } from './web/console/preview-routes.ts';
import { docsRoutes } from './web/docs/docs-routes.ts';
import { startAssets } from './web/pages/assets.ts';
import { absentPage, pageRoutes } from './web/pages/page-routes.ts';
import type { NetworkHost } from './web/pages/phone-address.ts';

export interface ServedParts {
  config: Config;
  store: Store;
  sheets: ShowSheets;
  presence: Presence;
  river: Pick<
    River,
    | 'pushOf'
    | 'wakeJobs'
    | 'clips'
    | 'uploads'
    | 'keptRoom'
    | 'pictures'
    | 'pushStanding'
    | 'deleted'
    | 'keysChanged'
  >;
  peers: Peers;
  people: People;
  eventWatch: EventWatch;
  webhooks: { guard: TargetGuard; sender: WebhookSender };
  admissions: Admissions;
  doorkeeper: Doorkeeper;
  /** Who may watch has changed, of a channel or a video of it. */
  admissionChanged(channel_id: number): void;
  /** What viewers' cookies and tickets are signed with. */
  secret: string;
  rtmpPort: number;
  readiness: Readiness;
  nodes: Nodes;
  links: Links;
  figures: FiguresOfNodes;
  metrics: Metrics;
  now: () => number;
  log: Log;
}

/** The operations, as the route table holds them. */
export function operationRoutes(parts: ServedParts): AnyRoute[] {
  const { config, store, presence, river, now } = parts;
  const { zone } = config;
  const rtmp = rtmpUrl(config, parts.rtmpPort);
  const limit = dailyLimit({ store, now, zone, callsMax: config.recordsCallsPerDay });
  return [
    ...channelRoutes({
      store,
      now,
      zone,
      channelsMax: config.channelsPerAccount,
      rtmpUrl: rtmp,
      watch: { changed: presence.changed, keysChanged: river.keysChanged },
    }),
    ...deletedChannelRoutes({
      store,
      now,
      zone,
      keptMs: keptMsOf(config),
      rtmpUrl: rtmp,
      watch: {
        pushStanding: river.pushStanding,
        deleted: (channel) => {
          river.deleted(channel);
          presence.deleted(channel.id);
        },
        changed: presence.changed,
      },
    }),
    ...audienceRoutes({ store, zone, limit }),
    ...audienceListRoutes({ store, zone }),
    ...reportRoutes({ store, zone, sheets: parts.sheets }),
    ...viewerVisitsRoutes({ store, zone, now }),
    ...videoRoutes({ store, zone }),
    ...clipRoutes({ store, clips: river.clips }),
    ...uploadRoutes({ store, zone, now, uploads: river.uploads }),
    ...deletedVideoRoutes({ store, now, zone, keptMs: keptMsOf(config) }),
    ...admissionRoutes({
      ...{
        store,
        zone,
        now,
        admissions: parts.admissions,
        doorkeeper: parts.doorkeeper,
        passPath,
      },
      rtmpUrl: rtmp,
      changed: parts.admissionChanged,
    }),
    ...accessCodeRoutes({ store, zone, now, secret: parts.secret }),
    ...registrationRoutes({ store, zone }),
    ...managedVideoRoutes({ store, zone, now, wakeJobs: river.wakeJobs }),
    ...captionsRoutes({ store, room: river.keptRoom }),
    ...exportRoutes({ store, zone }),
    ...viewerRoutes({ store, now, watch: presence, admissionChanged: parts.admissionChanged }),
    ...chatRoutes({ store, now, zone, watch: presence }),
    ...imageRoutes({ store, now, room: river.keptRoom }),
    ...previewRoutes({ store, now, zone, networkHost: networkHostOf(config) }),
    ...peopleRoutes(parts.people.parts),
    ...managerRoutes({ store, zone, now }),
    ...tokenRoutes({ store, zone, now }),
    ...accountRoutes({ store, zone, config }),
    ...jobRoutes({ store, zone, now, wakeJobs: river.wakeJobs }),
    ...webhookRoutes({
      store,
      zone,
      now,
      perAccount: config.bounds.webhook.perAccount,
      ...parts.webhooks,
    }),
    ...auditRoutes({ store, zone }),
    ...eventRoutes({
      store,
      watch: parts.eventWatch,
      idleMs: 1_000 * config.bounds.http.idleSeconds,
    }),
    ...viewerSecretRoutes({ store }),
    ...channelListRoutes({
      store,
      zone,
      now,
      presence,
      pictures: river.pictures,
    }),
    ...nodeRoutes({
      ...{ store, zone, nodes: parts.nodes, links: parts.links, figures: parts.figures },
      isNamed: config.nodeName !== '' || config.nodeUrl !== '',
    }),
    ...pictureRoutes({ store, pictures: river.pictures }),
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

/** Answers outside the route table, by path, and what a browser is told at every other. */
export function plainRoutes(
  parts: ServedParts,
  routes: readonly AnyRoute[],
): Pick<ServerOptions, 'plain' | 'absentPage'> {
  const { config, store, peers, secret, readiness, metrics, now, log } = parts;
  const { zone } = config;
  const assets = startAssets({ log });
  const plain: Record<string, PlainHandler> = {
    '/livez': () => ({ headers: { 'content-type': 'text/plain' }, body: 'ok\n' }),
    '/readyz': readiness.answer,
    '/metrics': async (call) => {
      if (!call.isLocal) await call.authorize('manage');
      return {
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
        body: await metrics.text(),
      };
    },
    ...docsRoutes({
      routes,
      version: pkg.version,
      assets,
      absentPage: absentPage(assets, '/docs'),
      rtmpUrl: rtmpUrl(config, parts.rtmpPort),
    }),
    ...pageRoutes({
      ...{ store, zone, secret, qr: config.bounds.qr, peers, now, log, assets },
      ...{ admissions: parts.admissions, doorkeeper: parts.doorkeeper },
      networkHost: networkHostOf(config),
      recordingsAt: redirectTargets(config),
    }),
    ...imagePaths({ store }),
    ...consoleRoutes({
      store,
      callers: parts.people.callers,
      admissions: parts.admissions,
      zone,
      now,
      log,
      assets,
    }),
  };
  return { plain, absentPage: absentPage(assets) };
}

function networkHostOf({ publicUrl, host }: Config): NetworkHost {
  return () => (publicUrl === '' ? networkHost(host) : undefined);
}

/** RTMP addresses start with the setting, or with the host the caller used. */
function rtmpUrl({ rtmpPublicUrl }: Config, rtmpPort: number) {
  return (baseUrl: string) => {
    if (rtmpPublicUrl !== '') return rtmpPublicUrl;
    const host = baseUrl.replace(/^https?:\/\//, '').replace(/(?::\d+)?(?:\/.*)?$/, '');
    return `rtmp://${host}:${rtmpPort}`;
  };
}
