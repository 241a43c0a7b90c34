// The border around a handler: every error becomes an answer, every answer is counted and logged.
import { ApiError, busy } from '../../base/api/errors.ts';
import { bodyBytesMax } from '../../base/api/json-body.ts';
import { anyOrigin } from '../../base/api/media-answer.ts';
import type { PlainAnswer } from '../../base/api/plain-answer.ts';
import { pathOf, requestIdOf, targetOf } from '../../base/api/request.ts';
import { ignoredHeader } from '../../base/api/spellings.ts';
import type { Log } from '../../base/lib/log.ts';
import type { Metrics } from '../../base/lib/metrics.ts';
import { networkOf } from '../../base/lib/network.ts';
import type { Peers } from '../../base/peers/peers.ts';
import { Share } from '../../base/turns/share.ts';
import { type Asker, peerOf } from './asker.ts';
import type { BunServer } from './bun-handler.ts';
import { type Failed, Failures } from './failures.ts';
import { type HttpBounds, httpLimits } from './http-limits.ts';
import type { HttpBook } from './http-refusals.ts';
import type { UntakenAnswers } from './untaken-answers.ts';

const underWayMessage = 'Too many requests are under way';
export const unreadMessage = 'Too many answers on this connection wait to be read';

export const jsonType = 'application/json; charset=utf-8';

export interface BorderOptions {
  asker: Asker;
  peers: Pick<Peers, 'isAllowed'>;
  refusals: HttpBook;
  bounds: Pick<HttpBounds, 'underWayMax'>;
  untaken: UntakenAnswers;
  /** Whether every answer of the server asks for its connection to be closed: it is about to stop. */
  isDraining(server: BunServer): boolean;
  /** `Strict-Transport-Security`; empty for none. */
  securityHeader: string;
  metrics: Metrics;
  now: () => number;
  log: Log;
}

/** How it is said that there is too much to do: by JSON, by a line of text, or by one that any origin may read. */
export type BusyForm = 'interface' | 'page' | 'media';

/** What is asked for, and where a page says by itself what is wrong, that page. */
export interface AnswerMaker {
  operation: string;
  make(target: string): Promise<PlainAnswer> | PlainAnswer;
  refuse?(error: ApiError): Promise<PlainAnswer> | PlainAnswer;
}

export interface BusyReason {
  form: BusyForm;
  message?: string;
}

export class Border {
  private readonly options: BorderOptions;
  /** As long as so few are under way it is not asked whose they are. */
  private readonly unshared: number;

  readonly failures: Failures;

  private underWay = 0;
  /** Of those under way beyond the first few. */
  private readonly share: Share;

  constructor(options: BorderOptions) {
    this.options = options;
    this.failures = new Failures(options);
    const { underWayMax } = options.bounds;
    this.unshared = Math.floor(underWayMax * httpLimits.unsharedUnderWay);
    this.share = new Share({
      placesMax: underWayMax - this.unshared,
      isAllowed: (network) => options.peers.isAllowed(network),
    });
  }

  async answer(
    request: Request,
    server: BunServer,
    { operation, make, refuse }: AnswerMaker,
  ): Promise<Response> {
    const startedAt = performance.now();
    const target = targetOf(request);
    const requestId = requestIdOf(request);
    const form = refuse ? 'page' : 'interface';
    if (this.options.untaken.isFull(request, server))
      return this.busyAnswer(request, { form, message: unreadMessage });
    const place = this.takePlace(request, server);
    if (place === 'none') return this.busyAnswer(request, { form });
    let answer: PlainAnswer;
    try {
      if (!this.options.asker.hasHost(request)) throw this.hostError(request, server);
      answer = await make(target);
    } catch (error) {
      answer = await this.failed(error, { operation, requestId, refuse });
    } finally {
      this.leavePlace(place);
    }
    const { status = 200, headers } = answer;
    const body = this.options.untaken.bounded(request, server, answer.body);
    if (body === 'refused') return this.busyAnswer(request, { form, message: unreadMessage });
    headers['x-request-id'] = requestId;
    const { isDraining, securityHeader } = this.options;
    if (isDraining(server) || leavesBody(request)) headers['connection'] = 'close';
    if (securityHeader !== '') headers['strict-transport-security'] = securityHeader;
    const ms = performance.now() - startedAt;
    this.options.metrics.count(operation, status, ms);
    const path = pathOf(target);
    const ignored = headers[ignoredHeader];
    const { method } = request;
    this.options.log.request({ request_id: requestId, method, path, status, ms, ignored });
    const response = new Response(body, { status, headers });
    for (const cookie of answer.cookies ?? []) response.headers.append('set-cookie', cookie);
    return response;
  }

