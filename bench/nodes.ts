// `bench nodes`: a viewer's latency on a follower beside the owner, what a follower costs the owner, and three flushers beside one.
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { startBrowser } from '../test/support/browser.ts';
import type { ServiceProcess } from '../test/support/service-process.ts';
import { encodings, startTimePublisher } from '../test/support/time-publisher.ts';
import type { Bench, BenchOrder } from './support/bench.ts';
import { startBenchNodes } from './support/bench-nodes.ts';
import { withNodeStores } from './support/bench-stores.ts';
import { type Figure, figure, printTable, ratio, rounded, shown } from './support/figures.ts';
import { makeClip } from './support/ingest-clip.ts';
import type { Figures } from './support/latency-figures.ts';
import { startLoad } from './support/load-process.ts';
import { measureCrowd } from './support/million-crowd.ts';
import { type PartTimes, startPartTimes } from './support/part-times.ts';
import type { BenchPostgres } from './support/postgres.ts';
import { cpuSeconds } from './support/process-usage.ts';
import type { PublishersOrder } from './support/publishers.ts';
import { isLive, type WatchSizes, watch } from './support/watched-latency.ts';

interface Sizes {
  clipSeconds: number;
  /** Of the owner's cost: each with fresh services. */
  rounds: number;
  streams: number;
  /** Code that runs often is compiled meanwhile. */
  warmUpSeconds: number;
  measuredSeconds: number;
  watch: WatchSizes;
  flush: { viewers: number; flushes: number; rounds: number };
}

export const bench: Bench<Sizes> = {
  sentence:
    "a viewer's latency on a follower beside the owner, the owner's CPU per follower, three flushers beside one; 15 minutes",
  sizes: {
    clipSeconds: 20,
    rounds: 3,
    streams: 10,
    warmUpSeconds: 30,
    measuredSeconds: 20,
    watch: { seconds: 60, settlingSeconds: 3 },
    flush: { viewers: 60_000, flushes: 2, rounds: 3 },
  },
  smokeSizes: {
    clipSeconds: 1,
    rounds: 1,
    streams: 1,
    warmUpSeconds: 0.1,
    measuredSeconds: 0.5,
    watch: { seconds: 0.5, settlingSeconds: 0.2 },
    flush: { viewers: 300, flushes: 1, rounds: 1 },
  },
  programs: ['chromium', 'ffmpeg'],
  keepsFolder: true,
  run,
};

const nodes = 3;

interface Channel {
  publish: string;
  /** The playlist's path, the same on every node. */
  path: string;
}

async function run({ sizes, folder, startPostgres }: BenchOrder<Sizes>): Promise<object> {
  const clipFile = join(folder, 'clip.flv');
  await makeClip(clipFile, sizes.clipSeconds);
  const postgres = await startPostgres();
  const place = { sizes, folder, clipFile, postgres };
  try {
    const latency = await pictures(place);
    const costs: OwnerCost[] = [];
    for (let round = 0; round < sizes.rounds; round += 1) costs.push(await ownerCost(place, round));
    const flushers = await flushed(place);
    report({ latency, costs, flushers });
    return rounded({ load: loadavg()[0], latency, costs, flushers });
  } finally {
    await postgres.stop();
  }
}

interface Place {
  sizes: Sizes;
  folder: string;
  clipFile: string;
  postgres: BenchPostgres;
}

async function withNodes<T>(
  { folder, postgres }: Place,
  name: string,
  use: (all: readonly ServiceProcess[]) => Promise<T>,
): Promise<T> {
  const databaseUrl = await postgres.emptyDatabase(name);
  const dataFolder = join(folder, `${name}-${Date.now()}`);
  const started = await startBenchNodes({ nodes, databaseUrl, folder: dataFolder });
  try {
    return await use(started.all);
  } finally {
    await started.stop();
  }
}

async function newChannel(service: ServiceProcess): Promise<Channel> {
  // So that the addresses are this node's.
  const headers = { host: new URL(service.url).host };
  const made = await service.call('POST', '/v1/activities', { body: { name: 'nodes' }, headers });
  const { rtmp_publish_addr, hls_play_addr } = made.body as Record<string, string>;
  return { publish: rtmp_publish_addr ?? '', path: new URL(hls_play_addr ?? '').pathname };
}

interface Latencies {
  /** From the camera to the picture in Chromium. */
  owner: Figures;
  follower: Figures;
}

/** The same push in the same player, at one node after the other: two at once would disturb each other. */
async function pictures(place: Place): Promise<Latencies> {
  return await withNodes(place, 'nodes_latency', async ([owner, follower]) => {
    if (!owner || !follower) throw new Error('there are no nodes');
    const { publish, path } = await newChannel(owner);
    const publisher = startTimePublisher(publish, encodings.zeroLatency);
    const browser = await startBrowser();
    try {
      await isLive(owner.url + path);
      await isLive(follower.url + path);
      const watching = { browser, sizes: place.sizes.watch };
      return {
        owner: await watch(owner.url + path, 'ours', watching),
        follower: await watch(follower.url + path, 'ours', watching),
      };
    } finally {
      await browser.close();
      await publisher.stop();
    }
  });
}

