// What a trial is: a checker that `npm run trial NAME` runs long and `npm test` runs short.
import { type Engine, engines } from './engines.ts';

export interface Trial {
  /** What it shows, for the list of names. */
  sentence: string;
  /** Rounds of the long form. */
  rounds: number;
  /** Its figures; throws where something did not hold. */
  run(options: RoundOptions): Promise<Figures>;
}

export interface RoundOptions {
  rounds: number;
  /** Every choice follows from it. */
  seed: number;
  /** Takes a line of progress. */
  say(line: string): void;
  /** Another checkout whose service is tried instead, to compare; for trials that know of it. */
  checkout?: string | undefined;
}

export type Figures = Record<string, number | string>;

/** The same on each engine, one after the other; figures have the engine's name in front. */
export async function onEachEngine(
  { say }: Pick<RoundOptions, 'say'>,
  run: (engine: Engine) => Promise<Figures>,
): Promise<Figures> {
  const figures: Figures = {};
  for (const engine of engines) {
    say(engine.name);
    for (const [name, figure] of Object.entries(await run(engine)))
      figures[`${engine.name} ${name}`] = figure;
  }
  return figures;
}

/** The short form's options: few rounds, a new seed each time, no progress. */
export function shortly(rounds: number): RoundOptions {
  return { rounds, seed: newSeed(), say: () => {} };
}

export function newSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}

/** Runs a round; what goes wrong in it is told with the words that repeat it. */
export async function round<T>(name: string, seed: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const again = `npm run trial ${name} -- --rounds 1 --seed ${seed}`;
    throw new Error(`${(error as Error).message}\nthe seed was ${seed}: ${again}`, {
      cause: error,
    });
  }
}

/** Waits for the others also where one has failed: none outlives its round. */
export async function allOf<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return await Promise.all(work);
}

/** Throws one error that names everything that did not hold. */
export function demand(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const shown = problems.slice(0, 10).join('\n');
  const more = problems.length > 10 ? `\nand ${problems.length - 10} more` : '';
  throw new Error(`${problems.length} did not hold:\n${shown}${more}`);
}
