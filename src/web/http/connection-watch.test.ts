// When connections are looked at again, and whose hellos are too many.
import { expect, spyOn, test } from 'bun:test';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { openLibc } from '../../base/lib/libc.ts';
import { startLog } from '../../base/lib/log.ts';
import { BytesWatch } from './bytes-watch.ts';
import { TrustedProxies } from './client-address.ts';
import { ConnectionWatch, othersOf, pauseMs } from './connection-watch.ts';
import { connectRates, httpBounds, httpLimits } from './http-limits.ts';
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

const { atOnce } = connectRates(httpBounds.connectsPerSecond).helloArrivals;
/** More hellos than may wait, and fewer than may be opened. */
const some = Math.floor(atOnce / 2);

test.if(libc !== undefined)(
  'a network that opens many connections is refused when its hellos wait, and all that wait are closed',
  async () => {
    expect(some).toBeGreaterThan(1.5 * httpLimits.hellos.waiting.atOnce);
    const [patient, rude] = ['127.0.42.1', '127.0.42.2'];
    const hall = openHall({ isSecure: true, answer: undefined });
    try {
      await hall.greet(patient, some);
      await hall.waited();
      const sockets = await hall.greet(rude, 2 * atOnce);
      const closed = Promise.all(sockets.map((socket) => once(socket, 'end')));
      await hall.waited();
      await closed;
      expect(new Set(hall.notes.map(String))).toEqual(new Set([`hellos,${rude}`]));
    } finally {
      hall.close();
    }
  },
);

test.if(libc !== undefined).each([
  ['they are answered', { isSecure: true, answer: 'hello to you' }],
  ['there is no TLS', { isSecure: false, answer: undefined }],
])('where %s it has as many as it may open', async (_, given) => {
  const hall = openHall(given);
  try {
    await hall.greet('127.0.42.3', 2 * atOnce);
    await hall.waited();
    expect(hall.notes).toEqual([]);
  } finally {
    hall.close();
  }
});

/** A listener whose connections are watched; `answer` is what it says to whoever says something. */
function openHall({ isSecure, answer }: { isSecure: boolean; answer: string | undefined }) {
  let heard = 0;
  let isHeard = Promise.withResolvers<void>();
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    allowHalfOpen: true,
    socket: {
      data: (socket) => {
        if (answer !== undefined) socket.write(answer);
        heard += 1;
        isHeard.resolve();
        isHeard = Promise.withResolvers();
      },
    },
  });
  // It stands still meanwhile, however long a busy machine takes.
  const clock = { now: 0 };
  const given = {
    isSecure,
    bounds: httpBounds,
    peers: { isAllowed: () => false },
    proxies: new TrustedProxies(''),
    monotonicMs: () => clock.now,
  };
  const notes: unknown[][] = [];
  const bytes = new BytesWatch(given);
  const looked = spyOn(bytes, 'begin');
  const watch = new ConnectionWatch({
    ...given,
    pages: new PageWatch(),
    bytes,
    refusals: { note: (...note) => notes.push(note) },
    log: startLog('silent'),
  });
  watch.start({ port: listener.port, door: undefined }, libc);
  const dialled: Socket[] = [];
  /** Two that begin after now: the first has ended then. */
  const looks = async () => {
    const before = looked.mock.calls.length;
    while (looked.mock.calls.length < before + 2) await Bun.sleep(10);
  };
  return {
    notes,
    /** Resolves when all of them have been heard. */
    greet: async (localAddress: string, count: number) => {
      const sockets = Array.from({ length: count }, () => {
        const socket = connect({ host: '127.0.0.1', port: listener.port, localAddress });
        socket.write('hello');
        return socket.resume();
      });
      dialled.push(...sockets);
      while (heard < dialled.length) await isHeard.promise;
      return sockets;
    },
    /** Their hellos are seen, then they have waited, and that is seen. */
    waited: async () => {
      await looks();
      clock.now += httpLimits.hellos.waitsMs;
      await looks();
    },
    close: () => {
      watch.stop();
      for (const socket of dialled) socket.destroy();
      listener.stop(true);
    },
  };
}
