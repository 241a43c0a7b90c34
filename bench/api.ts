// `bench api`: CPU per request and throughput of the interface, beside a bare server and Fastify, in interleaved rounds.

import { join } from 'node:path';
import { accessLimits } from '../src/library/access/access-limits.ts';
import type { ApiCounts, ApiTokens } from './support/api-data.ts';
import { type Judged, type Round, report } from './support/api-report.ts';
import { type ApiServer, type ServerName, startApiServers } from './support/api-servers.ts';
import { type Bench, type BenchOrder, nodePeer } from './support/bench.ts';
import { isPinned, onCoreOf } from './support/cores.ts';
import { rounded } from './support/figures.ts';
import type { LoadOrder, LoadResult } from './support/load.ts';
import { cpuSeconds } from './support/process-usage.ts';
import { checkSameCreates, checkSameReads, newChannel } from './support/same-answers.ts';
import { benchHost } from './support/service-settings.ts';

interface Sizes extends ApiCounts {
  connections: number;
  rounds: number;
  roundSeconds: number;
  warmUpSeconds: number;
  /** Different questions. */
  questions: number;
}

const fastify = nodePeer('fastify', ['fastify', 'better-sqlite3', 'pino']);

export const bench: Bench<Sizes> = {
  sentence: 'CPU per request and throughput beside a bare Bun.serve and Fastify; 10 minutes',
  sizes: {
    connections: 32,
    rounds: 7,
    roundSeconds: 3,
    warmUpSeconds: 2,
    channels: 1_000,
    // Many callers, as a busy service has.
    readers: accessLimits.tokensMax,
    // So many that a memory of answers holds one in twenty at most.
    questions: 20_000,
  },
  smokeSizes: {
    connections: 4,
    rounds: 1,
    roundSeconds: 0.05,
    warmUpSeconds: 0.02,
    // More than a page of them.
    channels: 40,
    readers: 10,
    questions: 100,
  },
  peers: [fastify],
  comparesCheckouts: true,
  run,
};

interface ApiOperation extends Judged {
  requests(server: ApiServer, sizes: Sizes): string[];
  /** The bare server only reads. */
  without?: ServerName;
}

/**
 * Reads come twice: as many callers with a different question each time, so that the answers are made,
 * and as one caller asking for the same again and again while nothing is written, which a server may
 * remember. What makes a question different is a parameter nobody knows.
 */
const operations: readonly ApiOperation[] = [
  {
    name: 'single read',
    aim: 0.6,
    requests: ({ tokens }, { questions, channels }) =>
      different(questions, tokens, (n) => `/v1/activities/${(n % channels) + 1}?n=${n}`),
  },
  {
    name: 'single read, repeated',
    aim: 0.6,
    requests: ({ tokens }, { channels }) => [
      get(`/v1/activities/${channels / 2}`, tokens.readers[0]),
    ],
  },
  {
    name: 'list',
    aim: 0.4,
    requests: ({ tokens }, { questions }) =>
      different(questions, tokens, (n) => `/v1/activities?n=${n}`),
  },
  {
    name: 'list, repeated',
    aim: 0.4,
    requests: ({ tokens }) => [get('/v1/activities', tokens.readers[0])],
  },
  {
    name: 'create',
    without: 'bare',
    waitsForDisk: true,
    requests: ({ tokens }) => [post('/v1/activities', tokens.creator, newChannel)],
  },
];

function different(count: number, { readers }: ApiTokens, path: (n: number) => string): string[] {
  return Array.from({ length: count }, (_, n) => get(path(n), readers[n % readers.length]));
}

async function run(order: BenchOrder<Sizes>): Promise<object> {
  const { sizes, folder, leftOut, startPostgres, before } = order;
  const { connections, rounds, roundSeconds } = sizes;
  const generator = startGenerator();
  const hasFastify = !leftOut.has(fastify.name);
  const servers = await startApiServers({ ...sizes, folder, hasFastify, startPostgres, before });
  try {
    await checkSameReads(servers, sizes.channels);
    console.log(
      `${connections} connections, ${rounds} rounds of ${roundSeconds} s, median (least to most); ` +
        `${isPinned() ? 'generator and servers on a core each' : 'cores are shared: nothing is pinned'}\n`,
    );
    const results: Record<string, unknown> = {};
    for (const operation of operations)
      results[operation.name] = await measure({ generator, servers, sizes }, operation);
    // Last: a write makes the service forget what the repeated reads find remembered.
    await checkSameCreates(servers);
    return rounded({ connections, rounds, roundSeconds, results });
  } finally {
    for (const server of servers) await server.stop();
    generator.stop();
  }
}

interface Place {
  generator: Generator;
  servers: readonly ApiServer[];
  sizes: Sizes;
}

async function measure(place: Place, operation: ApiOperation) {
  const { rounds, roundSeconds, warmUpSeconds } = place.sizes;
  const servers = place.servers.filter(({ name }) => name !== operation.without);
  for (const server of servers) await round(place, server, operation, warmUpSeconds);
  const samples = new Map<ServerName, Round[]>(servers.map(({ name }) => [name, []]));
  for (let n = 0; n < rounds; n++) {
    for (const server of servers)
      samples.get(server.name)?.push(await round(place, server, operation, roundSeconds));
  }
  return report(operation, samples);
}

async function round(
  { generator, sizes }: Place,
  server: ApiServer,
  operation: ApiOperation,
  seconds: number,
): Promise<Round> {
  const { port, pid, databasePid } = server;
  const { connections } = sizes;
  const requests = operation.requests(server, sizes);
  const used = () => ({
    server: cpuSeconds(pid),
    database: databasePid === undefined ? 0 : cpuSeconds(databasePid, { withChildren: true }),
  });
  const before = used();
  const load = await generator.run({ port, requests, connections, seconds });
  const after = used();
  if (load.problem !== undefined)
    throw new Error(`${server.name}, ${operation.name}: ${load.problem}`);
  const perAnswer = (cpu: number) => (cpu * 1e6) / load.answers;
  return {
    perSecond: load.answers / load.seconds,
    cpuMicros: perAnswer(after.server - before.server),
    databaseCpuMicros: perAnswer(after.database - before.database),
    serverUse: (after.server - before.server + after.database - before.database) / load.seconds,
    generatorUse: load.cpuSeconds / load.seconds,
  };
}

interface Generator {
  run(order: LoadOrder): Promise<LoadResult>;
  stop(): void;
}

function startGenerator(): Generator {
  let answered = (_: LoadResult) => {};
  const child = Bun.spawn(
    onCoreOf('generator', [process.execPath, join(import.meta.dir, 'support/load.ts')]),
    { ipc: (message: LoadResult) => answered(message), stdout: 'inherit', stderr: 'inherit' },
  );
  return {
    run: (order) =>
      new Promise((resolve, reject) => {
        answered = resolve;
        child.exited.then((code) => reject(new Error(`the load generator ended with ${code}`)));
        child.send(order);
      }),
    stop: () => child.kill(),
  };
}

function get(path: string, token = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: ${benchHost}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
}

function post(path: string, token: string, fields: unknown): string {
  const body = JSON.stringify(fields);
  const headers = [
    `Host: ${benchHost}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `POST ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}
