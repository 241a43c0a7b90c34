// A receiver of webhooks on loopback: keeps what came, answers as it is told; and one that speaks raw bytes.
import { createServer, type Socket } from 'node:net';

export interface ReceivedRequest {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface Received extends ReceivedRequest {
  type: string;
  data: Record<string, unknown>;
}

export interface WebhookReceiver {
  url: string;
  received: Received[];
  /** What the next requests are answered with; what is thrown is a 500. */
  answer: (request: Received) => Response | Promise<Response>;
  /** Resolves once so many have come. */
  heard(count: number): Promise<void>;
  stop(): Promise<void>;
}

export function startReceiver(
  options: { tls?: { cert: string; key: string } } = {},
): WebhookReceiver {
  const waiting = new Set<() => void>();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    ...(options.tls && { tls: options.tls }),
    fetch: async (request) => {
      const body = await request.text();
      const one: Received = {
        path: new URL(request.url).pathname,
        headers: Object.fromEntries(request.headers),
        body,
        ...(JSON.parse(body) as Pick<Received, 'type' | 'data'>),
      };
      receiver.received.push(one);
      for (const wake of waiting) wake();
      return await receiver.answer(one);
    },
    error: () => new Response('', { status: 500 }),
  });
  const receiver: WebhookReceiver = {
    url: `http${options.tls ? 's' : ''}://127.0.0.1:${server.port}/hook`,
    received: [],
    answer: () => new Response(null, { status: 204 }),
    heard: async (count) => {
      while (receiver.received.length < count) {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await promise;
        waiting.delete(resolve);
      }
    },
    stop: () => server.stop(true),
  };
  return receiver;
}

/** Answers each connection, once something has come over it, by a function of the test's. */
export async function startRawReceiver(
  answer: (socket: Socket) => void,
): Promise<{ port: number; connections: () => number; stop(): void }> {
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', () => answer(socket));
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const { port } = server.address() as { port: number };
  return {
    port,
    connections: () => count,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
