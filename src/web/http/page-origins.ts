// Whether a request comes from a page of ours: the console's cookie comes along with what another port of this host sends, too.
import { ApiError, quoted } from '../../base/api/errors.ts';
import { isJsonType } from '../../base/api/json-body.ts';
import { networkOf } from '../../base/lib/network.ts';
import type { Asker } from './asker.ts';
import type { HttpBook } from './http-refusals.ts';

export class PageOrigins {
  private readonly options: { asker: Asker; refusals: HttpBook };

  constructor(options: { asker: Asker; refusals: HttpBook }) {
    this.options = options;
  }

  /**
   * By the console's cookie. A form cannot send JSON, nor a script of another origin without asking first, which we
   * never answer; and each browser says in `Origin` whose page writes.
   */
  checkCookie(request: Request, address: () => string): void {
    const { method, headers } = request;
    const isRead = method === 'GET' || method === 'HEAD';
    if (!isRead && !mayWrite(method, headers.get('content-type')))
      throw this.refusal(address, 'By the cookie of the console only JSON is taken');
    if (!isRead && headers.get('origin') === null)
      throw this.refusal(address, 'By the cookie of the console a write must carry Origin');
    this.check(request, address);
  }

  /** Without a word of where it comes from it is a program's; what a browser says must be ours. */
  check(request: Request, address: () => string): void {
    const { headers } = request;
    const origin = headers.get('origin');
    const own = this.options.asker.ownOrigins(request);
    if (origin !== null && !own.includes(origin))
      throw this.refusal(
        address,
        `The request comes from ${quoted(origin)}, and this service is ${own.join(' or ')}; behind a proxy that is what PUBLIC_URL says`,
      );
    // Only a second sign: a browser sends it over HTTPS and on this machine alone.
    const site = headers.get('sec-fetch-site');
    if (site === 'cross-site' || site === 'same-site')
      throw this.refusal(address, `The request comes from another page (${site})`);
  }

  private refusal(address: () => string, message: string): ApiError {
    this.options.refusals.note('foreign_page', networkOf(address()));
    return new ApiError('foreignPage', { message });
  }
}

/** A DELETE has nothing to say, so it need not say in which type; no form sends one. */
function mayWrite(method: string, type: string | null): boolean {
  return type === null ? method === 'DELETE' : isJsonType(type);
}
