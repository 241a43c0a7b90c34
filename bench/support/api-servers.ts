// The servers that `bench api` compares, each a process of its own on the servers' core.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteFile } from '../../src/db/store.ts';
import { type ApiTokens, channelCount, seedApi } from './api-data.ts';
import type { BareAnswers } from './bare-server.ts';
import { onCoreOf } from './cores.ts';
import { startBenchPostgres } from './postgres.ts';
import { startFootlightProcess, startServerProcess } from './server-process.ts';

export type ServerName = 'bare' | 'footlight' | 'footlight-pg' | 'fastify' | 'fastify-silent';

export interface ApiServer {
  name: ServerName;
  port: number;
  pid: number;
  /** Where the database is a process too. */
  databasePid?: number;
  tokens: ApiTokens;
  stop(): Promise<void>;
}

/** The address callers use: the same for all, so that the answers are the same bytes. */
export const host = 'bench.example.com';
const rtmpUrl = `rtmp://${host}:1935`;

const onServerCore = (command: string[]) => onCoreOf('server', command);

/** Starts all of them in a folder, with the same rows. */
export async function startApiServers(folder: string): Promise<ApiServer[]> {
  const sqliteDir = join(folder, 'sqlite');
  const tokens = await seedApi({ dataDir: sqliteDir, databaseUrl: '' });
  const copies = { fastify: join(folder, 'fastify.db'), silent: join(folder, 'silent.db') };
  for (const copy of Object.values(copies)) copyFileSync(sqliteFile({ dataDir: sqliteDir }), copy);

  const footlight = await startFootlight(folder, { dataDir: sqliteDir, tokens });
  return [
    await startBare(folder, footlight),
    footlight,
    await startFastify('fastify', { database: copies.fastify, folder, tokens }),
    await startFastify('fastify-silent', { database: copies.silent, tokens }),
    await startFootlightOnPostgres(folder),
  ];
}

async function startFootlight(
  folder: string,
  { dataDir, tokens }: { dataDir: string; tokens: ApiTokens },
): Promise<ApiServer> {
  const logFile = join(folder, 'footlight.log');
  const settings = { DATA_DIR: dataDir, RTMP_PUBLIC_URL: rtmpUrl };
  const service = await startFootlightProcess({ settings, logFile, wrap: onServerCore });
  return { ...service, name: 'footlight', tokens };
}

async function startFootlightOnPostgres(folder: string): Promise<ApiServer> {
  const database = await startBenchPostgres(join(folder, 'postgres'), onServerCore);
  const databaseUrl = await database.database('footlight');
  const dataDir = join(folder, 'unused');
  mkdirSync(dataDir);
  const tokens = await seedApi({ dataDir, databaseUrl });
  const logFile = join(folder, 'footlight-pg.log');
  const settings = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, RTMP_PUBLIC_URL: rtmpUrl };
  const service = await startFootlightProcess({ settings, logFile, wrap: onServerCore });
  return {
    ...service,
    name: 'footlight-pg',
    databasePid: database.pid,
    tokens,
    stop: async () => {
      await service.stop();
      await database.stop();
    },
  };
}

/** The bare server; it takes the file of the answers that it sends. */
export const bareCommand = [process.execPath, join(import.meta.dir, 'bare-server.ts')];

/** The bare server sends what Footlight answered. */
async function startBare(folder: string, footlight: ApiServer): Promise<ApiServer> {
  const answers: BareAnswers = { single: {}, list: await answerOf(footlight, '/v1/activities') };
  for (let id = 1; id <= channelCount; id++)
    answers.single[id] = await answerOf(footlight, `/v1/activities/${id}`);
  const file = join(folder, 'bare-answers.json');
  await Bun.write(file, JSON.stringify(answers));
  const peer = await startServerProcess({
    command: onServerCore([...bareCommand, file]),
    env: {},
    readyPath: '/livez',
  });
  return { ...peer, name: 'bare', tokens: footlight.tokens };
}

async function startFastify(
  name: ServerName,
  options: { database: string; folder?: string; tokens: ApiTokens },
): Promise<ApiServer> {
  const { database, folder, tokens } = options;
  const node = Bun.which('node');
  if (node === null) throw new Error('Node is not installed: Fastify runs on it');
  const peer = await startServerProcess({
    command: onServerCore([node, join(import.meta.dir, 'fastify-server.mjs')]),
    env: {
      NODE_ENV: 'production',
      DB_FILE: database,
      RTMP_URL: rtmpUrl,
      LOG_FILE: folder === undefined ? '' : join(folder, 'fastify.log'),
    },
    readyPath: '/livez',
  });
  return { ...peer, name, tokens };
}

/** The body of an answer, which must be a 200 of the interface's type. */
export async function answerOf({ port, tokens }: ApiServer, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { host, authorization: `Bearer ${tokens.readers[0]}` },
  });
  const type = response.headers.get('content-type');
  if (response.status !== 200 || type !== 'application/json; charset=utf-8')
    throw new Error(`${path} answered ${response.status} ${type}: ${await response.text()}`);
  return await response.text();
}
