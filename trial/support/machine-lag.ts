// How long this machine lets processes wait for a processor: a gap no longer than that is nobody's fault.
import { readFileSync } from 'node:fs';

export interface MachineLag {
  /** The most that we, and the service's first thread, waited for a processor within a few seconds. */
  readonly worstMs: number;
  /** From now on the worst is counted anew. */
  countAnew(): void;
  stop(): void;
}

const everyMs = 20;
/** As long as a gap that is worth explaining. */
const windowMs = 3_000;

export function startMachineLag(pid: number): MachineLag {
  const waits = [process.pid, pid].map((one) => new Waits(one));
  const timer = setInterval(() => {
    for (const wait of waits) wait.look();
  }, everyMs);
  return {
    get worstMs() {
      return Math.round(waits.reduce((sum, { worstMs }) => sum + worstMs, 0));
    },
    countAnew: () => {
      for (const wait of waits) wait.worstMs = 0;
    },
    stop: () => clearInterval(timer),
  };
}

class Waits {
  private readonly file: string;

  private readonly looks: { at: number; waitedMs: number }[] = [];
  worstMs = 0;

  constructor(pid: number) {
    this.file = `/proc/${pid}/schedstat`;
  }

  look(): void {
    const at = performance.now();
    const waitedMs = waitedMsOf(this.file);
    this.looks.push({ at, waitedMs });
    while ((this.looks[0]?.at ?? at) < at - windowMs) this.looks.shift();
    this.worstMs = Math.max(this.worstMs, waitedMs - (this.looks[0]?.waitedMs ?? waitedMs));
  }
}

/** Its second number counts the nanoseconds on a run queue (Documentation/scheduler/sched-stats); 0 where it is not kept. */
function waitedMsOf(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}
