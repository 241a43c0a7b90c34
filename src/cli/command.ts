// What a command of the command line is, and how it reads its options.
import { parseArgs } from 'node:util';
import { importOperations } from '../audience/session-import.ts';
import type { Config } from '../config.ts';
import type { Store } from '../db/sql.ts';
import { openCommandStore } from '../db/store.ts';
import { operations } from '../operations.ts';

export interface Command {
  /** One or two words, as typed. */
  name: string;
  usage: string;
  sentence: string;
  /** The exit code, 0 where nothing is returned. */
  run(words: string[], config: Config): Promise<number | undefined>;
}

/** The command was typed wrongly: its usage is shown. */
export class UsageError extends Error {}

/** Options by name and what stands without one. Every option takes a value; `many` may be given again. */
export function readOptions<const N extends string, const M extends string = never>(
  words: string[],
  names: readonly N[],
  many: readonly M[] = [],
): { options: Partial<Record<N, string>> & Partial<Record<M, string[]>>; rest: string[] } {
  const options = Object.fromEntries([
    ...names.map((name) => [name, { type: 'string' }] as const),
    ...many.map((name) => [name, { type: 'string', multiple: true }] as const),
  ]);
  try {
    const { values, positionals } = parseArgs({ args: words, options, allowPositionals: true });
    return {
      options: values as ReturnType<typeof readOptions<N, M>>['options'],
      rest: positionals,
    };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

export function required(value: string | undefined, option: string): string {
  if (value === undefined || value.trim() === '') throw new UsageError(`${option} must be given`);
  return value.trim();
}

export function wholeNumber(value: string, what: string): number {
  if (!/^\d{1,15}$/.test(value))
    throw new UsageError(`${what} must be a whole number (got "${value}")`);
  return Number(value);
}

/** Runs work on the database the settings name, beside the service if it runs. */
export async function withStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openCommandStore(
    {
      databaseUrl: config.databaseUrl,
      dataDir: config.dataDir,
      deadlineMs: config.databaseDeadlineMs,
      connectionsMax: 1,
    },
    [...operations, ...importOperations],
  );
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** One JSON object a line, for people and for programs. */
export function printLine(value: unknown): void {
  console.log(JSON.stringify(value));
}
