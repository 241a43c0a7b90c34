// Debian's Chromium and a server for the pages it is shown, for tests and measurements of players.
import { type Browser, chromium } from 'playwright-core';
import { patience } from './machine-pace.ts';

export const chromiumPath = Bun.which('chromium');

/** The same browser without a desktop's windows, from a package of its own: half the work, where it is. */
const shellPath = Bun.which('chromium-headless-shell');

export const noChromium = chromiumPath === null ? 'it needs chromium' : undefined;

/** Nothing is judged by how long it takes: so long something is waited for that may never come. */
export const pageWaitMs = patience(45_000);

/** Only the last list of them counts, so Playwright's own is here too, as far as it is of the pages. */
const featuresOff = [
  // Pages of the browser's own in every window, which nobody sees: a third of the work of a new page.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

const flags = [
  `--disable-features=${featuresOff.join(',')}`,
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
];

/** Without a window; it ends with this process at the latest. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = shellPath ?? chromiumPath ?? 'chromium';
  const browser = await chromium.launch({ executablePath, args: flags, timeout: pageWaitMs });
  browser.on('context', (context) => context.setDefaultTimeout(pageWaitMs));
  return browser;
}

export interface PageServer {
  url: string;
  stop(): Promise<void>;
}

/** Serves one empty page whose script is bundled from the file, as the pages' own will be. */
export async function servePage(script: string): Promise<PageServer> {
  const built = await Bun.build({ entrypoints: [script], target: 'browser', format: 'esm' });
  const [code] = built.outputs;
  if (!built.success || !code) throw new Error(`${script} could not be bundled`);
  const text = await code.text();
  const html =
    '<!doctype html><title>A player</title><script type="module" src="/page.js"></script>';
  const type = (name: string) => ({ headers: { 'content-type': `${name}; charset=utf-8` } });
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    routes: {
      '/': () => new Response(html, type('text/html')),
      '/page.js': () => new Response(text, type('text/javascript')),
      '/favicon.ico': () => new Response(null, { status: 204 }),
    },
  });
  return { url: `http://127.0.0.1:${server.port}/`, stop: () => server.stop(true) };
}
