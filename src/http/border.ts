// The border around a handler: every error becomes an answer, every answer is counted and logged.
import { ApiError, unavailable } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { PlainAnswer } from '../lib/plain-answer.ts';
import { pathOf, requestIdOf, targetOf } from '../lib/request.ts';

export const jsonType = 'application/json; charset=utf-8';

/** Requests under way at once; more are refused, so that memory stays bounded. */
const underWayMax = 2_000;

export class Border {
  private readonly metrics: Metrics;
  private readonly log: Log;

  private underWay = 0;
  /** The service is about to stop: every answer asks for its connection to be closed. */
  isDraining = false;

  constructor({ metrics, log }: { metrics: Metrics; log: Log }) {
    this.metrics = metrics;
    this.log = log;
  }

  async answer(
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
    if (this.isDraining) headers['connection'] = 'close';
    const ms = performance.now() - startedAt;
    this.metrics.count(operation, status, ms);
    const path = pathOf(target);
    this.log.request({ request_id: requestId, method: request.method, path, status, ms });
    return new Response(body, { status, headers });
  }

  /** An answer that needs no handler. */
  refuse(request: Request, error: ApiError): Promise<Response> {
    return this.answer(request, 'none', () => {
      throw error;
    });
  }

  private errorAnswer(error: unknown, requestId: string): PlainAnswer {
    const known = error instanceof ApiError ? error : new ApiError('internal', { cause: error });
    if (known.status >= 500) {
      const { message, cause } = known;
      this.log.error('a request could not be answered', {
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

export function notAllowed(methods: readonly string[]): ApiError {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return new ApiError('noMethod', { headers: { Allow: allowed.join(', ') } });
}

export function lacks(scope: string): ApiError {
  return new ApiError('noAccess', { message: `The token lacks the scope ${scope}` });
}
