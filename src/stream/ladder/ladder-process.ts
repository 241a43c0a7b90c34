// The service's side of a ladder's process: keeps one running, feeds it, and ends one that hangs or grows.
import { KeptWorker } from '../recording/worker/kept-worker.ts';
import type { Failure } from '../recording/worker/why-failed.ts';
import { ladderLimits } from './ladder-limits.ts';
import type { FromProcess, ToProcess } from './ladder-messages.ts';

export interface LadderProcessOptions {
  /** What it may hold; it is ended beyond it. */
  memoryBytesMax: number;
  /** Other than the usual, for tests. */
  workerUrl?: URL;
  /** It can be fed. */
  onReady(): void;
  onTold(words: FromProcess, bytes: Uint8Array<ArrayBuffer>): void;
  /** It ended by itself or was ended here; another is started, unless it is `final`: none could do it. */
  onEnded(how: Failure & { isFinal: boolean }): void;
}

export class LadderProcess {
  private readonly options: LadderProcessOptions;

  private worker: KeptWorker<ToProcess, FromProcess> | undefined;
  private startedAt = 0;
  private silence: Timer | undefined;
  private again: Timer | undefined;
  /** Ends in a row that came soon. */
  private failures = 0;
  private isStopped = false;
  /** How often one was started after another, since the start. */
  restarts = 0;

  constructor(options: LadderProcessOptions) {
    this.options = options;
    this.start();
  }

  get pid(): number | undefined {
    return this.worker?.pid;
  }

  send(words: ToProcess, bytes?: Uint8Array): void {
    void this.worker?.send(words, bytes);
  }

  /** It has something to do: so long without a word is too long. */
  await(): void {
    this.silence ??= setTimeout(
      () => this.worker?.end({ why: 'failed', problem: 'it said nothing for too long' }),
      ladderLimits.silentMsMax,
    );
  }

  /** It has nothing to do. */
  rest(): void {
    clearTimeout(this.silence);
    this.silence = undefined;
  }

  /** No other is started. */
  stop(): void {
    this.isStopped = true;
    clearTimeout(this.again);
    this.worker?.end({ why: 'failed', problem: 'the push is over' });
  }

  private start(): void {
    const { memoryBytesMax, workerUrl = new URL('./ladder-worker.ts', import.meta.url) } =
      this.options;
    this.startedAt = performance.now();
    this.worker = new KeptWorker<ToProcess, FromProcess>({
      workerUrl,
      memoryBytesMax,
      onTold: (words, bytes) => this.heard(words, bytes),
      onEnded: (failure) => this.ended(failure),
    });
    this.await();
  }

  private heard(words: FromProcess, bytes: Uint8Array<ArrayBuffer>): void {
    this.rest();
    if (words.kind === 'failed') this.worker?.end(words);
    else if (words.kind === 'ready') this.options.onReady();
    else this.options.onTold(words, bytes);
  }

  private ended({ why, problem }: Failure): void {
    this.worker = undefined;
    this.rest();
    if (this.isStopped) return;
    const isFinal = why !== 'failed';
    if (!isFinal) this.startAgain();
    this.options.onEnded({ why, problem, isFinal });
  }

  private startAgain(): void {
    const { settledMs, againMsMin, againMsMax } = ladderLimits;
    const hasSettled = performance.now() - this.startedAt >= settledMs;
    this.failures = hasSettled ? 0 : this.failures + 1;
    // The first is started at once: whoever killed it may have meant nothing by it.
    const waitMs =
      this.failures <= 1 ? 0 : Math.min(againMsMax, againMsMin * 2 ** (this.failures - 2));
    this.again = setTimeout(() => {
      this.restarts += 1;
      this.start();
    }, waitMs);
  }
}

type Timer = ReturnType<typeof setTimeout>;
