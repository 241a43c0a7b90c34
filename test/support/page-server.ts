// The pages behind the real HTTP edge, without the media river: for tests of what a browser gets.
import { deviceOf } from '../../src/audience/viewers/device.ts';
import type { MediaHandler } from '../../src/base/api/media-answer.ts';
import type { PlainHandler } from '../../src/base/api/plain-answer.ts';
import type { Store } from '../../src/base/db/sql.ts';
import { startLog } from '../../src/base/lib/log.ts';
import { startMetrics } from '../../src/base/lib/metrics.ts';
import { Zone } from '../../src/base/lib/time.ts';
import { Refusals } from '../../src/base/peers/refusals.ts';
import { Admissions } from '../../src/library/admission/admissions.ts';
import { Doorkeeper } from '../../src/library/admission/doorkeeper.ts';
import { Audit } from '../../src/library/audit/audit.ts';
import { openPeople } from '../../src/library/people/people.ts';
import { signInBounds } from '../../src/library/people/sign-in-limits.ts';
import { noted } from '../../src/operations.ts';
import { startServer } from '../../src/server.ts';
import { TrustedProxies } from '../../src/web/http/client-address.ts';
import { httpBounds } from '../../src/web/http/http-limits.ts';
import { type Assets, startAssets } from '../../src/web/pages/assets.ts';
import { absentPage, pageRoutes } from '../../src/web/pages/page-routes.ts';
import { qrBounds } from '../../src/web/pages/qr-limits.ts';

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
    networkHost?: () => string | undefined;
    more?: Record<string, PlainHandler>;
    media?: Record<string, MediaHandler>;
  } = {},
): Promise<TestPages> {
  const {
    now = Date.now,
    publicUrl = '',
    networkHost = () => undefined,
    more,
    media = {},
  } = options;
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
  const audit = new Audit({ store, noted, now, log });
  const people = openPeople({
    ...given,
    bounds: signInBounds,
    sessionDays: 30,
    isSecure: false,
    deviceOf,
    audit,
  });
  const assets = options.assets ?? startAssets({ log });
  const admissions = new Admissions({
    store,
    secret,
    now,
    monotonicMs: () => performance.now(),
    log,
  });
  const doorkeeper = new Doorkeeper({ store, secret, admissions, peers, now });
  const pages = pageRoutes({ ...given, admissions, doorkeeper, networkHost, assets });
  const server = startServer({
    host: '127.0.0.1',
    port: 0,
    publicUrl,
    hstsSeconds: 0,
    bounds: httpBounds,
    stopWithinMs: 100,
    routes: [],
    plain: { ...pages, ...more },
    absentPage: absentPage(assets),
    media,
    // Pages are shown whether or not they reach anybody.
    presence: { admit: () => 'refused', attach: () => {}, socket: { message: () => {} } },
    peers,
    consoleCallers: people.callers,
    audit,
    tokenUses: { note: () => {} },
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
