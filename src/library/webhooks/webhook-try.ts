// One try of a delivery: signed, sent, and what came of it in the words of the log.
import { randomText } from '../../base/lib/secret.ts';

import type { SigningWebhook } from './delivery-log-store.ts';
import type { DeliveryOrder } from './delivery-try-store.ts';
import { type TargetAnswer, type TargetClient, TargetProblem } from './target-client.ts';
import { askedRestMs } from './target-rest.ts';
import type { TryOutcome } from './target-store.ts';
import { testBody } from './webhook.ts';
import { webhookLimits } from './webhook-limits.ts';
import { signedHeaders } from './webhook-signature.ts';

export type Signed = Omit<DeliveryOrder, 'id' | 'type'>;

export interface TryOptions {
  client: TargetClient;
  now: () => number;
  stopping?: AbortSignal | undefined;
}

/** Rejects only where the service is stopping: then nothing is known of it. */
export async function tryDelivery(
  order: Signed,
  { client, now, stopping }: TryOptions,
): Promise<TryOutcome> {
  const began_at = now();
  const began = performance.now();
  const headers = headersOf(order, began_at);
  const known = () => ({
    began_at,
    took_ms: Math.round(performance.now() - began),
    request_headers: JSON.stringify(Object.entries(headers)),
  });
  try {
    const { body } = order;
    const answer = await client.post({ url: new URL(order.url), headers, body }, stopping);
    return { ...known(), ...judged(answer, now()) };
  } catch (error) {
    if (stopping?.aborted || !(error instanceof TargetProblem)) throw error;
    return { ...known(), ...nothing, problem: error.message };
  }
}

export interface TestedDelivery {
  event_id: string;
  body: string;
  outcome: TryOutcome;
}

/** Of a test's id, as of an event's. */
const testIdBits = 128;

/** Sends an event that is none, once. */
export async function tryTest(
  webhook: SigningWebhook,
  options: TryOptions,
): Promise<TestedDelivery> {
  const event_id = `evt_${randomText(testIdBits)}`;
  const body = testBody({ webhook_id: webhook.id, at: options.now() });
  return { event_id, body, outcome: await tryDelivery({ ...webhook, event_id, body }, options) };
}

const nothing = {
  isDelivered: false,
  isGone: false,
  status: 0,
  answer_headers: '',
  answer_body: '',
  restMs: undefined,
};

function headersOf(order: Signed, at: number): Record<string, string> {
  const { event_id: id, body, secret, old_secret, old_secret_until } = order;
  const secrets = old_secret !== '' && at < old_secret_until ? [secret, old_secret] : [secret];
  return {
    'user-agent': 'Footlight-Webhooks',
    'content-type': 'application/json',
    ...signedHeaders({ id, timestamp: Math.floor(at / 1_000), body }, secrets),
  };
}

function judged(answer: TargetAnswer, now: number) {
  const { status } = answer;
  const isDelivered = status >= 200 && status < 300;
  return {
    isDelivered,
    isGone: status === 410,
    status,
    answer_headers: JSON.stringify(keptHeaders(answer)),
    answer_body: answer.body.slice(0, webhookLimits.keptBodyChars),
    problem: isDelivered ? '' : refusalOf(answer),
    restMs: askedRestMs(answer, now),
  };
}

function refusalOf({ status }: TargetAnswer): string {
  if (status >= 300 && status < 400)
    return `it answered ${status}, which leads elsewhere: that is not followed`;
  return status === 410 ? 'it answered 410: it is gone' : `it answered ${status}`;
}

/** As many of the first as there is room for. */
function keptHeaders({ headers }: TargetAnswer): [string, string][] {
  let room = webhookLimits.keptHeaderChars;
  return headers.filter(([name, value]) => {
    room -= name.length + value.length;
    return room >= 0;
  });
}
