// The HTTP edge: mounts the route table, checks tokens and requests, turns errors into answers.
import { looksLikeToken } from './access/token.ts';
import { type Bearer, findBearer } from './access/token-store.ts';
import type { Store } from './db/sql.ts';
import { AnswerMemo, type Remembered } from './lib/answer-memo.ts';
import type { Scope } from './lib/caller.ts';
import { ApiError, type ErrorName, unavailable } from './lib/errors.ts';
import { readJsonBody } from './lib/json-body.ts';
import type { Log } from './lib/log.ts';
import type { Metrics } from './lib/metrics.ts';
import { type AnyRoute, type Call, readPart } from './lib/route.ts';

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
  authorize(scope: Scope): Promise<void>;
}

/** An answer before it is a `Response`: touching a Response's headers costs more than making them. */
export interface PlainAnswer {
  status?: number;
  headers: Record<string, string>;
  body: string | null;
}

export type PlainHandler = (call: PlainCall) => Promise<PlainAnswer> | PlainAnswer;

export interface HttpServer {
  port: number;
  /** Takes no new connections, lets requests under way finish, then closes. */
  stop(): Promise<void>;
}

/** Requests under way at once; more are refused, so that memory stays bounded. */
const underWayMax = 2_000;
/** Seconds without a byte after which a connection is closed. */
const idleSeconds = 30;
/**
 * Before it stops, the server goes on answering for this long, with `Connection: close`: Bun closes
 * a kept-alive connection also when a request is already on its way there.
 */
const drainMs = 250;

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
      await Bun.sleep(Math.min(drainMs, options.stopWithinMs));
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

  private readonly memo = new AnswerMemo();
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
    }
    this.underWay -= 1;
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
    const { store, now } = this.options;
    const version = entry.method === 'GET' ? store.version() : undefined;
    const key = `${request.headers.get('authorization')} ${request.headers.get('host')} ${target}`;
    const known = version === undefined ? undefined : this.memo.get(version, key);
    const isAlive = known && (known.expires_at === null || known.expires_at > now());
    const answer = isAlive ? known : await this.make(entry, request, target);
    if (version !== undefined && answer !== known) this.memo.set(version, key, answer);
    return jsonAnswer(answer, entry.single ? request.headers.get('if-none-match') : undefined);
  }

  /** Checks the token and every part of the request, then lets the handler answer. */
  private async make(entry: AnyRoute, request: Bun.BunRequest, target: string): Promise<Made> {
    const bearer = await this.bearer(tokenOf(request));
    if (!bearer.scopes.includes(entry.scope)) throw lacks(entry.scope);
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
    const { body, headers } = await entry.handle(call as Call<never, never, never>);
    const text = JSON.stringify(body);
    const tag = entry.single ? `"${Bun.hash(text).toString(36)}"` : '';
    return { text, tag, headers, expires_at: bearer.expires_at };
  }

  private async bearer(token: string): Promise<Bearer> {
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
        const { scopes } = await this.bearer(tokenOf(request));
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

/** What a handler made, ready to be sent and to be remembered. */
interface Made extends Remembered {
  headers?: Record<string, string> | undefined;
}

const jsonType = 'application/json; charset=utf-8';

/** A path id that is no positive integer names nothing: 404, with the code of what is missing. */
function pathParams(entry: AnyRoute, came: Record<string, string>): unknown {
  try {
    return readPart(entry.params, came);
  } catch {
    throw new ApiError(entry.errors?.find((name) => name.startsWith('no')) ?? 'noPath');
  }
}

/** A parameter that is given twice becomes a list, which no field takes; an empty one is not given. */
function queryOf(target: string): Record<string, unknown> {
  const at = target.indexOf('?');
  if (at < 0) return {};
  const values = Map.groupBy(new URLSearchParams(target.slice(at + 1)), ([name]) => name);
  const query: Record<string, unknown> = {};
  for (const [name, pairs] of values) {
    const given = new Set(pairs.map(([, value]) => value).filter((value) => value !== ''));
    if (given.size > 0) query[name] = given.size === 1 ? [...given][0] : [...given];
  }
  return query;
}

/** `knownTag` is If-None-Match of a single read, undefined where the operation has no tags. */
function jsonAnswer(
  { text, tag, headers }: Made,
  knownTag: string | null | undefined,
): PlainAnswer {
  if (knownTag === undefined) {
    return {
      headers: { 'content-type': jsonType, 'cache-control': 'no-store', ...headers },
      body: text,
    };
  }
  const tagged = { 'content-type': jsonType, 'cache-control': 'private, no-cache', etag: tag };
  const isKnown = knownTag !== null && hasTag(knownTag, tag);
  return isKnown ? { status: 304, headers: tagged, body: null } : { headers: tagged, body: text };
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

function tokenOf(request: Request): string {
  const header = request.headers.get('authorization');
  if (header === null) throw unauthorized('The request carries no Authorization header');
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1];
  if (token === undefined) throw unauthorized('Authorization must be: Bearer <token>');
  if (!looksLikeToken(token)) throw unauthorized('The token is not well formed');
  return token;
}

/** Path and query of a request as they came; where the Host header is no host, Bun gives them alone. */
function targetOf({ url }: Request): string {
  return url.startsWith('/') ? url : url.slice(url.indexOf('/', url.indexOf('//') + 2));
}

function pathOf(target: string): string {
  const at = target.indexOf('?');
  return at < 0 ? target : target.slice(0, at);
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
