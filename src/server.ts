// The HTTP edge: mounts the route table, media, pages and their WebSocket; checks tokens, turns errors into answers.
import { Bearers } from './access/bearers.ts';
import type { Bearer } from './access/token-store.ts';
import type { Store } from './db/sql.ts';
import type { TrustedProxies } from './lib/client-address.ts';
import { ApiError, type ErrorName, unavailable } from './lib/errors.ts';
import { readJsonBody } from './lib/json-body.ts';
import type { Log } from './lib/log.ts';
import {
  type MediaAnswer,
  type MediaCall,
  type MediaHandler,
  otherMethod,
  textAnswer,
} from './lib/media-answer.ts';
import type { Metrics } from './lib/metrics.ts';
import { type Pieces, streamOf } from './lib/pieces.ts';
import type { PlainAnswer, PlainCall, PlainHandler } from './lib/plain-answer.ts';
import {
  hasTag,
  over,
  pathOf,
  queryOf,
  queryTextOf,
  requestIdOf,
  targetOf,
} from './lib/request.ts';
import { type Answer, type AnyRoute, type Call, readPart } from './lib/route.ts';
import { VersionMemo } from './lib/version-memo.ts';
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

/** Requests under way at once; more are refused, so that memory stays bounded. */
const underWayMax = 2_000;
/** Answers in pieces at once: a slow caller holds one, and a piece of it, until the connection has been idle for long. */
const streamsMax = 16;
/** Answers to reads that are remembered: what people poll for, not a copy of the database. */
const answersMax = 1_000;
const answerCharactersMax = 4_000_000;
/** Seconds without a byte after which a connection is closed. */
const idleSeconds = 30;
/**
 * Before it stops, the server goes on answering for this long, with `Connection: close`: Bun closes
 * a kept-alive connection also when a request is already on its way there.
 */
const drainMs = 250;
/** Where pages open their WebSocket. */
const audiencePath = '/audience';

export function startServer(options: ServerOptions): HttpServer {
  const edge = new Edge(options);
  const server = Bun.serve<Connection>({
    hostname: options.host,
    port: options.port,
    idleTimeout: idleSeconds,
    // Our own reader bounds bodies and answers in the interface's words; Bun's answer would be empty.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    ...(options.tls && { tls: options.tls, http2: true }),
    routes: edge.bunRoutes(),
    websocket: options.presence.socket,
    fetch: (request) => edge.refuse(request, 'noPath'),
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
      edge.draining = true;
      await Bun.sleep(Math.min(drainMs, options.stopWithinMs));
      const closed = server.stop();
      const late = setTimeout(() => server.stop(true), options.stopWithinMs);
      await closed;
      clearTimeout(late);
    },
  };
}

type BunServer = Bun.Server<Connection>;
/** Undefined: the connection is a WebSocket from here on. */
type BunHandler = (
  request: Bun.BunRequest,
  server: BunServer,
) => Promise<Response | undefined> | Response | undefined;

class Edge {
  private readonly options: ServerOptions;

  private readonly bearers: Bearers;
  private readonly answers = new VersionMemo<Made>({
    entriesMax: answersMax,
    weightMax: answerCharactersMax,
    weigh: ({ text }) => text.length,
  });
  private readonly sharedHeaders = new WeakMap<object, Headers>();
  private underWay = 0;
  private streams = 0;
  draining = false;

  constructor(options: ServerOptions) {
    this.options = options;
    this.bearers = new Bearers(options);
  }

  bunRoutes(): Record<string, BunHandler> {
    const table: Record<string, BunHandler> = {};
    for (const [path, entries] of Map.groupBy(this.options.routes, (entry) => entry.path)) {
      table[path.replace(/\{(\w+)\}/g, ':$1')] = this.handler(entries);
    }
    for (const [path, handle] of Object.entries(this.options.plain)) {
      table[path] = (request, server) =>
        this.answer(request, path, () => {
          if (request.method !== 'GET' && request.method !== 'HEAD') throw notAllowed(['GET']);
          return handle(this.plainCall(request, server));
        });
    }
    for (const [path, handle] of Object.entries(this.options.media))
      table[path] = (request, server) =>
        this.mediaAnswer(request, path, () => handle(this.mediaCall(request, server)));
    table[audiencePath] = (request, server) => this.upgrade(request, server);
    return table;
  }

