// The client: typed calls that are made again where that helps, lists page by page, files and lines.
import createFetchClient from 'openapi-fetch';
import { type FollowedEvent, type FollowOptions, followEvents } from './event-following.ts';
import { errorOf, FootlightError } from './footlight-error.ts';
import { createsWithKey, type paths, readsByPost } from './openapi.ts';
import type {
  CommonInit,
  DownloadPath,
  InitArguments,
  JsonOf,
  LineOf,
  LinePath,
  Method,
  OperationAt,
  PagedPath,
  PageInitOf,
  PageOf,
  PathWith,
  RowOf,
} from './operation-types.ts';
import { type NextPage, nextPage, rowsOf } from './pages.ts';
import { pause, type RetryOptions, usualRetry, waitBeforeNext } from './retry.ts';
import { textLines } from './text-lines.ts';

export interface ClientOptions {
  /** Where the service is: `https://live.example.com`. */
  baseUrl: string;
  /** Made with `npx footlight token create`; a function is asked before each try. Without one a browser's cookie counts. */
  token?: string | (() => string | Promise<string>) | undefined;
  /** Instead of the runtime's own. */
  fetch?: (request: Request) => Promise<Response>;
  retry?: Partial<RetryOptions>;
  /** How long one try may take; of a file, until it begins. */
  timeoutMs?: number;
  /** Sent with every call. */
  headers?: Record<string, string>;
}

/** What a call came to. */
export interface Answer<Data> {
  data: Data;
  response: Response;
  /** Names of parameters that the service did not know. */
  ignored: string[];
}

export function createClient(options: ClientOptions): FootlightClient {
  return new FootlightClient(options);
}

const usualTimeoutMs = 30_000;

/** Every method throws a `FootlightError` where a call is no success. */
export class FootlightClient {
  private readonly options: ClientOptions;
  private readonly retry: RetryOptions;
  private readonly raw: RawClient;

  constructor(options: ClientOptions) {
    this.options = options;
    this.retry = { ...usualRetry, ...options.retry };
    const { baseUrl, fetch } = options;
    this.raw = createFetchClient<paths>({
      baseUrl,
      // A redirect would lose the body of a POST, or bring the token elsewhere.
      redirect: 'error',
      ...(fetch && { fetch }),
    }) as unknown as RawClient;
  }

  async GET<P extends PathWith<'get'>>(
    path: P,
    ...[init]: InitArguments<OperationAt<P, 'get'>>
  ): Promise<Answer<JsonOf<OperationAt<P, 'get'>>>> {
    return await this.call('get', path, init);
  }

  async POST<P extends PathWith<'post'>>(
    path: P,
    ...[init]: InitArguments<OperationAt<P, 'post'>>
  ): Promise<Answer<JsonOf<OperationAt<P, 'post'>>>> {
    return await this.call('post', path, init);
  }

  async PUT<P extends PathWith<'put'>>(
    path: P,
    ...[init]: InitArguments<OperationAt<P, 'put'>>
  ): Promise<Answer<JsonOf<OperationAt<P, 'put'>>>> {
    return await this.call('put', path, init);
  }

  async DELETE<P extends PathWith<'delete'>>(
    path: P,
    ...[init]: InitArguments<OperationAt<P, 'delete'>>
  ): Promise<Answer<JsonOf<OperationAt<P, 'delete'>>>> {
    return await this.call('delete', path, init);
  }

  /** A file; its bytes are yours to take from the response. */
  async download<P extends DownloadPath>(
    path: P,
    ...[init]: InitArguments<OperationAt<P, 'get'>>
  ): Promise<Response> {
    return (await this.send('GET', path, { ...init, parseAs: 'stream' })).response;
  }

  /** The rows of an answer that has one in each line, as they come: memory does not depend on how many there are. */
  async *lines<P extends LinePath>(
    path: P,
    ...[init]: InitArguments<OperationAt<P, 'get'>>
  ): AsyncGenerator<LineOf<P>, void, undefined> {
    const { response } = await this.send('GET', path, { ...init, parseAs: 'stream' });
    if (!response.body) return;
    for await (const line of textLines(response.body)) yield JSON.parse(line) as LineOf<P>;
  }

  /** The pages of a list, from the one that is asked for (the first) to the last. */
  async *pages<P extends PagedPath>(
    path: P,
    ...[init]: InitArguments<PageInitOf<P>>
  ): AsyncGenerator<Answer<PageOf<P>>, void, undefined> {
    const isPost = readsByPost.includes(path);
    let asked: Init = init ?? {};
    while (true) {
      const answer = await this.call<PageOf<P>>(isPost ? 'post' : 'get', path, asked);
      yield answer;
      const next = nextPage(answer.data, answer.response);
      if (!next) return;
      const onward = isPost
        ? { ...asked, body: { ...(asked.body as object | undefined), ...next } }
        : { ...asked, params: { ...asked.params, query: { ...asked.params?.query, ...next } } };
      checkOnward(asked, next);
      asked = onward;
    }
  }

