// Text that only the holder of a secret can have made: a kind, a payload and their HMAC-SHA256.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** More than any text of ours; longer ones are not worth a hash. */
const textCharactersMax = 4_096;

/**
 * `kind.payload.signature`. The kind says what the text is and the version of its format. It is signed
 * too, so one kind never passes for another, nor an old format for a new one.
 */
export function signedText(secret: string, kind: string, payload: string): string {
  const text = `${kind}.${payload}`;
  return `${text}.${signatureOf(secret, text, 'base64url')}`;
}

/** The payload; undefined where the text is of another kind, broken or forged. */
export function readSignedText(secret: string, kind: string, text: string): string | undefined {
  const end = text.lastIndexOf('.');
  const begin = kind.length + 1;
  if (text.length > textCharactersMax || end < begin || !text.startsWith(`${kind}.`))
    return undefined;
  const right = signatureOf(secret, text.slice(0, end), 'base64url');
  return isSameSignature(text.slice(end + 1), right) ? text.slice(begin, end) : undefined;
}

export function signatureOf(secret: string, text: string, encoding: 'base64url' | 'hex'): string {
  // With an empty secret anybody could sign.
  if (secret === '') throw new Error('nothing is signed with an empty secret');
  return createHmac('sha256', secret).update(text).digest(encoding);
}

/** In constant time: how long it takes tells nothing about where the two differ. */
export function isSameSignature(given: string, right: string): boolean {
  const bytes = Buffer.from(given);
  return bytes.length === right.length && timingSafeEqual(bytes, Buffer.from(right));
}
