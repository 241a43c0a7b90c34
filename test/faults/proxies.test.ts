// The recipes for nginx and HAProxy, run, with a small upload; `npm run trial proxies` has Caddy with a certificate of Pebble too.
import { expect } from 'bun:test';
import { haproxyOrder, proxyRound } from '../../trial/proxies.ts';
import { lackingProxies, startNginx } from '../../trial/support/proxies.ts';
import { noOpenssl } from '../support/certificate.ts';
import { testWith } from '../support/needs.ts';
import { shortly } from '../support/trial.ts';

/** More than nginx takes unless it is told. */
const small = { bytes: 3_000_000, marks: 0 };

testWith(
  noOpenssl ?? lackingProxies(['nginx']),
  'page, WebSocket, blocking reload, upload and events come through nginx, with the viewer’s own address',
  async () => {
    const order = { ...small, start: startNginx };
    expect(await proxyRound(shortly(1), order)).toEqual({ checks: 6 });
  },
);

testWith(
  noOpenssl ?? lackingProxies(['haproxy', 'ffmpeg']),
  'the same and RTMP come through HAProxy, to the node that is ready, with the encoder’s own address',
  async () => {
    const order = { ...small, ...haproxyOrder };
    expect(await proxyRound(shortly(1), order)).toEqual({ checks: 8 });
  },
);
