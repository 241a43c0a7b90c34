// `bench audience`: thousands of real viewers before one push: CPU, memory, the interface meanwhile, and their records.
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run as runBeats } from './beats.ts';
import { report } from './support/audience-report.ts';
import { audienceRound, type Round } from './support/audience-round.ts';
import { isPinned } from './support/cores.ts';
import { rounded } from './support/figures.ts';

const viewerCounts = [10_000, 15_000];
const secondsDefault = 60;

/** With `--viewers N` one round of so many, and no beats by themselves. */
export async function run(): Promise<unknown> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { viewers: { type: 'string' }, seconds: { type: 'string' } },
  });
  const isShort = values.viewers !== undefined;
  const counts = isShort ? [Number(values.viewers)] : [...viewerCounts, viewersMost()];
  const seconds = Number(values.seconds ?? secondsDefault);
  console.log(
    'Every viewer has a WebSocket and a ticket of its own and beats every 10 s, before one push;\n' +
      `the interface's reads are called 60 times a second; ${seconds} s after all are in; ` +
      `${isPinned() ? 'load and service on a core each' : 'cores are shared: nothing is pinned'}.\n`,
  );
  const folder = join(import.meta.dir, '.data/audience');
  const rounds: Round[] = [];
  for (const viewers of counts) rounds.push(await audienceRound({ viewers, seconds, folder }));
  report(rounds);
  return rounded({
    seconds,
    load: loadavg()[0],
    rounds,
    ...(!isShort && { beats: await runBeats() }),
  });
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
