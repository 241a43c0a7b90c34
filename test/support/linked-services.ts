// Several whole services on one PostgreSQL and one bucket, with a line between each pair that can be cut.
import type { RoundTimes } from '../../src/audience/protocol/page-limits.ts';
import { startBucketStore } from './bucket-store.ts';
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts';
import { engines, temporaryFolder } from './engines.ts';
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

/** Without a bucket in the settings they have one of their own. */
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
  const clock = movingClock();
  const store = options.settings?.['S3_URL'] === undefined ? await startBucketStore() : undefined;
  const all: LinkedService[] = [];
  for (let number = 1; number <= count; number += 1) {
    const line = await startCuttingProxy('http://127.0.0.1:1', { cutAt: [] });
    const DATA_DIR = temporaryFolder();
    const node = `node-${number}`;
    const service = await startTestService(
      { name: 'postgres', fresh: async () => ({ DATA_DIR, DATABASE_URL }) },
      {
        clock,
        settings: {
          ...{ NODE_NAME: node, NODE_URL: line.url },
          ...store?.environment,
          ...options.settings,
        },
        ...(options.rounds && { rounds: options.rounds }),
      },
    );
    line.lead(service.url);
    all.push({ service, node, line });
  }
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
      await store?.stop();
    },
  };
}
