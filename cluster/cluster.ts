// Three nodes with what they need, on this machine: PostgreSQL, an S3 store, three services and a balancer in front.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBalancer } from './balancer.ts';
import { startDatabase } from './database.ts';
import { findHaproxy, haproxySettings, startHaproxy } from './haproxy.ts';
import { type ClusterNode, type Greeting, startNode } from './node.ts';
import { startObjectStore } from './object-store.ts';
import { host, type Places } from './places.ts';
import { type Processes, startProcesses } from './processes.ts';

export type BalancerKind = 'HAProxy' | 'ours';

export interface ClusterOrder {
  places: Places;
  balancer: BalancerKind;
  /** For all nodes besides what they need. */
  settings: Record<string, string>;
  say(line: string): void;
}

export interface Cluster {
  nodes: readonly ClusterNode[];
  databaseUrl: string;
  greeting: Greeting;
  /** Resolves with a sentence where something has ended that is not started again. */
  broken: Promise<string>;
  stop(): Promise<void>;
}

/** HAProxy where it is installed. */
export function usualBalancer(): BalancerKind {
  return findHaproxy() === undefined ? 'ours' : 'HAProxy';
}

/** Nothing of it is left where it throws. */
export async function startCluster(order: ClusterOrder): Promise<Cluster> {
  const { folder } = order.places;
  mkdirSync(folder, { recursive: true });
  const processes = startProcesses(folder);
  try {
    return await startIn(order, processes);
  } catch (error) {
    await processes.end();
    throw error;
  }
}

async function startIn(order: ClusterOrder, processes: Processes): Promise<Cluster> {
  const { places, say, balancer } = order;
  const [database, store] = await Promise.all([
    startDatabase(places.folder, processes),
    startObjectStore(places.folder, processes),
  ]);
  const settings = {
    DATABASE_URL: database.url,
    ...store.settings,
    ...(balancer === 'HAProxy' && haproxySettings),
    ...order.settings,
  };
  const nodes = await Promise.all(
    places.nodes.map((place) => startNode({ place, settings, processes, say })),
  );
  const front = await startFront(order, processes);
  writeCommandSettings(places, settings);
  const isOver = (name: string) => (code: number) => `${name} has ended (exit code ${code})`;
  return {
    nodes,
    databaseUrl: database.url,
    // The first of them to find the database empty.
    greeting: Object.assign({}, ...nodes.map(({ greeting }) => greeting)),
    broken: Promise.race([
      database.exited.then(isOver('PostgreSQL')),
      store.exited.then(isOver('the S3 store')),
      front.exited.then(isOver('HAProxy')),
    ]),
    stop: async () => {
      for (const node of nodes) node.leave();
      front.stop();
      await processes.end();
    },
  };
}

async function startFront({ places, balancer }: ClusterOrder, processes: Processes) {
  const program = findHaproxy();
  if (balancer === 'HAProxy' && program !== undefined) {
    const { exited } = await startHaproxy(program, places, processes);
    return { exited, stop: () => {} };
  }
  const { stop } = await startBalancer({ ...places, host });
  return { stop, exited: new Promise<number>(() => {}) };
}

/** Bun reads it where a command is typed in this folder: `npx footlight demo` pushes to the balancer. */
function writeCommandSettings(places: Places, settings: Record<string, string>): void {
  const { httpPort, rtmpPort, nodes } = places;
  const all = {
    ...settings,
    HOST: host,
    PORT: httpPort,
    RTMP_PORT: rtmpPort,
    DATA_DIR: nodes[0]?.folder ?? '',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(places.folder, '.env'), lines.join(''), { mode: 0o600 });
}
