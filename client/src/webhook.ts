// Webhooks by Standard Webhooks 1.0: whether a call is the service's, and what it tells.
import type { webhooks } from './openapi.ts';

/** What a webhook tells: by its `type` the `data` is known. */
export type FootlightEvent = { [Name in keyof webhooks]: BodyOf<webhooks[Name]> }[keyof webhooks];

type BodyOf<Webhook> = Webhook extends {
  post: { requestBody?: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;

/** The call is not the service's, or too old, or cannot be read: answer it with 400 and do nothing. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** Those of a `Request`, or of Node's `request.headers`. */
export type WebhookHeaders = Headers | Record<string, string | readonly string[] | undefined>;

export interface VerifyOptions {
  /** How old, or how far ahead, a call may be. */
  toleranceSeconds?: number;
  /** Epoch milliseconds. */
  now?: number;
}

const usualToleranceSeconds = 300;
/** A call carries a signature for each secret that is valid, two at most while one is changed. */
const signaturesMax = 16;

/**
 * The event of a call, if one of the secrets has signed it. `body` is the body as it came: read it as text or bytes,
 * for what was parsed and written again is not what was signed. While a secret is changed both are good: give both.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = usualToleranceSeconds, now = Date.now() }: VerifyOptions = {},
): Promise<FootlightEvent> {
  // Every time would lie within what is no number.
  for (const [name, value] of Object.entries({ toleranceSeconds, now }))
    if (!(value >= 0)) throw new TypeError(`${name} must be a number from 0 on (got ${value})`);
  const bytes = bytesOf(body);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signature = headerOf(headers, 'webhook-signature');
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookError('webhook-timestamp is no time');
  const secondsOff = Math.floor(now / 1_000) - Number(timestamp);
  if (secondsOff > toleranceSeconds) throw new WebhookError('The call is too old');
  if (-secondsOff > toleranceSeconds) throw new WebhookError('The call is from the future');
  const signatures = signature.split(' ', signaturesMax).flatMap(bytesOfSignature);
  const text = signedBytes({ id, timestamp, body: bytes });
  for (const secret of typeof secrets === 'string' ? [secrets] : secrets) {
    const key = await keyOf(secret, 'verify');
    // Compares in constant time.
    for (const one of signatures)
      if (await crypto.subtle.verify('HMAC', key, one, text)) return parsed(bytes);
  }
  throw new WebhookError('No signature is of a secret that is known here');
}

/** The headers that the service would send: to try a receiver without one. */
export async function signWebhook(
  body: string | Uint8Array | ArrayBuffer,
  secret: string,
  { id, now = Date.now() }: { id: string; now?: number },
): Promise<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const timestamp = String(Math.floor(now / 1_000));
  const key = await keyOf(secret, 'sign');
  const text = signedBytes({ id, timestamp, body: bytesOf(body) });
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, text));
  const signature = `v1,${btoa(String.fromCharCode(...bytes))}`;
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}

function bytesOf(body: string | Uint8Array | ArrayBuffer): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return new Uint8Array(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError('body must be the text or the bytes that came, not what was parsed of them');
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : valueIn(headers, name);
  if (typeof value !== 'string' || value === '') throw new WebhookError(`The call has no ${name}`);
  return value;
}

/** Names of headers have no case. */
function valueIn(headers: Exclude<WebhookHeaders, Headers>, name: string): unknown {
  const [, value] = Object.entries(headers).find(([one]) => one.toLowerCase() === name) ?? [];
  return value;
}

/** Of `v1,BASE64`; those of other versions are passed over. */
function bytesOfSignature(signature: string): Uint8Array<ArrayBuffer>[] {
  const [version, text = ''] = signature.split(',', 2);
  const bytes = version === 'v1' ? bytesOfBase64(text) : undefined;
  return bytes ? [bytes] : [];
}

function signedBytes({ id, timestamp, body }: { id: string; timestamp: string; body: Uint8Array }) {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const all = new Uint8Array(head.length + body.length);
  all.set(head);
  all.set(body, head.length);
  return all;
}

async function keyOf(secret: string, use: 'sign' | 'verify'): Promise<CryptoKey> {
  const bytes = bytesOfBase64(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0)
    throw new TypeError('a secret of a webhook is whsec_ and base64');
  return await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    use,
  ]);
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function parsed(bytes: Uint8Array): FootlightEvent {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as FootlightEvent;
  } catch (cause) {
    throw new WebhookError('The body is no JSON', { cause });
  }
}
