// Pieces over a real connection: whole, slow, left and broken off.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { type Pieces, streamOf } from './pieces.ts';

/** What is served next, and what became of it. */
const show = {
  nextPiece: (async () => undefined) as Pieces,
  made: 0,
  ends: 0,
  problem: undefined as unknown,
};
let ended = Promise.withResolvers<void>();
let ending = new AbortController();

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () =>
    new Response(
      streamOf(show.nextPiece, {
        signal: ending.signal,
        onError: (error) => {
          show.problem = error;
        },
        onEnd: () => {
          show.ends += 1;
          ended.resolve();
        },
      }),
    ),
});
afterAll(() => server.stop(true));
beforeEach(() => {
  show.ends = 0;
  show.problem = undefined;
  ended = Promise.withResolvers<void>();
  ending = new AbortController();
});

/** Serves so many pieces of a size; from `failsAt` on none can be made. */
function serve(given: { characters: number; count: number; failsAt?: number }): void {
  const { characters, count, failsAt = Number.POSITIVE_INFINITY } = given;
  show.made = 0;
  show.nextPiece = async () => {
    if (show.made === failsAt) throw new Error('the database is away');
    if (show.made === count) return undefined;
    show.made += 1;
    return '小'.repeat(characters);
  };
}

describe('pieces', () => {
  test('arrive whole and in order', async () => {
    serve({ characters: 1_000, count: 20 });
    expect(await (await fetch(server.url)).text()).toBe('小'.repeat(20_000));
    await ended.promise;
  });

  test('are not made for a caller who does not take them, and none after they have gone', async () => {
    serve({ characters: 50_000, count: 10_000 });
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: server.port ?? 0,
      socket: { data() {} },
    });
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const made = await settled(() => show.made);
    // What the system's own buffers take: some megabytes of 1.5 GB.
    expect(made).toBeLessThan(200);
    socket.terminate();
    await ended.promise;
    expect(show.made).toBeLessThanOrEqual(made + 1);
  });

  test('that are made while the caller leaves are for nobody', async () => {
    const asked = Promise.withResolvers<void>();
    const piece = Promise.withResolvers<string>();
    show.nextPiece = () => {
      asked.resolve();
      return piece.promise;
    };
    const leaving = new AbortController();
    const answer = fetch(server.url, { signal: leaving.signal }).then((response) =>
      response.text(),
    );
    await asked.promise;
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await ended.promise;
    piece.resolve('too late');
    await Bun.sleep(0);
    expect(show).toMatchObject({ ends: 1, problem: undefined });
  });

  test('that cannot be made break the answer off', async () => {
    serve({ characters: 1_000, count: 20, failsAt: 5 });
    const text = fetch(server.url).then((response) => response.text());
    await expect(text).rejects.toThrow();
    await ended.promise;
    expect(show).toMatchObject({ ends: 1, problem: new Error('the database is away') });
  });

  test('break off when they are not to be sent any more', async () => {
    serve({ characters: 50_000, count: 10_000 });
    const response = await fetch(server.url);
    const reader = response.body?.getReader();
    await reader?.read();
    ending.abort();
    const rest = (async () => {
      while (!(await reader?.read())?.done);
    })();
    await expect(rest).rejects.toThrow();
    await ended.promise;
    expect(show).toMatchObject({ ends: 1, problem: undefined });
  });

  test('of which none is to be sent any more are never begun', async () => {
    serve({ characters: 1_000, count: 20 });
    ending.abort();
    const text = fetch(server.url).then((response) => response.text());
    await expect(text).rejects.toThrow();
    await ended.promise;
    expect(show).toMatchObject({ made: 0, ends: 1, problem: undefined });
  });
});

/** A number that grows no more: there is no event for what does not happen. */
async function settled(read: () => number): Promise<number> {
  for (let last = 0; ; ) {
    const now = read();
    if (now > 0 && now === last) return now;
    last = now;
    await Bun.sleep(200);
  }
}
