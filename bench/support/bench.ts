// What a bench is: `npm run bench NAME` measures at length, `npm test` goes the same way in a few seconds.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchPostgres } from './postgres.ts';

export interface Bench<Sizes = unknown> {
  /** What it measures, for the list of names. */
  sentence: string;
  sizes: Sizes;
  /** Of a few seconds: every step is taken and every answer checked, but the figures mean nothing. */
  smokeSizes: Sizes;
  /** Options of its own, such as `--seconds N`: what each changes in the sizes. */
  options?: Record<string, (text: string, sizes: Sizes) => Sizes>;
  /** Programs that it cannot do without. */
  programs?: readonly string[];
  /** Who it is measured beside. The smoke form leaves out those who are not installed. */
  peers?: readonly Peer[];
  /** Whether `--before FOLDER` measures the service of another checkout beside this one's, and no peer. */
  comparesCheckouts?: true;
  /** What lies in its folder serves the next run too. */
  keepsFolder?: true;
  /** Its figures; throws where an answer was not the expected one. */
  run(order: BenchOrder<Sizes>): Promise<object>;
}

export interface BenchOrder<Sizes> {
  sizes: Sizes;
  /** Empty, but for what an earlier run has kept. PostgreSQL's user may enter it. */
  folder: string;
  /** Peers that are not measured, by name: in the smoke form those that are not installed. */
  leftOut: ReadonlySet<string>;
  /** Another checkout of this project, with its packages installed. */
  before?: string;
  /** A PostgreSQL with its data in the folder; `wrap` may bind its command to a core. */
  startPostgres(wrap?: (command: string[]) => string[]): Promise<BenchPostgres>;
}

export interface Peer {
  name: string;
  /** How it is installed; undefined where it is. */
  lacks(): string | undefined;
}

/** A peer that runs on Node with packages of bench/package.json. */
export function nodePeer(name: string, packages: readonly string[] = [name]): Peer {
  const isHere = (one: string) => existsSync(join(benchFolder, 'node_modules', one));
  return {
    name,
    lacks: () =>
      Bun.which('node') !== null && packages.every(isHere)
        ? undefined
        : '`npm ci --prefix bench` brings it, and it runs on Node',
  };
}

export const benchFolder = join(import.meta.dir, '..');

/** Every file beside run.ts is a bench. */
export function benchNames(): string[] {
  return [...new Bun.Glob('*.ts').scanSync(benchFolder)]
    .map((file) => file.replace(/\.ts$/, ''))
    .filter((name) => name !== 'run')
    .sort();
}

export async function loadBench(name: string): Promise<Bench> {
  const module = (await import(join(benchFolder, `${name}.ts`))) as { bench: Bench };
  return module.bench;
}

/** Why it cannot run here, undefined where it can. */
export function lackingProgram({ programs = [] }: Bench): string | undefined {
  const absent = programs.filter((program) => Bun.which(program) === null);
  return absent.length === 0 ? undefined : `it needs ${absent.join(' and ')}`;
}
