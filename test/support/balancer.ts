// A load balancer of TCP in this process: asks each node whether it is ready, and leads who connects to one that is.
import { connect, createServer, type Socket } from 'node:net';

/** Where a node listens on loopback. */
export interface BalancedNode {
  http: number;
  rtmp: number;
}

export interface Balancer {
  /** What clients ask instead of a node. */
  url: string;
  rtmpPort: number;
  /** Whether a node gets who connects now. */
  isReady(node: BalancedNode): boolean;
  stop(): Promise<void>;
}

interface Known {
  readonly node: BalancedNode;
  /** Answers of the same kind in a row. */
  refusals: number;
  isReady: boolean;
  lines: number;
}

/** As the recipe for HAProxy has it: who has refused twice gets nothing new, and keeps what it has. */
const refusalsMax = 2;

export async function startBalancer(
  nodes: readonly BalancedNode[],
  { checkEveryMs }: { checkEveryMs: number },
): Promise<Balancer> {
  const all: Known[] = nodes.map((node) => ({ node, refusals: 0, isReady: false, lines: 0 }));
  const sockets = new Set<Socket>();
  const check = () => Promise.all(all.map(look));
  const timer = setInterval(check, checkEveryMs);
  const listen = async (of: keyof BalancedNode) => {
    const server = createServer({ allowHalfOpen: true }, (client) => {
      keep(sockets, client);
      lead(client, { of, sockets, left: order(all) });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return server;
  };
  const servers = { http: await listen('http'), rtmp: await listen('rtmp') };
  const portOf = (of: keyof BalancedNode) => {
    const address = servers[of].address();
    return typeof address === 'object' && address ? address.port : 0;
  };
  await check();
  return {
    url: `http://127.0.0.1:${portOf('http')}`,
    rtmpPort: portOf('rtmp'),
    isReady: (node) => all.find((one) => one.node === node)?.isReady ?? false,
    stop: async () => {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      await Promise.all(
        Object.values(servers).map((server) => new Promise((resolve) => server.close(resolve))),
      );
    },
  };
}

async function look(known: Known): Promise<void> {
  const asked = fetch(`http://127.0.0.1:${known.node.http}/readyz`, {
    headers: { connection: 'close' },
    signal: AbortSignal.timeout(2_000),
  });
  const isReady = await asked.then(
    ({ status }) => status === 200,
    () => false,
  );
  known.refusals = isReady ? 0 : known.refusals + 1;
  if (isReady) known.isReady = true;
  else if (known.refusals >= refusalsMax) known.isReady = false;
}

/** Who has fewest lines first. */
function order(all: readonly Known[]): Known[] {
  return all.filter(({ isReady }) => isReady).toSorted((a, b) => a.lines - b.lines);
}

/** A node that does not take a connection: the next gets it. */
function lead(
  client: Socket,
  { of, sockets, left }: { of: keyof BalancedNode; sockets: Set<Socket>; left: Known[] },
): void {
  const [known, ...others] = left;
  if (!known) {
    client.destroy();
    return;
  }
  const node = connect({ host: '127.0.0.1', port: known.node[of], allowHalfOpen: true });
  keep(sockets, node);
  node.once('error', () => {
    if (node.bytesWritten === 0 && node.bytesRead === 0)
      lead(client, { of, sockets, left: others });
    else client.destroy();
  });
  node.once('connect', () => {
    known.lines += 1;
    node.once('close', () => {
      known.lines -= 1;
      client.destroy();
    });
    client.once('close', () => node.destroy());
    client.pipe(node);
    node.pipe(client);
  });
}

function keep(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('close', () => sockets.delete(socket));
}
