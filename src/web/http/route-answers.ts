// The interface over HTTP: an entry of the route table is found, its token checked, its answer made or remembered.
import { holds } from '../../base/api/caller.ts';
import { ApiError } from '../../base/api/errors.ts';
import { BodyRefusal, readJsonBody } from '../../base/api/json-body.ts';
import { type Pieces, streamOf } from '../../base/api/pieces.ts';
import type { PlainAnswer } from '../../base/api/plain-answer.ts';
import { hasTag, over, pathOf, queryOf } from '../../base/api/request.ts';
import type { Answer, AnyRoute } from '../../base/api/route.ts';
import { readPart } from '../../base/api/shape.ts';
import type { Store } from '../../base/db/sql.ts';
import { VersionMemo } from '../../base/db/version-memo.ts';
import type { Log } from '../../base/lib/log.ts';
import { networkOf } from '../../base/lib/network.ts';
import type { Bearers } from '../../library/access/bearers.ts';
import type { Bearer } from '../../library/access/token-store.ts';
import { type Asker, peerOf } from './asker.ts';
import { type Border, jsonType, lacks, notAllowed } from './border.ts';
import type { BunHandler, BunHandlers } from './bun-handler.ts';
import type { BytesWatch } from './bytes-watch.ts';
import { ExportPlaces } from './export-places.ts';
import { type HttpBounds, httpLimits } from './http-limits.ts';
import type { HttpBook } from './http-refusals.ts';

export interface RouteAnswersOptions {
  routes: readonly AnyRoute[];
  border: Border;
  bearers: Bearers;
  asker: Asker;
  refusals: HttpBook;
  bytes: Pick<BytesWatch, 'bodyRead'>;
  bounds: HttpBounds;
  store: Store;
  now: () => number;
  log: Log;
}

export function routeHandlers(options: RouteAnswersOptions): BunHandlers {
  const answers = new RouteAnswers(options);
  const table: BunHandlers = {};
  for (const [path, entries] of Map.groupBy(options.routes, (entry) => entry.path))
    table[path.replace(/\{(\w+)\}/g, ':$1')] = answers.handler(entries);
  return table;
}

/** Who asks, and for what. */
interface Asked {
  bearer: Bearer;
  target: string;
  address(): string;
}

/** What a handler made, ready to be sent and to be remembered. */
interface Made {
  text: string;
  /** The ETag of a single read. */
  tag: string | undefined;
  headers: Record<string, string> | undefined;
}

class RouteAnswers {
  private readonly options: RouteAnswersOptions;

  private readonly answers = new VersionMemo<Made>({
    entriesMax: httpLimits.answersMax,
    weightMax: httpLimits.answerCharactersMax,
    weigh: ({ text }) => text.length,
  });
  private readonly exports: ExportPlaces;

  constructor(options: RouteAnswersOptions) {
    this.options = options;
    this.exports = new ExportPlaces(options);
  }

  /** Of one path, whatever the method. */
  handler(entries: readonly AnyRoute[]): BunHandler {
    const { border, asker } = this.options;
    const byMethod = new Map<string, AnyRoute>(entries.map((entry) => [entry.method, entry]));
    const get = byMethod.get('GET');
    if (get) byMethod.set('HEAD', get);
    const methods = entries.map(({ method }) => method);
    return (request, server) => {
      const entry = byMethod.get(request.method);
      if (!entry) return border.refuse(request, server, notAllowed(methods));
      return border.answer(request, server, {
        operation: entry.operationId,
        make: (target) =>
          this.perform(entry, request, {
            target,
            address: () => asker.addressOf(request, peerOf(request, server)),
          }),
      });
    };
  }

