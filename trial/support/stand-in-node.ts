// A stand-in for another node behind a balancer: says whether it is ready, and counts what comes to it.
import type { ProxiedNode } from './proxies.ts';

export interface StandIn extends ProxiedNode {
  /** What it answers to all but `/readyz`, and begins with at `/open`, which has no end. */
  readonly answer: string;
  /** To those who are at `/open`. */
  say(text: string): void;
  setReady(isReady: boolean): void;
  /** Besides those for `/readyz`. */
  requests(): number;
  rtmpConnects(): number;
  stop(): void;
}

/** It is not ready at first. */
export function startStandIn(): StandIn {
  const answer = 'another node\n';
  let isReady = false;
  const open: ReadableStreamDefaultController<string>[] = [];
  let requests = 0;
  let rtmpConnects = 0;
  const http = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      if (new URL(request.url).pathname === '/readyz')
        return new Response(null, { status: isReady ? 200 : 503 });
      requests += 1;
      if (new URL(request.url).pathname !== '/open') return new Response(answer);
      const start = (controller: ReadableStreamDefaultController<string>) => {
        controller.enqueue(answer);
        open.push(controller);
      };
      return new Response(
        new ReadableStream<string>({ start }).pipeThrough(new TextEncoderStream()),
      );
    },
  });
  const rtmp = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data() {},
      open(socket) {
        rtmpConnects += 1;
        socket.end();
      },
    },
  });
  return {
    httpPort: http.port ?? 0,
    rtmpPort: rtmp.port,
    answer,
    say: (text) => {
      for (const controller of open) controller.enqueue(text);
    },
    setReady: (is) => {
      isReady = is;
    },
    requests: () => requests,
    rtmpConnects: () => rtmpConnects,
    stop: () => {
      http.stop(true);
      rtmp.stop(true);
    },
  };
}
