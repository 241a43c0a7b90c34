// Pages that open their WebSocket on a real server: the watch over connections knows those that are open, and no others.
import { afterAll, expect, test } from 'bun:test';
import { Connection } from '../../audience/connection/page-connection.ts';
import { startLog } from '../../base/lib/log.ts';
import { startMetrics } from '../../base/lib/metrics.ts';
import { Refusals } from '../../base/peers/refusals.ts';
import { Asker } from './asker.ts';
import { audienceHandlers } from './audience-upgrade.ts';
import { Border } from './border.ts';
import { TrustedProxies } from './client-address.ts';
import { httpBounds } from './http-limits.ts';
import { httpRefusals } from './http-refusals.ts';
import { PageWatch } from './page-watch.ts';
import { UntakenAnswers } from './untaken-answers.ts';

const proxies = new TrustedProxies('');
const log = startLog('silent');
const now = () => 0;
const given = {
  isSecure: false,
  asker: new Asker({ proxies, publicUrl: '', isSecure: false }),
  peers: { isAllowed: () => false },
  refusals: new Refusals({ now, log }).book('http', httpRefusals),
  bounds: httpBounds,
  proxies,
  metrics: startMetrics(),
  securityHeader: '',
  isDraining: () => false,
  now,
  log,
};
const pages = new PageWatch();
const border = new Border({ ...given, untaken: new UntakenAnswers(given) });
const upgrade = { ip: '', network: '', device: '', browser: '' };
const presence = {
  admit: ({ origin }: { origin: string | null }) =>
    new Connection({ ...upgrade, refusal: origin === 'https://other' ? 'origin' : undefined }, 0, {
      mayTell: () => true,
    }),
};
const server = Bun.serve<Connection>({
  port: 0,
  hostname: '127.0.0.1',
  routes: audienceHandlers({ ...given, presence, border, pages }),
  websocket: {
    open: (page) => {
      if (page.data.upgrade?.refusal) page.close(4_000);
    },
    close: ({ data }) => pages.closed(data),
    message() {},
  },
});
afterAll(() => server.stop(true));

async function openPage(origin: string) {
  const page = new WebSocket(`ws://127.0.0.1:${server.port}/audience`, { headers: { origin } });
  const closed = new Promise((resolve) => {
    page.onclose = resolve;
  });
  await new Promise((resolve) => {
    page.onopen = resolve;
  });
  return { page, closed };
}

test('a page that is told no leaves nothing behind', async () => {
  for (let come = 0; come < 3; come += 1) await (await openPage('https://other')).closed;
  expect(pages.count).toBe(0);
});

test('a page is known while it is open', async () => {
  const { page, closed } = await openPage('https://own');
  expect(pages.count).toBe(1);
  page.close();
  await closed;
  expect(pages.count).toBe(0);
});

test('a request that cannot be upgraded leaves nothing behind', async () => {
  const headers = { upgrade: 'websocket' };
  const { status } = await fetch(`http://127.0.0.1:${server.port}/audience`, { headers });
  expect(status).toBe(400);
  expect(pages.count).toBe(0);
});
