// An answer that carries media: any origin may read it, and what never changes says so.

export interface MediaAnswer {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer> | Blob | null;
}

export interface MediaCall {
  params: Record<string, string>;
  query: URLSearchParams;
  header(name: string): string | null;
  /** The client's, as far as proxies are trusted. */
  readonly address: string;
}

/** Made many times a second for every viewer, so it goes past the ceremony of the interface. */
export type MediaHandler = (call: MediaCall) => Promise<MediaAnswer> | MediaAnswer;

/** Players on other sites read these. */
export const anyOrigin = { 'access-control-allow-origin': '*' };

/** A piece of a live stream: its name never comes again, so it may be kept. */
export function pieceAnswer(body: Blob | undefined): MediaAnswer {
  if (!body) return noMedia('No such file');
  const headers = {
    'content-type': 'video/mp4',
    'cache-control': 'public, max-age=3600, immutable',
    ...anyOrigin,
  };
  return { status: 200, headers, body };
}

/** A playlist as it is sent, plain or compressed. */
export interface PlaylistText {
  readonly text: string;
  readonly gzip: Uint8Array<ArrayBuffer>;
}

export function playlistAnswer(
  made: PlaylistText,
  asked: { gzip: boolean; cache: string },
): MediaAnswer {
  const headers = {
    'content-type': 'application/vnd.apple.mpegurl',
    'cache-control': asked.cache,
    ...anyOrigin,
    vary: 'accept-encoding',
    ...(asked.gzip && { 'content-encoding': 'gzip' }),
  };
  return { status: 200, headers, body: asked.gzip ? made.gzip : made.text };
}

export function takesGzip(header: MediaCall['header']): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(header('accept-encoding') ?? '');
}

export function noMedia(reason: string, status: 404 | 410 = 404): MediaAnswer {
  return textAnswer(status, reason);
}

export function textAnswer(status: number, reason: string): MediaAnswer {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    ...anyOrigin,
  };
  return { status, headers, body: `${reason}\n` };
}

/** Players on other sites may ask what they may ask (CORS). */
export function otherMethod(method: string): MediaAnswer {
  const allow = 'GET, HEAD, OPTIONS';
  return {
    status: method === 'OPTIONS' ? 204 : 405,
    headers: {
      allow,
      ...anyOrigin,
      'access-control-allow-methods': allow,
      'access-control-allow-headers': 'range',
      'access-control-max-age': '86400',
    },
    body: null,
  };
}
