// Secrets of webhooks, and how a request is signed with them: Standard Webhooks 1.0.
import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';
/** Standard Webhooks: 24 to 64. */
const secretBytes = 32;

export function makeWebhookSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
}

export interface SignedMessage {
  /** Of the event: the same however often it is sent. */
  id: string;
  /** Seconds since 1970, of this try. */
  timestamp: number;
  body: string;
}

/** The headers of one try; each secret signs, so that a receiver may know either. */
export function signedHeaders(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly string[],
): Record<string, string> {
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
