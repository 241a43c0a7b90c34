// The SQLite store: point reads on this thread, long reads and all writes in workers of their own.
import { monotonicMs } from '../lib/time.ts';
import type { AnyOperation, Operation, Sql, Store } from './sql.ts';
import { asCallerSees, openSqlite, type SqliteConnection } from './sqlite.ts';
import { OperationQueue } from './sqlite-queue.ts';
import { runTasks } from './sqlite-transaction.ts';
import type { OnRefused } from './whose.ts';

/** A point read waits this long at most for a lock; it runs on the thread that serves everyone. */
const pointReadBusyMs = 50;
/** Writes that share one commit: enough to hide an fsync, few enough to answer soon. */
const writesMax = 64;
/** Long reads have no commit to share: each is answered when it is done, not when its batch is. */
const readsMax = 1;
/** One account's long reads have one of them: while one is dear, the others have the other. */
const readersMax = 2;

interface SqliteStoreOptions {
  file: string;
  /** The module that calls `serveSqliteWorker` with every operation. */
  workerUrl: URL;
  /** A call that the database has not taken by then is refused. */
  deadlineMs: number;
  onRefused?: OnRefused | undefined;
}

/** For the service: reads never wait for writes. Resolves when a worker for each has the database open. */
export async function startSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const reader = openSqlite(options.file, { readOnly: true, busyMs: pointReadBusyMs });
  const forWrites = { readOnly: false, threads: 1, batchMax: writesMax };
  const forReads = { readOnly: true, threads: readersMax, batchMax: readsMax };
  const writer = new OperationQueue({ ...options, ...forWrites });
  const longReader = new OperationQueue({ ...options, ...forReads });
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
  readOnly?: boolean;
}): Store {
  const { file, readOnly = false, deadlineMs: busyMs } = options;
  const connection = openSqlite(file, { readOnly, busyMs });
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
): Pick<Store, 'dialect' | 'all' | 'one' | 'run' | 'for' | 'version'> {
  const told = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw asCallerSees(error);
    }
  };
  const sql: Sql = {
    dialect: 'sqlite',
    all: (text, params) => told(() => connection.all(text, params)),
    one: (text, params) => told(() => connection.one(text, params)),
    run: (text, params) => told(() => connection.run(text, params)),
  };
  return {
    ...sql,
    // Nobody waits: they are answered at once.
    for: () => sql,
    // Rises with every commit of another connection, a worker's or another program's.
    version: () =>
      told(() => connection.one<{ data_version: number }>('PRAGMA data_version'))?.data_version,
  };
}
