// One SQLite connection as `Sql`: statements kept prepared, errors told apart.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { ApiError, unavailable } from '../api/errors.ts';
import { monotonicMs } from '../lib/time.ts';
import type { Sql, Value } from './sql.ts';

/** Statement texts are written in the source, so this many is more than there are. */
const statementsMax = 512;

export interface SqliteConnection extends Sql {
  readonly dialect: 'sqlite';
  all<Row>(text: string, params?: readonly Value[]): Row[];
  one<Row>(text: string, params?: readonly Value[]): Row | undefined;
  run(text: string, params?: readonly Value[]): number;
  exec(text: string): void;
  close(): void;
}

export function openSqlite(
  file: string,
  options: { readOnly?: boolean; busyMs: number },
): SqliteConnection {
  const db = new DatabaseSync(file, { readOnly: options.readOnly ?? false });
  const statements = new Map<string, StatementSync>();

  const prepared = (text: string): StatementSync => {
    let statement = statements.get(text);
    if (!statement) {
      if (statements.size >= statementsMax) statements.clear();
      statement = db.prepare(withSqliteParameters(text));
      statements.set(text, statement);
    }
    return statement;
  };

  try {
    db.exec(`PRAGMA busy_timeout = ${options.busyMs}`);
    if (!options.readOnly) useWriteAheadLog(db, options.busyMs);
    // FULL: an acknowledged write survives a power cut; NORMAL lost up to 444 of them in trials.
    db.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
  } catch (error) {
    // Opened anew at each try while a disk is broken: what is not closed would use up the descriptors.
    db.close();
    throw error;
  }

  const noParams: readonly Value[] = [];
  return {
    dialect: 'sqlite',
    all: <Row>(text: string, params = noParams) => prepared(text).all(...params) as Row[],
    one: <Row>(text: string, params = noParams) =>
      (prepared(text).get(...params) ?? undefined) as Row | undefined,
    run: (text, params = noParams) => Number(prepared(text).run(...params).changes),
    exec: (text) => db.exec(text),
    close: () => {
      statements.clear();
      db.close();
    },
  };
}

/** Two programs that make one file a WAL database at once: SQLite refuses one of them without waiting, so we wait. */
function useWriteAheadLog(db: DatabaseSync, busyMs: number): void {
  const lateAt = monotonicMs() + busyMs;
  for (;;) {
    try {
      db.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || monotonicMs() >= lateAt) throw error;
      Bun.sleepSync(10);
    }
  }
}

/**
 * SQLite takes `$1` for a name and numbers names by appearance; `?1` means what PostgreSQL's `$1` does.
 * Parameters that simply follow one another become bare `?`: binding by number looks through all of
 * them each time, which is 20 times as slow for the three thousand of a staged batch.
 */
function withSqliteParameters(text: string): string {
  const numbers = Array.from(text.matchAll(/\$(\d+)/g), (match) => Number(match[1]));
  const isSequence = numbers.every((number, at) => number === at + 1);
  return text.replace(/\$(\d+)/g, isSequence ? '?' : '?$1');
}

const busy = 5;
const readOnlyFile = 8;
const inputOutput = 10;
const full = 13;
const cannotOpen = 14;

/** SQLite's primary result code of an error, 0 where it is none of SQLite's. */
function sqliteCode(error: unknown): number {
  const code = (error as { errcode?: unknown }).errcode;
  return typeof code === 'number' ? code & 0xff : 0;
}

export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === busy;
}

/** The disk's trouble, after which a connection is opened anew. */
export function isDiskTrouble(error: unknown): boolean {
  return [readOnlyFile, inputOutput, full, cannotOpen].includes(sqliteCode(error));
}

/** What the caller is told of an error of SQLite's: not now, or that it is ours. */
export function asCallerSees(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  if (isBusy(error)) return unavailable('The database is busy; try again', error);
  if (sqliteCode(error) === full) return unavailable('The disk is full; try again later', error);
  if (isDiskTrouble(error)) return unavailable('The database cannot be written now', error);
  return error;
}
