// `/docs` and `/openapi.json` by their paths: made with the first request, kept compressed, known again by their tag.
import { createHash } from 'node:crypto';
import { ApiError } from '../../base/api/errors.ts';
import { takesGzip } from '../../base/api/media-answer.ts';
import { openApi } from '../../base/api/openapi.ts';
import type { PlainAnswer, PlainCall, PlainHandler } from '../../base/api/plain-answer.ts';
import { hasTag } from '../../base/api/request.ts';
import type { AnyRoute } from '../../base/api/route.ts';
import { RecentMap } from '../../base/lib/recent-map.ts';
import { describedEvents } from '../../library/events/event.ts';
import type { DocsAssets } from '../pages/assets.ts';
import { AddressedText } from './addressed-text.ts';
import { docsColours, framed } from './docs-page.ts';
import { docsSite, searchIndex } from './docs-site.ts';

export interface DocsOptions {
  routes: readonly AnyRoute[];
  version: string;
  assets: DocsAssets;
  /** What is told where there is no such page. */
  absentPage: NonNullable<PlainHandler['refuse']>;
  /** Where RTMP is, by the service's address. */
  rtmpUrl: (baseUrl: string) => string;
}

/** Stands for the service's address until a request says which one it used. */
const anyUrl = 'https://address.invalid';
const anyRtmpUrl = 'rtmp://address.invalid';

/**
 * What is kept of answers as they were made for an address, in bytes. A service has one address or two, whose pages take
 * half a megabyte; a stranger may make up as many as it likes.
 */
const keptBytesMax = 8_388_608;

/**
 * Where the address stands more often, a page that is joined is up to three times as long. So it is compressed as a whole
 * for an address that was asked by before, which one that a stranger makes up was not.
 */
const joinedPlacesMax = 3;
/** Some hundred bytes each. */
const addressesMax = 1_000;

export function docsRoutes(options: DocsOptions): Record<string, PlainHandler> {
  const { routes, version, assets, rtmpUrl } = options;
  const document = once(() => openApi(routes, { version, url: anyUrl, events: describedEvents() }));
  const site = once(() =>
    docsSite({ document: document(), routes, url: anyUrl, rtmpUrl: anyRtmpUrl }),
  );
  /** By what they are, for any address: as many as there are pages, and those with the scripts of before. */
  const texts = new RecentMap<string, AddressedText>({ max: 120 });
  const kept = new RecentMap<string, string | Bytes>({
    max: keptBytesMax,
    weigh: (body) => (typeof body === 'string' ? 2 : 1) * body.length,
  });
  const asked = new RecentMap<string, true>({ max: addressesMax });
  /** Whether it was asked by before; notes it. */
  const notedBefore = (address: string) => {
    const isThere = asked.get(address) !== undefined;
    asked.set(address, true);
    return isThere;
  };
  const textFor = (key: string, make: () => string) => {
    const known = texts.get(key) ?? new AddressedText(make(), [anyUrl, anyRtmpUrl]);
    texts.set(key, known);
    return known;
  };
  const shown = (call: PlainCall, text: AddressedText, type: string): PlainAnswer => {
    const { header, baseUrl } = call;
    const addresses = [baseUrl, rtmpUrl(baseUrl)];
    const tag = text.tag(addresses);
    const headers = headersOf(type, tag);
    const known = header('if-none-match');
    if (known !== null && hasTag(known, tag)) return { status: 304, headers, body: null };
    const bodyFor = <Body extends string | Bytes>(form: string, make: () => Body): Body => {
      // By the address itself: whoever asks may choose one whose hash is that of another.
      const name = `${form} ${text.hash} ${text.places > 0 ? baseUrl : ''}`;
      const body = (kept.get(name) as Body | undefined) ?? make();
      kept.set(name, body);
      return body;
    };
    if (!takesGzip(header)) return { headers, body: bodyFor('plain', () => text.text(addresses)) };
    const isKnown = notedBefore(baseUrl);
    const body =
      text.places > 0 && (text.places <= joinedPlacesMax || !isKnown)
        ? text.gzip(addresses)
        : bodyFor('gzip', () => Bun.gzipSync(text.text(addresses)));
    return { headers: { ...headers, 'content-encoding': 'gzip' }, body };
  };
  const page = async (call: PlainCall, path: string) => {
    const docs = await assets.ofDocs();
    const found = site().find((one) => one.path === path);
    if (!found) throw new ApiError('noPath');
    const text = textFor(`${path} ${docs.script} ${docs.style}`, () => framed(found, site(), docs));
    return shown(call, text, 'text/html');
  };
  const pages = (pathOf: (params: Record<string, string>) => string): PlainHandler =>
    Object.assign((call: PlainCall) => page(call, pathOf(call.params)), {
      refuse: options.absentPage,
    });
  return {
    '/openapi.json': (call) =>
      shown(
        call,
        textFor('openapi', () => asciiJson(document())),
        'application/json',
      ),
    '/docs': pages(() => '/docs'),
    '/docs/search.json': (call) =>
      shown(
        call,
        textFor('index', () => asciiJson(searchIndex(site()))),
        'application/json',
      ),
    '/docs/:page': pages(({ page: name }) => `/docs/${name}`),
    '/docs/guides/:guide': pages(({ guide }) => `/docs/guides/${guide}`),
  };
}

type Bytes = Uint8Array<ArrayBuffer>;

/** With what is not ASCII written as its number: such a text takes one byte a character, and nothing to encode. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const coloursHash = createHash('sha256').update(docsColours).digest('base64');

/** Scripts, style and requests of this service alone; no frame, no form that leads away. */
export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' 'sha256-${coloursHash}'`,
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function headersOf(type: string, tag: string): Record<string, string> {
  return {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'public, max-age=300',
    etag: tag,
    vary: 'Host, Accept-Encoding',
    'content-security-policy': docsPolicy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
  };
}

/** Not at the start, which it would slow down, but with the first request. */
function once<T>(make: () => T): () => T {
  let value: { made: T } | undefined;
  return () => {
    value ??= { made: make() };
    return value.made;
  };
}
