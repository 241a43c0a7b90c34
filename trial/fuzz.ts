// Fault 9 without a network: mutated inputs over real captures, straight through every parser of the media river.
//
// A process of its own reads them, so that its memory is that of the parsers alone and a hang can be ended. Each
// input follows from its seed: `npm run trial fuzz -- --rounds 1 --seed N` reads that one again.
import { join } from 'node:path';
import { patience } from '../test/support/machine-pace.ts';
import type { Figures, RoundOptions, Trial } from '../test/support/trial.ts';
import type { FuzzReport } from './support/fuzz-child.ts';

/** One input; the longest are read in some milliseconds, the rest is for the collector and noisy cores. */
const inputMsMax = 2_000;
/** The real captures, their segments and a collector that is in no hurry. */
const memoryBytesMax = 512 * 1_048_576;
/** A thousand inputs take a fraction of it. */
const silenceMsMax = 60_000;
const sayEvery = 100_000;

export const trial: Trial = {
  sentence:
    'a million mutated inputs through the parsers: read or refused, in time, in little memory',
  rounds: 1_000_000,
  run: fuzzRounds,
};

export async function fuzzRounds({ rounds, seed, say }: RoundOptions): Promise<Figures> {
  const child = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, 'support/fuzz-child.ts'),
      ...[seed, rounds, patience(inputMsMax)].map(String),
    ],
    { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' },
  );
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  let last: FuzzReport = { done: 0, counts: {}, slowest: { seed, ms: 0 }, peakBytes: 0 };
  const late = setTimeout(end, silenceMsMax);
  try {
    for await (const line of linesOf(child.stdout)) {
      late.refresh();
      last = JSON.parse(line) as FuzzReport;
      if (last.problem) throw new Error(told(last.problem));
      if (last.peakBytes > memoryBytesMax)
        throw new Error(`${last.peakBytes} bytes were held (seed ${seed}, ${last.done} inputs)`);
      if (last.done % sayEvery === 0) say(`${last.done} inputs`);
    }
    if (last.done < rounds)
      throw new Error(`of the thousand inputs from seed ${seed + last.done} on, one did not end`);
    return figures(last);
  } finally {
    clearTimeout(late);
    process.off('exit', end);
    end();
    await child.exited;
  }
}

function told({ seed, text }: { seed: number; text: string }): string {
  return `${text}\nthe seed was ${seed}: npm run trial fuzz -- --rounds 1 --seed ${seed}`;
}

function figures({ done, counts, slowest, peakBytes }: FuzzReport): Figures {
  const names = Object.keys(counts).sort();
  return {
    inputs: done,
    ...Object.fromEntries(names.map((name) => [name, counts[name] ?? 0])),
    slowest_input_ms: Math.round(slowest.ms),
    slowest_seed: slowest.seed,
    memory_peak_mb: Math.round(peakBytes / 1_048_576),
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
