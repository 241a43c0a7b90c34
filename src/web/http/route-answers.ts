// The interface over HTTP: an entry of the route table is found, its caller known, its answer made or remembered.

import {
  BodyRefusal,
  declaredBytes,
  endsConnection,
  readBodyBytes,
} from '../../base/api/body-bytes.ts';
import { BodyStream } from '../../base/api/body-stream.ts';
import { holds, type KnownCaller } from '../../base/api/caller.ts';
import type { Protocol, ReceivedStream, TakenFile } from '../../base/api/endpoint.ts';
import { ApiError, invalidField, quoted } from '../../base/api/errors.ts';
import { isFormType, readFormBody } from '../../base/api/form-body.ts';
import { essenceOf, readJsonBody } from '../../base/api/json-body.ts';
import { checkedPieces, type Pieces, spacedCheck, streamOf } from '../../base/api/pieces.ts';
import type { PlainAnswer } from '../../base/api/plain-answer.ts';
import { hasTag, over, pathOf, queryOf } from '../../base/api/request.ts';
import {
  type Answer,
  type AnyRoute,
  isAlwaysAudited,
  isAudited,
  nothing,
  successOf,
} from '../../base/api/route.ts';
import { readPart } from '../../base/api/shape.ts';
import { ignoredHeader, Spellings } from '../../base/api/spellings.ts';
import type { Store } from '../../base/db/sql.ts';
import { VersionMemo } from '../../base/db/version-memo.ts';
import type { Log } from '../../base/lib/log.ts';
import { networkOf } from '../../base/lib/network.ts';
import { type Bearers, unauthorized } from '../../library/access/bearers.ts';
import type { Holder, Shown } from '../../library/access/known-holders.ts';
import type { Audit, Trail } from '../../library/audit/audit.ts';
import type { ConsoleCallers } from '../../library/people/console-callers.ts';
import { type Asker, peerOf } from './asker.ts';
import { type Border, jsonType, lacks, notAllowed } from './border.ts';
import type { BunHandler, BunHandlers } from './bun-handler.ts';
import type { BytesWatch } from './bytes-watch.ts';
import { ExportPlaces } from './export-places.ts';
import { FollowerPlaces } from './follower-places.ts';
import { type HttpBounds, httpLimits } from './http-limits.ts';
import type { HttpBook } from './http-refusals.ts';
import { PageOrigins } from './page-origins.ts';
import { UploadPlaces } from './upload-places.ts';

export interface RouteAnswersOptions {
  routes: readonly AnyRoute[];
  border: Border;
  bearers: Bearers;
  consoleCallers: ConsoleCallers;
  audit: Pick<Audit, 'trail'>;
  asker: Asker;
  refusals: HttpBook;
  bytes: Pick<BytesWatch, 'bodyRead' | 'expectBody' | 'followBody'>;
  bounds: HttpBounds;
  /** Aborted where the server is about to stop: answers without an end are ended. */
  stopping: AbortSignal;
  store: Store;
  now: () => number;
  log: Log;
}

export function routeHandlers(options: RouteAnswersOptions): BunHandlers {
  const answers = new RouteAnswers(options);
  const table: BunHandlers = {};
  for (const [path, entries] of Map.groupBy(options.routes, (entry) => entry.path)) {
    const way = path.replace(/\{(\w+)\}/g, ':$1');
    table[way] = answers.handler(entries);
    // Clients that join paths write one slash more.
    table[`${way}/`] = answers.handler(entries);
  }
  return table;
}

/** Who asks, and for what. */
interface Asked {
  /** Undefined where anyone may ask. */
  caller: KnownCaller | undefined;
  target: string;
  address(): string;
  /** Its body may be long, and nobody reads it yet; called when it is answered. */
  expectBody(): () => void;
  /** Its body is long; called when it is read, or nobody wants it. */
  followBody(): (isWhole: boolean) => void;
}

/** The same of a request that takes long. */
interface AskedForLong extends Asked {
  caller: KnownCaller;
  /** Throws where they may not ask for it any more. */
  check(): Promise<void>;
}

