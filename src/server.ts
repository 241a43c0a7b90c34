// The HTTP edge: mounts the route table, checks tokens and requests, turns errors into answers.
import { looksLikeToken } from './access/token.ts';
import { type Bearer, findBearer } from './access/token-store.ts';
import type { Store } from './db/sql.ts';
import { ApiError, type ErrorName, unavailable } from './lib/errors.ts';
import { readJsonBody } from './lib/json-body.ts';
import type { Log } from './lib/log.ts';
import type { Metrics } from './lib/metrics.ts';
import { type Answer, type AnyRoute, type Call, readPart } from './lib/route.ts';

export interface ServerOptions {
  host: string;
  port: number;
  /** Start of every address in an answer; empty for the host that the request names. */
  publicUrl: string;
  /** Requests under way get this long once the server stops. */
  stopWithinMs: number;
  routes: readonly AnyRoute[];
  /** Answers outside the interface, by path: `/livez`, `/docs` and the like. GET only. */
  plain: Record<string, PlainHandler>;
  store: Store;
  now: () => number;
  log: Log;
  metrics: Metrics;
}

export interface PlainCall {
  baseUrl: string;
  /** Whether the request comes from this machine itself, not through a proxy on it. */
  isLocal: boolean;
  /** Throws unless the request carries a token with the scope. */
  authorize(scope: string): Promise<void>;
}

export type PlainHandler = (call: PlainCall) => Promise<Response> | Response;

export interface HttpServer {
  port: number;
  /** Takes no new connections, lets requests under way finish, then closes. */
  stop(): Promise<void>;
}

/** Requests under way at once; more are refused, so that memory stays bounded. */
const underWayMax = 2_000;
/** Seconds without a byte after which a connection is closed. */
const idleSeconds = 30;

export function startServer(options: ServerOptions): HttpServer {
  const edge = new Edge(options);
  const server = Bun.serve({
    hostname: options.host,
    port: options.port,
    idleTimeout: idleSeconds,
    // Our own reader bounds bodies and answers in the interface's words; Bun's answer would be empty.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    routes: edge.bunRoutes(),
    fetch: (request) => edge.refuse(request, 'noPath'),
    error: (error) => {
      options.log.error('a request failed outside its handler', { error });
      return new Response(null, { status: 500 });
    },
  });
  const port = server.port ?? options.port;
  return {
    port,
    stop: async () => {
      edge.draining = true;
      const closed = server.stop();
      const late = setTimeout(() => server.stop(true), options.stopWithinMs);
      await closed;
      clearTimeout(late);
    },
  };
}

type BunHandler = (request: Bun.BunRequest, server: Bun.Server<undefined>) => Promise<Response>;

class Edge {
  private readonly options: ServerOptions;

  private underWay = 0;
  draining = false;

