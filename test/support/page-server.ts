// The pages behind the real HTTP edge, without the media river: for tests of what a browser gets.
import type { Store } from '../../src/db/sql.ts';
import { httpBounds } from '../../src/http/limits.ts';
import { TrustedProxies } from '../../src/lib/client-address.ts';
import { startLog } from '../../src/lib/log.ts';
import { startMetrics } from '../../src/lib/metrics.ts';
import type { PlainHandler } from '../../src/lib/plain-answer.ts';
import { Zone } from '../../src/lib/time.ts';
import type { Assets } from '../../src/pages/assets.ts';
import { qrBounds } from '../../src/pages/limits.ts';
import { pageRoutes } from '../../src/pages/page-routes.ts';
import { Refusals } from '../../src/peers/refusals.ts';
import { startServer } from '../../src/server.ts';

export interface TestPages {
  url: string;
  secret: string;
  logLines: string[];
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  stop(): Promise<void>;
}

/** An ordinary browser: what names none is a robot. */
export const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

export async function startTestPages(
  store: Store,
  options: {
    now?: () => number;
    assets?: Assets;
    publicUrl?: string;
    more?: Record<string, PlainHandler>;
  } = {},
): Promise<TestPages> {
  const { now = Date.now, publicUrl = '', assets, more } = options;
  const secret = 'a secret of the test, long enough';
  const logLines: string[] = [];
  const log = startLog('debug', {
    write: (text) => {
      logLines.push(...text.trimEnd().split('\n'));
      return text.length;
    },
  });
  const zone = new Zone('Asia/Shanghai');
  const peers = { refusals: new Refusals({ now, log }), isAllowed: () => false };
  const given = { store, zone, secret, qr: qrBounds, peers, now, log };
  const pages = pageRoutes({ ...given, ...(assets && { assets }) });
  const server = startServer({
    host: '127.0.0.1',
    port: 0,
    publicUrl,
    hstsSeconds: 0,
    bounds: httpBounds,
    stopWithinMs: 100,
    routes: [],
    plain: { ...pages, ...more },
    media: {},
    // Pages are shown whether or not they reach anybody.
    presence: { admit: () => 'refused', attach: () => {}, socket: { message: () => {} } },
    peers,
    proxies: new TrustedProxies(''),
    tls: undefined,
    libc: undefined,
    store,
    now,
    log,
    metrics: startMetrics(),
  });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    secret,
    logLines,
    get: (path, headers) =>
      fetch(url + path, {
        redirect: 'manual',
        headers: { 'user-agent': userAgent, 'accept-language': 'en', ...headers },
      }),
    stop: () => server.stop(),
  };
}
