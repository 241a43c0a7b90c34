// A line to a proxy for clients that speak no TLS: what they say leaves from a loopback address of its own, encrypted.
import { createServer, type Socket } from 'node:net';
import { connect } from 'node:tls';

export interface TlsLine {
  port: number;
  url: string;
  /** Where it leads to. */
  lead(to: { port: number; name: string; ca: string }): void;
  stop(): void;
}

/** The certificate must be the name's, by the authority that is given. */
export async function openTlsLine(from: string): Promise<TlsLine> {
  const led: { to?: { port: number; name: string; ca: string } } = {};
  const open = new Set<Socket>();
  const server = createServer((near) => {
    open.add(near);
    near.on('error', () => {});
    if (!led.to) {
      near.destroy();
      return;
    }
    const { port, name, ca } = led.to;
    const far = connect({
      host: '127.0.0.1',
      port,
      servername: name,
      ca,
      localAddress: from,
      ALPNProtocols: ['http/1.1'],
    } as Parameters<typeof connect>[0]);
    far.on('error', () => near.destroy());
    far.on('close', () => near.destroy());
    near.on('close', () => {
      open.delete(near);
      far.destroy();
    });
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    lead: (to) => {
      led.to = to;
    },
    stop: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
