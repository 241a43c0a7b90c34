// `bench start`: time from exec to ready and to the first page, and resident memory when idle, on a fresh and on an existing folder.

import { join } from 'node:path';
import { accessLimits } from '../src/library/access/access-limits.ts';
import { type ApiCounts, seedApi } from './support/api-data.ts';
import { bareCommand } from './support/api-servers.ts';
import type { Bench, BenchOrder } from './support/bench.ts';
import { type Figure, figure, printTable, rounded, shown } from './support/figures.ts';
import { type Memory, memoryOf } from './support/process-usage.ts';
import {
  type ServerProcess,
  startFootlightProcess,
  startServerProcess,
} from './support/server-process.ts';
import { serviceSettings } from './support/service-settings.ts';

interface Sizes extends ApiCounts {
  rounds: number;
  idleMs: number;
  requests: number;
}

export const bench: Bench<Sizes> = {
  sentence: 'time from exec to ready, and resident memory when idle; 6 minutes',
  sizes: {
    rounds: 10,
    idleMs: 5_000,
    requests: 1_000,
    channels: 1_000,
    readers: accessLimits.tokensMax,
  },
  smokeSizes: { rounds: 1, idleMs: 50, requests: 20, channels: 40, readers: 10 },
  run,
};

/** Most that is wanted. */
const aims = { existingReadyMs: 300, freshReadyMs: 2_000, residentMb: 64 };

interface Round {
  readyMs: number;
  /** From the first request to its page: after `npm run build` nothing is bundled for it. */
  pageMs: number;
  idle: Memory;
  /** After requests and another idle while. */
  used: Memory;
}

/** The floor is a bare Bun.serve: what the runtime itself takes. */
type Start = 'bare' | 'fresh' | 'existing';

async function run({ sizes, folder }: BenchOrder<Sizes>): Promise<object> {
  const existing = join(folder, 'existing');
  const token = (await seedApi({ dataDir: existing, databaseUrl: '' }, sizes)).readers[0];
  const startOn = (dataDir: string) => () =>
    startFootlightProcess({
      settings: { ...serviceSettings.start, DATA_DIR: dataDir },
      logFile: join(folder, 'footlight.log'),
    });
  const all: Record<Start, Round[]> = { bare: [], fresh: [], existing: [] };
  for (let n = 0; n < sizes.rounds; n++) {
    all.bare.push(await round(sizes, startBare, token));
    all.fresh.push(await round(sizes, startOn(join(folder, `fresh-${n}`))));
    all.existing.push(await round(sizes, startOn(existing), token));
  }
  return rounded({ rounds: sizes.rounds, results: report(all, sizes) });
}

function startBare(): Promise<ServerProcess> {
  return startServerProcess({ command: bareCommand, env: {}, readyPath: '/livez' });
}

/** Without a token, the one that the first start prints is used. */
async function round(
  { idleMs, requests }: Sizes,
  start: () => Promise<ServerProcess>,
  token?: string,
): Promise<Round> {
  const server = await start();
  try {
    await Bun.sleep(idleMs);
    const idle = memoryOf(server.pid);
    const used = token ?? (await server.printed(/token +(footlight_\w+)\n/));
    await useServer(server, used, requests);
    await Bun.sleep(idleMs);
    const usedMemory = memoryOf(server.pid);
    const from = performance.now();
    await (await fetch(`http://127.0.0.1:${server.port}/`)).arrayBuffer();
    const pageMs = performance.now() - from;
    return { readyMs: server.readyMs, pageMs, idle, used: usedMemory };
  } finally {
    await server.stop();
  }
}

/** One after another: mostly reads, now and then a create. */
async function useServer({ port }: ServerProcess, token: string, requests: number): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'Spring launch' });
  const url = `http://127.0.0.1:${port}/v1/activities`;
  for (let n = 0; n < requests; n++) {
    const response = await (n % 10 === 0
      ? fetch(url, { method: 'POST', headers, body })
      : fetch(n % 2 === 0 ? url : `${url}/1`, { headers }));
    if (response.status !== 200) throw new Error(`request ${n} was answered ${response.status}`);
    await response.arrayBuffer();
  }
}

function report(all: Record<Start, Round[]>, { rounds, requests }: Sizes) {
  const figures = (rounds: readonly Round[]) => {
    const of = (value: (round: Round) => number): Figure => figure(rounds.map(value));
    return {
      readyMs: of(({ readyMs }) => readyMs),
      pageMs: of(({ pageMs }) => pageMs),
      idleMb: of(({ idle }) => idle.residentMb),
      idleOwnMb: of(({ idle }) => idle.ownMb),
      usedMb: of(({ used }) => used.residentMb),
      usedOwnMb: of(({ used }) => used.ownMb),
    };
  };
  const results = {
    bare: figures(all.bare),
    fresh: figures(all.fresh),
    existing: figures(all.existing),
  };
  console.log(
    `${rounds} rounds, median (least to most); own: without pages of program files; files are in the page cache`,
  );
  printTable(
    [
      'start',
      'ready ms',
      'first page ms',
      'idle MB',
      'own MB',
      `after ${requests} requests MB`,
      'own MB',
    ],
    Object.entries(results).map(([start, one]) => [
      start,
      shown(one.readyMs),
      shown(one.pageMs),
      shown(one.idleMb, 1),
      shown(one.idleOwnMb, 1),
      shown(one.usedMb, 1),
      shown(one.usedOwnMb, 1),
    ]),
  );
  const { fresh, existing } = results;
  console.log(verdict('ready on an existing folder, ms', existing.readyMs, aims.existingReadyMs));
  console.log(verdict('ready on an empty folder, ms', fresh.readyMs, aims.freshReadyMs));
  console.log(verdict('resident when idle, MB', existing.idleMb, aims.residentMb));
  console.log(verdict('resident after requests, MB', existing.usedMb, aims.residentMb));
  console.log('');
  return results;
}

function verdict(what: string, { median }: Figure, aim: number): string {
  return `${median < aim ? 'met   ' : 'MISSED'}  ${what}: ${median.toFixed(1)}, aim under ${aim}`;
}
