// The process that fuzzes: inputs by their seeds, one after another; every thousand a line of JSON says how far it is.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seeded } from '../../test/support/random.ts';
import { targets } from './fuzz-targets.ts';
import { realMedia } from './real-media.ts';

export interface FuzzReport {
  done: number;
  /** By target and outcome. */
  counts: Record<string, number>;
  /** The slowest input and its seed. */
  slowest: { seed: number; ms: number };
  peakBytes: number;
  /** What went wrong, and the seed of the input that did it. */
  problem?: { seed: number; text: string };
}

const reportEvery = 1_000;

if (import.meta.main) {
  const [seed = 0, count = 0, msMax = 0] = process.argv.slice(2).map(Number);
  // In memory where there is such a disk: a sync of a busy one takes longer than anything that is measured here.
  const root = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const folder = mkdtempSync(join(root, 'footlight-fuzz-'));
  await fuzz({ seed, count, msMax, folder });
  rmSync(folder, { recursive: true });
}

/** Not `resourceUsage().maxRSS`: that counts what the parent held when it started us. */
function peakResidentBytes(): number {
  if (process.platform !== 'linux') return process.memoryUsage.rss();
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1_024;
}

async function fuzz(given: {
  seed: number;
  count: number;
  msMax: number;
  folder: string;
}): Promise<void> {
  const { seed, count, msMax, folder } = given;
  const real = realMedia();
  const chosen = targets.flatMap((target) => Array.from({ length: target.weight }, () => target));
  const counts: Record<string, number> = {};
  let slowest = { seed, ms: 0 };
  const report = (done: number, problem?: FuzzReport['problem']) => {
    const peakBytes = peakResidentBytes();
    const line: FuzzReport = { done, counts, slowest, peakBytes, ...(problem && { problem }) };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  };
  for (let at = 0; at < count; at++) {
    const random = seeded(seed + at);
    const target = random.pick(chosen);
    const startedAt = performance.now();
    try {
      const outcome = await target.run(real, random, folder);
      const name = `${target.name} ${outcome}`;
      counts[name] = (counts[name] ?? 0) + 1;
    } catch (error) {
      const text = `${target.name}: ${error instanceof Error ? error.stack : error}`;
      return report(at, { seed: seed + at, text });
    }
    const tookMs = performance.now() - startedAt;
    if (tookMs > slowest.ms) slowest = { seed: seed + at, ms: tookMs };
    if (tookMs > msMax)
      return report(at, { seed: seed + at, text: `${target.name}: it took ${tookMs} ms` });
    if ((at + 1) % reportEvery === 0) report(at + 1);
  }
  if (count % reportEvery !== 0) report(count);
}