/** The holder of what a request carried: asked once more, it throws where that is good no longer. */
type FindHolder = (shown: Shown) => Promise<Holder>;

/** What a handler made, ready to be sent and to be remembered. */
interface Made {
  status: number;
  /** Null where there is nothing to say. */
  text: string | null;
  /** The ETag of a single read. */
  tag: string | undefined;
  headers: Record<string, string> | undefined;
  cookies: readonly string[] | undefined;
}

class RouteAnswers {
  private readonly options: RouteAnswersOptions;

  private readonly answers = new VersionMemo<Made>({
    entriesMax: httpLimits.answersMax,
    weightMax: httpLimits.answerCharactersMax,
    weigh: ({ text }) => text?.length ?? 0,
  });
  private readonly exports: ExportPlaces;
  private readonly followers: FollowerPlaces;
  private readonly uploads: UploadPlaces;
  private readonly streams: UploadPlaces;
  private readonly pageOrigins: PageOrigins;

  constructor(options: RouteAnswersOptions) {
    this.options = options;
    this.pageOrigins = new PageOrigins(options);
    this.exports = new ExportPlaces(options);
    const { refusals } = options;
    this.followers = new FollowerPlaces({ refusals, placesMax: options.bounds.followersMax });
    this.uploads = new UploadPlaces({ refusals, placesMax: httpLimits.uploadsMax });
    this.streams = new UploadPlaces({ refusals, placesMax: httpLimits.bodyStreamsMax });
  }