interface OwnerCost {
  /** Seconds of its processor a minute and stream, by how many nodes follow each. */
  cpuSecondsPerMinute: number[];
  /** How much later a part can be had at each follower. */
  behindMs: Figure;
}

/** The owner takes pushes; then one node follows all of them, then two. */
async function ownerCost(place: Place, round: number): Promise<OwnerCost> {
  const { sizes, clipFile } = place;
  return await withNodes(place, `nodes_cost_${round}`, async ([owner, ...others]) => {
    if (!owner) throw new Error('there are no nodes');
    const channels: Channel[] = [];
    for (let n = 0; n < sizes.streams; n += 1) channels.push(await newChannel(owner));
    const addresses = channels.map(({ publish }) => publish);
    const order: PublishersOrder = { clipFile, addresses, spreadMs: 2_000 };
    const publishers = await startLoad('publishers.ts', order);
    const watching: PartTimes[] = [];
    try {
      for (const { path } of channels) await isLive(owner.url + path);
      const cpuSecondsPerMinute = [await usedPerMinute(owner, sizes)];
      const ofOwner = await startPartTimes(owner.url + (channels[0]?.path ?? ''));
      watching.push(ofOwner);
      const behind: number[] = [];
      for (const follower of others) {
        const own: PartTimes[] = [];
        for (const { path } of channels) {
          await isLive(follower.url + path);
          own.push(await startPartTimes(follower.url + path));
        }
        watching.push(...own);
        cpuSecondsPerMinute.push(await usedPerMinute(owner, sizes));
        const [first] = own;
        for (const [part, at] of first?.seen ?? []) {
          const ofIt = ofOwner.seen.get(part);
          if (ofIt !== undefined) behind.push(at - ofIt);
        }
      }
      return { cpuSecondsPerMinute, behindMs: figure(behind) };
    } finally {
      for (const one of watching) await one.stop();
      await publishers.stop();
    }
  });
}

async function usedPerMinute({ pid }: ServiceProcess, sizes: Sizes): Promise<number> {
  await Bun.sleep(sizes.warmUpSeconds * 1_000);
  const used = () => cpuSeconds(pid, { withChildren: true });
  const before = used();
  await Bun.sleep(sizes.measuredSeconds * 1_000);
  return (used() - before) / sizes.streams / (sizes.measuredSeconds / 60);
}

interface Flushers {
  /** Rows a second into one channel. */
  one: Figure;
  three: Figure;
  /** Three beside one, round by round. */
  ratio: Figure;
}

async function flushed({ sizes, folder, postgres }: Place): Promise<Flushers> {
  const { rounds, ...crowd } = sizes.flush;
  const rows: Record<1 | 3, number[]> = { 1: [], 3: [] };
  for (let round = 0; round < rounds; round += 1)
    for (const flushers of [1, 3] as const) {
      const name = `nodes_flush_${round}_${flushers}`;
      const databaseUrl = await postgres.emptyDatabase(name);
      const given = { databaseUrl, folder: join(folder, name), nodes: flushers };
      const { rowsPerSecond } = await withNodeStores(given, (stores) =>
        measureCrowd(stores, { ...crowd, channels: 1 }),
      );
      rows[flushers].push(rowsPerSecond.median);
    }
  return { one: figure(rows[1]), three: figure(rows[3]), ratio: ratio(rows[3], rows[1]) };
}

function report(given: {
  latency: Latencies;
  costs: readonly OwnerCost[];
  flushers: Flushers;
}): void {
  const { latency, costs, flushers } = given;
  const times = ({ medianMs, p95Ms, stalls }: Figures) => [medianMs, p95Ms, stalls].map(String);
  printTable(
    ['from the camera to the picture', 'median ms', 'p95', 'stalls'],
    [
      ['at the owner', ...times(latency.owner)],
      ['at a follower', ...times(latency.follower)],
    ],
  );
  const used = (followers: number) => costs.map((one) => one.cpuSecondsPerMinute[followers] ?? 0);
  const ofAlone = (followers: number) => shown(ratio(used(followers), used(0)), 2);
  printTable(
    ['the owner, followed by', 'CPU seconds a minute and stream', 'beside none'],
    [0, 1, 2].map((followers) => [
      `${followers} nodes`,
      shown(figure(used(followers)), 2),
      ofAlone(followers),
    ]),
  );
  const behind = figure(costs.map(({ behindMs }) => behindMs.median));
  console.log(`A part can be had at a follower ${shown(behind, 1)} ms later than at the owner.`);
  console.log(
    `Rows a second into one channel: one flusher ${shown(flushers.one)}, three ${shown(flushers.three)}, ` +
      `beside one ${shown(flushers.ratio, 2)}.\n`,
  );
}
