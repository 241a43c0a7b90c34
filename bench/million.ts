// `bench million`: a million viewers in one channel and in ten thousand, by the real entry, flush, union and counting, with modelled sockets.
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { presenceLimits } from '../src/audience/protocol/page-limits.ts';
import type { Store } from '../src/base/db/sql.ts';
import { startServiceStore } from '../src/base/db/store.ts';
import { createFirstAccount } from '../src/library/access/account-store.ts';
import { timedCreate } from './support/beats-crowd.ts';
import type { Bench, BenchOrder } from './support/bench.ts';
import { type FanOut, measureFanOut } from './support/fan-out.ts';
import { type Figure, figure, printTable, rounded, shown } from './support/figures.ts';
import { limitsOf, reportLimits } from './support/million-limits.ts';
import { ModelledLinks } from './support/million-links.ts';
import { BenchClock, BenchNode, beginAt, type Page } from './support/million-nodes.ts';

export interface MillionSizes {
  viewers: number;
  /** Channels that they are spread over, one layout after the other. */
  layouts: readonly number[];
  nodes: number;
  /** Each is of a minute's reports. */
  flushes: number;
  fanOut: { sockets: number; lines: number };
}

export const bench: Bench<MillionSizes> = {
  sentence:
    'a million viewers in one channel and in ten thousand: entries, flushes, counts and chat, and what breaks first; 25 minutes',
  sizes: {
    viewers: 1_000_000,
    layouts: [1, 10_000],
    nodes: 3,
    flushes: 2,
    fanOut: { sockets: 5_000, lines: 200 },
  },
  smokeSizes: {
    viewers: 1_200,
    layouts: [1, 12],
    nodes: 3,
    flushes: 1,
    fanOut: { sockets: 50, lines: 5 },
  },
  options: { viewers: (text, sizes) => ({ ...sizes, viewers: Number(text) }) },
  run,
};

/** Of a hundred viewers so many have a second tab, on another node: they are one viewer, and their time counts once. */
const tabsInHundred = 5;
/** A page reports so often between two flushes under load. */
const beatsPerFlush = presenceLimits.flushEveryMsMax / presenceLimits.beatMs;
/** While a flush is written somebody enters so often. */
const newcomerEveryMs = 100;

export interface LayoutResult {
  channels: number;
  pages: number;
  /** A second, over all nodes. */
  entriesPerSecond: number;
  /** Ms of one transaction of entries, the last tenth of them: it must not grow with the crowd. */
  entering: { first: Figure; last: Figure };
  /** A second, over all nodes; one viewer is two rows. */
  rowsPerSecond: Figure;
  /** Ms of a flush of all nodes. */
  flushMs: Figure;
  /** Ms that somebody who enters meanwhile waits. */
  newcomerMs: Figure;
  /** Of our processor, for one report. */
  reportMicroseconds: number;
  /** Of the process, for one page. */
  memoryBytesPerPage: number;
  databaseBytes: number;
  census: { ms: number; bytes: number; longest: number };
}

async function run({ sizes, folder, startPostgres }: BenchOrder<MillionSizes>): Promise<object> {
  const fanOut = await measureFanOut(sizes.fanOut);
  const results: LayoutResult[] = [];
  const postgres = await startPostgres();
  try {
    for (const channels of sizes.layouts) {
      const databaseUrl = await postgres.emptyDatabase(`million_${channels}`);
      const stores: Store[] = [];
      const close: (() => Promise<void>)[] = [];
      try {
        for (let node = 1; node <= sizes.nodes; node += 1) {
          const dataDir = join(folder, `${channels}-${node}`);
          const settings = { dataDir, databaseUrl, deadlineMs: 600_000, connectionsMax: 10 };
          const { store, lock } = await startServiceStore(settings, workerUrl);
          stores.push(store);
          close.push(async () => {
            await store.close();
            lock.release();
          });
        }
        results.push(await measured(stores, channels, sizes));
      } finally {
        for (const one of close) await one();
      }
    }
  } finally {
    await postgres.stop();
  }
  report(results, fanOut, sizes);
  const limits = results.map((result) => limitsOf(result, fanOut));
  return rounded({ viewers: sizes.viewers, load: loadavg()[0], fanOut, results, limits });
}

