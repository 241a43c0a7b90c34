// Several whole services on one PostgreSQL, with a line between each pair that can be cut.
import type { RoundTimes } from '../../src/audience/protocol/page-limits.ts';
import { knownNodeName } from '../../src/stream/live/node-name.ts';
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts';
import { engines, temporaryFolder } from './engines.ts';
import { HandDirectory } from './link-node.ts';
import { until } from './live-channel.ts';
import { movingClock, startTestService, type TestService } from './service.ts';

export interface LinkedService {
  service: TestService;
  node: string;
  /** What others dial: cut, it is as if the network between them was. */
  line: CuttingProxy;
}

export interface LinkedServices {
  all: LinkedService[];
  /** Resolves when each has a link to each other. */
  linked(): Promise<void>;
  /** Those that a node has. */
  linksOf(service: TestService): Promise<number>;
  stop(): Promise<void>;
}

export async function startLinkedServices(
  count: number,
  options: {
    settings?: Record<string, string>;
    rounds?: Partial<RoundTimes>;
  } = {},
): Promise<LinkedServices> {
  const engine = engines.find(({ name }) => name === 'postgres');
  if (!engine) throw new Error('no PostgreSQL');
  const { DATABASE_URL } = await engine.fresh({ mayHaveTables: true });
  const directory = new HandDirectory();
  const clock = movingClock();
  const all: LinkedService[] = [];
  for (let number = 1; number <= count; number += 1) {
    const line = await startCuttingProxy('http://127.0.0.1:1', { cutAt: [] });
    const DATA_DIR = temporaryFolder();
    const service = await startTestService(
      { name: 'postgres', fresh: async () => ({ DATA_DIR, DATABASE_URL }) },
      {
        clock,
        directory,
        run: `run-${number}`,
        settings: { NODE_URL: line.url, ...options.settings },
        ...(options.rounds && { rounds: options.rounds }),
      },
    );
    line.lead(service.url);
    all.push({ service, node: await knownNodeName(DATA_DIR), line });
  }
  directory.set(
    all.map(({ node, line }, at) => ({ node, run: `run-${at + 1}`, link_url: line.url })),
  );
  const linksOf = async (service: TestService) => {
    const { text } = await service.call('GET', '/metrics', { token: null });
    return Number(/^footlight_links (\d+)$/m.exec(text)?.[1]);
  };
  return {
    all,
    linksOf,
    linked: async () => {
      for (const { service } of all)
        await until(async () => (await linksOf(service)) === count - 1, {
          withinMs: 20_000,
          otherwise: 'the services are not linked',
        });
    },
    stop: async () => {
      for (const { service } of all) await service.stop();
      for (const { line } of all) await line.stop();
    },
  };
}
