// The HTTP edge: joins the route table, pages, media and the pages' WebSocket to one server, and stops it gently.
import type { Presence } from './audience/presence/presence.ts';
import { ApiError } from './base/api/errors.ts';
import type { MediaHandler } from './base/api/media-answer.ts';
import type { PlainHandler } from './base/api/plain-answer.ts';
import type { AnyRoute } from './base/api/route.ts';
import type { Store } from './base/db/sql.ts';
import type { Libc } from './base/lib/libc.ts';
import type { Log } from './base/lib/log.ts';
import type { Metrics } from './base/lib/metrics.ts';
import type { LinkDoor } from './base/links/link-door.ts';
import { askMeans } from './base/peers/means.ts';
import type { Peers } from './base/peers/peers.ts';
import { Bearers } from './library/access/bearers.ts';
import type { TokenUses } from './library/access/token-uses.ts';
import type { Audit } from './library/audit/audit.ts';
import type { ConsoleCallers } from './library/people/console-callers.ts';
import { Asker } from './web/http/asker.ts';
import { audienceHandlers } from './web/http/audience-upgrade.ts';
import { Border } from './web/http/border.ts';
import type { BunHandlers, BunServer } from './web/http/bun-handler.ts';
import { BytesWatch } from './web/http/bytes-watch.ts';
import type { TrustedProxies } from './web/http/client-address.ts';
import { ConnectionWatch } from './web/http/connection-watch.ts';
import type { HttpBounds } from './web/http/http-limits.ts';
import { type HttpBook, httpRefusals } from './web/http/http-refusals.ts';
import { linkHandlers } from './web/http/link-upgrade.ts';
import { Listeners, type Tls } from './web/http/listeners.ts';
import { mediaHandlers } from './web/http/media-answers.ts';
import { PageWatch } from './web/http/page-watch.ts';
import { plainHandlers } from './web/http/plain-answers.ts';
import { routeHandlers } from './web/http/route-answers.ts';
import { type SocketData, serverSockets } from './web/http/server-sockets.ts';
import { gated, TurnGate } from './web/http/turn-gate.ts';
import { UntakenAnswers } from './web/http/untaken-answers.ts';

export interface ServerOptions {
  host: string;
  port: number;
  /** Start of every address in an answer; empty for the host that the request names. */
  publicUrl: string;
  /** Requests under way get this long once the server stops. */
  stopWithinMs: number;
  routes: readonly AnyRoute[];
  /** Answers outside the interface, by path: `/livez`, `/watch/:id` and the like. GET only. */
  plain: Record<string, PlainHandler>;
  /** What a browser gets where there is nothing at an address; a program gets JSON. */
  absentPage: NonNullable<PlainHandler['refuse']>;
  /** Media, by path. */
  media: Record<string, MediaHandler>;
  /** The WebSocket that every page opens. */
  presence: Pick<Presence, 'admit' | 'attach' | 'socket'>;
  /** Where other nodes come in; undefined where there are none. */
  linkDoor?: LinkDoor | undefined;
  peers: Pick<Peers, 'refusals' | 'isAllowed'>;
  /** Who asks by the cookie of somebody who has signed in. */
  consoleCallers: ConsoleCallers;
  audit: Pick<Audit, 'trail'>;
  /** Is told which tokens are used. */
  tokenUses: Pick<TokenUses, 'note'>;
  proxies: TrustedProxies;
  /** Certificate and key, PEM: then HTTPS, with HTTP/2 for who can. */
  tls: Tls | undefined;
  /** How long browsers shall come by HTTPS alone; 0 to say nothing of it. */
  hstsSeconds: number;
  bounds: HttpBounds;
  /** Undefined where the system's calls are not known. */
  libc: Libc | undefined;
  store: Store;
  now: () => number;
  log: Log;
  metrics: Metrics;
}

export interface HttpServer {
  port: number;
  /** New connections get the new certificate, those that are there stay. Throws where it cannot be taken. */
  renew(tls: Tls): void;
  /** Takes no new connections, lets requests under way finish, then closes; `spentMs` of the time for that are over. */
  stop(spentMs?: number): Promise<void>;
}

