// A line between a client and the service that is cut in the middle of what it carries, as often as a test wants.
import { connect, createServer, type Socket } from 'node:net';

export interface CuttingProxy {
  /** What the client asks instead of the service; stays when that comes back at another port. */
  url: string;
  /** Where the service is now. */
  lead(url: string): void;
  /** Bytes that have gone to the service. */
  sent(): number;
  /** How often it was cut. */
  cuts(): number;
  /** Cuts every line that there is now. */
  cut(): void;
  stop(): Promise<void>;
}

/** `cutAt`: each time so many bytes have gone to the service in all, every line is cut. */
export async function startCuttingProxy(
  target: string,
  { cutAt }: { cutAt: readonly number[] },
): Promise<CuttingProxy> {
  const lines = new Set<[Socket, Socket]>();
  const due = [...cutAt];
  let port = portOf(target);
  let sent = 0;
  let cuts = 0;
  const cut = () => {
    cuts += 1;
    for (const line of lines) for (const end of line) end.destroy();
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const service = connect({ host: '127.0.0.1', port });
    const line: [Socket, Socket] = [client, service];
    lines.add(line);
    client.on('data', (bytes: Buffer) => {
      sent += bytes.length;
      if (sent >= (due[0] ?? Number.POSITIVE_INFINITY)) {
        due.shift();
        cut();
        return;
      }
      if (!service.write(bytes)) client.pause();
    });
    service.on('drain', () => client.resume());
    service.on('data', (bytes: Buffer) => void client.write(bytes));
    for (const [end, other] of [line, [service, client]] as const) {
      end.on('end', () => other.end());
      end.on('error', () => {});
      end.on('close', () => {
        other.destroy();
        lines.delete(line);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const own = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${own}`,
    lead: (url) => {
      port = portOf(url);
    },
    sent: () => sent,
    cuts: () => cuts,
    cut,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const line of lines) for (const end of line) end.destroy();
      }),
  };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
