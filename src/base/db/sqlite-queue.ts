// The way to SQLite's workers: who waits, in which order they go, and until when.
import { unavailable } from '../api/errors.ts';
import { hasSpareDescriptors } from '../lib/spare-descriptors.ts';
import { monotonicMs } from '../lib/time.ts';
import { FairLines } from '../turns/fair-lines.ts';
import { Holders } from './holders.ts';
import { type Asked, asked, Late, lateError } from './late.ts';
import type { OnAppended } from './outbox.ts';
import type { Operation } from './sql.ts';
import { SqliteThread, type ThreadOptions } from './sqlite-thread.ts';
import { isLate, type Task } from './sqlite-transaction.ts';
import { type BatchDone, revived } from './sqlite-worker.ts';
import { checkRoom, type OnRefused } from './whose.ts';

/** Batches of calls that a waiting flush lets go before it. */
const batchesBeforeFlush = 8;
/** A call that has waited this long for a worker that is not there yet starts it: most reads are much shorter. */
const startAfterMs = 50;

interface QueueOptions extends ThreadOptions {
  /** Workers at most. The first is there from the start; one that is idle costs some 4 MB. */
  threads: number;
  /** Calls that are sent to a worker together. */
  batchMax: number;
  /** A call that the database has not taken by then is refused. */
  deadlineMs: number;
  onRefused?: OnRefused | undefined;
  onAppended?: OnAppended | undefined;
}

interface Waiting extends Asked {
  task: Task;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Each worker has a batch out, the rest waits here, writes of callers before flushes, accounts in turns, and the
 * calls of one in order of arrival. One account's have half of the workers that the others leave. Who waits here is
 * refused at its deadline, and what it asked for is never done. Who is out is waited for: only the worker can tell
 * whether a write was made, and a read gives up by itself between two statements.
 */
export class OperationQueue {
  private readonly options: QueueOptions;

  private readonly threads: SqliteThread[];
  private readonly holders: Holders;
  private readonly calls = new FairLines<Waiting>();
  private readonly flushes = new FairLines<Waiting>();
  private out = 0;
  private willSend = false;
  private batchesSinceFlush = 0;
  private deadlineTimer: Timer | undefined;
  private startTimer: Timer | undefined;
  private stopped: (() => void) | undefined;
  trouble: string | undefined;

  constructor(options: QueueOptions) {
    this.options = options;
    this.threads = Array.from({ length: options.threads }, () => new SqliteThread(options));
    this.holders = new Holders(options.threads);
  }

  /** Resolves when the first worker has tried to open the database. */
  async start(): Promise<void> {
    await this.threads[0]?.start();
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
      lines.add({
        ...asked(whose, { waiting: lines, holders: this.holders }),
        task,
        resolve,
        reject,
      });
      this.sendSoon();
      this.watchDeadlines();
    });
  }

  /** Resolves when everything that was pushed is answered and the workers have ended. */
  async stop(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.stopped = resolve;
      this.send();
    });
    clearTimeout(this.deadlineTimer);
    clearTimeout(this.startTimer);
    for (const thread of this.threads) thread.stop();
  }

  /** Calls of this turn of the event loop travel together. */
  private sendSoon(): void {
    if (this.willSend) return;
    this.willSend = true;
    queueMicrotask(() => {
      this.willSend = false;
      this.send();
    });
  }

  private send(): void {
    for (const thread of this.threads) {
      const batch = thread.isFree ? this.nextBatch() : [];
      if (batch.length > 0) void this.runOn(thread, batch);
    }
    if (this.out === 0 && this.calls.size + this.flushes.size === 0) this.stopped?.();
    else this.watchWorkers();
  }

  private nextBatch(): Waiting[] {
    const isFlushDue = this.batchesSinceFlush >= batchesBeforeFlush || this.calls.size === 0;
    if (isFlushDue && this.flushes.size > 0) {
      this.batchesSinceFlush = 0;
      return this.flushes.takeUpTo(1);
    }
    this.batchesSinceFlush = this.flushes.size > 0 ? this.batchesSinceFlush + 1 : 0;
    return this.calls.takeUpTo(this.options.batchMax, this.mayGo);
  }

  private readonly mayGo = (whose: string) => this.holders.mayHold(whose);

  private async runOn(thread: SqliteThread, batch: Waiting[]): Promise<void> {
    this.out += 1;
    for (const { whose } of batch) this.holders.add(whose);
    try {
      this.answer(batch, await thread.run(batch.map(({ task }) => task)));
    } catch (error) {
      this.trouble = (error as Error).message;
      for (const { reject } of batch) reject(unavailable('The database stopped answering', error));
    }
    for (const { whose } of batch) this.holders.remove(whose);
    this.out -= 1;
    this.send();
  }

  private answer(batch: readonly Waiting[], done: BatchDone): void {
    const { outcomes, diskTrouble, appendedTo } = done;
    this.trouble = diskTrouble ? 'the database cannot be written' : undefined;
    batch.forEach((one, at) => {
      try {
        one.resolve(revived(outcomes[at] ?? { failed: 'no outcome came back' }));
      } catch (error) {
        if (error instanceof Late) this.refuseLate(one);
        else one.reject(error);
      }
    });
    if (appendedTo.length > 0) this.options.onAppended?.(appendedTo);
  }

  /** A worker more, where one who may go has waited for a while and there is none for it. */
  private watchWorkers(): void {
    if (this.startTimer || !this.lacksWorker()) return;
    this.startTimer = setTimeout(async () => {
      // Bun ends the whole process where a worker starts while descriptors have run out.
      if (this.lacksWorker() && hasSpareDescriptors()) await this.unstarted()?.start();
      this.startTimer = undefined;
      this.send();
    }, startAfterMs);
  }

  private lacksWorker(): boolean {
    return this.unstarted() !== undefined && this.calls.has(this.mayGo);
  }

  private unstarted(): SqliteThread | undefined {
    return this.threads.find((thread) => !thread.isOpen);
  }

  /** One timer for all: who has waited longest is the first whose deadline comes. */
  private watchDeadlines(): void {
    if (this.deadlineTimer) return;
    const oldest = [this.calls.oldest, this.flushes.oldest].filter((one) => one !== undefined);
    if (oldest.length === 0) return;
    const firstAt = Math.min(...oldest.map(({ task }) => task.deadlineAt));
    this.deadlineTimer = setTimeout(() => {
      this.deadlineTimer = undefined;
      for (const lines of [this.calls, this.flushes]) this.endLate(lines);
      this.watchDeadlines();
    }, firstAt - monotonicMs());
  }

  /** The first call has the first deadline. */
  private endLate(lines: FairLines<Waiting>): void {
    for (let one = lines.oldest; one && isLate(one.task); one = lines.oldest) {
      lines.remove(one);
      this.refuseLate(one);
    }
  }

  private refuseLate(one: Waiting): void {
    one.reject(lateError(one, this.options.onRefused));
  }
}
