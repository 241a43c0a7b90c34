// The holder of the token that a request carries.
import { ApiError } from '../../base/api/errors.ts';
import type { Store } from '../../base/db/sql.ts';
import { VersionMemo } from '../../base/db/version-memo.ts';
import { ofAccount, ofNetwork } from '../../base/db/whose.ts';
import { RecentMap } from '../../base/lib/recent-map.ts';
import { looksLikeToken } from './token.ts';
import { type Bearer, findBearer } from './token-store.ts';

/** Tokens that are in use at one time and found without a query; more are simply looked up. */
const rememberedMax = 10_000;

/** How a token came. */
interface Shown {
  /** Of the database, as the store tells it. */
  version: number | undefined;
  /** Whence: what strangers show is looked up in the line of their network. */
  address(): string;
}

export class Bearers {
  private readonly store: Store;
  private readonly now: () => number;

  private readonly known = new VersionMemo<Bearer>({
    entriesMax: rememberedMax,
    weightMax: rememberedMax,
    weigh: () => 1,
  });

  /** By token, the account in whose line its look-up waits. Only tokens that were good when last shown. */
  private readonly accounts = new RecentMap<string, string>({ max: rememberedMax });

  constructor({ store, now }: { store: Store; now: () => number }) {
    this.store = store;
    this.now = now;
  }

  /** By the Authorization header; throws 401. A token that was revoked is refused from the next request on. */
  async find(authorization: string | null, { version, address }: Shown): Promise<Bearer> {
    const known = authorization === null ? undefined : this.known.get(version, authorization);
    if (known && (known.expires_at === null || known.expires_at > this.now())) return known;
    const token = tokenOf(authorization);
    const whose = this.accounts.peek(token) ?? ofNetwork(address());
    const found = await findBearer(this.store.for(whose), token, this.now());
    this.accounts.delete(token);
    if (typeof found === 'string') throw unauthorized(found);
    this.accounts.set(token, ofAccount(found));
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
