// An answer that carries media: any origin may read it, and what never changes says so.

export interface MediaAnswer {
  status: number;
  /** Frozen where many answers share them: then they are read once. */
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array<ArrayBuffer>> | null;
}

export interface MediaCall {
  params: Record<string, string>;
  /** As it was written: our own names and values need no decoding. */
  query(name: string): string | null;
  header(name: string): string | null;
  /** The client's, as far as proxies are trusted. */
  readonly address: string;
}

/** Made many times a second for every viewer, so it goes past the ceremony of the interface. */
export type MediaHandler = (call: MediaCall) => Promise<MediaAnswer> | MediaAnswer;

/** Players on other sites read these. */
export const anyOrigin = { 'access-control-allow-origin': '*' };

const pieceHeaders = Object.freeze({
  'content-type': 'video/mp4',
  'cache-control': 'public, max-age=3600, immutable',
  ...anyOrigin,
});

/** A piece of a live stream: its name never comes again, so it may be kept. */
export function pieceAnswer(body: Exclude<MediaAnswer['body'], null> | undefined): MediaAnswer {
  return body ? { status: 200, headers: pieceHeaders, body } : noMedia('No such file');
}

/** A playlist as it is sent, plain or compressed. */
export interface PlaylistText {
  readonly text: string;
  readonly gzip: Uint8Array<ArrayBuffer>;
}

/** How long others may keep a playlist: while it is the newest, not at all, as a recording's, or as one that grows by whole segments. */
const playlistCaches = {
  newest: 'public, max-age=4',
  passing: 'no-cache',
  recorded: 'public, max-age=60',
  growing: 'public, max-age=2',
} as const;
type PlaylistCache = keyof typeof playlistCaches;

const playlistHeaders = {
  newest: headersOf('newest'),
  passing: headersOf('passing'),
  recorded: headersOf('recorded'),
  growing: headersOf('growing'),
};

function headersOf(cache: PlaylistCache) {
  const text = Object.freeze({
    'content-type': 'application/vnd.apple.mpegurl',
    'cache-control': playlistCaches[cache],
    ...anyOrigin,
    vary: 'accept-encoding',
  });
  return { text, gzip: Object.freeze({ ...text, 'content-encoding': 'gzip' }) };
}

export function playlistAnswer(
  made: PlaylistText,
  asked: { gzip: boolean; cache: PlaylistCache },
): MediaAnswer {
  const form = asked.gzip ? 'gzip' : 'text';
  return { status: 200, headers: playlistHeaders[asked.cache][form], body: made[form] };
}

/** Of what a pass has opened: nobody else may be given what is kept of it. */
export function admittedAnswer(answer: MediaAnswer): MediaAnswer {
  if (answer.status >= 400) return answer;
  return { ...answer, headers: { ...answer.headers, 'cache-control': 'private, no-cache' } };
}

export function takesGzip(header: MediaCall['header']): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(header('accept-encoding') ?? '');
}

export function noMedia(reason: string, status: 404 | 410 = 404): MediaAnswer {
  return textAnswer(status, reason);
}

/** Of what is on air and is not here yet: players take 404 for the end, and ask again after this. */
export function awaitedMedia(): MediaAnswer {
  return textAnswer(503, 'The channel is on air, and cannot be shown here yet', {
    'retry-after': '1',
  });
}

export function textAnswer(
  status: number,
  reason: string,
  more: Record<string, string> = {},
): MediaAnswer {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    ...anyOrigin,
    ...more,
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