  constructor(options: ServerOptions) {
    this.options = options;
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
        return this.answer(request, entry.operationId, (requestId) =>
          this.perform(entry, request, requestId),
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
    make: (requestId: string) => Promise<Response> | Response,
  ): Promise<Response> {
    const startedAt = performance.now();
    const requestId = requestIdOf(request);
    this.underWay += 1;
    let response: Response;
    try {
      if (this.underWay > underWayMax) throw unavailable('Too many requests are under way');
      response = await make(requestId);
      if (!response.headers.has('x-request-id')) response.headers.set('x-request-id', requestId);
    } catch (error) {
      response = this.errorAnswer(error, requestId);
    }
    this.underWay -= 1;
    if (this.draining) response.headers.set('connection', 'close');
    const ms = performance.now() - startedAt;
    this.options.metrics.count(operation, response.status, ms);
    this.options.log.info('request', {
      request_id: requestId,
      method: request.method,
      path: targetOf(request).split('?', 1)[0],
      status: response.status,
      ms: Math.round(ms * 100) / 100,
    });
    return response;
  }

  private async perform(
    entry: AnyRoute,
    request: Bun.BunRequest,
    requestId: string,
  ): Promise<Response> {
    const bearer = await this.bearer(request);
    if (!bearer.scopes.split(' ').includes(entry.scope)) throw lacks(entry.scope);
    const target = targetOf(request);
    const queried = queryOf(target);
    const sent = entry.body ? await readJsonBody(request) : {};
    const call: Call<unknown, unknown, unknown> = {
      caller: bearer,
      params: pathParams(entry, request.params),
      query: readPart(entry.query, queried),
      body:
        entry.body &&
        readPart(entry.body, entry.bodyInQuery ? { ...queried, ...sent } : sent, entry.required),
      baseUrl: this.baseUrl(request),
      target,
      header: (name) => request.headers.get(name),
    };
    return jsonAnswer(await entry.handle(call as Call<never, never, never>), {
      requestId,
      knownTag: entry.single ? request.headers.get('if-none-match') : undefined,
    });
  }

  private async bearer(request: Request): Promise<Bearer> {
    const header = request.headers.get('authorization');
    if (header === null) throw unauthorized('The request carries no Authorization header');
    const token = /^Bearer +(\S+)$/i.exec(header)?.[1];
    if (token === undefined) throw unauthorized('Authorization must be: Bearer <token>');
    if (!looksLikeToken(token)) throw unauthorized('The token is not well formed');
    const bearer = await findBearer(this.options.store, token, this.options.now());
    if (typeof bearer === 'string') throw unauthorized(bearer);
    return bearer;
  }

  private baseUrl(request: Request): string {
    if (this.options.publicUrl !== '') return this.options.publicUrl;
    const host = request.headers.get('host') ?? '';
    return `http://${/^[\w.:[\]-]{1,255}$/.test(host) ? host : 'localhost'}`;
  }

  private plainCall(request: Request, server: Bun.Server<undefined>): PlainCall {
    const address = server.requestIP(request)?.address ?? '';
    const isForwarded = request.headers.has('x-forwarded-for') || request.headers.has('forwarded');
    return {
      baseUrl: this.baseUrl(request),
      isLocal: /^(127\.|::1$|::ffff:127\.)/.test(address) && !isForwarded,
      authorize: async (scope) => {
        const { scopes } = await this.bearer(request);
        if (!scopes.split(' ').includes(scope)) throw lacks(scope);
      },
    };
  }

  private errorAnswer(error: unknown, requestId: string): Response {
    const known = error instanceof ApiError ? error : new ApiError('internal', { cause: error });
    if (known.status >= 500) {
      const { message, cause } = known;
      this.options.log.error('a request could not be answered', {
        request_id: requestId,
        reason: message,
        cause,
      });
    }
    return Response.json(known.body(requestId), {
      status: known.status,
      headers: { ...known.headers, 'x-request-id': requestId, 'cache-control': 'no-store' },
    });
  }
}

/** A path id that is no positive integer names nothing: 404, with the code of what is missing. */
function pathParams(entry: AnyRoute, came: Record<string, string>): unknown {
  try {
    return readPart(entry.params, came);
  } catch {
    throw new ApiError(entry.errors?.find((name) => name.startsWith('no')) ?? 'noPath');
  }
}

function queryOf(target: string): Record<string, unknown> {
  const at = target.indexOf('?');
  const query: Record<string, unknown> = {};
  if (at < 0) return query;
  for (const [name, value] of new URLSearchParams(target.slice(at + 1))) {
    if (value === '') continue;
    if (Object.hasOwn(query, name) && query[name] !== value) {
      throw new ApiError('invalid', { fields: [{ name, message: `${name} is given twice` }] });
    }
    query[name] = value;
  }
  return query;
}

function jsonAnswer(
  { body, headers }: Answer<unknown>,
  { requestId, knownTag }: { requestId: string; knownTag: string | null | undefined },
): Response {
  const text = JSON.stringify(body);
  const common: Record<string, string> = {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': requestId,
    ...headers,
  };
  if (knownTag === undefined) {
    common['cache-control'] = 'no-store';
    return new Response(text, { headers: common });
  }
  const tag = `"${Bun.hash(text).toString(36)}"`;
  common['etag'] = tag;
  common['cache-control'] = 'private, no-cache';
  if (knownTag !== null && hasTag(knownTag, tag))
    return new Response(null, { status: 304, headers: common });
  return new Response(text, { headers: common });
}

/** If-None-Match: a list of tags or `*`, compared weakly (RFC 9110 13.1.2). */
function hasTag(known: string, tag: string): boolean {
  return known.split(',').some((one) => {
    const plain = one.trim().replace(/^W\//, '');
    return plain === '*' || plain === tag;
  });
}

/** A caller's own id is kept where it is harmless in a log line. */
function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id');
  return given !== null && /^[\w.:-]{1,128}$/.test(given) ? given : crypto.randomUUID();
}

/** Path and query of a request as they came. */
function targetOf({ url }: Request): string {
  return url.slice(url.indexOf('/', url.indexOf('//') + 2));
}

function unauthorized(message: string): ApiError {
  return new ApiError('unauthorized', { message, headers: { 'WWW-Authenticate': 'Bearer' } });
}

function lacks(scope: string): ApiError {
  return new ApiError('noAccess', { message: `The token lacks the scope ${scope}` });
}

function notAllowed(methods: readonly string[]): ApiError {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return new ApiError('noMethod', { headers: { Allow: allowed.join(', ') } });
}
