// The program: its parts started in their order, store, nodes, audience, river, server; drained and stopped.
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pkg from '../package.json' with { type: 'json' };
import { type PresenceOptions, startPresence } from './audience/presence/presence.ts';
import { startRetention } from './audience/privacy/retention.ts';
import { startEndedShows } from './audience/reports/ended-shows.ts';
import { ShowSheets } from './audience/reports/show-sheets.ts';
import { rememberedDevices } from './audience/viewers/device.ts';
import { openPlaces } from './audience/viewers/place.ts';
import type { AnyRoute } from './base/api/route.ts';
import { type EndableStore, endableStore } from './base/db/endable-store.ts';
import type { OnAppended } from './base/db/outbox.ts';
import { Patience } from './base/db/patience.ts';
import type { ServiceLock } from './base/db/service-lock.ts';
import { takeServiceSecret } from './base/db/service-secret-store.ts';
import type { Store } from './base/db/sql.ts';
import { startServiceStore } from './base/db/store.ts';
import { databaseRefusals } from './base/db/whose.ts';
import { openLibc } from './base/lib/libc.ts';
import type { Log } from './base/lib/log.ts';
import { startMetrics } from './base/lib/metrics.ts';
import { monotonicMs } from './base/lib/time.ts';
import { linkRefusals } from './base/links/link-refusals.ts';
import { startLinkSecrets } from './base/links/link-secrets.ts';
import { Links } from './base/links/links.ts';
import { DatabaseClock } from './base/nodes/database-clock.ts';
import { Membership, type Nodes, soleNode } from './base/nodes/membership.ts';
import { readNodeName } from './base/nodes/node-name.ts';
import { startPeers } from './base/peers/peers.ts';
import { Refusals } from './base/peers/refusals.ts';
import { isDoneWithin } from './base/turns/within.ts';
import type { Config } from './config.ts';
import { FiguresOfNodes } from './control/node-figures.ts';
import { drain } from './drain.ts';
import { createFirstToken } from './library/access/account-store.ts';
import { startTokenUses } from './library/access/token-uses.ts';
import { joinAdmissionNews } from './library/admission/admission-news.ts';
import { Admissions } from './library/admission/admissions.ts';
import { Doorkeeper } from './library/admission/doorkeeper.ts';
import { joinPasswordNews } from './library/admission/password-news.ts';
import { Audit, Trail } from './library/audit/audit.ts';
import { commandNote } from './library/audit/audit-note.ts';
import { startAuditSweep } from './library/audit/audit-sweep.ts';
import { startChannelRemoval } from './library/deletion/channel-removal.ts';
import { keptMsOf } from './library/deletion/deleted-channel.ts';
import { startEventSweep } from './library/events/event-sweep.ts';
import { EventWatch } from './library/events/event-watch.ts';
import { startImageSweep } from './library/images/image-sweep.ts';
import { makeConsoleLink } from './library/people/console-link-store.ts';
import { openPeople } from './library/people/people.ts';
import { hasPeople } from './library/people/person-store.ts';
import type { PasswordHash } from './library/people/sign-in-limits.ts';
import { TargetClient } from './library/webhooks/target-client.ts';
import { TargetGuard } from './library/webhooks/target-guard.ts';
import { WebhookSender } from './library/webhooks/webhook-sender.ts';
import { startWebhookSweep } from './library/webhooks/webhook-sweep.ts';
import { measure } from './measures.ts';
import { measureNodes } from './node-measures.ts';
import { noted } from './operations.ts';
import { type Readiness, startReadiness } from './readiness.ts';
import { startRiver } from './river.ts';
import { operationRoutes, plainRoutes } from './routes.ts';
import { type HttpServer, startServer } from './server.ts';
import { nodeBucketOf } from './settings/bucket-settings.ts';
import { TrustedProxies } from './web/http/client-address.ts';

