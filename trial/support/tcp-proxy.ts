// A line between an encoder and the service that can be cut, or go silent with both ends open.
import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  port: number;
  /** Drops every connection, both ends at once. */
  cut(): void;
  /** From now on nothing passes on the connections there are; both ends stay open. */
  silence(): void;
  close(): void;
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((near) => {
    const far = connect({ host: '127.0.0.1', port: targetPort, noDelay: true });
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [far, near]] as const) {
      from.setNoDelay(true);
      from.on('data', (bytes) => to.write(bytes));
      from.on('error', () => {});
      from.on('close', () => {
        // What was written before the end still gets there.
        if (pairs.has(pair)) to.end();
      });
    }
  });
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await listening;
  const { port } = server.address() as { port: number };
  const cut = () => {
    for (const pair of pairs) {
      pairs.delete(pair);
      for (const socket of pair) socket.resetAndDestroy();
    }
  };
  return {
    port,
    cut,
    silence: () => {
      for (const pair of pairs)
        for (const socket of pair) socket.removeAllListeners('data').pause();
    },
    close: () => {
      cut();
      server.close();
    },
  };
}