  /** An answer that needs no handler: an unknown path. */
  refuse(request: Request, kind: ErrorName): Promise<Response> {
    return this.answer(request, 'none', () => {
      throw new ApiError(kind);
    });
  }

  private handler(entries: readonly AnyRoute[]): BunHandler {
    const byMethod = new Map<string, AnyRoute>(entries.map((entry) => [entry.method, entry]));
    const get = byMethod.get('GET');
    if (get) byMethod.set('HEAD', get);
    const methods = entries.map(({ method }) => method);
    return (request) => {
      const entry = byMethod.get(request.method);
      if (entry) {
        return this.answer(request, entry.operationId, (target) =>
          this.perform(entry, request, target),
        );
      }
      return this.answer(request, 'none', () => {
        throw notAllowed(methods);
      });
    };
  }

  /** Runs a handler inside the border: every error becomes an answer, every answer is counted and logged. */
  private async answer(
    request: Request,
    operation: string,
    make: (target: string) => Promise<PlainAnswer> | PlainAnswer,
  ): Promise<Response> {
    const startedAt = performance.now();
    const target = targetOf(request);
    const requestId = requestIdOf(request);
    this.underWay += 1;
    let answer: PlainAnswer;
    try {
      if (this.underWay > underWayMax) throw unavailable('Too many requests are under way');
      answer = await make(target);
    } catch (error) {
      answer = this.errorAnswer(error, requestId);
    } finally {
      this.underWay -= 1;
    }
    const { status = 200, headers, body } = answer;
    headers['x-request-id'] = requestId;
    if (this.draining) headers['connection'] = 'close';
    const ms = performance.now() - startedAt;
    this.options.metrics.count(operation, status, ms);
    const path = pathOf(target);
    this.options.log.request({ request_id: requestId, method: request.method, path, status, ms });
    return new Response(body, { status, headers });
  }

  private async perform(
    entry: AnyRoute,
    request: Bun.BunRequest,
    target: string,
  ): Promise<PlainAnswer> {
    const { headers } = request;
    const version = this.options.store.version();
    const bearer = await this.bearers.find(headers.get('authorization'), version);
    if (!bearer.scopes.includes(entry.scope)) throw lacks(entry.scope);
    if (entry.streamed) return await this.stream(entry, request, { bearer, target });
    if (entry.method !== 'GET')
      return jsonAnswer(await this.make(entry, request, { bearer, target }), headers);
    const key = `${bearer.sees} ${headers.get('host')} ${target}`;
    const known = this.answers.get(version, key);
    if (known) return jsonAnswer(known, headers);
    const made = await this.make(entry, request, { bearer, target });
    this.answers.set(version, key, made);
    return jsonAnswer(made, headers);
  }

  private async make(entry: AnyRoute, request: Bun.BunRequest, asked: Asked): Promise<Made> {
    const { body, headers } = await this.handle(entry, request, asked);
    const text = JSON.stringify(body);
    const tag = entry.single ? `"${Bun.hash(text).toString(36)}"` : undefined;
    return { text, tag, headers };
  }

