// The SQLite store: point reads on this thread, long reads and all writes in workers of their own.
import { unavailable } from '../lib/errors.ts';
import { FairLines } from '../lib/fair-lines.ts';
import { monotonicMs } from '../lib/time.ts';
import type { AnyOperation, Operation, Store } from './sql.ts';
import { asCallerSees, openSqlite, type SqliteConnection } from './sqlite.ts';
import { isLate, runTasks, type Task, tooLate } from './sqlite-transaction.ts';
import {
  type Batch,
  type BatchDone,
  type Opened,
  revived,
  type WorkerStart,
} from './sqlite-worker.ts';
import { checkRoom, type OnRefused } from './whose.ts';

/** A point read waits this long at most for a lock; it runs on the thread that serves everyone. */
const pointReadBusyMs = 50;
/** Writes that share one commit: enough to hide an fsync, few enough to answer soon. */
const writesMax = 64;
/** Long reads have no commit to share: each is answered when it is done, not when its batch is. */
const readsMax = 1;
/** Batches of calls that a waiting flush lets go before it. */
const batchesBeforeFlush = 8;

interface SqliteStoreOptions {
  file: string;
  /** The module that calls `serveSqliteWorker` with every operation. */
  workerUrl: URL;
  /** A call that the database has not taken by then is refused. */
  deadlineMs: number;
  onRefused?: OnRefused | undefined;
}

/** For the service: reads never wait for writes. Resolves when both workers have the database open. */
export async function startSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const reader = openSqlite(options.file, { readOnly: true, busyMs: pointReadBusyMs });
  const writer = new OperationQueue({ ...options, readOnly: false, batchMax: writesMax });
  const longReader = new OperationQueue({ ...options, readOnly: true, batchMax: readsMax });
  // Bun ends the whole process where a worker starts while descriptors have run out: not at the first long read.
  await Promise.all([writer.start(), longReader.start()]);
  const reads = pointReads(reader);
  return {
    ...reads,
    version: oncePerTurn(reads.version),
    perform: <Input, Output>(operation: Operation<Input, Output>, input: Input) =>
      (operation.kind === 'read' ? longReader : writer).push(operation, input) as Promise<Output>,
    trouble: () => writer.trouble,
    close: async () => {
      await Promise.all([writer.stop(), longReader.stop()]);
      reader.close();
    },
  };
}

/** For the command line and one-off work: one connection, no threads. */
export function openSqliteStore(options: {
  file: string;
  operations: readonly AnyOperation[];
  deadlineMs: number;
}): Store {
  const connection = openSqlite(options.file, { busyMs: options.deadlineMs });
  const byName = new Map(options.operations.map((operation) => [operation.name, operation]));
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...pointReads(connection),
    perform: <Input, Output>(operation: Operation<Input, Output>, input: Input) => {
      const task = { name: operation.name, input, deadlineAt: monotonicMs() + options.deadlineMs };
      const done = last.then(async () => {
        const [outcome] = (await runTasks(connection, byName, [task], operation.kind === 'read'))
          .outcomes;
        if (outcome && 'value' in outcome) return outcome.value as Output;
        throw outcome?.error;
      });
      last = done.catch(() => {});
      return done;
    },
    trouble: () => undefined,
    close: async () => connection.close(),
  };
}

/**
 * Asks once a turn of the event loop. The requests of a turn were all there when it began, so none of
 * them can have been sent after a write that this turn has not seen.
 */
function oncePerTurn<T>(ask: () => T): () => T {
  let known: { value: T } | undefined;
  return () => {
    if (!known) {
      known = { value: ask() };
      setImmediate(() => {
        known = undefined;
      });
    }
    return known.value;
  };
}

function pointReads(
  connection: SqliteConnection,
): Pick<Store, 'dialect' | 'all' | 'one' | 'run' | 'version'> {
  const told = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw asCallerSees(error);
    }
  };
  return {
    dialect: 'sqlite',
    all: (text, params) => told(() => connection.all(text, params)),
    one: (text, params) => told(() => connection.one(text, params)),
    run: (text, params) => told(() => connection.run(text, params)),
    // Rises with every commit of another connection, a worker's or another program's.
    version: () =>
      told(() => connection.one<{ data_version: number }>('PRAGMA data_version'))?.data_version,
  };
}

interface Waiting {
  whose: string;
  task: Task;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface QueueOptions extends SqliteStoreOptions {
  readOnly: boolean;
  /** Calls that are sent to the worker together. */
  batchMax: number;
}

/**
 * The way to one worker: a batch is out, the rest waits here, writes of callers before flushes, accounts in
 * turns, and the calls of one in order of arrival. Who waits here is refused at its deadline, and what it asked
 * for is never done. Who is out is waited for, however long a scan or an fsync takes: only the worker can tell
 * whether a write was made.
 */
class OperationQueue {
  private readonly options: QueueOptions;