const workerUrl = new URL('../src/store-worker.ts', import.meta.url);

async function measured(
  stores: readonly Store[],
  channels: number,
  { viewers, flushes }: MillionSizes,
): Promise<LayoutResult> {
  const [store] = stores as [Store];
  await store.perform(createFirstAccount, { now: 0 });
  const memoryBefore = memoryBytes();
  const clock = new BenchClock();
  const links = new ModelledLinks();
  const nodes = stores.map((own, n) => new BenchNode({ store: own, clock, links, heldBy: n + 1 }));
  links.connect();
  const channelIds: number[] = [];
  for (let n = 0; n < channels; n += 1) channelIds.push((await timedCreate(store)).id);
  const crowd = crowdOf(channelIds, viewers, nodes.length);
  const entering = await enterAll(nodes, crowd);
  const census = countAll(nodes, links, { channelIds, perChannel: viewers / channels });
  const pages = nodes.reduce((sum, { pageCount }) => sum + pageCount, 0);
  const flushMs: number[] = [];
  const newcomerMs: number[] = [];
  let reportMs = 0;
  let newcomers = 0;
  for (let flush = 0; flush < flushes; flush += 1) {
    reportMs += spentMs(() => {
      for (let beat = 0; beat < beatsPerFlush; beat += 1) {
        clock.at += presenceLimits.beatMs;
        for (const node of nodes) node.report();
      }
    });
    const startedAt = performance.now();
    const flushing = Promise.all(nodes.map((node) => node.flush.flush()));
    const [gate] = nodes as [BenchNode];
    const [channel_id] = channelIds as [number];
    const arrived: Promise<unknown>[] = [];
    const timer = setInterval(() => {
      const at = performance.now();
      newcomers += 1;
      const entered = gate.enter([{ channel_id, viewer: viewers + newcomers }]);
      arrived.push(entered.then(() => newcomerMs.push(performance.now() - at)));
    }, newcomerEveryMs);
    await flushing;
    clearInterval(timer);
    flushMs.push(performance.now() - startedAt);
    await Promise.all(arrived);
  }
  const memory = memoryBytes() - memoryBefore;
  await Promise.all(nodes.map((node) => node.flush.stop()));
  await expectUnion(store, { viewers, pages, watchedMs: clock.at - beginAt });
  const size = await store.one<{ size: number }>(
    'SELECT pg_database_size(current_database()) AS size',
  );
  return {
    channels,
    pages,
    ...entering,
    rowsPerSecond: figure(flushMs.map((ms) => ((viewers + pages) * 1_000) / ms)),
    flushMs: figure(flushMs),
    newcomerMs: figure(newcomerMs),
    reportMicroseconds: (reportMs * 1_000) / (pages * beatsPerFlush * flushes),
    memoryBytesPerPage: memory / pages,
    databaseBytes: Number(size?.size),
    census,
  };
}

/** The pages of each node, channel by channel: every viewer on one, some on two. */
function crowdOf(channelIds: readonly number[], viewers: number, nodes: number): Page[][] {
  const crowd: Page[][] = Array.from({ length: nodes }, () => []);
  for (let viewer = 0; viewer < viewers; viewer += 1) {
    const channel_id = channelIds[Math.floor((viewer * channelIds.length) / viewers)] ?? 0;
    crowd[viewer % nodes]?.push({ channel_id, viewer });
    if (viewer % 100 < tabsInHundred) crowd[(viewer + 1) % nodes]?.push({ channel_id, viewer });
  }
  return crowd;
}

