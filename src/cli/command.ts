// What a command of the command line is, and how it reads its options.
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import type { AnyOperation, Store } from '../base/db/sql.ts';
import { openCommandStore, sqliteFile } from '../base/db/store.ts';
import type { Config } from '../config.ts';
import { Trail, type TrailOptions } from '../library/audit/audit.ts';
import { commandNote } from '../library/audit/audit-note.ts';
import type { AuditGroup } from '../library/audit/audit-operations.ts';
import { notedOperation } from '../library/audit/audit-store.ts';
import { plainOperations } from '../operations.ts';

export interface Command {
  /** One or two words, as typed. */
  name: string;
  usage: string;
  sentence: string;
  /** What the audit log has it under; `nothing` where it changes nothing. */
  audit: AuditGroup | 'nothing';
  /** It takes people's data along: its first read is in the audit log, as a write is. */
  isTaken?: boolean;
  /** The exit code, 0 where nothing is returned. */
  run(words: string[], config: RunConfig): Promise<number | undefined>;
}

/** The settings, and which command it is that runs with them. */
export interface RunConfig extends Config {
  running: Pick<Command, 'name' | 'audit' | 'isTaken'>;
}

/** The command was typed wrongly: its usage is shown. */
export class UsageError extends Error {}

/** Options by name and what stands without one. Options take a value, `flags` none; `many` may be given again. */
export function readOptions<
  const N extends string,
  const M extends string = never,
  const F extends string = never,
>(
  words: string[],
  names: readonly N[],
  {
    many = [],
    flags = [],
    rest = [],
  }: {
    many?: readonly M[];
    flags?: readonly F[];
    /** What must stand without an option, as a message names it; nothing else may. */
    rest?: readonly string[];
  } = {},
): {
  options: Partial<Record<N, string>> & Partial<Record<M, string[]>> & Partial<Record<F, boolean>>;
  rest: string[];
} {
  const options = Object.fromEntries([
    ...names.map((name) => [name, { type: 'string' }] as const),
    ...many.map((name) => [name, { type: 'string', multiple: true }] as const),
    ...flags.map((name) => [name, { type: 'boolean' }] as const),
  ]);
  try {
    const { values, positionals } = parseArgs({ args: words, options, allowPositionals: true });
    if (positionals.length < rest.length)
      throw new Error(`${rest[positionals.length]} must be given`);
    const extra = positionals[rest.length];
    if (extra !== undefined) throw new Error(`"${extra}" is one word too many`);
    return {
      options: values as ReturnType<typeof readOptions<N, M, F>>['options'],
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

const nameMax = 255;

/** A name as people give it, within the bounds of every name. */
export function nameText(value: string | undefined, option: string): string {
  const name = required(value, option);
  if ([...name].length > nameMax)
    throw new UsageError(`${option} must be at most ${nameMax} characters`);
  return name;
}

export function wholeNumber(value: string, what: string): number {
  if (!/^\d{1,15}$/.test(value))
    throw new UsageError(`${what} must be a whole number (got "${value}")`);
  return Number(value);
}

const unitsMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** How long something lasts, as people write it. */
export function lifetimeMs(text: string, option: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([mhdw])$/.exec(text) ?? [];
  if (!count || !unit)
    throw new UsageError(`${option} must be such as 90m, 12h, 30d or 4w (got "${text}")`);
  return Number(count) * (unitsMs[unit] ?? 0);
}

/** For commands that take one id and nothing else. */
export function oneId(words: string[], what: string): number {
  return wholeNumber(readOptions(words, [], { rest: [what] }).rest[0] ?? '', what);
}

/**
 * Runs work on the database the settings name, beside the service if it runs; `more` are operations that are not the
 * service's. What a command writes is in the audit log, in the same transaction.
 */
export async function withStore<T>(
  config: RunConfig,
  work: (store: Store) => Promise<T>,
  more: readonly AnyOperation[] = [],
): Promise<T> {
  if (config.databaseUrl === '' && !existsSync(sqliteFile(config))) {
    console.error(`footlight: there was no database in ${config.dataDir}, so a new one is made`);
  }
  const known = [...plainOperations, ...more];
  const noted = notedOperation(known);
  const store = await openCommandStore(
    {
      databaseUrl: config.databaseUrl,
      dataDir: config.dataDir,
      deadlineMs: config.databaseDeadlineMs,
      connectionsMax: 1,
    },
    [...known, noted],
  );
  try {
    return await work(auditedStore(config, { store, noted }));
  } finally {
    await store.close();
  }
}

function auditedStore(
  { running: { name, audit, isTaken = false } }: RunConfig,
  options: Pick<TrailOptions, 'store' | 'noted'>,
): Store {
  if (audit === 'nothing') return options.store;
  const note = commandNote({
    at: Date.now(),
    // What it is done to says whose it is.
    account_id: undefined,
    operation: name,
    group: audit,
    name: userName(),
  });
  return new Trail({ ...options, isRead: isTaken }, note).store;
}

/** Of who runs the command on this machine; some containers have no name for it. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}

/** One JSON object a line, for people and for programs. */
export function printLine(value: unknown): void {
  console.log(JSON.stringify(value));
}

const listedAtOnce = 500;

/** A list of any length, read page by page, one JSON object a line. */
export async function printAll<Row>(
  read: (page: { limit: number; offset: number }) => Promise<{ rows: Row[] }>,
  shown: (row: Row) => object,
): Promise<void> {
  for (let offset = 0; ; offset += listedAtOnce) {
    const { rows } = await read({ limit: listedAtOnce, offset });
    for (const row of rows) printLine(shown(row));
    if (rows.length < listedAtOnce) return;
  }
}