  /** The rows of a list, over all its pages. */
  async *rows<P extends PagedPath>(
    path: P,
    ...init: InitArguments<PageInitOf<P>>
  ): AsyncGenerator<RowOf<P>, void, undefined> {
    for await (const { data } of this.pages(path, ...init)) yield* rowsOf(data) as RowOf<P>[];
  }

  /** What happens, as it happens: an event may come twice, and has an id for those who want it once. */
  events(options: FollowOptions = {}): AsyncGenerator<FollowedEvent, void, undefined> {
    return followEvents(async ({ query, after, signal }) => {
      const header = after === undefined ? {} : { 'Last-Event-ID': after };
      return await this.download('/manage/v1/events', { params: { query, header }, signal });
    }, options);
  }

  private async call<Data>(
    method: Method,
    path: string,
    init: Init | undefined,
  ): Promise<Answer<Data>> {
    const { data, response } = await this.send(method.toUpperCase(), path, init ?? {});
    const ignored = response.headers.get('x-ignored-parameters')?.split(', ') ?? [];
    return { data: data as Data, response, ignored: ignored.map(plainName) };
  }

  private async send(method: string, path: string, init: SentInit): Promise<RawSuccess> {
    // The same for all tries: what was created by one is answered to the next.
    const key =
      method === 'POST' && createsWithKey.includes(path) ? { 'Idempotency-Key': newKey() } : {};
    const headers = { ...key, ...this.options.headers, ...init.headers };
    for (let tries = 1; ; tries += 1) {
      const made = await this.tryOnce(method, path, { ...init, headers });
      if (!(made instanceof FootlightError)) return made;
      const waitMs = waitBeforeNext(made, { method, path, tries }, this.retry);
      if (waitMs === undefined) throw made;
      await pause(waitMs, init.signal);
    }
  }

  private async tryOnce(
    method: string,
    path: string,
    init: SentInit,
  ): Promise<RawSuccess | FootlightError> {
    const { token, timeoutMs = usualTimeoutMs } = this.options;
    const { body, headers = {}, signal } = init;
    const bearer = typeof token === 'function' ? await token() : token;
    const deadline = new Deadline(timeoutMs, signal);
    try {
      const made = await this.raw.request(method.toLowerCase(), path, {
        ...init,
        ...(body instanceof Blob && { bodySerializer: (file) => file }),
        headers: {
          ...(body instanceof Blob && { 'Content-Type': body.type }),
          ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
          ...headers,
        },
        signal: deadline.signal,
      });
      return made.response.ok ? made : errorOf(made.response, made.error);
    } catch (error) {
      signal?.throwIfAborted();
      return failure(error, { method, path, timeoutMs, isLate: deadline.isOver });
    } finally {
      deadline.end();
    }
  }
}

/** Of a call, once its types are checked. */
interface Init extends CommonInit {
  params?: { path?: object; query?: object; header?: object };
  body?: unknown;
}

interface SentInit extends Init {
  parseAs?: 'json' | 'stream';
}

interface RawSuccess {
  data?: unknown;
  response: Response;
}

/** openapi-fetch without its types: ours take an unknown field for a mistake, its own do not. */
interface RawClient {
  request(
    method: string,
    path: string,
    init: SentInit & { bodySerializer?: (body: unknown) => unknown },
  ): Promise<RawSuccess & { error?: unknown }>;
}

/** A try's time, and its caller's wish to end it, whichever comes first. */
class Deadline {
  private readonly timer: ReturnType<typeof setTimeout>;

  readonly signal: AbortSignal;
  isOver = false;

  constructor(ms: number, from: AbortSignal | undefined) {
    const controller = new AbortController();
    this.timer = setTimeout(() => {
      this.isOver = true;
      controller.abort();
    }, ms);
    this.signal = from ? AbortSignal.any([from, controller.signal]) : controller.signal;
  }

  /** The caller may still end what goes on, as a file that is being read. */
  end(): void {
    clearTimeout(this.timer);
  }
}

/** No answer came, or none that can be read. */
function failure(
  cause: unknown,
  {
    method,
    path,
    timeoutMs,
    isLate,
  }: { method: string; path: string; timeoutMs: number; isLate: boolean },
): FootlightError {
  if (isLate)
    return new FootlightError({
      message: `${method} ${path} was not answered within ${timeoutMs / 1_000} s`,
      cause,
    });
  if (cause instanceof SyntaxError)
    return new FootlightError({
      message: `${method} ${path} was not answered with JSON: is baseUrl the address of the service?`,
      status: 200,
      cause,
    });
  return new FootlightError({
    message: `${method} ${path} was not answered: ${(cause as Error).message}`,
    cause,
  });
}

/** A list that leads back would be read for ever. */
function checkOnward({ params, body }: Init, next: NextPage): void {
  const last = { ...params?.query, ...(body as object | undefined) } as {
    p?: number;
    before?: unknown;
  };
  const isOnward = 'p' in next ? next.p > (last.p ?? 1) : next.before !== last.before;
  if (!isOnward)
    throw new Error(`The page after ${JSON.stringify(last)} is ${JSON.stringify(next)}`);
}

/** A name as it was sent: the header has it as a query would. */
function plainName(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

/** 128 random bits. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
