// A bearer token: a prefix people and scanners recognise, 256 random bits, a checksum.
import { createHash } from 'node:crypto';
import { type Scope, scopes } from '../../base/api/caller.ts';
import { base62, randomText } from '../../base/lib/secret.ts';

const prefix = 'footlight_';
const bits = 256;
const checksumLength = 6;
const shape = new RegExp(`^${prefix}[0-9A-Za-z]{43}[0-9A-Za-z]{${checksumLength}}$`);

/** What a token may do unless its maker says otherwise. */
export const usualScopes: readonly Scope[] = scopes.filter((scope) => scope !== 'manage');

export function makeToken(): string {
  const secret = prefix + randomText(bits);
  return secret + checksum(secret);
}

/** Whether the text can be a token at all; a typing mistake is found without asking the database. */
export function looksLikeToken(text: string): boolean {
  return (
    shape.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)
  );
}

/** What is kept of a token. 256 random bits need no salt and no slow hash. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

function checksum(secret: string): string {
  return base62(BigInt(Bun.hash.crc32(secret)), checksumLength);
}
