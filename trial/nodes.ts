// Fault 26: three nodes, each killed, frozen and cut off, under an encoder, players and pages; what is kept stays exact.
import { type BucketStore, startBucketStore } from '../test/support/bucket-store.ts';
import { noCeph, startCephStore } from '../test/support/ceph-store.ts';
import { Cluster, type ClusterShow, stopShow } from '../test/support/cluster/cluster.ts';
import { temporaryFolder } from '../test/support/engines.ts';
import { startPostgres, type TestPostgres } from '../test/support/postgres.ts';
import { type Random, seeded } from '../test/support/random.ts';
import {
  demand,
  type Figures,
  type RoundOptions,
  round,
  type Trial,
} from '../test/support/trial.ts';
import { clusterProblems, endProblems, untilWell } from './support/cluster-judge.ts';
import { MachineClock } from './support/machine-clock.ts';
import { type FaultName, faults } from './support/node-faults.ts';
import {
  haproxyAddress,
  lackingProxies,
  type RunningProxy,
  startHaproxy,
} from './support/proxies.ts';

const names = Object.keys(faults) as FaultName[];
const faultsPerRound = 11;
const roundsOfEach = 20;

export const trial: Trial = {
  sentence:
    'three nodes killed, frozen, cut off, apart: one writer, one recording, every viewer exact; 70 minutes',
  rounds: Math.ceil((names.length * roundsOfEach) / faultsPerRound),
  run: async (options) => {
    const lacking = [noCeph, lackingProxies(['haproxy'])].filter((one) => one !== undefined);
    if (lacking.length > 0) throw new Error(`it needs more than there is: ${lacking.join('; ')}`);
    return await nodesRounds(options, { isWhole: true });
  },
};

export interface NodesOrder {
  /** In this order; the usual is a few of all, by the seed. */
  faults?: readonly FaultName[];
  /** With Ceph and HAProxy; else the store is s3rver, and encoders know all nodes. */
  isWhole?: boolean;
}

export async function nodesRounds(options: RoundOptions, order: NodesOrder = {}): Promise<Figures> {
  const { rounds, seed, say } = options;
  const figures: Record<string, number> = { rounds: 0 };
  const add = (name: string, more: number) => {
    figures[name] = (figures[name] ?? 0) + more;
  };
  const most = (name: string, one: number) => {
    figures[name] = Math.max(figures[name] ?? 0, one);
  };
  const stoodMs = new Map<FaultName, number[]>();
  const stood = (name: FaultName, ms: number) =>
    stoodMs.set(name, [...(stoodMs.get(name) ?? []), ms]);
  const postgres = await startPostgres({ isOwn: true });
  const { isWhole = false } = order;
  const store = await (isWhole ? startCephStore() : startBucketStore());
  try {
    for (let at = 0; at < rounds; at++) {
      const random = seeded(seed + at);
      const chosen = order.faults ?? faultsOf(seed + at, random);
      await round('nodes', seed + at, () =>
        nodesRound({ postgres, store, isWhole, random, faults: chosen, say, add, most, stood }),
      );
      figures['rounds'] = at + 1;
    }
  } finally {
    await store.stop();
    await postgres.stop();
  }
  const gaps = [...stoodMs].map(([name, all]) => [`${name}, picture stood`, gapText(all)] as const);
  return { ...figures, ...Object.fromEntries(gaps) };
}

function gapText(all: readonly number[]): string {
  const sorted = all.toSorted((a, b) => a - b);
  return `${sorted[Math.floor(sorted.length / 2)]} ms, at most ${sorted.at(-1)}`;
}

/** Seeds that follow each other take the faults in turns, so that each comes as often as the others. */
function faultsOf(seed: number, random: Random): FaultName[] {
  const chosen = Array.from(
    { length: faultsPerRound },
    (_, at) => names[(seed * faultsPerRound + at) % names.length] as FaultName,
  );
  // In any order (Fisher and Yates).
  for (let at = chosen.length - 1; at > 0; at--) {
    const other = random.whole(0, at);
    [chosen[at], chosen[other]] = [chosen[other] as FaultName, chosen[at] as FaultName];
  }
  return chosen;
}

const behindHaproxy = { TRUSTED_PROXIES: haproxyAddress, RTMP_PROXY_PROTOCOL: 'true' };

/** Between the machines of the nodes. */
const skewsMs = [0, 5_000, -5_000];

interface Round {
  postgres: TestPostgres;
  store: BucketStore;
  isWhole: boolean;
  random: Random;
  faults: readonly FaultName[];
  say(line: string): void;
  add(name: string, more: number): void;
  most(name: string, one: number): void;
  stood(name: FaultName, ms: number): void;
}

async function nodesRound(given: Round): Promise<void> {
  const { postgres, store, isWhole, random, say, add } = given;
  const clocks = new Map<string, MachineClock>();
  const settingsOf = (name: string) => {
    const clock = new MachineClock(temporaryFolder());
    clock.jump(skewsMs[clocks.size] ?? 0);
    clocks.set(name, clock);
    return { ...clock.settings, ...(isWhole && behindHaproxy) };
  };
  const cluster = await Cluster.start({ nodes: 3, postgres, store, settingsOf });
  let show: ClusterShow | undefined;
  let balancer: RunningProxy | undefined;
  const done: string[] = [];
  try {
    if (isWhole) balancer = await startHaproxy(cluster.nodes, { areAllReady: true });
    const targets = balancer && [`rtmp://127.0.0.1:${balancer.rtmpPort}`];
    show = await cluster.show({ viewers: 4, tabs: 3, ...(targets && { targets }) });
    await untilWell(cluster, show);
    for (const name of given.faults) {
      const startedAt = performance.now();
      for (const player of show.players) player.takeLongestMs();
      done.push(name);
      const did = await faults[name]({ cluster, show, clocks, random });
      done.splice(-1, 1, `${name}: ${did}`);
      await untilWell(cluster, show);
      // Of whoever stood least: a player that is on another node.
      const stoodMs = Math.min(...show.players.map((player) => player.takeLongestMs()));
      given.stood(name, stoodMs);
      say(
        `${done.at(-1)}; stood ${stoodMs} ms, well after ${Math.round(performance.now() - startedAt)} ms`,
      );
      add(name, 1);
      demand(await clusterProblems(cluster, show));
    }
    const ended = await endProblems(cluster, show);
    for (const [name, figure] of Object.entries(ended.sums)) add(name, figure);
    for (const [name, figure] of Object.entries(ended.mosts)) given.most(name, figure);
    demand(ended.problems);
  } catch (error) {
    const logs = cluster.nodes.map((node) => `--- ${node.name}\n${lastLines(node.log())}`);
    const evidence = [`after ${done.join('\n')}`, ...logs, ...(await historyLines(cluster))];
    (error as Error).message += `\n${evidence.join('\n')}`;
    throw error;
  } finally {
    if (show) await stopShow(show);
    await balancer?.stop();
    await cluster.stop();
  }
}

/** Who had the push when, and what they named of it. */
async function historyLines(cluster: Cluster): Promise<string[]> {
  const history = await cluster.history().catch(() => []);
  return history.map(({ at, epoch, ...event }) => {
    const when = `${new Date(at).toISOString()} epoch ${epoch}`;
    if (event.kind === 'segment') return `${when}: ${event.sequence} is named`;
    return `${when}: ${event.node} ${event.state} ${event.channel_id} ${event.push}`;
  });
}

function lastLines(log: string): string {
  const lines = log.split('\n').filter((line) => !line.includes('"message":"request"'));
  return lines.slice(-linesMax).join('\n');
}

const linesMax = 40;
