// Services as processes on one PostgreSQL and one bucket, for `bench nodes`.
import { join } from 'node:path';
import { startBucketStore } from '../../test/support/bucket-store.ts';
import { freePort } from '../../test/support/free-port.ts';
import { type ServiceProcess, startProcess } from '../../test/support/service-process.ts';
import { serviceSettings } from './service-settings.ts';

export interface BenchNodes {
  all: readonly ServiceProcess[];
  stop(): Promise<void>;
}

const linkedWithinMs = 30_000;

export async function startBenchNodes(given: {
  nodes: number;
  databaseUrl: string;
  folder: string;
}): Promise<BenchNodes> {
  const { nodes, databaseUrl, folder } = given;
  const store = await startBucketStore();
  const all: ServiceProcess[] = [];
  const stop = async () => {
    for (const service of all) if (service.isAlive()) await service.kill();
    await store.stop();
  };
  try {
    for (let node = 1; node <= nodes; node += 1) {
      const port = String(await freePort());
      const settings = {
        ...{ DATABASE_URL: databaseUrl, DATA_DIR: join(folder, `node-${node}`), PORT: port },
        ...{ NODE_NAME: `node-${node}`, NODE_URL: `http://127.0.0.1:${port}` },
        ...store.environment,
        ...serviceSettings.nodes,
      };
      const token = all[0]?.token;
      all.push(await startProcess(settings, token === undefined ? {} : { token }));
    }
    for (const service of all) await linked(service, nodes - 1);
  } catch (error) {
    await stop();
    throw error;
  }
  return { all, stop };
}

async function linked(service: ServiceProcess, links: number): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    if (Number(/^footlight_links (\d+)$/m.exec(text)?.[1]) === links) return;
    if (performance.now() - startedAt > linkedWithinMs) throw new Error('nodes are not linked');
    await Bun.sleep(50);
  }
}
