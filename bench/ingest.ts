// `bench ingest`: CPU and memory of pushes, of RTMP players and of HLS viewers, beside nginx and node-media-server.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isPinned } from './support/cores.ts';
import { rounded } from './support/figures.ts';
import type { HlsViewersOrder } from './support/hls-viewers.ts';
import { makeClip } from './support/ingest-clip.ts';
import { type AudienceRound, type IngestRound, Report } from './support/ingest-report.ts';
import type { LiveServer } from './support/live-server.ts';
import { type LiveServerName, liveServers } from './support/live-servers.ts';
import type { LoadCount } from './support/load-clients.ts';
import { type LoadProcess, startLoad } from './support/load-process.ts';
import { cpuSeconds, memoryOf } from './support/process-usage.ts';
import type { PublishersOrder } from './support/publishers.ts';
import type { RtmpPlayersOrder } from './support/rtmp-players.ts';

const rounds = 3;
/** Until windows are full, and code that runs a hundred times a second is compiled: what nginx's is already. */
const warmUpSeconds = { footlight: 80, nginx: 20, 'node-media-server': 80 } as const;
/** Clients ask thousands of times a second. */
const audienceWarmUpSeconds = 20;
const measuredSeconds = 20;
/** What a server has when it has started and nothing more. */
const idleMs = 1_500;
const publisherCounts = [20, 50] as const;
const playerCount = 100;
const viewerCount = 300;
/** A client further off than this was starved, or caught up with what it had missed: the round does not count. */
const rateOffMax = 0.03;
const triesMax = 3;

const folder = join(import.meta.dir, '.data/ingest');
const clipFile = join(folder, 'clip.flv');
const all: readonly LiveServerName[] = ['footlight', 'nginx', 'node-media-server'];

export async function run(): Promise<unknown> {
  await makeClip(clipFile);
  console.log(
    `The same clip of 2 Mbps for all; ${rounds} rounds of ${measuredSeconds} s, each with a fresh process, after so many seconds ` +
      `of warming up: ${JSON.stringify(warmUpSeconds)}, with players and viewers ${audienceWarmUpSeconds}; ` +
      `median (least to most); ${isPinned() ? 'load and servers on a core each' : 'cores are shared: nothing is pinned'}.\n` +
      'Footlight makes low-latency HLS and records (variants are made after a push, so none here); nginx makes plain HLS and\n' +
      'records FLV; node-media-server records FLV and makes no HLS.\n',
  );
  const report = new Report();
  for (const streams of publisherCounts) {
    await interleaved(all, async (name) => report.addIngest(await ingestRound(name, streams)));
    report.printIngest(streams);
  }
  await interleaved(['footlight', 'nginx'], async (name) =>
    report.addPlayers(await audienceRound(name, playerCount, startPlayers)),
  );
  report.printPlayers();
  await interleaved(['footlight'], async (name) =>
    report.addViewers(await audienceRound(name, viewerCount, startViewers)),
  );
  report.printViewers();
  report.printVerdicts();
  return rounded({ rounds, warmUpSeconds, measuredSeconds, ...report.results() });
}

/** Round by round, so that what slows the machine for a while slows all of them. */
async function interleaved(
  names: readonly LiveServerName[],
  round: (name: LiveServerName) => Promise<void>,
): Promise<void> {
  for (let n = 0; n < rounds; n++) for (const name of names) await tried(() => round(name));
}

/** Another program may take the machine for a while and starve the clients: then the round is run again. */
async function tried(round: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await round();
      return;
    } catch (error) {
      if (tries === triesMax) throw error;
      console.log(`${(error as Error).message}: the round is run again`);
    }
  }
}

async function ingestRound(name: LiveServerName, streams: number): Promise<IngestRound> {
  return await withServer(name, streams, async (server) => {
    await Bun.sleep(idleMs);
    const idleMb = memoryOf(server.pid, { withChildren: true }).residentMb;
    return await withLoad(startPublishers(server), async (publishers) => {
      const { usedSeconds, count } = await measured(server, publishers, warmUpSeconds[name]);
      const { residentMb } = memoryOf(server.pid, { withChildren: true });
      return {
        server: name,
        streams,
        cpuSecondsPerMinute: usedSeconds / streams / (count.seconds / 60),
        mbPerStream: (residentMb - idleMb) / streams,
        residentMb,
        idleMb,
        mbpsPerStream: (count.bytes * 8) / 1e6 / count.seconds / streams,
      };
    });
  });
}

