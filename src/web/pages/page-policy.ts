// What a browser may do with a page: the headers that every page is sent with.
import { isHost } from '../../base/api/host-name.ts';

export interface PolicyOptions {
  /** Of the page's one style element. */
  nonce: string;
  /** Embed pages may stand in anybody's frame, what the console shows within itself in ours, others in nobody's. */
  framedBy: 'anybody' | 'us' | 'nobody';
  /** The host the browser asked, for its WebSocket: Safari before 15.5 does not count it as 'self'. */
  host: string;
  /** Addresses of media on other sites that this page plays. */
  media: readonly string[];
  /** It has a form that is sent to us. */
  hasForm?: boolean;
  /** The console has pages of ours within it. */
  hasFrames?: boolean;
}

export function pageHeaders(options: PolicyOptions): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    // A page holds its viewer's ticket.
    'cache-control': 'no-store',
    'content-security-policy': contentPolicy(options),
    'x-content-type-options': 'nosniff',
    // Playlists must see that a page of ours asks for them, other sites only our name.
    'referrer-policy': 'strict-origin-when-cross-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
    ...(options.framedBy === 'nobody' && { 'x-frame-options': 'DENY' }),
    ...(options.framedBy === 'us' && { 'x-frame-options': 'SAMEORIGIN' }),
  };
}

function contentPolicy(options: PolicyOptions): string {
  const { nonce, framedBy, host, media, hasForm, hasFrames } = options;
  const hosts = [...new Set(media.flatMap(originOf))];
  const sockets = isHost(host) ? [`ws://${host}`, `wss://${host}`] : [];
  const rules = {
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'", `'nonce-${nonce}'`],
    // Logos and covers lie wherever their owner keeps them.
    'img-src': ["'self'", 'http:', 'https:', 'data:'],
    'media-src': ["'self'", 'blob:', ...hosts],
    'connect-src': ["'self'", ...sockets, ...hosts],
    'base-uri': ["'none'"],
    'form-action': [hasForm ? "'self'" : "'none'"],
    'frame-ancestors': [ancestors[framedBy]],
    ...(hasFrames && { 'frame-src': ["'self'"] }),
  };
  return Object.entries(rules)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ');
}

const ancestors = { anybody: '*', us: "'self'", nobody: "'none'" } as const;

/** Where an address elsewhere leads; nothing where it is a path of this site or no address at all. */
function originOf(address: string): string[] {
  const isRelative = address.startsWith('//');
  const url = URL.parse(isRelative ? `https:${address}` : address);
  if (!url || !/^https?:$/.test(url.protocol) || !isHost(url.host)) return [];
  // A host alone stands for the page's own scheme, as such an address does.
  return [isRelative ? url.host : url.origin];
}
