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

/** A service has one address or two, and some forty texts of each; a stranger may make up as many as it likes. */
const textsMax = 120;

/** Of a text: more than any page has, less than `/openapi.json`. */
const compressedMax = 250_000;

export function docsRoutes(options: DocsOptions): Record<string, PlainHandler> {
  const { routes, version, assets, rtmpUrl } = options;
  const made = once(() => {
    const document = openApi(routes, { version, url: anyUrl, events: describedEvents() });
    const site = docsSite({ document, routes, url: anyUrl, rtmpUrl: anyRtmpUrl });
    return {
      document: JSON.stringify(document),
      site,
      index: JSON.stringify(searchIndex(site)),
    };
  });
  const kept = new RecentMap<string, KeptText>({ max: textsMax });
  /** To put an address in, and to compress it, takes longer than all else that an answer does. */
  const textFor = (key: string, baseUrl: string, make: () => string) => {
    const name = `${baseUrl} ${key}`;
    const addressed = () =>
      make().replaceAll(anyUrl, baseUrl).replaceAll(anyRtmpUrl, rtmpUrl(baseUrl));
    const known = kept.peek(name) ?? keptText(addressed());
    kept.set(name, known);
    return known;
  };
  const page = async (call: PlainCall, path: string) => {
    const docs = await assets.ofDocs();
    const found = made().site.find((one) => one.path === path);
    if (!found) throw new ApiError('noPath');
    const text = textFor(`${path} ${docs.script} ${docs.style}`, call.baseUrl, () =>
      framed(found, made().site, docs),
    );
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
        textFor('openapi', call.baseUrl, () => made().document),
        'application/json',
      ),
    '/docs': pages(() => '/docs'),
    '/docs/search.json': (call) =>
      shown(
        call,
        textFor('index', call.baseUrl, () => made().index),
        'application/json',
      ),
    '/docs/:page': pages(({ page: name }) => `/docs/${name}`),
    '/docs/guides/:guide': pages(({ guide }) => `/docs/guides/${guide}`),
  };
}

interface KeptText {
  text: string;
  /** Made when somebody takes it: it costs most of all. */
  gzip(): Uint8Array<ArrayBuffer>;
  tag: string;
}

function keptText(text: string): KeptText {
  return { text, gzip: once(() => Bun.gzipSync(text)), tag: `"${Bun.hash(text).toString(36)}"` };
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

function shown({ header }: PlainCall, { text, gzip, tag }: KeptText, type: string): PlainAnswer {
  const headers = {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'public, max-age=300',
    etag: tag,
    vary: 'Host, Accept-Encoding',
    'content-security-policy': docsPolicy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
  };
  const known = header('if-none-match');
  if (known !== null && hasTag(known, tag)) return { status: 304, headers, body: null };
  // A stranger may make up addresses, and to compress the longest text for each would keep others waiting.
  if (!takesGzip(header) || text.length > compressedMax) return { headers, body: text };
  return { headers: { ...headers, 'content-encoding': 'gzip' }, body: gzip() };
}

/** Not at the start, which it would slow down, but with the first request. */
function once<T>(make: () => T): () => T {
  let value: { made: T } | undefined;
  return () => {
    value ??= { made: make() };
    return value.made;
  };
}