export interface Service {
  port: number;
  rtmpPort: number;
  /** The first account's token, on the start that made it. */
  firstToken: string | undefined;
  /** What stands behind the # of the link that makes the first person, on that start. */
  firstLink: string | undefined;
  /** Whether there is anybody who can sign in. */
  hasPeople: boolean;
  routes: readonly AnyRoute[];
  /** Where something is answered besides: pages, media, probes. */
  paths: readonly string[];
  store: Store;
  look: Readiness['look'];
  /** Reads the certificate anew, where there is one; what goes wrong is logged, and the old one stays. */
  renewCertificate(): Promise<void>;
  /** Resolves when every part has stopped; false where the database did not let go of us by then. */
  stop(): Promise<boolean>;
}

interface ServiceOptions {
  log: Log;
  now?: () => number;
  rounds?: PresenceOptions['rounds'];
  passwordHash?: PasswordHash | undefined;
  /** Resolves when the service is to end, maybe before it has begun. */
  signalled?: Promise<unknown>;
  /** It must end, and why: another has taken its place. */
  onReplaced?(reason: string): void;
  /** Somebody wants it to drain: to hand over what it has, and to stop. */
  onDrain?(): void;
}

/** A database that is slow to answer is asked for so long, as one is that another program brings up to date. */
const startPatientlyMs = 30_000;