  /** An answer that needs no handler: JSON, or a page. */
  refuse(
    request: Request,
    server: BunServer,
    error: ApiError,
    page?: AnswerMaker['refuse'],
  ): Promise<Response> {
    const make = () => {
      throw error;
    };
    return this.answer(request, server, { operation: 'none', make, ...(page && { refuse: page }) });
  }

  /**
   * For those beyond what may be under way or wait: no log line for each, and no second request on the connection.
   * A page is told by a line too: to make one would cost as much as what is refused.
   */
  busyAnswer(request: Request, { form, message = underWayMessage }: BusyReason): Response {
    const error = busy(message);
    const requestId = requestIdOf(request);
    const { metrics, securityHeader } = this.options;
    metrics.count('none', error.status, 0);
    return new Response(
      form === 'interface' ? JSON.stringify(error.body(requestId)) : `${message}\n`,
      {
        status: error.status,
        headers: {
          ...error.headers,
          'content-type': form === 'interface' ? jsonType : 'text/plain; charset=utf-8',
          'cache-control': 'no-store',
          ...(form === 'media' && anyOrigin),
          ...(securityHeader !== '' && { 'strict-transport-security': securityHeader }),
          'x-request-id': requestId,
          connection: 'close',
        },
      },
    );
  }

  hostError(request: Request, server: BunServer): ApiError {
    const { asker, refusals } = this.options;
    refusals.note('host', networkOf(asker.addressOf(request, peerOf(request, server))));
    return new ApiError('invalid', { message: 'The Host header must be one host name' });
  }

  /** The network whose place it is, or undefined where nobody need ask. */
  private takePlace(request: Request, server: BunServer): string | 'none' | undefined {
    this.underWay += 1;
    if (this.underWay <= this.unshared) return undefined;
    const { asker, refusals } = this.options;
    const network = networkOf(asker.addressOf(request, peerOf(request, server)));
    const refusal = this.share.refusal(network);
    if (!refusal) {
      this.share.take(network);
      return network;
    }
    this.underWay -= 1;
    refusals.note(refusal === 'full' ? 'busy' : 'busy_network', network);
    return 'none';
  }

  private leavePlace(network: string | undefined): void {
    this.underWay -= 1;
    if (network !== undefined) this.share.leave(network);
  }

  /** Where not even the page that says what is wrong can be made, it is said without. */
  private async failed(
    error: unknown,
    { refuse, ...failed }: Required<Failed> & { refuse?: AnswerMaker['refuse'] | undefined },
  ): Promise<PlainAnswer> {
    const known = knownError(error);
    this.failures.note(known, failed);
    if (!refuse) return errorAnswer(known, failed.requestId);
    try {
      return await refuse(known);
    } catch (another) {
      return await this.failed(another, failed);
    }
  }
}

function errorAnswer(error: ApiError, requestId: string): PlainAnswer {
  return {
    status: error.status,
    headers: { ...error.headers, 'content-type': jsonType, 'cache-control': 'no-store' },
    body: JSON.stringify(error.body(requestId)),
  };
}

export function knownError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError('internal', { cause: error });
}

/** Whether it has a body that nobody read and that has no end, or a far one: Bun would go on reading it. */
function leavesBody(request: Request): boolean {
  const { headers } = request;
  const length = headers.get('content-length');
  const isLong = length === null ? headers.has('transfer-encoding') : Number(length) > bodyBytesMax;
  return isLong && !request.bodyUsed;
}

export function notAllowed(methods: readonly string[]): ApiError {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return new ApiError('noMethod', { headers: { Allow: allowed.join(', ') } });
}

export function lacks(scope: string): ApiError {
  return new ApiError('noAccess', { message: `The caller lacks the scope ${scope}` });
}
