// An HTTP proxy that behaves like a poor line: every answer late by chance, a few of them stalled.
import { seeded } from '../../test/support/random.ts';

export interface Line {
  /** Every answer is late by up to this. */
  jitterMs: number;
  /** And this share of them by this much more. */
  stalledShare: number;
  stallMs: number;
}

export interface JitterProxy {
  url: string;
  readonly requests: number;
  readonly stalls: number;
  stop(): Promise<void>;
}

export function startJitterProxy(target: string, line: Line): JitterProxy {
  const random = seeded(1);
  let requests = 0;
  let stalls = 0;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const answer = await fetch(target + pathname + search, { signal: request.signal });
      const body = await answer.arrayBuffer();
      const isStalled = random.next() < line.stalledShare;
      requests += 1;
      if (isStalled) stalls += 1;
      await Bun.sleep(random.next() * line.jitterMs + (isStalled ? line.stallMs : 0));
      const headers = new Headers(answer.headers);
      // It was unpacked on the way here.
      headers.delete('content-encoding');
      headers.delete('content-length');
      return new Response(body, { status: answer.status, headers });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    get requests() {
      return requests;
    },
    get stalls() {
      return stalls;
    },
    stop: () => server.stop(true),
  };
}