/** One stream, and many who watch it; the cost of the push is in the figure too. */
async function audienceRound(
  name: LiveServerName,
  clients: number,
  start: (server: LiveServer, count: number) => Promise<LoadProcess>,
): Promise<AudienceRound> {
  return await withServer(name, 1, (server) =>
    withLoad(startPublishers(server), async () => {
      await playable(server);
      return await withLoad(start(server, clients), async (audience) => {
        const { usedSeconds, count } = await measured(server, audience, audienceWarmUpSeconds);
        return {
          server: name,
          clients,
          cpuSecondsPerMinute: usedSeconds / clients / (count.seconds / 60),
          answersPerSecond: count.answers / count.seconds,
          mbpsPerClient: (count.bytes * 8) / 1e6 / count.seconds / clients,
          loadUse: count.cpuSeconds / count.seconds,
        };
      });
    }),
  );
}

/** The first part must be there before a viewer asks for it. */
async function playable({ hls }: LiveServer): Promise<void> {
  if (!hls) return;
  const url = `http://127.0.0.1:${hls.port}${hls.path}/live.m3u8`;
  for (let tries = 0; tries < 100 && (await fetch(url)).status !== 200; tries++)
    await Bun.sleep(100);
}

async function measured(
  { pid }: LiveServer,
  load: LoadProcess,
  warmUp: number,
): Promise<{ usedSeconds: number; count: LoadCount }> {
  await Bun.sleep(warmUp * 1000);
  await load.begin();
  const before = cpuSeconds(pid, { withChildren: true });
  await Bun.sleep(measuredSeconds * 1000);
  const usedSeconds = cpuSeconds(pid, { withChildren: true }) - before;
  const count = await load.end();
  if (Math.abs(count.leastRate - 1) > rateOffMax)
    throw new Error(`a client had ${count.leastRate.toFixed(2)} of the stream`);
  return { usedSeconds, count };
}

async function withServer<T>(
  name: LiveServerName,
  streams: number,
  use: (server: LiveServer) => Promise<T>,
): Promise<T> {
  const ownFolder = join(folder, name);
  rmSync(ownFolder, { recursive: true, force: true });
  mkdirSync(ownFolder, { recursive: true });
  const server = await liveServers[name]({ folder: ownFolder, streams });
  try {
    return await use(server);
  } finally {
    await server.kill();
    rmSync(ownFolder, { recursive: true, force: true });
  }
}

async function withLoad<T>(
  starting: Promise<LoadProcess>,
  use: (load: LoadProcess) => Promise<T>,
): Promise<T> {
  const load = await starting;
  try {
    return await use(load);
  } finally {
    await load.stop();
  }
}

function startPublishers({ rtmpPort, publishPaths }: LiveServer): Promise<LoadProcess> {
  const addresses = publishPaths.map((path) => `rtmp://127.0.0.1:${rtmpPort}${path}`);
  const order: PublishersOrder = { clipFile, addresses };
  return startLoad('publishers.ts', order);
}

/** Half over IPv6: Footlight takes 64 connections of one address. */
function startPlayers({ rtmpPort, playPath }: LiveServer, count: number): Promise<LoadProcess> {
  const hosts = ['127.0.0.1', '[::1]'];
  const order: RtmpPlayersOrder = {
    addresses: hosts.map((host) => `rtmp://${host}:${rtmpPort}${playPath}`),
    count,
  };
  return startLoad('rtmp-players.ts', order);
}

function startViewers({ hls }: LiveServer, count: number): Promise<LoadProcess> {
  if (!hls) throw new Error('this server has no low-latency HLS');
  const order: HlsViewersOrder = { ...hls, count };
  return startLoad('hls-viewers.ts', order);
}
