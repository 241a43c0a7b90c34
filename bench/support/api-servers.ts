// The servers that `bench api` compares, each a process of its own on the servers' core.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteFile } from '../../src/base/db/store.ts';
import { type ApiCounts, type ApiTokens, seedApi } from './api-data.ts';
import type { BareAnswers } from './bare-server.ts';
import type { BenchOrder } from './bench.ts';
import { onCoreOf } from './cores.ts';
import { startFootlightProcess, startServerProcess } from './server-process.ts';
import { benchHost, serviceSettings } from './service-settings.ts';

/** `stand-in` answers for Fastify where that is not installed. */
export type ServerName =
  | 'bare'
  | 'footlight'
  /** The service of another checkout. */
  | 'before'
  | 'footlight-pg'
  | 'before-pg'
  | 'fastify'
  | 'fastify-silent'
  | 'stand-in';

export interface ApiServer {
  name: ServerName;
  port: number;
  pid: number;
  /** Where the database is a process too. */
  databasePid?: number;
  tokens: ApiTokens;
  stop(): Promise<void>;
}

export interface ApiServersOrder extends ApiCounts {
  folder: string;
  hasFastify: boolean;
  before?: string | undefined;
  startPostgres: BenchOrder<unknown>['startPostgres'];
}

const onServerCore = (command: string[]) => onCoreOf('server', command);

/** Starts all of them in a folder, with the same rows. */
export async function startApiServers(order: ApiServersOrder): Promise<ApiServer[]> {
  const { folder, hasFastify, before } = order;
  const dataDir = join(folder, 'sqlite');
  const tokens = await seedApi({ dataDir, databaseUrl: '' }, order);
  const [database, another] = [join(folder, 'copy.db'), join(folder, 'another-copy.db')];
  for (const copy of [database, another]) copyFileSync(sqliteFile({ dataDir }), copy);

  const footlight = await startFootlight(folder, { dataDir, tokens });
  if (before !== undefined)
    return [
      await startBare(order, footlight),
      footlight,
      await startBefore(order, before),
      ...(await startOnPostgres(order, before)),
    ];
  return [
    await startBare(order, footlight),
    footlight,
    ...(hasFastify
      ? [
          await startFastify('fastify', { database, folder, tokens }),
          await startFastify('fastify-silent', { database: another, tokens }),
        ]
      : [await startStandIn({ database, tokens })]),
    ...(await startOnPostgres(order)),
  ];
}

async function startFootlight(
  folder: string,
  { dataDir, tokens }: { dataDir: string; tokens: ApiTokens },
): Promise<ApiServer> {
  const logFile = join(folder, 'footlight.log');
  const settings = { ...serviceSettings.api, DATA_DIR: dataDir };
  const service = await startFootlightProcess({ settings, logFile, wrap: onServerCore });
  return { ...service, name: 'footlight', tokens };
}

/** Of another checkout its own code: its tables may be others. */
async function seedOf(checkout: string | undefined): Promise<typeof seedApi> {
  if (checkout === undefined) return seedApi;
  const data = await import(join(checkout, 'bench/support/api-data.ts'));
  return (data as typeof import('./api-data.ts')).seedApi;
}

async function startBefore(order: ApiServersOrder, checkout: string): Promise<ApiServer> {
  const dataDir = join(order.folder, 'before');
  const tokens = await (await seedOf(checkout))({ dataDir, databaseUrl: '' }, order);
  const settings = { ...serviceSettings.api, DATA_DIR: dataDir };
  const logFile = join(order.folder, 'before.log');
  const service = await startFootlightProcess({ settings, logFile, wrap: onServerCore, checkout });
  const server: ApiServer = { ...service, name: 'before', tokens };
  // The one beside it is asked for the bare server's answers, and remembers them.
  await allAnswers(server, order.channels);
  return server;
}

