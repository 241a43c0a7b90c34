// The HTTP edge: joins the route table, pages, media and the pages' WebSocket to one server, and stops it gently.
import { Bearers } from './access/bearers.ts';
import type { Store } from './db/sql.ts';
import { Asker } from './http/asker.ts';
import { audienceHandlers } from './http/audience-upgrade.ts';
import { Border } from './http/border.ts';
import { mediaHandlers } from './http/media-answers.ts';
import { plainHandlers } from './http/plain-answers.ts';
import { routeHandlers } from './http/route-answers.ts';
import type { TrustedProxies } from './lib/client-address.ts';
import { ApiError } from './lib/errors.ts';
import type { Log } from './lib/log.ts';
import type { MediaHandler } from './lib/media-answer.ts';
import type { Metrics } from './lib/metrics.ts';
import type { PlainHandler } from './lib/plain-answer.ts';
import type { AnyRoute } from './lib/route.ts';
import type { Peers } from './peers/peers.ts';
import type { Connection } from './presence/connection.ts';
import type { Presence } from './presence/presence.ts';

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
  /** Media, by path. */
  media: Record<string, MediaHandler>;
  /** The WebSocket that every page opens. */
  presence: Pick<Presence, 'admit' | 'attach' | 'socket'>;
  peers: Pick<Peers, 'refusals' | 'isAllowed'>;
  proxies: TrustedProxies;
  /** Certificate and key, PEM: then HTTPS, with HTTP/2 for who can. */
  tls: { cert: string; key: string } | undefined;
  store: Store;
  now: () => number;
  log: Log;
  metrics: Metrics;
}

export interface HttpServer {
  port: number;
  /** Takes no new connections, lets requests under way finish, then closes. */
  stop(): Promise<void>;
}

/** Seconds without a byte after which a connection is closed. */
const idleSeconds = 30;
/**
 * Before it stops, the server goes on answering for this long, with `Connection: close`: Bun closes
 * a kept-alive connection also when a request is already on its way there.
 */
const drainMs = 250;

export function startServer(options: ServerOptions): HttpServer {
  const border = new Border(options);
  const server = Bun.serve<Connection>({
    hostname: options.host,
    port: options.port,
    idleTimeout: idleSeconds,
    // Our own reader bounds bodies and answers in the interface's words; Bun's answer would be empty.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    ...(options.tls && { tls: options.tls, http2: true }),
    routes: handlers(options, border),
    websocket: options.presence.socket,
    fetch: (request) => border.refuse(request, new ApiError('noPath')),
    error: (error) => {
      options.log.error('a request failed outside its handler', { error });
      return new Response(null, { status: 500 });
    },
  });
  options.presence.attach((topic, text) => server.publish(topic, text));
  const port = server.port ?? options.port;
  return {
    port,
    stop: async () => {
      border.isDraining = true;
      await Bun.sleep(Math.min(drainMs, options.stopWithinMs));
      const closed = server.stop();
      const late = setTimeout(() => server.stop(true), options.stopWithinMs);
      await closed;
      clearTimeout(late);
    },
  };
}

function handlers(options: ServerOptions, border: Border) {
  const { routes, plain, media, presence, proxies, publicUrl, store, log, metrics } = options;
  const bearers = new Bearers(options);
  const asker = new Asker({ proxies, publicUrl, isSecure: options.tls !== undefined });
  return {
    ...routeHandlers({ routes, border, bearers, asker, store, log }),
    ...plainHandlers({ plain, border, bearers, asker }),
    ...mediaHandlers({ media, border, asker, metrics, log }),
    ...audienceHandlers({ presence, border, asker, metrics }),
  };
}
