// A SQLite worker seen from outside: takes a batch at a time and answers with its outcomes.
import { monotonicMs } from '../lib/time.ts';
import type { Task } from './sqlite-transaction.ts';
import type { Batch, BatchDone, Opened, WorkerStart } from './sqlite-worker.ts';

export interface ThreadOptions extends WorkerStart {
  /** The module that calls `serveSqliteWorker` with every operation. */
  workerUrl: URL;
}

export class SqliteThread {
  private readonly options: ThreadOptions;

  private worker: Worker | undefined;
  private readonly opened = Promise.withResolvers<void>();
  private out: PromiseWithResolvers<BatchDone> | undefined;
  /** Whether it was started and has been heard of. */
  isOpen = false;

  constructor(options: ThreadOptions) {
    this.options = options;
  }

  /** Whether it takes a batch now. */
  get isFree(): boolean {
    return this.isOpen && this.out === undefined;
  }

  /** Resolves when the worker has tried to open the database; what it could not, the first batch tries again. */
  async start(): Promise<void> {
    this.started();
    await this.opened.promise;
    this.isOpen = true;
  }

  /** Rejects where the worker broke: what became of the batch nobody knows, and the next has a new worker. */
  async run(tasks: Task[]): Promise<BatchDone> {
    this.out = Promise.withResolvers();
    this.started().postMessage({ tasks, sentAt: monotonicMs() } satisfies Batch);
    return await this.out.promise;
  }

  stop(): void {
    this.worker?.terminate();
  }

  private started(): Worker {
    if (this.worker) return this.worker;
    const { workerUrl, file, readOnly } = this.options;
    const worker = new Worker(workerUrl.href);
    worker.onmessage = ({ data }: MessageEvent<BatchDone | Opened>) => {
      if (data === 'opened') this.opened.resolve();
      else this.ended()?.resolve(data);
    };
    worker.onerror = (event) => this.broke(new Error(`a database worker ended: ${event.message}`));
    worker.postMessage({ file, readOnly } satisfies WorkerStart);
    this.worker = worker;
    return worker;
  }

  private broke(error: Error): void {
    this.worker?.terminate();
    this.worker = undefined;
    this.opened.resolve();
    this.ended()?.reject(error);
  }

  private ended(): PromiseWithResolvers<BatchDone> | undefined {
    const { out } = this;
    this.out = undefined;
    return out;
  }
}
