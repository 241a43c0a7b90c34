// A line from one port to another that can be cut, held up, or made to answer like a store that cannot do its work.
import { connect, createServer, type Socket } from 'node:net';

/**
 * through: as it comes. cut: whoever comes is turned away. silent: nothing moves, on lines that there are too, until it
 * is another. frozen: what comes is taken and never answered. The others: each request is answered so.
 */
export type LineMode = 'through' | 'cut' | 'silent' | 'frozen' | 'failing' | 'slow down' | 'full';

export interface FaultLine {
  port: number;
  /** How it is from now on; but for silence, what is under way on it is cut. */
  set(mode: LineMode): void;
  /** Every line is cut when so many more bytes have gone. */
  cutAfter(bytes: number): void;
  /** Requests that have come since it was last set. */
  requests(): number;
  stop(): Promise<void>;
}

const refusals: Partial<Record<LineMode, string>> = {
  failing: '500 Internal Server Error',
  'slow down': '503 Slow Down',
  full: '507 Insufficient Storage',
};

export async function startFaultLine(port: number): Promise<FaultLine> {
  const ends = new Set<Socket>();
  /** Those that came while it was silent. */
  const waiting = new Set<Socket>();
  let mode: LineMode = 'through';
  let leftBytes = Number.POSITIVE_INFINITY;
  let requests = 0;
  const cut = () => {
    for (const end of ends) end.destroy();
  };
  const keep = (end: Socket) => {
    ends.add(end);
    end.on('error', () => {});
    end.on('close', () => {
      ends.delete(end);
      waiting.delete(end);
    });
  };
  const goOn = (end: Socket) => {
    if (mode !== 'silent') end.resume();
  };
  const join = (client: Socket) => {
    const other = connect({ host: '127.0.0.1', port });
    keep(other);
    client.on('data', (bytes: Buffer) => {
      requests += 1;
      leftBytes -= bytes.length;
      if (leftBytes <= 0) {
        leftBytes = Number.POSITIVE_INFINITY;
        cut();
        return;
      }
      if (!other.write(bytes)) client.pause();
    });
    other.on('drain', () => goOn(client));
    other.on('data', (bytes: Buffer) => {
      if (!client.write(bytes)) other.pause();
    });
    client.on('drain', () => goOn(other));
    client.on('end', () => other.end());
    other.on('end', () => client.end());
    client.on('close', () => other.destroy());
    other.on('close', () => client.destroy());
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    keep(client);
    const refusal = refusals[mode];
    if (mode === 'through') join(client);
    else if (mode === 'cut') client.destroy();
    else if (mode === 'silent') waiting.add(client.pause());
    else if (refusal === undefined) {
      client.on('data', () => {});
      requests += 1;
    } else {
      client.once('data', () => {
        requests += 1;
        client.end(`HTTP/1.1 ${refusal}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      });
      client.on('data', () => {});
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    set: (next: LineMode) => {
      const isHeldUp = next === 'silent' || (mode === 'silent' && next === 'through');
      mode = next;
      requests = 0;
      if (!isHeldUp) cut();
      else if (next === 'silent') for (const end of ends) end.pause();
      else {
        for (const client of waiting) join(client);
        waiting.clear();
        for (const end of ends) end.resume();
      }
    },
    cutAfter: (bytes: number) => {
      leftBytes = bytes;
    },
    requests: () => requests,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
