// The holder of the token that a request carries.
import { ApiError } from '../../base/api/errors.ts';
import type { Store } from '../../base/db/sql.ts';
import { type Holder, KnownHolders, type Shown } from './known-holders.ts';
import { looksLikeToken } from './token.ts';
import { findBearer } from './token-store.ts';
import type { TokenUses } from './token-uses.ts';

export class Bearers {
  private readonly holders: KnownHolders<Holder>;

  private readonly uses: Pick<TokenUses, 'note'>;

  constructor(options: {
    store: Store;
    now: () => number;
    tokenUses: Pick<TokenUses, 'note'>;
  }) {
    const { store, now, tokenUses } = options;
    this.uses = tokenUses;
    this.holders = new KnownHolders({ store, now, look: findBearer });
  }

  /** By the Authorization header; throws 401. A token that was revoked is refused from the next request on. */
  async find(authorization: string | null, shown: Shown): Promise<Holder> {
    if (authorization === null) throw unauthorized('The request carries no Authorization header');
    const known = this.holders.remembered(authorization, shown.version);
    if (known) return this.used(known);
    const found = await this.holders.find(authorization, tokenOf(authorization), shown);
    if (typeof found === 'string') throw unauthorized(found);
    return this.used(found);
  }

  /** Who bore it last: what they ask for may be made while `find` looks whether they still may. */
  expected(authorization: string | null): Holder | undefined {
    return authorization === null ? undefined : this.holders.expected(authorization);
  }

  private used(holder: Holder): Holder {
    this.uses.note(holder.token_id);
    return holder;
  }
}

function tokenOf(authorization: string): string {
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined) throw unauthorized('Authorization must be: Bearer <token>');
  if (!looksLikeToken(token)) throw unauthorized('The token is not well formed');
  return token;
}

export function unauthorized(message: string): ApiError {
  return new ApiError('unauthorized', { message, headers: { 'WWW-Authenticate': 'Bearer' } });
}