export async function startService(config: Config, options: ServiceOptions): Promise<Service> {
  const { log, rounds = {}, passwordHash, signalled, onReplaced, onDrain } = options;
  const clock = new DatabaseClock({ startsAt: Date.now(), monotonicMs: risingMs });
  const { now = clock.now } = options;
  const refusals = new Refusals({ now, log });
  const refused = refusals.book('database', databaseRefusals);
  const eventWatch = new EventWatch({ log });
  const onAppended: OnAppended[] = [eventWatch.appended];
  const { store, lock } = await startServiceStore(
    {
      databaseUrl: config.databaseUrl,
      dataDir: config.dataDir,
      deadlineMs: config.databaseDeadlineMs,
      connectionsMax: config.databaseConnections,
      onRefused: refused.note,
      onAppended: (account_ids) => {
        for (const tell of onAppended) tell(account_ids);
      },
    },
    new URL('./store-worker.ts', import.meta.url),
  );
  const started: Started[] = [];
  const patience = new Patience({
    forMs: startPatientlyMs,
    onFirst: ({ message }) => log.warn('the start waits for the database', { message }),
  });
  signalled?.then(() => patience.end());
  const partStore = endableStore(patience.with(store));
  const stop = (sinceMs = risingMs()) => {
    patience.end();
    return stopAll({ started, store, partStore, lock, log, sinceMs });
  };
  try {
    const service = await startParts({
      config,
      store,
      partStore,
      patience,
      refusals,
      eventWatch,
      onAppended,
      log,
      now,
      rounds,
      passwordHash,
      clock,
      onReplaced,
      onDrain,
      started,
    });
    // Only now is it sure that somebody will see it: it is shown once.
    const beginning = () => noting({ store, at: now() });
    const firstToken = await patience.ask(() =>
      beginning().perform(createFirstToken, { now: now() }),
    );
    const firstLink =
      firstToken === undefined
        ? undefined
        : await patience.ask(() =>
            beginning().perform(makeConsoleLink, { account_id: 1, now: now() }),
          );
    const isAnybodyThere = await patience.ask(() => hasPeople(store));
    patience.end();
    const { port, rtmpPort, routes, paths, readiness, renew, drained } = service;
    const { version } = pkg;
    log.info('started', { port, rtmp_port: rtmpPort, database: store.dialect, version });
    return {
      port,
      rtmpPort,
      firstToken,
      firstLink: firstLink?.secret,
      hasPeople: isAnybodyThere,
      routes,
      paths,
      store,
      look: readiness.look,
      renewCertificate: () => renewCertificate({ config, renew, log }),
      stop: async () => {
        const sinceMs = risingMs();
        readiness.drain();
        await drained();
        const isClosed = await stop(sinceMs);
        log.info('stopped');
        log.flush();
        return isClosed;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** For what the first start makes: it is in the audit log of the first account, as `serve`. */
function noting({ store, at }: { store: Store; at: number }): Store {
  const note = commandNote({ at, account_id: 1, operation: 'serve', group: 'service', name: '' });
  return new Trail({ store, noted }, note).store;
}

interface Started {
  /** So long ago the stop began. */
  stop(spentMs: number): Promise<void>;
}

/** Each part is in `started` as soon as it has started, even where the next one fails. */
async function startParts(given: {
  config: Config;
  store: Store;
  /** For what the service does of its own accord; requests have a time of their own. */
  partStore: EndableStore;
  patience: Patience;
  refusals: Refusals;
  eventWatch: EventWatch;
  /** Told of every commit that has events; a part adds itself. */
  onAppended: OnAppended[];
  log: Log;
  now: () => number;
  rounds: NonNullable<ServiceOptions['rounds']>;
  passwordHash: ServiceOptions['passwordHash'];
  clock: DatabaseClock;
  onReplaced: ServiceOptions['onReplaced'];
  onDrain: ServiceOptions['onDrain'];
  started: Started[];
}) {
  const { config, store, partStore, patience, refusals, log, now, rounds, started } = given;
  const { eventWatch, onAppended, passwordHash } = given;
  const { publicUrl } = config;
  const metrics = startMetrics();
  const secret = await patience.ask(() => store.perform(takeServiceSecret, { name: 'viewers' }));
  const nodes = await startNodes(given);
  started.push(nodes);
  const { node } = nodes;
  const peers = await startPeers({ store: partStore, node, refusals, now, log });
  started.push(peers);
  const links = await startLinks({ ...given, nodes, store: partStore });
  started.push(links);
  const places = await openPlaces({ file: config.placeFile, log });
  const admissions = new Admissions({ store: partStore, secret, now, monotonicMs: risingMs, log });
  const presence = startPresence({
    store: partStore,
    admissions,
    secret,
    publicUrl,
    ...config.bounds.page,
    countDirectPlayers: config.countDirectPlayers,
    places,
    peers,
    nodes,
    links: links.links,
    rounds,
    now,
    log,
  });
  started.push(presence);
  const { audienceRetentionDays, ipRetentionDays } = config;
  const kept = { audienceRetentionDays, ipRetentionDays };
  const sheets = new ShowSheets({ store: partStore, monotonicMs });
  started.push(sheets);
  started.push(startEndedShows({ store: partStore, sheets, now, log }));
  started.push(startRetention({ store: partStore, now, log, sheets, ...kept }));
  started.push(startChannelRemoval({ store: partStore, now, log, keptMs: keptMsOf(config) }));
  started.push(startImageSweep({ store: partStore, now, log }));
  const { auditDays, eventDays } = config;
  started.push(startAuditSweep({ store: partStore, now, log, auditDays }));
  started.push(startEventSweep({ store: partStore, now, log, eventDays }));
  eventWatch.start(partStore);
  started.push(eventWatch);
  const libc = openLibc();
  const river = await startRiver({
    config,
    libc,
    nodes,
    links: links.links,
    store: partStore,
    audience: presence,
    admissions,
    peers,
    now,
    log,
  });
  started.push(river);
  const admissionChanged = joinAdmissionNews({
    links: links.links,
    look: (channel_id) => {
      admissions.changed();
      river.admissionChanged();
      presence.lookAt(channel_id);
    },
  });
  const { rtmpPort, media } = river;
  const ownPorts = [rtmpPort];
  const webhooks = startWebhooks({ config, node, store: partStore, ownPorts, now, log });
  onAppended.push(webhooks.sender.appended);
  started.push(webhooks);
  const audit = new Audit({ store, noted, now, log });
  const people = openPeople({
    store,
    audit,
    secret: await patience.ask(() => store.perform(takeServiceSecret, { name: 'people' })),
    bounds: config.bounds.signIn,
    passwordHash,
    sessionDays: config.consoleSessionDays,
    isSecure: config.tlsCert !== '' || publicUrl.startsWith('https:'),
    zone: config.zone,
    deviceOf: rememberedDevices(),
    peers,
    now,
    log,
  });
  const tokenUses = startTokenUses({ store: partStore, now, log });
  started.push(tokenUses);
  const readiness = startReadiness({ config, store, now, rtmpPort });
  const figures = new FiguresOfNodes({
    links: links.links,
    own: () => {
      const { spool } = river.counts();
      return {
        viewers: presence.counts().viewers,
        spool: spool ? { waiting: spool.waitingSegments, away: spool.isAway } : null,
      };
    },
  });
  const doorkeeper: Doorkeeper = new Doorkeeper({
    ...{ store, secret, admissions, peers, hash: passwordHash, now },
    onRight: (right) => tellRight(right),
  });
  const tellRight = joinPasswordNews({ links: links.links, doorkeeper });
  const parts = {
    admissions,
    doorkeeper,
    admissionChanged,
    nodes,
    links: links.links,
    figures,
    presence,
    river,
    peers,
    people,
    webhooks,
    sheets,
    eventWatch,
    readiness,
    metrics,
  };
  const served = { config, store, ...parts, secret, rtmpPort, now, log };
  const routes = operationRoutes(served);
  const plain = plainRoutes(served, routes);
  const server = startServer({
    host: config.host,
    port: config.port,
    publicUrl,
    stopWithinMs: config.stopWithinMs,
    proxies: new TrustedProxies(config.trustedProxies),
    tls: await readTls(config),
    hstsSeconds: config.hstsSeconds,
    bounds: config.bounds.http,
    libc,
    routes,
    ...plain,
    media,
    presence,
    linkDoor: links.links.door,
    peers,
    consoleCallers: people.callers,
    audit,
    tokenUses,
    store,
    now,
    log,
    metrics,
  });
  started.push(server);
  // Only now can a node that is dialled be dialled back.
  links.links.start();
  const { sender } = webhooks;
  measure(metrics, { presence, river, peers, people, readiness, sender });
  measureNodes(metrics, { nodes, links: links.links, river });
  const { port, renew } = server;
  ownPorts.push(port);
  const { nodeUrl, drainMs } = config;
  const drained = () => drain({ nodes, nodeUrl, drainMs, river, presence, log });
  const paths = [...Object.keys(plain.plain), ...Object.keys(media)];
  return { port, rtmpPort, routes, paths, readiness, renew, drained };
}

/** With fractions, which the time of an answer is counted in. */
function risingMs(): number {
  return performance.now();
}

/** This service among those on its database. An embedded one has no others. */
async function startNodes(given: {
  config: Config;
  partStore: EndableStore;
  patience: Patience;
  clock: DatabaseClock;
  now: () => number;
  onReplaced: ServiceOptions['onReplaced'];
  onDrain: ServiceOptions['onDrain'];
  log: Log;
}) {
  const { config, partStore: store, patience, clock, log } = given;
  const node = config.nodeName === '' ? await readNodeName(config.dataDir) : config.nodeName;
  if (store.dialect === 'sqlite') return soleNode(node, { version: pkg.version, now: given.now });
  const link_url = config.nodeUrl;
  const onReplaced = () => {
    const reason = `another service runs as the node "${node}" on this database`;
    log.error(reason);
    given.onReplaced?.(reason);
  };
  const { version } = pkg;
  const options = {
    ...{ store, node, link_url, version, clock, log, onReplaced },
    bucket: nodeBucketOf(config),
    onDrain: () => given.onDrain?.(),
    monotonicMs: risingMs,
  };
  return await patience.ask(() => Membership.join(options));
}

/** To the other nodes; without them nothing is dialled and nobody comes in. */
async function startLinks(given: {
  config: Config;
  nodes: Nodes;
  store: Store;
  refusals: Refusals;
  log: Log;
}) {
  const { config, nodes, store, refusals, log } = given;
  const { node, run } = nodes;
  const linkUrl = store.dialect === 'postgres' ? config.nodeUrl : '';
  const secrets =
    linkUrl === ''
      ? undefined
      : await startLinkSecrets({ store, log, onChanged: () => links.secretsChanged() });
  const links = new Links({
    node,
    run,
    linkUrl,
    directory: { list: () => nodes.others(), onChanged: (changed) => nodes.onChanged(changed) },
    secrets: () => secrets?.known ?? [],
    ca: config.nodeCa === '' ? undefined : await readNamed(config.nodeCa, 'NODE_CA'),
    refusals: refusals.book('link', linkRefusals),
    log,
  });
  return {
    links,
    stop: async () => {
      links.stop();
      await secrets?.stop();
    },
  };
}

/** What sends events to webhooks, and what sweeps their logs. `ownPorts` grows when the server listens. */
function startWebhooks(given: {
  config: Config;
  node: string;
  store: Store;
  ownPorts: readonly number[];
  now: () => number;
  log: Log;
}) {
  const { config, node, store, ownPorts, now, log } = given;
  const { pendingMax, logDays } = config.bounds.webhook;
  const guard = new TargetGuard({
    allowed: config.webhookPrivateTargets,
    ownPorts: () => ownPorts,
  });
  const client = new TargetClient({ guard });
  const sender = new WebhookSender({ store, client, node, pendingMax, now, log });
  sender.start();
  const sweep = startWebhookSweep({ store, now, log, logDays });
  return {
    guard,
    sender,
    stop: async () => {
      await Promise.all([sender.stop(), sweep.stop()]);
    },
  };
}

/** An operator's system kills us 10 s after the signal. By now the parts have written what they can; 2 s are for the rest. */
const writeWithinMs = 7_500;
/** After a drain that took longer than usual they still get so long. */
const writeWithinMsMin = 2_000;
/** Of that, for the word that this node is gone. */
const leaveWithinMs = 500;
/** A database that is there lets go at once. */
const closeWithinMs = 250;

/**
 * The parts all at once, then what other nodes know of this one, then the database; false where it did not let go of us
 * in time.
 */
async function stopAll(given: {
  started: readonly Started[];
  store: Store;
  partStore: EndableStore;
  lock: ServiceLock;
  log: Log;
  /** When the stop began. */
  sinceMs: number;
}): Promise<boolean> {
  const { started, store, partStore, lock, log, sinceMs } = given;
  const [nodes, ...parts] = started;
  const spentMs = risingMs() - sinceMs;
  const writeMs = Math.max(writeWithinMs - spentMs, writeWithinMsMin);
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    const calls = partStore.end();
    // Each part says what it could not write.
    if (calls > 0)
      log.error('the database does not answer: the service ends without it', { calls });
    over.resolve();
  }, writeMs);
  const stopped = Promise.all(parts.map((part) => part.stop(spentMs)));
  // As long as its row is there, something of the node is; a request that takes long is nothing to others.
  await isDoneWithin(stopped, writeMs - leaveWithinMs);
  await nodes?.stop(spentMs);
  await stopped;
  const isClosed = await Promise.race([
    store.close().then(() => true),
    over.promise.then(() => Bun.sleep(closeWithinMs)).then(() => false),
  ]);
  clearTimeout(timer);
  lock.release();
  return isClosed;
}

async function renewCertificate(given: {
  config: Config;
  renew: HttpServer['renew'];
  log: Log;
}): Promise<void> {
  const { config, renew, log } = given;
  try {
    const tls = await readTls(config);
    if (!tls) return log.info('there is no certificate to read anew');
    renew(tls);
    log.info('the certificate was read anew', { valid_to: new X509Certificate(tls.cert).validTo });
  } catch (error) {
    log.error('the certificate could not be read anew: the old one stays', { error });
  }
}

async function readTls({ tlsCert, tlsKey }: Config) {
  if (tlsCert === '' && tlsKey === '') return undefined;
  return { cert: await readNamed(tlsCert, 'TLS_CERT'), key: await readNamed(tlsKey, 'TLS_KEY') };
}

async function readNamed(file: string, variable: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Error(`${variable} names a file that cannot be read: "${file}"`, { cause: error });
  }
}
