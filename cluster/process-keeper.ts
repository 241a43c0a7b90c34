// A program of its own that is told which processes there are, and ends them when nobody tells it any more, whatever has become of who did.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Role } from './processes.ts';

/** A service writes what it has within ten seconds. */
const withinMs = 20_000;
const lookEveryMs = 50;

// It ends by the end of its input alone.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
const pids: Record<Role, Set<number>> = { serving: new Set(), store: new Set() };
for await (const line of createInterface({ input: process.stdin })) {
  const [word = '', pid] = line.split(' ');
  if (word === 'serving' || word === 'store') pids[word].add(Number(pid));
  else for (const all of Object.values(pids)) all.delete(Number(pid));
}
await end(pids.serving);
await end(pids.store);

async function end(all: ReadonlySet<number>): Promise<void> {
  signal(all, 'SIGTERM');
  const deadline = performance.now() + withinMs;
  while ([...all].some(runs) && performance.now() < deadline) await Bun.sleep(lookEveryMs);
  signal([...all].filter(runs), 'SIGKILL');
}

function signal(some: Iterable<number>, name: NodeJS.Signals): void {
  for (const pid of some) if (runs(pid)) process.kill(pid, name);
}

/** One that has ended stays in the list until it is asked for, and nobody may be there to ask. */
function runs(pid: number): boolean {
  try {
    // The name in brackets may hold spaces: the state stands behind it.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