/** The service on PostgreSQL and, where there is another checkout, that one's: one server, a database each. */
async function startOnPostgres(order: ApiServersOrder, before?: string): Promise<ApiServer[]> {
  const database = await order.startPostgres(onServerCore);
  const start = async (name: ServerName, checkout?: string): Promise<ApiServer> => {
    const databaseUrl = await database.database(name.replace('-', '_'));
    const dataDir = join(order.folder, name);
    mkdirSync(dataDir);
    const tokens = await (await seedOf(checkout))({ dataDir, databaseUrl }, order);
    const logFile = join(order.folder, `${name}.log`);
    const settings = { ...serviceSettings.api, DATA_DIR: dataDir, DATABASE_URL: databaseUrl };
    const wrap = onServerCore;
    const service = await startFootlightProcess({ settings, logFile, wrap, checkout });
    const { pid: databasePid } = database;
    return { ...service, name, ...(databasePid !== undefined && { databasePid }), tokens };
  };
  const ours = await start('footlight-pg');
  const others = before === undefined ? [] : [await start('before-pg', before)];
  const stop = async () => {
    await ours.stop();
    await database.stop();
  };
  // The database ends with the last of them.
  return [...others, { ...ours, stop }];
}

/** The bare server; it takes the file of the answers that it sends. */
export const bareCommand = [process.execPath, join(import.meta.dir, 'bare-server.ts')];

/** The bare server sends what Footlight answered. */
async function startBare(
  { folder, channels }: ApiServersOrder,
  footlight: ApiServer,
): Promise<ApiServer> {
  const file = join(folder, 'bare-answers.json');
  await Bun.write(file, JSON.stringify(await allAnswers(footlight, channels)));
  const peer = await startServerProcess({
    command: onServerCore([...bareCommand, file]),
    env: {},
    readyPath: '/livez',
  });
  return { ...peer, name: 'bare', tokens: footlight.tokens };
}

async function allAnswers(server: ApiServer, channels: number): Promise<BareAnswers> {
  const answers: BareAnswers = { single: {}, list: await answerOf(server, '/v1/activities') };
  for (let id = 1; id <= channels; id++)
    answers.single[id] = await answerOf(server, `/v1/activities/${id}`);
  return answers;
}

interface PeerOrder {
  database: string;
  /** Absent: it logs nothing. */
  folder?: string;
  tokens: ApiTokens;
}

function startFastify(name: ServerName, order: PeerOrder): Promise<ApiServer> {
  return startPeer(name, ['node', join(import.meta.dir, 'fastify-server.mjs')], order);
}

function startStandIn(order: PeerOrder): Promise<ApiServer> {
  const file = join(import.meta.dir, 'fastify-stand-in.mjs');
  return startPeer('stand-in', [process.execPath, file], order);
}

async function startPeer(
  name: ServerName,
  command: string[],
  { database, folder, tokens }: PeerOrder,
): Promise<ApiServer> {
  const peer = await startServerProcess({
    command: onServerCore(command),
    env: {
      NODE_ENV: 'production',
      DB_FILE: database,
      RTMP_URL: serviceSettings.api.RTMP_PUBLIC_URL,
      LOG_FILE: folder === undefined ? '' : join(folder, 'fastify.log'),
    },
    readyPath: '/livez',
  });
  return { ...peer, name, tokens };
}

/** The body of an answer, which must be a 200 of the interface's type; with `created` a channel is made. */
export async function answerOf(
  { port, tokens }: ApiServer,
  path: string,
  created?: object,
): Promise<string> {
  const token = created ? tokens.creator : tokens.readers[0];
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: {
      host: benchHost,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    },
    ...(created && { method: 'POST', body: JSON.stringify(created) }),
  });
  const type = response.headers.get('content-type');
  if (response.status !== 200 || type !== 'application/json; charset=utf-8')
    throw new Error(`${path} answered ${response.status} ${type}: ${await response.text()}`);
  return await response.text();
}
