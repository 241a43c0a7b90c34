// `bench api`: CPU per request and throughput of the interface, beside a bare server and Fastify, in interleaved rounds.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { channelCount } from './support/api-data.ts';
import { type Judged, type Round, report } from './support/api-report.ts';
import {
  type ApiServer,
  answerOf,
  host,
  type ServerName,
  startApiServers,
} from './support/api-servers.ts';
import { isPinned, onCoreOf } from './support/cores.ts';
import { rounded } from './support/figures.ts';
import type { LoadOrder, LoadResult } from './support/load.ts';
import { cpuSeconds } from './support/process-usage.ts';

const connections = 32;
const rounds = 7;
const roundSeconds = 3;
const warmUpSeconds = 2;

interface ApiOperation extends Judged {
  requests(server: ApiServer): string[];
  /** The bare server only reads. */
  without?: ServerName;
}

/** So many different questions that a memory of answers holds one in twenty at most. */
const distinct = 20_000;

/**
 * Reads come twice: as many callers with a different question each time, so that the answers are made,
 * and as one caller asking for the same again and again while nothing is written, which a server may
 * remember. What makes a question different is a parameter nobody knows.
 */
const operations: readonly ApiOperation[] = [
  {
    name: 'single read',
    aim: 0.6,
    requests: ({ tokens }) =>
      questions(tokens.readers, (n) => `/v1/activities/${(n % channelCount) + 1}?n=${n}`),
  },
  {
    name: 'single read, repeated',
    aim: 0.6,
    requests: ({ tokens }) => [get('/v1/activities/500', tokens.readers[0])],
  },
  {
    name: 'list',
    aim: 0.4,
    requests: ({ tokens }) => questions(tokens.readers, (n) => `/v1/activities?n=${n}`),
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
    requests: ({ tokens }) => [
      post('/v1/activities', tokens.creator, {
        name: 'Spring launch',
        start_time: '2026-05-01 19:30:00',
      }),
    ],
  },
];
function questions(tokens: readonly string[], path: (n: number) => string): string[] {
  return Array.from({ length: distinct }, (_, n) => get(path(n), tokens[n % tokens.length]));
}

export async function run(): Promise<unknown> {
  const folder = join(import.meta.dir, '.data/api');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const generator = startGenerator();
  const servers = await startApiServers(folder);
  try {
    await checkSameAnswers(servers);
    console.log(
      `${connections} connections, ${rounds} rounds of ${roundSeconds} s, median (least to most); ` +
        `${isPinned() ? 'generator and servers on a core each' : 'cores are shared: nothing is pinned'}\n`,
    );
    const results: Record<string, unknown> = {};
    for (const operation of operations)
      results[operation.name] = await measure(generator, servers, operation);
    return rounded({ connections, rounds, roundSeconds, results });
  } finally {
    for (const server of servers) await server.stop();
    generator.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(generator: Generator, all: ApiServer[], operation: ApiOperation) {
  const servers = all.filter(({ name }) => name !== operation.without);
  for (const server of servers) await round(generator, server, operation, warmUpSeconds);
  const samples = new Map<ServerName, Round[]>(servers.map(({ name }) => [name, []]));
  for (let n = 0; n < rounds; n++) {
    for (const server of servers)
      samples.get(server.name)?.push(await round(generator, server, operation, roundSeconds));
  }
  return report(operation, samples);
}

async function round(
  generator: Generator,
  server: ApiServer,
  operation: ApiOperation,
  seconds: number,
): Promise<Round> {
  const { port, pid, databasePid } = server;
  const requests = operation.requests(server);
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

/** The comparison means something only where the answers are the same: bytes, or on PostgreSQL all but the random keys. */
async function checkSameAnswers(servers: readonly ApiServer[]): Promise<void> {
  const withoutKeys = (text: string) =>
    text.replace(/(?<=\/(?:live|hls|play)\/)[\w-]{20,}/g, 'KEY');
  for (const path of ['/v1/activities', '/v1/activities/1', `/v1/activities/${channelCount}`]) {
    const [first = '', ...others] = await Promise.all(servers.map((one) => answerOf(one, path)));
    others.forEach((text, at) => {
      const { name } = servers[at + 1] as ApiServer;
      const same =
        name === 'footlight-pg' ? withoutKeys(text) === withoutKeys(first) : text === first;
      if (!same || text.length !== first.length)
        throw new Error(`${name} answers ${path} otherwise:\n${text}\n${first}`);
    });
  }
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
  return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
}

function post(path: string, token: string, fields: unknown): string {
  const body = JSON.stringify(fields);
  const headers = [
    `Host: ${host}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `POST ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}