export function startServer(options: ServerOptions): HttpServer {
  const { presence, tls, log } = options;
  const isSecure = tls !== undefined;
  const asker = new Asker({ ...options, isSecure });
  const refusals = options.peers.refusals.book('http', httpRefusals);
  const given = { ...options, isSecure, asker, refusals };
  const untaken = new UntakenAnswers(given);
  const isDraining = (server: BunServer) => listeners.isDraining(server);
  const answered = { untaken, isDraining, securityHeader: securityHeader(options) };
  const border = new Border({ ...given, ...answered });
  const monotonicMs = () => performance.now();
  const bytes = new BytesWatch({ ...given, monotonicMs });
  const gate = new TurnGate({ ...given, bytes });
  const pages = new PageWatch();
  const watch = new ConnectionWatch({ ...given, pages, bytes, monotonicMs });
  const edge = { asker, refusals, untaken, isDraining, border, gate, pages, bytes };
  const stopping = new AbortController();
  const table = handlers(options, edge, stopping.signal);
  const listeners = new Listeners({
    ...options,
    listen: (order) => listen(options, { ...order, table, edge }),
  });
  const { port } = listeners;
  const { listening, door } = listeners;
  const libc = askMeans({ libc: options.libc, listening, door, lacking, log });
  presence.attach((topic, text) => listeners.publish(topic, text));
  watch.start(listeners, libc);
  return {
    port,
    renew: (renewed) => listeners.renew(renewed),
    stop: async (spentMs = 0) => {
      stopping.abort();
      watch.stop();
      await listeners.stop(Math.max(0, options.stopWithinMs - spentMs));
    },
  };
}

const lacking = {
  calls:
    'HTTP_CONNECTIONS, HTTP_CONNECTS_PER_NETWORK, HTTP_BYTES_PER_SECOND and HTTP_UNSENT_MEMORY have no effect, and a page may send pieces of a message without an end',
  traffic:
    'HTTP_BYTES_PER_SECOND and HTTP_UNSENT_MEMORY have no effect, and a page may send pieces of a message without an end',
  door: 'a network that floods HTTP with connects, is closed for what it sends or gives requests up may connect again at once',
};

/** Only for this host, and only where we are sure of it: others may be served under names beside or below it. */
function securityHeader({ tls, hstsSeconds }: ServerOptions): string {
  return tls && hstsSeconds > 0 ? `max-age=${hstsSeconds}` : '';
}

interface ListenOrder {
  port: number;
  tls: Tls | undefined;
  reusePort: boolean;
  table: BunHandlers;
  edge: Edge;
}

function listen(options: ServerOptions, order: ListenOrder): BunServer {
  const { port, tls, reusePort, table, edge } = order;
  const { border, pages } = edge;
  const onClosed = (data: SocketData) => pages.closed(data);
  return Bun.serve<SocketData>({
    hostname: options.host,
    port,
    reusePort,
    idleTimeout: options.bounds.idleSeconds,
    // Our own reader bounds bodies and answers in the interface's words; Bun's answer would be empty.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    ...(tls && { tls, http2: true }),
    routes: table,
    websocket: serverSockets({ pages: options.presence.socket, onClosed }),
    fetch: gated((request, server) => absent(options, { request, server, border }), {
      ...edge,
      form: 'interface',
    }),
    error: (error) => {
      options.log.error('a request failed outside its handler', { error });
      return new Response(null, { status: 500 });
    },
  });
}

/** At an address where there is nothing. */
function absent(
  { absentPage }: ServerOptions,
  { request, server, border }: { request: Request; server: BunServer; border: Border },
): Promise<Response> {
  const { headers } = request;
  const header = (name: string) => headers.get(name);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const wantsPage = isRead && header('accept')?.includes('text/html');
  const page = (error: ApiError) => absentPage({ header }, error);
  return border.refuse(request, server, new ApiError('noPath'), wantsPage ? page : undefined);
}

/** What every answer passes. */
interface Edge {
  asker: Asker;
  refusals: HttpBook;
  untaken: UntakenAnswers;
  isDraining(server: BunServer): boolean;
  border: Border;
  gate: TurnGate;
  pages: PageWatch;
  bytes: BytesWatch;
}

function handlers(options: ServerOptions, edge: Edge, stopping: AbortSignal): BunHandlers {
  const { routes, plain, media, presence, linkDoor, bounds, store, now, log, metrics } = options;
  const bearers = new Bearers(options);
  const { consoleCallers, audit } = options;
  const callers = { bearers, consoleCallers, audit };
  const table: BunHandlers = {
    ...routeHandlers({ ...edge, ...callers, routes, bounds, stopping, store, now, log }),
    ...plainHandlers({ ...edge, plain, bearers, bounds }),
    ...mediaHandlers({ ...edge, media, metrics }),
    ...audienceHandlers({ ...edge, presence, metrics }),
    ...linkHandlers({ ...edge, linkDoor, metrics }),
  };
  const formOf = (path: string) =>
    path in media ? 'media' : plain[path]?.refuse ? 'page' : 'interface';
  for (const [path, handle] of Object.entries(table))
    table[path] = gated(handle, { ...edge, form: formOf(path) });
  return table;
}
