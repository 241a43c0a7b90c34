// Runs named operations on one SQLite connection: several writes share a commit, each is undone alone.
import { ApiError } from '../api/errors.ts';
import { monotonicMs } from '../lib/time.ts';
import { Late } from './late.ts';
import { appendOutbox, withOutbox } from './outbox.ts';
import type { AnyOperation, OutboxEntry, Sql } from './sql.ts';
import { asCallerSees, isBusy, isDiskTrouble, type SqliteConnection } from './sqlite.ts';

/** One operation to run; `deadlineAt` is when its caller stops waiting, by `monotonicMs`. */
export interface Task {
  name: string;
  input: unknown;
  deadlineAt: number;
}

export type Outcome = { value: unknown } | { error: unknown };

export interface TasksDone {
  outcomes: Outcome[];
  diskTrouble: boolean;
  /** Whose outboxes have more than before. */
  appendedTo: readonly number[];
}

/**
 * Every task's outcome, in order. They run one at a time, each in a savepoint, and are committed
 * together, so a burst of writes pays for one fsync. Nothing is acknowledged before the commit.
 */
export async function runTasks(
  connection: SqliteConnection,
  operations: ReadonlyMap<string, AnyOperation>,
  tasks: readonly Task[],
  readOnly: boolean,
): Promise<TasksDone> {
  const outcomes = new Array<Outcome>(tasks.length);
  const entries: OutboxEntry[] = [];
  const waiting = new Set(tasks.keys());
  try {
    dropLate(tasks, outcomes, waiting);
    if (readOnly) connection.exec('BEGIN');
    else beginWrite(connection, tasks, outcomes, waiting);
    for (const at of waiting) {
      const task = tasks[at] as Task;
      const own: OutboxEntry[] = [];
      // The tasks before it may have taken its time.
      const sql = readOnly ? untilLate(connection, task) : withOutbox(connection, own);
      const outcome = isLate(task) ? tooLate() : await runOne(connection, operations, task, sql);
      outcomes[at] = outcome;
      // What is undone has not happened.
      if ('value' in outcome) entries.push(...own);
    }
    for (const at of waiting) await endOne(connection, operations, tasks[at] as Task, outcomes[at]);
    const appendedTo = await appendOutbox(connection, entries);
    if (readOnly || waiting.size > 0) connection.exec('COMMIT');
    return { outcomes, diskTrouble: false, appendedTo };
  } catch (error) {
    rollBack(connection);
    for (const at of waiting) outcomes[at] = { error: asCallerSees(error) };
    return { outcomes, diskTrouble: isDiskTrouble(error), appendedTo: [] };
  }
}

/** SQLite asks for a lock ever more seldom the longer it waits; within so long it still asks every few milliseconds. */
const askAnewMs = 10;

/** Takes the write lock, waiting no longer than the first caller does. */
function beginWrite(
  connection: SqliteConnection,
  tasks: readonly Task[],
  outcomes: Outcome[],
  waiting: Set<number>,
): void {
  while (waiting.size > 0) {
    const deadlines = Array.from(waiting, (at) => (tasks[at] as Task).deadlineAt);
    const waitMs = Math.max(1, Math.min(askAnewMs, ...deadlines.map((at) => at - monotonicMs())));
    connection.exec(`PRAGMA busy_timeout = ${waitMs}`);
    try {
      connection.exec('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      if (!isBusy(error)) throw error;
      dropLate(tasks, outcomes, waiting, { error: asCallerSees(error) });
    }
  }
}

/** Callers whose time is up are told so, and nothing is done for them. */
function dropLate(
  tasks: readonly Task[],
  outcomes: Outcome[],
  waiting: Set<number>,
  outcome: Outcome = tooLate(),
): void {
  for (const at of waiting) {
    if (!isLate(tasks[at] as Task)) continue;
    waiting.delete(at);
    outcomes[at] = outcome;
  }
}

export function isLate(task: Task): boolean {
  return task.deadlineAt <= monotonicMs();
}

function tooLate(): { error: Late } {
  return { error: new Late() };
}

/** For reads: nobody waits for what comes after the deadline. A statement that runs is not broken off. */
function untilLate({ dialect, all, one, run }: SqliteConnection, task: Task): Sql {
  const inTime = <Given extends unknown[], Made>(call: (...given: Given) => Made) => {
    return (...given: Given): Made => {
      if (isLate(task)) throw tooLate().error;
      return call(...given);
    };
  };
  return { dialect, all: inTime(all), one: inTime(one), run: inTime(run) } as Sql;
}

async function runOne(
  connection: SqliteConnection,
  operations: ReadonlyMap<string, AnyOperation>,
  task: Task,
  sql: Sql,
): Promise<Outcome> {
  const operation = operations.get(task.name);
  if (!operation) throw new Error(`no operation is named ${task.name}`);
  connection.exec('SAVEPOINT task');
  try {
    const value = await operation.run(sql, task.input as never);
    connection.exec('RELEASE task');
    return { value };
  } catch (error) {
    // Trouble with the disk may have undone the whole transaction: every task in it must fail.
    if (isDiskTrouble(error)) throw error;
    connection.exec('ROLLBACK TO task; RELEASE task');
    return { error: error instanceof ApiError ? error : asCallerSees(error) };
  }
}

/** What fails here fails for all that share the commit. */
async function endOne(
  connection: SqliteConnection,
  operations: ReadonlyMap<string, AnyOperation>,
  { name }: Task,
  outcome: Outcome | undefined,
): Promise<void> {
  const end = operations.get(name)?.end;
  if (end && outcome && 'value' in outcome)
    outcome.value = await end(connection, outcome.value as never);
}

function rollBack(connection: SqliteConnection): void {
  try {
    connection.exec('ROLLBACK');
  } catch {
    // SQLite has already rolled back by itself, as it does when the disk fails.
  }
}
