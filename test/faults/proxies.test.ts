// The recipe for nginx, run, with a small upload; `npm run trial proxies` has Caddy with a certificate of Pebble too.
import { expect } from 'bun:test';
import { proxyRound } from '../../trial/proxies.ts';
import { lackingProxies, startNginx } from '../../trial/support/proxies.ts';
import { noOpenssl } from '../support/certificate.ts';
import { testWith } from '../support/needs.ts';
import { shortly } from '../support/trial.ts';

testWith(
  noOpenssl ?? lackingProxies(['nginx']),
  'page, WebSocket, blocking reload, upload and events come through nginx, with the viewer’s own address',
  async () => {
    // More than nginx takes unless it is told.
    const order = { start: startNginx, bytes: 3_000_000, marks: 0 };
    expect(await proxyRound(shortly(1), order)).toEqual({ checks: 6 });
  },
);
