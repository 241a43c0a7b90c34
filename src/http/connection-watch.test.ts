// When connections are looked at again, and whose hellos are too many.
import { expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { TrustedProxies } from '../lib/client-address.ts';
import { openLibc } from '../lib/libc.ts';
import { startLog } from '../lib/log.ts';
import { BytesWatch } from './bytes-watch.ts';
import { ConnectionWatch, othersOf, pauseMs } from './connection-watch.ts';
import { httpBounds, httpLimits } from './limits.ts';
import { PageWatch } from './page-watch.ts';

const { everyMs, alertEveryMs, share, everyMsMax } = httpLimits.looks;

test('looks come as often as they may, and more often while somebody sends what is no request', () => {
  expect(pauseMs(0, { isAlert: false })).toBe(everyMs);
  expect(pauseMs(0, { isAlert: true })).toBe(alertEveryMs);
});

test.each([false, true])('looks never take more than their share of the time (%p)', (isAlert) => {
  for (const workedMs of [1, 5, 10, 50]) {
    const roundMs = workedMs + pauseMs(workedMs, { isAlert });
    expect(workedMs / roundMs).toBeLessThanOrEqual(share + 1e-9);
  }
});

test('whatever held a look up, the next one comes soon', () => {
  for (const isAlert of [false, true]) expect(pauseMs(5_000, { isAlert })).toBe(everyMsMax);
});

test('of few connections each is asked at a look, of many a share, and of very many so many', () => {
  const { least, share, most } = httpLimits.othersOfLook;
  expect([0, 10, least].map(othersOf)).toEqual([least, least, least]);
  expect(othersOf(900)).toBe(900 * share);
  expect(othersOf(100_000)).toBe(most);
});

const libc = openLibc();

test.if(libc !== undefined)(
  'while a hello has no answer a network opens few connections',
  async () => {
    const { atOnce } = httpLimits.besideHellos;
    const [patient, rude] = ['127.0.42.1', '127.0.42.2'];
    const noted = Promise.withResolvers<unknown[]>();
    const listener = silentListener();
    const given = {
      isSecure: true,
      bounds: httpBounds,
      peers: { isAllowed: () => false },
      proxies: new TrustedProxies(''),
      monotonicMs: () => performance.now(),
    };
    const watch = new ConnectionWatch({
      ...given,
      pages: new PageWatch(),
      bytes: new BytesWatch(given),
      refusals: { note: (...note) => noted.resolve(note) },
      log: startLog('silent'),
    });
    const dialled: Socket[] = [];
    let coming: Timer | undefined;
    const greet = (localAddress: string, count: number) => {
      for (let at = 0; at < count; at += 1) {
        const socket = connect({ host: '127.0.0.1', port: listener.port, localAddress });
        socket.write('hello');
        dialled.push(socket);
      }
    };
    try {
      watch.start({ port: listener.port, door: undefined }, libc);
      // As many as those who come in the moment before it is seen; nobody has been told of them.
      greet(rude, 2 * atOnce);
      greet(patient, atOnce);
      coming = setInterval(() => greet(rude, atOnce), httpLimits.looks.everyMs);
      expect(await noted.promise).toEqual(['hellos', rude]);
    } finally {
      clearInterval(coming);
      watch.stop();
      for (const socket of dialled) socket.destroy();
      listener.stop(true);
    }
  },
);

/** It takes connections, and answers nobody. */
function silentListener() {
  return Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    allowHalfOpen: true,
    socket: { data() {} },
  });
}