  /** Of one path, whatever the method. */
  handler(entries: readonly AnyRoute[]): BunHandler {
    const { border, asker, bytes } = this.options;
    const byMethod = new Map<string, AnyRoute>(entries.map((entry) => [entry.method, entry]));
    const get = byMethod.get('GET');
    if (get && !byMethod.has('HEAD')) byMethod.set('HEAD', get);
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
            expectBody: () => bytes.expectBody(request, server),
            followBody: () => bytes.followBody(request, server),
          }),
      });
    };
  }

  private async perform(
    entry: AnyRoute,
    request: Bun.BunRequest,
    from: Omit<Asked, 'caller'>,
  ): Promise<PlainAnswer> {
    const { speaks } = entry;
    if (!speaks) return await this.answerExpecting(entry, request, from);
    try {
      const answer = await this.answerExpecting(entry, request, from);
      answer.headers[speaks.header] = speaks.version;
      return answer;
    } catch (error) {
      if (error instanceof ApiError) error.headers[speaks.header] = speaks.version;
      throw error;
    }
  }

  /** A long body comes while it is still asked who sends it. */
  private async answerExpecting(
    entry: AnyRoute,
    request: Bun.BunRequest,
    from: Omit<Asked, 'caller'>,
  ): Promise<PlainAnswer> {
    if (!entry.takes && !entry.receives) return await this.answer(entry, request, from);
    const answered = from.expectBody();
    try {
      return await this.answer(entry, request, from);
    } finally {
      answered();
    }
  }

  private async answer(
    entry: AnyRoute,
    request: Bun.BunRequest,
    from: Omit<Asked, 'caller'>,
  ): Promise<PlainAnswer> {
    const { target, address } = from;
    if (entry.scope === 'anyone') {
      if (entry.byCookie && this.hasCookie(request))
        this.pageOrigins.checkCookie(request, address, entry);
      else this.pageOrigins.check(request, address);
      const made = await this.make(entry, request, { ...from, caller: undefined });
      return guarded(jsonAnswer(made, request.headers));
    }
    const { headers } = request;
    const version = this.options.store.version();
    const shown = { version, address };
    const find = this.holderIn(request, entry, address);
    const early =
      version === undefined && isPlainRead(entry)
        ? await this.makeMeanwhile(entry, request, { find, shown, from })
        : undefined;
    const holder = early?.holder ?? (await find(shown));
    const lacking = lackOf(holder, entry);
    if (lacking) throw lacking;
    if (early?.made) return guardedFor(holder, jsonAnswer(early.made, headers));
    if (entry.speaks) checkVersion(request, entry.speaks);
    const asked = { ...from, caller: holder };
    if (entry.streamed === 'image/jpeg')
      return guardedFor(holder, await this.picture(entry, request, asked));
    const askedForLong = () => ({ ...asked, check: this.checkOf(find, entry, asked) });
    if (entry.streamed === 'text/event-stream')
      return guardedFor(holder, await this.follow(entry, request, askedForLong()));
    if (entry.streamed)
      return guardedFor(holder, await this.stream(entry, request, askedForLong()));
    if (entry.takes)
      return await this.uploads.run(holder.account_id, async () =>
        guardedFor(holder, jsonAnswer(await this.make(entry, request, asked), headers)),
      );
    if (entry.receives)
      return await this.streams.run(holder.account_id, async () =>
        guardedFor(holder, jsonAnswer(await this.make(entry, request, askedForLong()), headers)),
      );
    if (!mayRemember(entry))
      return guardedFor(holder, jsonAnswer(await this.make(entry, request, asked), headers));
    const key = `${holder.sees} ${this.options.asker.baseUrl(request)} ${target}`;
    const known = this.answers.get(version, key);
    if (known) return guardedFor(holder, jsonAnswer(known, headers));
    const made = await this.make(entry, request, asked);
    if (key.length <= httpLimits.answerKeyCharactersMax) this.answers.set(version, key, made);
    return guardedFor(holder, jsonAnswer(made, headers));
  }

  /**
   * Where the database has no version, and must be asked who the caller is, what a read shows is asked for in the same
   * message, for who bore the token last. It is the answer only where they are found to be the very same now; else it is
   * made anew, or refused.
   */
  private async makeMeanwhile(
    entry: AnyRoute,
    request: Bun.BunRequest,
    given: { find: FindHolder; shown: Shown; from: Omit<Asked, 'caller'> },
  ): Promise<{ holder: Holder; made: Made | undefined } | undefined> {
    const { find, shown, from } = given;
    const expected = this.options.bearers.expected(request.headers.get('authorization'));
    if (!expected || lackOf(expected, entry)) return undefined;
    const [found, made] = await Promise.allSettled([
      find(shown),
      this.make(entry, request, { ...from, caller: expected }),
    ]);
    if (found.status === 'rejected') throw found.reason;
    const holder = found.value;
    if (!Bun.deepEquals(holder, expected)) return { holder, made: undefined };
    if (made.status === 'rejected') throw made.reason;
    return { holder, made: made.value };
  }

  /** Finds whoever the request is of, now and while it is answered: by its token, or by the console's cookie; throws 401. */
  private holderIn(
    request: Bun.BunRequest,
    entry: AnyRoute,
    address: Asked['address'],
  ): FindHolder {
    const { bearers, consoleCallers } = this.options;
    const { headers } = request;
    const authorization = headers.get('authorization');
    if (authorization !== null) return (shown) => bearers.find(authorization, shown);
    const secrets = consoleCallers.secretsIn(headers.get('cookie'));
    if (secrets.length === 0) throw unauthorized('The request carries no Authorization header');
    this.pageOrigins.checkCookie(request, address, entry);
    return (shown) => consoleCallers.find(secrets, shown);
  }

  private hasCookie({ headers }: Request): boolean {
    return this.options.consoleCallers.secretsIn(headers.get('cookie')).length > 0;
  }

  private checkOf(
    find: FindHolder,
    entry: AnyRoute,
    asked: Asked & { caller: KnownCaller },
  ): AskedForLong['check'] {
    const { store } = this.options;
    const { scopes } = asked.caller;
    // Asked for now: a request cannot be asked for it once it is answered.
    const address = asked.address();
    return async () => {
      const holder = await find({ version: store.version(), address: () => address });
      const lacking = lackOf(holder, entry);
      if (lacking) throw lacking;
      // What is shown without a scope follows from all that they have.
      if (entry.scope === 'caller' && String(holder.scopes) !== String(scopes))
        throw new ApiError('noAccess');
    };
  }

  private async make(
    entry: AnyRoute,
    request: Bun.BunRequest,
    asked: Asked | AskedForLong,
  ): Promise<Made> {
    const { body, headers, cookies } = await this.handle(entry, request, asked);
    const status = successOf(entry);
    if (entry.answer === nothing) return { status, text: null, tag: undefined, headers, cookies };
    const text = JSON.stringify(body);
    const tag = entry.single ? `"${Bun.hash(text).toString(36)}"` : undefined;
    return { status, text, tag, headers, cookies };
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
    asked: AskedForLong,
  ): Promise<PlainAnswer> {
    const { now, log } = this.options;
    const { check } = asked;
    const place = this.exports.take(asked.caller);
    try {
      const { body, headers } = await this.handle(entry, request, asked);
      const isHead = request.method === 'HEAD';
      if (isHead) place.leave();
      const onError = (error: unknown) => {
        const told = { path: pathOf(asked.target), error };
        if (error instanceof ApiError) log.info('an answer was broken off', told);
        else log.error('an answer broke off', told);
      };
      const everyMs = httpLimits.callerCheckEveryMs;
      return {
        headers: {
          'content-type': entry.streamed === 'text/csv' ? csvType : String(entry.streamed),
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          ...headers,
        },
        body: isHead
          ? null
          : streamOf(place.watched(checkedPieces(body as Pieces, { check, everyMs, now })), {
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

  /** An answer without an end: what happens, as it happens, for as long as the caller may see it and takes it. */
  private async follow(
    entry: AnyRoute,
    request: Bun.BunRequest,
    asked: AskedForLong,
  ): Promise<PlainAnswer> {
    const { now, log, stopping } = this.options;
    const leave = this.followers.take(asked.caller);
    try {
      const { body, headers } = await this.handle(entry, request, asked);
      const pieces = body as Pieces;
      const end = () => pieces.end?.();
      const left = () => {
        stopping.removeEventListener('abort', end);
        end();
        leave();
      };
      stopping.addEventListener('abort', end);
      const isHead = request.method === 'HEAD';
      if (isHead) left();
      const check = spacedCheck(asked.check, { everyMs: httpLimits.callerCheckEveryMs, now });
      const next = async () => {
        const piece = await pieces();
        // It may have been waited for for long: what has happened since somebody may see no more is not theirs.
        if (piece !== undefined) await check();
        return piece;
      };
      return {
        headers: {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          ...headers,
        },
        body: isHead
          ? null
          : streamOf(next, {
              signal: neverAborted,
              onError: (error) => {
                const told = { path: pathOf(asked.target), error };
                if (error instanceof ApiError) log.info('an answer was broken off', told);
                else log.error('an answer broke off', told);
              },
              onEnd: left,
            }),
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Checks every part of the request, then lets the handler answer; whatever the answer, it names what was ignored. */
  private async handle(
    entry: AnyRoute,
    request: Bun.BunRequest,
    asked: Asked | AskedForLong,
  ): Promise<Answer<unknown>> {
    const spellings = new Spellings();
    try {
      const answer = await this.answerRead(entry, request, { asked, spellings });
      const { ignored } = spellings;
      if (ignored === undefined) return answer;
      return { ...answer, headers: { ...answer.headers, [ignoredHeader]: ignored } };
    } catch (error) {
      const { ignored } = spellings;
      if (error instanceof ApiError && ignored !== undefined)
        error.headers[ignoredHeader] = ignored;
      throw error;
    }
  }

  private async answerRead(
    entry: AnyRoute,
    request: Bun.BunRequest,
    { asked, spellings }: { asked: Asked | AskedForLong; spellings: Spellings },
  ): Promise<Answer<unknown>> {
    const { caller, target, address } = asked;
    const { required = [], bodyInQuery = false, strict = false } = entry;
    const queried = queryOf(target);
    const sent = entry.body ? await this.bodyOf(request, asked) : {};
    const file = entry.takes && (await this.fileOf(request, asked, entry.takes));
    const answerTo = (body: unknown) =>
      this.answerAudited(entry, request, {
        caller,
        params: pathParams(entry, request.params),
        // Where the query has the body's fields, the body knows which of them are unknown.
        query: readPart(entry.query, queried, { strict, ...(!bodyInQuery && { spellings }) }),
        body,
        baseUrl: this.options.asker.baseUrl(request),
        target: spellings.ownTarget(target),
        header: (name) => request.headers.get(name),
        address,
      });
    if (entry.receives) return await this.streamed(request, asked, entry.receives, answerTo);
    if (file) return await answerTo(file);
    const fields = bodyInQuery ? over(queried, sent) : sent;
    return await answerTo(
      entry.body && readPart(entry.body, fields, { required, spellings, strict }),
    );
  }

  private async answerAudited(
    entry: AnyRoute,
    { method }: Request,
    call: Parameters<AnyRoute['handle']>[0],
  ): Promise<Answer<unknown>> {
    if (!isAudited(entry) || method === 'HEAD') return await entry.handle(call);
    const trail = this.options.audit.trail(entry, call);
    const answer = await entry.handle(call, trail.store);
    if (isAlwaysAudited(entry)) await this.endTrail(trail, entry);
    return answer;
  }

  /** The body is the handler's as long as it works, and nobody's afterwards. */
  private async streamed(
    request: Request,
    asked: Asked | AskedForLong,
    receives: ReceivedStream,
    answerTo: (body: BodyStream) => Promise<Answer<unknown>>,
  ): Promise<Answer<unknown>> {
    checkStreamHead(request, receives);
    const ended = asked.followBody();
    const body = new BodyStream(request, {
      stall: httpLimits.bodyStall,
      gather: httpLimits.bodyGather,
      checks: { everyMs: httpLimits.callerCheckEveryMs, now: this.options.now },
      onRead: (count) => this.options.bytes.bodyRead(request, count),
    });
    if ('check' in asked) body.check(asked.check);
    try {
      return await answerTo(body);
    } catch (error) {
      // Bun would go on reading what nobody wants, gigabytes maybe.
      if (error instanceof ApiError && !body.isWhole) Object.assign(error.headers, endsConnection);
      throw error;
    } finally {
      body.leave();
      ended(body.isWhole);
    }
  }

  /**
   * Who is answered has a row. Where a write was done by other means than an operation of the store, it is done even if
   * its row cannot be written: the answer says so, and the log is loud. A read has given nothing away yet: without a
   * row it is refused.
   */
  private async endTrail(trail: Trail, { operationId, audit }: AnyRoute): Promise<void> {
    try {
      await trail.end();
    } catch (error) {
      if (audit === 'taken') throw error;
      this.options.log.error('the audit log lacks a write that was done', {
        operation: operationId,
        ...trail.told,
        error,
      });
    }
  }

  private async bodyOf(request: Request, asked: Asked): Promise<Record<string, unknown>> {
    const { bounds, bytes } = this.options;
    const isForm = mayBeForm(asked) && isFormType(request.headers.get('content-type'));
    const read = isForm ? readFormBody : readJsonBody;
    return await this.noted(asked, () =>
      read(request, bounds.bodyMs, (count) => bytes.bodyRead(request, count)),
    );
  }

  private async fileOf(request: Request, asked: Asked, takes: TakenFile): Promise<Uint8Array> {
    checkFileHead(request, takes);
    const ended = asked.followBody();
    let isWhole = false;
    try {
      const file = await this.noted(asked, () =>
        readBodyBytes(request, {
          bytesMax: takes.bytesMax,
          withinMs: httpLimits.uploadMs,
          onRead: (count) => this.options.bytes.bodyRead(request, count),
        }),
      );
      isWhole = true;
      return file;
    } finally {
      ended(isWhole);
    }
  }

  private async noted<T>({ address }: Asked, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof BodyRefusal) this.options.refusals.note('body', networkOf(address()));
      throw error;
    }
  }
}

/** Only with a token: any page can have a browser send a form, with the console's cookie or none, but never a token. */
function mayBeForm({ caller }: Asked): boolean {
  return caller !== undefined && caller.session === undefined;
}

/** A file says what it is and how long: Bun takes in all that comes, so one without an end is refused before. */
function checkFileHead(request: Request, { types, otherwise }: TakenFile): void {
  const type = request.headers.get('content-type') ?? '';
  if (!types.includes(essenceOf(type)))
    throw new ApiError(otherwise, {
      message: `The Content-Type must be ${types.join(' or ')} (got ${quoted(type)})`,
    });
  if (Number.isNaN(declaredBytes(request)))
    throw invalidField('Content-Length', 'Content-Length must say how long the file is');
}

function checkStreamHead(request: Request, { type }: ReceivedStream): void {
  const came = request.headers.get('content-type') ?? '';
  if (essenceOf(came) !== type)
    throw new ApiError('notPiece', {
      message: `The Content-Type must be ${type} (got ${quoted(came)})`,
    });
}

/** In a version that is not ours words may have another meaning. */
function checkVersion(request: Request, { header, version, versionsHeader }: Protocol): void {
  const came = request.headers.get(header);
  if (came === version) return;
  throw new ApiError('wrongProtocol', {
    message: `${header} must be ${version} (got ${quoted(came ?? '')})`,
    headers: { [versionsHeader]: version },
  });
}

/** Who follows is not broken off for another's sake. */
const neverAborted = new AbortController().signal;

const csvType = 'text/csv; charset=utf-8; header=present';

/** What an operation without a scope shows depends on who asks, not only on what they see. */
function mayRemember({ method, scope, fresh }: AnyRoute): boolean {
  return method === 'GET' && !fresh && scope !== 'caller' && scope !== 'person';
}

/** What follows from the database alone, changes nothing and is answered whole: it may be made and thrown away. */
function isPlainRead(entry: AnyRoute): boolean {
  return mayRemember(entry) && !entry.streamed && !entry.speaks && !isAudited(entry);
}

/** Why a caller may not ask for an operation. */
function lackOf({ scopes, session }: KnownCaller, { scope }: AnyRoute): ApiError | undefined {
  if (scope === 'anyone' || scope === 'caller') return undefined;
  if (scope !== 'person') return holds(scopes, scope) ? undefined : lacks(scope);
  if (session) return undefined;
  return new ApiError('noPermission', { message: 'A token is no person who has signed in' });
}

function guardedFor({ session }: Holder, answer: PlainAnswer): PlainAnswer {
  return session ? guarded(answer) : answer;
}

/** What a browser gets by the console's cookie is for our own pages: no frame, no script and no image of another's. */
function guarded(answer: PlainAnswer): PlainAnswer {
  const { headers } = answer;
  headers['x-frame-options'] = 'DENY';
  headers['x-content-type-options'] = 'nosniff';
  headers['cross-origin-resource-policy'] = 'same-origin';
  return answer;
}

/** A path id that is no positive integer, written as we write it, names nothing: 404. So does a text that is none. */
function pathParams(entry: AnyRoute, came: Record<string, string>): unknown {
  try {
    const isNamed = ([name, id]: [string, string]) =>
      entry.params[name]?.schema['type'] !== 'integer' || /^[1-9]\d*$/.test(id);
    if (Object.entries(came).every(isNamed)) return readPart(entry.params, came);
  } catch {
    // Too large to be an id of ours.
  }
  throw new ApiError(entry.absent ?? 'noPath');
}

function jsonAnswer({ status, text, tag, headers, cookies }: Made, asked: Headers): PlainAnswer {
  if (text === null)
    return { status, headers: { 'cache-control': 'no-store', ...headers }, cookies, body: null };
  if (tag === undefined) {
    return {
      status,
      headers: { 'content-type': jsonType, 'cache-control': 'no-store', ...headers },
      cookies,
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
