// The inside of a SQLite worker: takes batches of named operations, runs them, posts their outcomes.
import { ApiError, type ErrorName, type FieldProblem } from '../api/errors.ts';
import { giveWay } from '../lib/priority.ts';
import { monotonicMs } from '../lib/time.ts';
import { Late } from './late.ts';
import type { AnyOperation } from './sql.ts';
import { asCallerSees, openSqlite, type SqliteConnection } from './sqlite.ts';
import { type Outcome, runTasks, type Task, type TasksDone } from './sqlite-transaction.ts';

export interface WorkerStart {
  file: string;
  readOnly: boolean;
}

export interface Batch {
  tasks: Task[];
  /** By the sender's clock, as the tasks' deadlines are. */
  sentAt: number;
}

/** What crosses the thread border instead of an error object. */
type PlainOutcome =
  | { value: unknown }
  | {
      refused: {
        kind: ErrorName;
        message: string;
        fields: FieldProblem[];
        headers: Record<string, string>;
        cause: string;
      };
    }
  | { late: true }
  | { failed: string };

/** The answer to the first message. */
export type Opened = 'opened';

export interface BatchDone extends Omit<TasksDone, 'outcomes'> {
  outcomes: PlainOutcome[];
}

/** Runs on the worker's thread; the first message says which file, every later one is a batch. */
export function serveSqliteWorker(operations: readonly AnyOperation[]): void {
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  let start: WorkerStart | undefined;
  let connection: SqliteConnection | undefined;
  const scope = globalThis as unknown as Worker;

  scope.onmessage = async ({ data }: MessageEvent<WorkerStart | Batch>) => {
    if (!('tasks' in data)) {
      start = data;
      // A long read; elsewhere than on Linux the whole service would give way.
      if (data.readOnly && process.platform === 'linux') giveWay();
      // Where it cannot be opened now, the first batch tries again and tells its callers why.
      await runBatch([]);
      scope.postMessage('opened' satisfies Opened);
      return;
    }
    const { outcomes, ...done } = await runBatch(byOwnClock(data));
    // After an I/O error SQLite's view of the file is not to be trusted: begin anew.
    if (done.diskTrouble) {
      connection?.close();
      connection = undefined;
    }
    scope.postMessage({ outcomes: outcomes.map(plain), ...done } satisfies BatchDone);
  };

  async function runBatch(tasks: Task[]): Promise<TasksDone> {
    const nothing = { outcomes: [], diskTrouble: false, appendedTo: [] };
    try {
      if (!start) throw new Error('a batch came before the file name');
      connection ??= openSqlite(start.file, { readOnly: start.readOnly, busyMs: 1_000 });
      if (tasks.length === 0) return nothing;
      return await runTasks(connection, byName, tasks, start.readOnly);
    } catch (error) {
      const told = asCallerSees(error);
      const outcomes = tasks.map((): Outcome => ({ error: told }));
      return { ...nothing, outcomes, diskTrouble: true };
    }
  }
}

/** Bun counts each thread's monotonic time from that thread's start: deadlines are moved by the difference. */
function byOwnClock({ tasks, sentAt }: Batch): Task[] {
  const ahead = monotonicMs() - sentAt;
  return tasks.map((task) => ({ ...task, deadlineAt: task.deadlineAt + ahead }));
}

/** The error as the other thread may throw it. */
export function revived(outcome: PlainOutcome): unknown {
  if ('value' in outcome) return outcome.value;
  if ('late' in outcome) throw new Late();
  if ('failed' in outcome) throw new Error(outcome.failed);
  const { kind, ...detail } = outcome.refused;
  throw new ApiError(kind, detail);
}

function plain(outcome: Outcome): PlainOutcome {
  if ('value' in outcome) return outcome;
  const { error } = outcome;
  if (error instanceof Late) return { late: true };
  if (!(error instanceof ApiError)) {
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  const { kind, message, fields, headers, cause } = error;
  return {
    refused: { kind, message, fields, headers, cause: cause === undefined ? '' : String(cause) },
  };
}
