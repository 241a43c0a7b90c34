// One round of `bench ingest`: a fresh server, its publishers, and those who watch.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { HlsViewersOrder } from './hls-viewers.ts';
import type { AudienceRound, IngestRound } from './ingest-report.ts';
import type { LiveServer } from './live-server.ts';
import { type LiveServerName, liveServers } from './live-servers.ts';
import type { LoadCount } from './load-clients.ts';
import { type LoadProcess, startLoad } from './load-process.ts';
import { cpuSeconds, memoryOf } from './process-usage.ts';
import type { PublishersOrder } from './publishers.ts';
import type { RtmpPlayersOrder } from './rtmp-players.ts';

export interface RoundSizes {
  /** Until windows are full, and code that runs a hundred times a second is compiled: what nginx's is already. */
  warmUpSeconds: Record<Exclude<LiveServerName, 'before'>, number>;
  /** Clients ask thousands of times a second. */
  audienceWarmUpSeconds: number;
  measuredSeconds: number;
  /** What a server has when it has started and nothing more. */
  idleMs: number;
  /** Clients begin one after the other, the last so much after the first. */
  spreadMs: number;
  /**
   * A client further off than this was starved, or caught up with what it had missed: the round does not
   * count. Absent: a client must have had something, whenever it came.
   */
  rateOffMax?: number;
}

export interface IngestPlace {
  sizes: RoundSizes;
  folder: string;
  clipFile: string;
  before?: string | undefined;
}

/** The first part of a stream is waited for so long, and the first that a client gets where no rate is wanted. */
const somethingWithinMs = 20_000;

export async function ingestRound(
  place: IngestPlace,
  name: LiveServerName,
  streams: number,
): Promise<IngestRound> {
  const { idleMs, warmUpSeconds } = place.sizes;
  return await withServer(place, { name, streams }, async (server) => {
    await Bun.sleep(idleMs);
    const idleMb = memoryOf(server.pid, { withChildren: true }).residentMb;
    return await withLoad(startPublishers(place, server), async (publishers) => {
      const { usedSeconds, count } = await measured(place, {
        server,
        load: publishers,
        warmUpSeconds: warmUpSeconds[name === 'before' ? 'footlight' : name],
      });
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

/** Many of one kind who watch one stream. */
export interface Watchers {
  kind: 'players' | 'viewers';
  count: number;
}

/** One stream, and many who watch it; the cost of the push is in the figure too. */
export async function audienceRound(
  place: IngestPlace,
  name: LiveServerName,
  watchers: Watchers,
): Promise<AudienceRound> {
  const { count: clients } = watchers;
  return await withServer(place, { name, streams: 1 }, (server) =>
    withLoad(startPublishers(place, server), async () => {
      await playable(server);
      return await withLoad(startWatchers(place, server, watchers), async (load) => {
        const { usedSeconds, count } = await measured(place, {
          server,
          load,
          warmUpSeconds: place.sizes.audienceWarmUpSeconds,
        });
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
  const startedAt = performance.now();
  while ((await fetch(url)).status !== 200) {
    if (performance.now() - startedAt > somethingWithinMs)
      throw new Error('the push did not become live');
    await Bun.sleep(50);
  }
}

async function measured(
  { sizes }: IngestPlace,
  given: { server: LiveServer; load: LoadProcess; warmUpSeconds: number },
): Promise<{ usedSeconds: number; count: LoadCount }> {
  const { server, load, warmUpSeconds } = given;
  await Bun.sleep(warmUpSeconds * 1000);
  await load.begin();
  const used = () => cpuSeconds(server.pid, { withChildren: true });
  const before = used();
  await Bun.sleep(sizes.measuredSeconds * 1000);
  const usedSeconds = used() - before;
  const { rateOffMax } = sizes;
  const count = await (rateOffMax === undefined ? something(load) : load.end());
  if (rateOffMax !== undefined && Math.abs(count.leastRate - 1) > rateOffMax)
    throw new Error(`a client had ${count.leastRate.toFixed(2)} of the stream`);
  return { usedSeconds, count };
}

/** What clients have when each has had something. */
async function something(load: LoadProcess): Promise<LoadCount> {
  const startedAt = performance.now();
  for (;;) {
    const count = await load.end();
    if (count.leastRate > 0) return count;
    if (performance.now() - startedAt > somethingWithinMs)
      throw new Error('a client had nothing of the stream');
    await Bun.sleep(50);
  }
}

async function withServer<T>(
  { folder, before }: IngestPlace,
  { name, streams }: { name: LiveServerName; streams: number },
  use: (server: LiveServer) => Promise<T>,
): Promise<T> {
  const ownFolder = join(folder, name);
  rmSync(ownFolder, { recursive: true, force: true });
  mkdirSync(ownFolder, { recursive: true });
  const server = await liveServers[name]({ folder: ownFolder, streams, before });
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

function startPublishers(
  { clipFile, sizes: { spreadMs } }: IngestPlace,
  { rtmpPort, publishPaths }: LiveServer,
): Promise<LoadProcess> {
  const addresses = publishPaths.map((path) => `rtmp://127.0.0.1:${rtmpPort}${path}`);
  const order: PublishersOrder = { clipFile, addresses, spreadMs };
  return startLoad('publishers.ts', order);
}

function startWatchers(
  { sizes: { spreadMs } }: IngestPlace,
  { hls, rtmpPort, playPath }: LiveServer,
  { kind, count }: Watchers,
): Promise<LoadProcess> {
  if (kind === 'players') {
    // Half over IPv6: of the places for players one network has half.
    const addresses = ['127.0.0.1', '[::1]'].map((host) => `rtmp://${host}:${rtmpPort}${playPath}`);
    const order: RtmpPlayersOrder = { addresses, count, spreadMs };
    return startLoad('rtmp-players.ts', order);
  }
  if (!hls) throw new Error('this server has no low-latency HLS');
  const order: HlsViewersOrder = { ...hls, count, spreadMs };
  return startLoad('hls-viewers.ts', order);
}
