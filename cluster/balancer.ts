// A small load balancer, for trying out: leads each new connection to a node that says it is ready. In earnest HAProxy does that.
import { connect, createServer, type Socket } from 'node:net';
import type { NodePlace } from './places.ts';

const askEveryMsUsual = 500;
/** A node that does not answer for so long is not ready. */
const askWithinMs = 2_000;
/** Of each kind; whoever comes then is closed. */
const connectionsMax = 2_000;

export interface BalancerOrder {
  nodes: readonly Pick<NodePlace, 'name' | 'httpPort' | 'rtmpPort'>[];
  host: string;
  /** 0: any that is free. */
  httpPort: number;
  rtmpPort: number;
  /** Gets everybody as long as it is ready. */
  preferred?: string;
  askEveryMs?: number;
}

export interface Balancer {
  httpPort: number;
  rtmpPort: number;
  /** Whether a node gets who connects now. */
  isReady(name: string): boolean;
  stop(): void;
}

export async function startBalancer(order: BalancerOrder): Promise<Balancer> {
  const ready = new Set<string>();
  const answersReady = async (port: number) => {
    const signal = AbortSignal.timeout(askWithinMs);
    return await fetch(`http://${order.host}:${port}/readyz`, { signal, keepalive: false }).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  const ask = async ({ name, httpPort }: BalancerOrder['nodes'][number]) => {
    if (await answersReady(httpPort)) ready.add(name);
    else ready.delete(name);
  };
  await Promise.all(order.nodes.map(ask));
  const { askEveryMs = askEveryMsUsual } = order;
  const asking = order.nodes.map((node) => setInterval(ask, askEveryMs, node));
  const front = async (port: number, kind: 'httpPort' | 'rtmpPort') =>
    await startFront({
      host: order.host,
      port,
      targets: () =>
        order.nodes
          .filter(({ name }) => ready.has(name))
          .map((node) => ({ port: node[kind], isPreferred: node.name === order.preferred })),
    });
  const [http, rtmp] = [
    await front(order.httpPort, 'httpPort'),
    await front(order.rtmpPort, 'rtmpPort'),
  ];
  return {
    httpPort: http.port,
    rtmpPort: rtmp.port,
    isReady: (name) => ready.has(name),
    stop: () => {
      for (const timer of asking) clearInterval(timer);
      for (const one of [http, rtmp]) one.stop();
    },
  };
}

interface Target {
  port: number;
  isPreferred: boolean;
}

/** One port in front of one port of each node. */
async function startFront(order: { host: string; port: number; targets(): Target[] }) {
  const open = new Map<Socket, number>();
  const countAt = (port: number) => [...open.values()].filter((one) => one === port).length;
  /** Who has fewest connections first, behind the preferred one. */
  const inTurn = () =>
    order
      .targets()
      .map(({ port, isPreferred }) => ({ port, rank: isPreferred ? -1 : countAt(port) }))
      .toSorted((a, b) => a.rank - b.rank);
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    client.on('error', () => client.destroy());
    if (open.size >= connectionsMax) {
      client.destroy();
      return;
    }
    open.set(client, 0);
    client.on('close', () => open.delete(client));
    lead(client, inTurn());
  });
  const lead = (client: Socket, [target, ...others]: { port: number }[]): void => {
    if (!target) {
      client.destroy();
      return;
    }
    open.set(client, target.port);
    const node = connect({ host: order.host, port: target.port, noDelay: true });
    const next = () => lead(client, others);
    node.once('error', next);
    node.once('connect', () => {
      node.off('error', next);
      join(client, node);
    });
  };
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(order.port, order.host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    stop: () => {
      server.close();
      for (const client of open.keys()) client.destroy();
    },
  };
}

/** What one side sends the other gets, as fast as it takes it; the end of one is the end of both. */
function join(client: Socket, node: Socket): void {
  client.setNoDelay(true);
  for (const [from, to] of [
    [client, node],
    [node, client],
  ] as const) {
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
    from.pipe(to);
  }
  client.resume();
}
