// The HTTP edge: joins the route table, pages, media and the pages' WebSocket to one server, and stops it gently.
import { Bearers } from './access/bearers.ts';
import type { Store } from './db/sql.ts';
import { Asker } from './http/asker.ts';
import { audienceHandlers } from './http/audience-upgrade.ts';
import { Border } from './http/border.ts';
import type { BunHandlers } from './http/bun-handler.ts';
import { httpLimits } from './http/limits.ts';
import { mediaHandlers } from './http/media-answers.ts';
import { plainHandlers } from './http/plain-answers.ts';
import { type HttpRefusals, openHttpRefusals } from './http/refused.ts';
import { routeHandlers } from './http/route-answers.ts';
import { gated, TurnGate } from './http/turn-gate.ts';
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

export function startServer(options: ServerOptions): HttpServer {
  const asker = new Asker({ ...options, isSecure: options.tls !== undefined });
  const refused = openHttpRefusals(options.peers);
  const border = new Border({ ...options, asker, refused });
  const gate = new TurnGate({ ...options, asker, refused });
  const edge = { asker, refused, border, gate };
  const server = Bun.serve<Connection>({
    hostname: options.host,
    port: options.port,
    idleTimeout: httpLimits.idleSeconds,
    // Our own reader bounds bodies and answers in the interface's words; Bun's answer would be empty.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    ...(options.tls && { tls: options.tls, http2: true }),
    routes: handlers(options, edge),
    websocket: options.presence.socket,
    fetch: gated((request, server) => border.refuse(request, server, new ApiError('noPath')), edge),
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
      await Bun.sleep(Math.min(httpLimits.drainMs, options.stopWithinMs));
      const closed = server.stop();
      const late = setTimeout(() => server.stop(true), options.stopWithinMs);
      await closed;
      clearTimeout(late);
    },
  };
}

/** What every answer passes. */
interface Edge {
  asker: Asker;
  refused: HttpRefusals;
  border: Border;
  gate: TurnGate;
}

function handlers(options: ServerOptions, edge: Edge): BunHandlers {
  const { routes, plain, media, presence, store, now, log, metrics } = options;
  const bearers = new Bearers(options);
  const table: BunHandlers = {
    ...routeHandlers({ ...edge, routes, bearers, store, now, log }),
    ...plainHandlers({ ...edge, plain, bearers }),
    ...mediaHandlers({ ...edge, media, metrics, log }),
    ...audienceHandlers({ ...edge, presence, metrics }),
  };
  for (const [path, handle] of Object.entries(table)) table[path] = gated(handle, edge);
  return table;
}
