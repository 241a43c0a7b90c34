// What a process has used, from /proc: CPU time of all its threads, resident memory.
import { readdirSync, readFileSync } from 'node:fs';

/** The kernel counts CPU time for /proc in hundredths of a second on every Linux that Bun runs on. */
const ticksPerSecond = 100;

/** User and system seconds of a process, with the processes under it where `withChildren` is set. */
export function cpuSeconds(pid: number, { withChildren = false } = {}): number {
  const children = withChildren ? childrenOf(pid) : [];
  return children.reduce((sum, child) => sum + child.cpuSeconds, statOf(pid).cpuSeconds);
}

function childrenOf(parent: number): Stat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = statOf(Number(name));
        return stat.parent === parent ? [stat] : [];
      } catch {
        // It ended between the listing and the look.
        return [];
      }
    });
}

interface Stat {
  pid: number;
  parent: number;
  cpuSeconds: number;
}

function statOf(pid: number): Stat {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The second field is the program's name in brackets and may hold spaces; proc(5).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return { pid, parent: field(4), cpuSeconds: (field(14) + field(15)) / ticksPerSecond };
}

export interface Memory {
  /** All resident pages. */
  residentMb: number;
  /** Those that are the process's own: not the pages of program files, which processes share. */
  ownMb: number;
}

export function memoryOf(pid: number, { withChildren = false } = {}): Memory {
  const children = withChildren ? childrenOf(pid) : [];
  return children.reduce((sum, child) => {
    const { residentMb, ownMb } = ownMemoryOf(child.pid);
    return { residentMb: sum.residentMb + residentMb, ownMb: sum.ownMb + ownMb };
  }, ownMemoryOf(pid));
}

function ownMemoryOf(pid: number): Memory {
  const text = readFileSync(`/proc/${pid}/status`, 'latin1');
  const mb = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1_024;
  return { residentMb: mb('VmRSS'), ownMb: mb('RssAnon') };
}
