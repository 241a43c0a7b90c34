// The secret of a session or of a one-time link: 256 random bits, of which the database holds a hash alone.
import { createHash } from 'node:crypto';
import { randomText } from '../../base/lib/secret.ts';

const bits = 256;
const shape = /^[0-9A-Za-z]{43}$/;

/** Always fresh: nobody who brings a secret along gets it made good. */
export function makeConsoleSecret(): string {
  return randomText(bits);
}

/** Whether the text can be one at all. */
export function looksLikeConsoleSecret(text: string): boolean {
  return shape.test(text);
}

/** So many random bits need no salt and no slow hash. */
export function hashConsoleSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