  private worker: Worker | undefined;
  private readonly opened = Promise.withResolvers<void>();
  private readonly calls = new FairLines<Waiting>();
  private readonly flushes = new FairLines<Waiting>();
  private out: Waiting[] = [];
  private batchesSinceFlush = 0;
  private timer: Timer | undefined;
  private stopped: (() => void) | undefined;
  trouble: string | undefined;

  constructor(options: QueueOptions) {
    this.options = options;
  }

  /** Resolves when the worker has tried to open the database; what it could not, the first batch tries again. */
  async start(): Promise<void> {
    this.started();
    await this.opened.promise;
  }

  async push<Input>(operation: Operation<Input, unknown>, input: Input): Promise<unknown> {
    const lines = operation.kind === 'flush' ? this.flushes : this.calls;
    if (this.stopped) throw unavailable('The service is stopping');
    const whose = operation.whose(input);
    checkRoom(lines, { whose, onRefused: this.options.onRefused });
    const task = {
      name: operation.name,
      input,
      deadlineAt: monotonicMs() + this.options.deadlineMs,
    };
    return await new Promise((resolve, reject) => {
      lines.add({ whose, task, resolve, reject });
      // Calls of this turn of the event loop travel together.
      if (this.out.length === 0 && lines.size === 1) queueMicrotask(() => this.send());
      this.watchDeadlines();
    });
  }

  /** Resolves when everything that was pushed is answered and the worker has ended. */
  async stop(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.stopped = resolve;
      this.send();
    });
    clearTimeout(this.timer);
    this.worker?.terminate();
  }

  private send(): void {
    if (this.out.length > 0) return;
    this.out = this.nextBatch();
    if (this.out.length === 0) this.stopped?.();
    else {
      const tasks = this.out.map(({ task }) => task);
      this.started().postMessage({ tasks, sentAt: monotonicMs() } satisfies Batch);
    }
  }

  private nextBatch(): Waiting[] {
    const isFlushDue = this.batchesSinceFlush >= batchesBeforeFlush || this.calls.size === 0;
    if (isFlushDue && this.flushes.size > 0) {
      this.batchesSinceFlush = 0;
      return this.flushes.takeUpTo(1);
    }
    this.batchesSinceFlush = this.flushes.size > 0 ? this.batchesSinceFlush + 1 : 0;
    return this.calls.takeUpTo(this.options.batchMax);
  }

  /** One timer for all: who has waited longest is the first whose deadline comes. */
  private watchDeadlines(): void {
    if (this.timer) return;
    const oldest = [this.calls.oldest, this.flushes.oldest].filter((one) => one !== undefined);
    if (oldest.length === 0) return;
    const firstAt = Math.min(...oldest.map(({ task }) => task.deadlineAt));
    this.timer = setTimeout(() => {
      this.timer = undefined;
      for (const lines of [this.calls, this.flushes]) refuseLate(lines);
      this.watchDeadlines();
    }, firstAt - monotonicMs());
  }

  private started(): Worker {
    if (this.worker) return this.worker;
    const worker = new Worker(this.options.workerUrl.href);
    worker.onmessage = ({ data }: MessageEvent<BatchDone | Opened>) => {
      if (data === 'opened') this.opened.resolve();
      else this.received(data);
    };
    worker.onerror = (event) => this.broke(new Error(`a database worker ended: ${event.message}`));
    worker.postMessage({
      file: this.options.file,
      readOnly: this.options.readOnly,
    } satisfies WorkerStart);
    this.worker = worker;
    return worker;
  }

  private received({ outcomes, diskTrouble }: BatchDone): void {
    const answered = this.out;
    this.out = [];
    this.trouble = diskTrouble ? 'the database cannot be written' : undefined;
    answered.forEach(({ resolve, reject }, at) => {
      try {
        resolve(revived(outcomes[at] ?? { failed: 'no outcome came back' }));
      } catch (error) {
        reject(error);
      }
    });
    this.send();
  }

  private broke(error: Error): void {
    const lost = this.out;
    this.out = [];
    this.worker?.terminate();
    this.worker = undefined;
    this.trouble = error.message;
    this.opened.resolve();
    for (const { reject } of lost) reject(unavailable('The database stopped answering', error));
    this.send();
  }
}

/** Who came first has the first deadline. */
function refuseLate(lines: FairLines<Waiting>): void {
  for (let one = lines.oldest; one && isLate(one.task); one = lines.oldest) {
    lines.remove(one);
    one.reject(tooLate().error);
  }
}