/** Each node lets its own in, a transaction after the other; all nodes at once. */
async function enterAll(
  nodes: readonly BenchNode[],
  crowd: readonly Page[][],
): Promise<Pick<LayoutResult, 'entriesPerSecond' | 'entering'>> {
  const tookMs: number[] = [];
  const startedAt = performance.now();
  await Promise.all(
    nodes.map(async (node, n) => {
      for (const pages of Map.groupBy(crowd[n] ?? [], (page) => page.channel_id).values())
        for (let from = 0; from < pages.length; from += presenceLimits.entriesAtOnceMax) {
          const at = performance.now();
          await node.enter(pages.slice(from, from + presenceLimits.entriesAtOnceMax));
          tookMs.push(performance.now() - at);
        }
    }),
  );
  const entries = crowd.reduce((sum, pages) => sum + pages.length, 0);
  const tenth = Math.max(1, Math.floor(tookMs.length / 10));
  return {
    entriesPerSecond: (entries * 1_000) / (performance.now() - startedAt),
    entering: { first: figure(tookMs.slice(0, tenth)), last: figure(tookMs.slice(-tenth)) },
  };
}

/** One node counts a channel, the others tell it who came: all show the same, and it is the union. */
function countAll(
  nodes: readonly BenchNode[],
  links: ModelledLinks,
  { channelIds, perChannel }: { channelIds: readonly number[]; perChannel: number },
): LayoutResult['census'] {
  const ms = spentMs(() => {
    // The others are told by the second round what was counted in the first.
    for (let round = 0; round < 2; round += 1) {
      for (const node of nodes) node.round();
      links.deliver();
    }
  });
  for (const node of nodes)
    for (const channel_id of channelIds) {
      const count = node.shown.get(channel_id);
      if (count === undefined || Math.abs(count - perChannel) > 1)
        throw new Error(`a node shows ${count} viewers of ${perChannel}`);
    }
  return { ms, bytes: links.bytes, longest: links.longest };
}

/** A rate of sums that are wrong would be no rate. */
async function expectUnion(
  store: Store,
  { viewers, pages, watchedMs }: { viewers: number; pages: number; watchedMs: number },
): Promise<void> {
  const of = async (table: string) =>
    Number(
      (
        await store.one<{ sum: number }>(
          `SELECT CAST(SUM(watch_ms) AS BIGINT) AS sum FROM ${table} WHERE watch_ms >= $1`,
          [watchedMs],
        )
      )?.sum,
    );
  const [sessions, visitors] = [await of('sessions'), await of('visitors')];
  if (sessions !== pages * watchedMs) throw new Error(`sessions hold ${sessions} ms`);
  if (visitors !== viewers * watchedMs) throw new Error(`visitors hold ${visitors} ms`);
}

/** Of our processor. */
function spentMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function memoryBytes(): number {
  Bun.gc(true);
  return process.memoryUsage.rss();
}

function report(results: readonly LayoutResult[], fanOut: FanOut, sizes: MillionSizes): void {
  console.log(
    `${sizes.viewers} viewers, ${tabsInHundred} % with two tabs, ${sizes.nodes} nodes in one process, ${sizes.flushes} flushes of a minute's reports`,
  );
  printTable(
    ['', ...results.map(({ channels }) => `${channels} channels`)],
    [
      ['entries a second', ...results.map((one) => one.entriesPerSecond.toFixed(0))],
      ['ms of 1,000 entries, first tenth', ...results.map((one) => shown(one.entering.first))],
      ['ms of 1,000 entries, last tenth', ...results.map((one) => shown(one.entering.last))],
      ['rows a second', ...results.map((one) => shown(one.rowsPerSecond))],
      ['ms of a flush', ...results.map((one) => shown(one.flushMs))],
      ['ms of an entry meanwhile', ...results.map((one) => shown(one.newcomerMs))],
      ['µs of a report', ...results.map((one) => one.reportMicroseconds.toFixed(2))],
      ['bytes of memory a page', ...results.map((one) => one.memoryBytesPerPage.toFixed(0))],
      ['MB of database', ...results.map((one) => (one.databaseBytes / 1e6).toFixed(0))],
      ['ms to count all once', ...results.map(({ census }) => census.ms.toFixed(0))],
      [
        'MB told between nodes for it',
        ...results.map(({ census }) => (census.bytes / 1e6).toFixed(1)),
      ],
    ],
  );
  console.log(
    `A line of chat costs ${fanOut.microseconds.toFixed(2)} µs a page (${fanOut.sockets} sockets).\n`,
  );
  for (const result of results) reportLimits(result, fanOut);
}