  private async perform(
    entry: AnyRoute,
    request: Bun.BunRequest,
    { target, address }: Omit<Asked, 'bearer'>,
  ): Promise<PlainAnswer> {
    const { headers } = request;
    const version = this.options.store.version();
    const bearer = await this.options.bearers.find(headers.get('authorization'), {
      version,
      address,
    });
    if (!holds(bearer.scopes, entry.scope)) throw lacks(entry.scope);
    const asked = { bearer, target, address };
    if (entry.streamed === 'image/jpeg') return await this.picture(entry, request, asked);
    if (entry.streamed) return await this.stream(entry, request, asked);
    if (entry.method !== 'GET' || entry.fresh)
      return jsonAnswer(await this.make(entry, request, asked), headers);
    const key = `${bearer.sees} ${this.options.asker.baseUrl(request)} ${target}`;
    const known = this.answers.get(version, key);
    if (known) return jsonAnswer(known, headers);
    const made = await this.make(entry, request, asked);
    if (key.length <= httpLimits.answerKeyCharactersMax) this.answers.set(version, key, made);
    return jsonAnswer(made, headers);
  }

  private async make(entry: AnyRoute, request: Bun.BunRequest, asked: Asked): Promise<Made> {
    const { body, headers } = await this.handle(entry, request, asked);
    const text = JSON.stringify(body);
    const tag = entry.single ? `"${Bun.hash(text).toString(36)}"` : undefined;
    return { text, tag, headers };
  }

  /** A picture is of its moment and its account's: nobody on the way keeps it. */
  private async picture(
    entry: AnyRoute,
    request: Bun.BunRequest,
    asked: Asked,
  ): Promise<PlainAnswer> {
    const { body, headers } = await this.handle(entry, request, asked);
    return {
      headers: {
        'content-type': 'image/jpeg',
        'cache-control': 'private, no-store',
        'x-content-type-options': 'nosniff',
        ...headers,
      },
      body: request.method === 'HEAD' ? null : (body as Uint8Array<ArrayBuffer>),
    };
  }

  /** An answer in pieces: never remembered, and none of it made for HEAD. */
  private async stream(
    entry: AnyRoute,
    request: Bun.BunRequest,
    asked: Asked,
  ): Promise<PlainAnswer> {
    const place = this.exports.take(asked.bearer.account_id);
    try {
      const { body, headers } = await this.handle(entry, request, asked);
      const isHead = request.method === 'HEAD';
      if (isHead) place.leave();
      const onError = (error: unknown) =>
        this.options.log.error('an answer broke off', { path: pathOf(asked.target), error });
      return {
        headers: {
          'content-type': entry.streamed === 'text/csv' ? csvType : String(entry.streamed),
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          ...headers,
        },
        body: isHead
          ? null
          : streamOf(place.watched(body as Pieces), {
              signal: place.signal,
              onError,
              onEnd: () => place.leave(),
            }),
      };
    } catch (error) {
      place.leave();
      throw error;
    }
  }

  /** Checks every part of the request, then lets the handler answer. */
  private async handle(
    entry: AnyRoute,
    request: Bun.BunRequest,
    asked: Asked,
  ): Promise<Answer<unknown>> {
    const { bearer, target } = asked;
    const queried = queryOf(target);
    const sent = entry.body ? await this.bodyOf(request, asked) : {};
    return await entry.handle({
      caller: bearer,
      params: pathParams(entry, request.params),
      query: readPart(entry.query, queried),
      body:
        entry.body &&
        readPart(entry.body, entry.bodyInQuery ? over(queried, sent) : sent, entry.required),
      baseUrl: this.options.asker.baseUrl(request),
      target,
      header: (name) => request.headers.get(name),
    });
  }

  private async bodyOf(request: Request, { address }: Asked): Promise<Record<string, unknown>> {
    const { bounds, bytes, refusals } = this.options;
    try {
      return await readJsonBody(request, bounds.bodyMs, (count) => bytes.bodyRead(request, count));
    } catch (error) {
      if (error instanceof BodyRefusal) refusals.note('body', networkOf(address()));
      throw error;
    }
  }
}

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
