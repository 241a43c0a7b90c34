// `bench audience`: thousands of real viewers before one push: CPU, memory, the interface meanwhile, and their records.
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { type BeatsSizes, bench as beats } from './beats.ts';
import { demandRecords, report } from './support/audience-report.ts';
import { audienceRound, type Round, type RoundSizes } from './support/audience-round.ts';
import type { Bench, BenchOrder } from './support/bench.ts';
import { isPinned } from './support/cores.ts';
import { rounded } from './support/figures.ts';

interface Sizes {
  /** One round for each; `most` are as many as the machine allows. */
  viewers: readonly (number | 'most')[];
  /** Beside another checkout: the first of `viewers` before each of the two, in turns, so often. */
  turns: number;
  round: RoundSizes;
  /** Beats by themselves; not in the smoke form, where they have one of their own. */
  beats?: BeatsSizes;
}

export const bench: Bench<Sizes> = {
  sentence:
    '10,000, 15,000 and as many viewers as the machine allows before one push, then `beats`; 15 minutes, as with --before FOLDER, or with --viewers N',
  sizes: {
    viewers: [10_000, 15_000, 'most'],
    turns: 3,
    round: { seconds: 60, settleMs: 30_000, aloneSeconds: 20 },
    beats: beats.sizes,
  },
  smokeSizes: { viewers: [30], turns: 1, round: { seconds: 1, settleMs: 200, aloneSeconds: 1 } },
  options: {
    viewers: (text, { turns, round }) => ({ viewers: [Number(text)], turns, round }),
    seconds: (text, sizes) => ({ ...sizes, round: { ...sizes.round, seconds: Number(text) } }),
  },
  comparesCheckouts: true,
  run,
};

async function run({ sizes, ...order }: BenchOrder<Sizes>): Promise<object> {
  const { seconds } = sizes.round;
  console.log(
    'Every viewer has a WebSocket and a ticket of its own and beats every 10 s, before one push;\n' +
      `the interface's reads are called 60 times a second; ${seconds} s after all are in; ` +
      `${isPinned() ? 'load and service on a core each' : 'cores are shared: nothing is pinned'}.\n`,
  );
  const folder = join(order.folder, 'data');
  const rounds: Round[] = [];
  for (const { count, before } of roundsOf(sizes, order.before)) {
    const viewers = count === 'most' ? viewersMost() : count;
    rounds.push(await audienceRound({ viewers, sizes: sizes.round, folder, before }));
  }
  report(rounds);
  demandRecords(rounds);
  return rounded({
    seconds,
    load: loadavg()[0],
    rounds,
    ...(sizes.beats &&
      order.before === undefined && { beats: await beats.run({ ...order, sizes: sizes.beats }) }),
  });
}

/** One after the other; beside another checkout in turns, which of the two is first changing with each. */
function roundsOf({ viewers, turns }: Sizes, before: string | undefined) {
  if (before === undefined) return viewers.map((count) => ({ count, before }));
  const [count = 0] = viewers;
  return Array.from({ length: turns }, (_, turn) => {
    const both = [
      { count, before: undefined },
      { count, before },
    ];
    return turn % 2 === 0 ? both : both.reverse();
  }).flat();
}

/** Ports that one client address has by default; Linux, ip_local_port_range. */
const portsMax = 28_232;
/** Files, workers, callers and the push. */
const descriptorsElse = 500;

/** What this machine lets one process have. Bun raises its soft limit to the hard one itself. */
function viewersMost(): number {
  const limits = readFileSync('/proc/self/limits', 'latin1');
  const descriptorsMax = Number(/^Max open files +\S+ +(\d+)/m.exec(limits)?.[1]);
  return Math.min(descriptorsMax, portsMax) - descriptorsElse;
}