  /** An answer in pieces: never remembered, and none of it made for HEAD. */
  private async stream(
    entry: AnyRoute,
    request: Bun.BunRequest,
    asked: Asked,
  ): Promise<PlainAnswer> {
    if (this.streams >= streamsMax)
      throw unavailable(`${streamsMax} exports are under way already; try again`);
    this.streams += 1;
    const onEnd = () => {
      this.streams -= 1;
    };
    try {
      const { body, headers } = await this.handle(entry, request, asked);
      const isHead = request.method === 'HEAD';
      if (isHead) onEnd();
      const onError = (error: unknown) =>
        this.options.log.error('an answer broke off', { path: pathOf(asked.target), error });
      return {
        headers: {
          'content-type': entry.streamed === 'text/csv' ? csvType : String(entry.streamed),
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          ...headers,
        },
        body: isHead ? null : streamOf(body as Pieces, { onError, onEnd }),
      };
    } catch (error) {
      onEnd();
      throw error;
    }
  }

  /** Checks every part of the request, then lets the handler answer. */
  private async handle(
    entry: AnyRoute,
    request: Bun.BunRequest,
    { bearer, target }: Asked,
  ): Promise<Answer<unknown>> {
    const queried = queryOf(target);
    const sent = entry.body ? await readJsonBody(request) : {};
    const call: Call<unknown, unknown, unknown> = {
      caller: bearer,
      params: pathParams(entry, request.params),
      query: readPart(entry.query, queried),
      body:
        entry.body &&
        readPart(entry.body, entry.bodyInQuery ? over(queried, sent) : sent, entry.required),
      baseUrl: this.baseUrl(request),
      target,
      header: (name) => request.headers.get(name),
    };
    return await entry.handle(call as Call<never, never, never>);
  }

  /** No log line for each: a viewer asks ten times a second. */
  private mediaAnswer(
    request: Request,
    path: string,
    make: () => Promise<MediaAnswer> | MediaAnswer,
  ): Promise<Response> | Response {
    const startedAt = performance.now();
    const sent = (answer: MediaAnswer) => {
      const { status, body, headers } = answer;
      this.options.metrics.count(path, status, performance.now() - startedAt);
      return new Response(body, { status, headers: this.mediaHeaders(headers) });
    };
    const failed = (error: unknown) => sent(this.mediaFailure(path, error));
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    try {
      const made = isRead ? make() : otherMethod(request.method);
      return made instanceof Promise ? made.then(sent, failed) : sent(made);
    } catch (error) {
      return failed(error);
    }
  }

  /** To read the same three lines for every part costs more than to find the part. */
  private mediaHeaders(headers: MediaAnswer['headers']): Headers | Record<string, string> {
    if (this.draining) return { ...headers, connection: 'close' };
    if (!Object.isFrozen(headers)) return headers;
    const known = this.sharedHeaders.get(headers) ?? new Headers(headers);
    this.sharedHeaders.set(headers, known);
    return known;
  }

  private mediaFailure(path: string, error: unknown): MediaAnswer {
    const known = error instanceof ApiError ? error : new ApiError('internal');
    // That the database is away is said once elsewhere, not for every viewer.
    if (known !== error) this.options.log.error('media could not be sent', { path, error });
    return textAnswer(known.status, known.message, known.headers);
  }

  /** No log line for each: after a restart every viewer comes back at once. */
  private upgrade(request: Bun.BunRequest, server: BunServer) {
    const { headers } = request;
    if (headers.get('upgrade')?.toLowerCase() !== 'websocket')
      return this.answer(request, audiencePath, needsWebSocket);
    const data = this.options.presence.admit({
      origin: headers.get('origin'),
      host: headers.get('host') ?? '',
      address: this.addressOf(request, peerOf(request, server)),
      userAgent: headers.get('user-agent') ?? '',
    });
    const status = data === 'refused' ? 403 : server.upgrade(request, { data }) ? 101 : 400;
    this.options.metrics.count(audiencePath, status, 0);
    return status === 101 ? undefined : new Response(null, { status });
  }

  private addressOf({ headers }: Request, peer: string): string {
    return this.options.proxies.addressOf(peer, (name) => headers.get(name));
  }

  private baseUrl(request: Request): string {
    if (this.options.publicUrl !== '') return this.options.publicUrl;
    const host = request.headers.get('host') ?? '';
    return `${this.options.tls ? 'https' : 'http'}://${/^[\w.:[\]-]{1,255}$/.test(host) ? host : 'localhost'}`;
  }

