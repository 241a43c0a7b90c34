// One crowd of `bench million`: all enter, are counted, report for a minute and are flushed, again and again.
import { presenceLimits } from '../../src/audience/protocol/page-limits.ts';
import type { Store } from '../../src/base/db/sql.ts';
import { createFirstAccount } from '../../src/library/access/account-store.ts';
import { timedCreate } from './beats-crowd.ts';
import { type Figure, figure } from './figures.ts';
import { ModelledLinks } from './million-links.ts';
import { BenchClock, BenchNode, beginAt, type Page } from './million-nodes.ts';

/** Of a hundred viewers so many have a second tab, on another node: they are one viewer, and their time counts once. */
export const tabsInHundred = 5;
/** A page reports so often between two flushes under load. */
const beatsPerFlush = presenceLimits.flushEveryMsMax / presenceLimits.beatMs;
/** While a flush is written somebody enters so often. */
const newcomerEveryMs = 100;

export interface CrowdSizes {
  viewers: number;
  /** That they are spread over. */
  channels: number;
  /** Each is of a minute's reports. */
  flushes: number;
}

export interface CrowdFigures {
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

export async function measureCrowd(
  stores: readonly Store[],
  { channels, viewers, flushes }: CrowdSizes,
): Promise<CrowdFigures> {
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
): Promise<Pick<CrowdFigures, 'entriesPerSecond' | 'entering'>> {
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
): CrowdFigures['census'] {
  // A node that is alone knows who is there.
  if (nodes.length === 1) return { ms: 0, bytes: 0, longest: 0 };
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
