// Whether a request comes from a page of ours: the console's cookie comes along with what another port of this host sends, too.
import type { Endpoint } from '../../base/api/endpoint.ts';
import { ApiError, quoted } from '../../base/api/errors.ts';
import { essenceOf, isJsonType } from '../../base/api/json-body.ts';
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
   * never answer; and each browser says in `Origin` whose page writes. The same holds of a picture that is sent as
   * such: a form sends files as multipart/form-data alone, and for a type as image/png a script must ask first.
   * So the types of the files that an operation takes are never of the three that a form may send. The header of a
   * protocol no form can send at all, nor a script without asking: what carries it may be of any type, or of none.
   */
  checkCookie(request: Request, address: () => string, taken: Taken = {}): void {
    const { method, headers } = request;
    const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
    if (!isRead && !mayWrite(request, taken))
      throw this.refusal(address, `By the cookie of the console only ${takenText(taken)} is taken`);
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

/** What an operation takes besides JSON. */
type Taken = Pick<Endpoint, 'takes' | 'speaks'>;

/** A DELETE has nothing to say, so it need not say in which type; no form sends one. */
function mayWrite({ method, headers }: Request, { takes, speaks }: Taken): boolean {
  if (speaks) return headers.has(speaks.header);
  const type = headers.get('content-type');
  if (type === null) return method === 'DELETE';
  return takes ? takes.types.includes(essenceOf(type)) : isJsonType(type);
}

function takenText({ takes, speaks }: Taken): string {
  if (speaks) return `what carries ${speaks.header}`;
  return takes ? takes.types.join(', ') : 'JSON';
}
