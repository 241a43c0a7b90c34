// The holder of the token that a request carries.
import type { Store } from '../db/sql.ts';
import { ApiError } from '../lib/errors.ts';
import { VersionMemo } from '../lib/version-memo.ts';
import { looksLikeToken } from './token.ts';
import { type Bearer, findBearer } from './token-store.ts';

/** Tokens that are in use at one time and found without a query; more are simply looked up. */
const rememberedMax = 10_000;

export class Bearers {
  private readonly store: Store;
  private readonly now: () => number;

  private readonly known = new VersionMemo<Bearer>({
    entriesMax: rememberedMax,
    weightMax: rememberedMax,
    weigh: () => 1,
  });

  constructor({ store, now }: { store: Store; now: () => number }) {
    this.store = store;
    this.now = now;
  }

  /** By the Authorization header; throws 401. A token that was revoked is refused from the next request on. */
  async find(authorization: string | null, version: number | undefined): Promise<Bearer> {
    const known = authorization === null ? undefined : this.known.get(version, authorization);
    if (known && (known.expires_at === null || known.expires_at > this.now())) return known;
    const found = await findBearer(this.store, tokenOf(authorization), this.now());
    if (typeof found === 'string') throw unauthorized(found);
    if (authorization !== null) this.known.set(version, authorization, found);
    return found;
  }
}

function tokenOf(authorization: string | null): string {
  if (authorization === null) throw unauthorized('The request carries no Authorization header');
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined) throw unauthorized('Authorization must be: Bearer <token>');
  if (!looksLikeToken(token)) throw unauthorized('The token is not well formed');
  return token;
}

function unauthorized(message: string): ApiError {
  return new ApiError('unauthorized', { message, headers: { 'WWW-Authenticate': 'Bearer' } });
}