  /** Most media has no query, and nobody asks for the address: to look for them costs more than to answer. */
  private mediaCall(request: Bun.BunRequest, server: BunServer): MediaCall {
    const addressOf = () => this.addressOf(request, peerOf(request, server));
    return {
      params: request.params,
      get query() {
        return queryParamsOf(request);
      },
      header: (name) => request.headers.get(name),
      get address() {
        return addressOf();
      },
    };
  }

  private plainCall(request: Bun.BunRequest, server: BunServer): PlainCall {
    const { headers } = request;
    const peer = peerOf(request, server);
    const isForwarded = headers.has('x-forwarded-for') || headers.has('forwarded');
    return {
      params: request.params,
      get query() {
        return queryParamsOf(request);
      },
      header: (name) => headers.get(name),
      address: this.addressOf(request, peer),
      baseUrl: this.baseUrl(request),
      isLocal: /^(127\.|::1$|::ffff:127\.)/.test(peer) && !isForwarded,
      authorize: async (scope) => {
        const { scopes } = await this.bearers.find(headers.get('authorization'), undefined);
        if (!scopes.includes(scope)) throw lacks(scope);
      },
    };
  }

  private errorAnswer(error: unknown, requestId: string): PlainAnswer {
    const known = error instanceof ApiError ? error : new ApiError('internal', { cause: error });
    if (known.status >= 500) {
      const { message, cause } = known;
      this.options.log.error('a request could not be answered', {
        request_id: requestId,
        reason: message,
        cause,
      });
    }
    return {
      status: known.status,
      headers: { ...known.headers, 'content-type': jsonType, 'cache-control': 'no-store' },
      body: JSON.stringify(known.body(requestId)),
    };
  }
}

function needsWebSocket(): PlainAnswer {
  return {
    status: 426,
    headers: { upgrade: 'websocket', 'content-type': 'text/plain; charset=utf-8' },
    body: 'This address is for the WebSocket of a page\n',
  };
}

function peerOf(request: Request, server: BunServer): string {
  return server.requestIP(request)?.address ?? '';
}

function queryParamsOf(request: Request): URLSearchParams {
  return new URLSearchParams(queryTextOf(targetOf(request)));
}

/** Who asks, and for what. */
interface Asked {
  bearer: Bearer;
  target: string;
}

/** What a handler made, ready to be sent and to be remembered. */
interface Made {
  text: string;
  /** The ETag of a single read. */
  tag: string | undefined;
  headers: Record<string, string> | undefined;
}

export const jsonType = 'application/json; charset=utf-8';
const csvType = 'text/csv; charset=utf-8; header=present';

/** A path id that is no positive integer, written as we write it, names nothing: 404. */
function pathParams(entry: AnyRoute, came: Record<string, string>): unknown {
  try {
    if (Object.values(came).every((id) => /^[1-9]\d*$/.test(id)))
      return readPart(entry.params, came);
  } catch {
    // Too large to be an id of ours.
  }
  throw new ApiError(entry.absent ?? 'noPath');
}

function jsonAnswer({ text, tag, headers }: Made, asked: Headers): PlainAnswer {
  if (tag === undefined) {
    return {
      headers: { 'content-type': jsonType, 'cache-control': 'no-store', ...headers },
      body: text,
    };
  }
  const tagged = {
    'content-type': jsonType,
    'cache-control': 'private, no-cache',
    etag: tag,
    ...headers,
  };
  const known = asked.get('if-none-match');
  if (known !== null && hasTag(known, tag)) return { status: 304, headers: tagged, body: null };
  return { headers: tagged, body: text };
}

function lacks(scope: string): ApiError {
  return new ApiError('noAccess', { message: `The token lacks the scope ${scope}` });
}

function notAllowed(methods: readonly string[]): ApiError {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return new ApiError('noMethod', { headers: { Allow: allowed.join(', ') } });
}
