// A new certificate on the same port: pages that are connected stay, and hear what is published.
import { expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import { makeCertificate, noOpenssl } from '../../../test/support/certificate.ts';
import { notLinux, testWith } from '../../../test/support/needs.ts';
import type { Connection } from '../../audience/connection/page-connection.ts';
import { openLibc } from '../../base/lib/libc.ts';
import { startLog } from '../../base/lib/log.ts';
import type { BunServer } from './bun-handler.ts';
import { httpBounds, httpLimits } from './http-limits.ts';
import { Listeners, type ListenersOptions } from './listeners.ts';

testWith(notLinux ?? noOpenssl, 'pages of every certificate hear what is published', async () => {
  const { listeners } = newListeners();
  const pages = [await openPage(listeners.port)];
  for (const name of ['second', 'third']) {
    listeners.renew(certificate(name));
    pages.push(await openPage(listeners.port));
  }
  expect(() => listeners.renew({ cert: 'none', key: 'none' })).toThrow();
  const heard = Promise.all(pages.map((page) => page.next()));
  listeners.publish('room', 'hello');
  expect(await heard).toEqual(['hello', 'hello', 'hello']);
  const answers = Array.from({ length: 20 }, async () => {
    const url = `https://127.0.0.1:${listeners.port}`;
    const init = { keepalive: false, tls: { rejectUnauthorized: false } };
    return await (await fetch(url, init)).text();
  });
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['new']));
  for (const page of pages) page.close();
  await listeners.stop(1_000);
});

testWith(notLinux ?? noOpenssl, 'once it stops no other socket is opened', async () => {
  const { listeners, opened } = newListeners();
  const stopped = listeners.stop(1_000);
  const second = certificate('second');
  expect(() => listeners.renew(second)).toThrow('about to stop');
  await stopped;
  expect(() => listeners.renew(second)).toThrow('about to stop');
  expect(opened).toHaveLength(1);
});

testWith(notLinux ?? noOpenssl, 'every socket that listens bounds what waits', async () => {
  const { listeners, bounds, lookedAt } = newListeners();
  const { unreadBytesMax, connectionUnsentBytesMax } = httpLimits;
  expect(bounds).toEqual([unreadBytesMax, connectionUnsentBytesMax]);
  listeners.renew(certificate('second'));
  expect(bounds).toEqual(Array(2).fill([unreadBytesMax, connectionUnsentBytesMax]).flat());
  // Where nothing else is opened meanwhile few of the descriptors are looked at, however many there are.
  for (let tries = 0; tries < 20 && lookedAt.length >= 50; tries += 1) {
    lookedAt.length = 0;
    listeners.renew(certificate('second'));
  }
  expect(lookedAt.length).toBeLessThan(50);
  await listeners.stop(1_000);
});

function newListeners() {
  const opened: BunServer[] = [];
  const listen: ListenersOptions['listen'] = ({ port, tls, reusePort }) => {
    const server = Bun.serve<Connection>({
      hostname: '127.0.0.1',
      port,
      reusePort,
      ...(tls && { tls }),
      fetch: (request, server) => {
        if (server.upgrade(request, { data: {} as Connection })) return undefined;
        return new Response(listeners.isDraining(server) ? 'old' : 'new');
      },
      websocket: {
        open: (page) => {
          page.subscribe('room');
          page.send('in');
        },
        message() {},
      },
    });
    opened.push(server);
    return server;
  };
  const log = startLog('silent');
  const system = openLibc();
  /** Bounds that were set, in the order they were. */
  const bounds: number[] = [];
  const noted = (bound: 'boundUnread' | 'boundUnsent') => (fd: number, bytes: number) => {
    bounds.push(bytes);
    return system?.[bound](fd, bytes) ?? false;
  };
  const lookedAt: number[] = [];
  const libc = system && {
    ...system,
    boundUnread: noted('boundUnread'),
    boundUnsent: noted('boundUnsent'),
    localPortOf: (fd: number) => {
      lookedAt.push(fd);
      return system.localPortOf(fd);
    },
  };
  const tls = certificate('first');
  const listeners = new Listeners({ port: 0, tls, libc, bounds: httpBounds, log, listen });
  return { listeners, opened, bounds, lookedAt };
}

function certificate(name: string): { cert: string; key: string } {
  const { TLS_CERT, TLS_KEY } = makeCertificate(name);
  return { cert: readFileSync(TLS_CERT, 'utf8'), key: readFileSync(TLS_KEY, 'utf8') };
}

async function openPage(port: number) {
  const socket = new WebSocket(`wss://127.0.0.1:${port}`, { tls: { rejectUnauthorized: false } });
  const next = () =>
    new Promise<string>((resolve) => {
      socket.onmessage = ({ data }) => resolve(String(data));
    });
  expect(await next()).toBe('in');
  return { next, close: () => socket.close() };
}
