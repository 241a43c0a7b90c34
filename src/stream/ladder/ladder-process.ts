// The service's side of a ladder's process: keeps one running, feeds it, and ends one that hangs or grows.
import { ownProgram } from '../../base/lib/own-program.ts';
import { watchMemory } from '../recording/worker/memory-watch.ts';
import { writeToWorker } from '../recording/worker/worker-input.ts';
import { ladderLimits } from './ladder-limits.ts';
import {
  type FromProcess,
  MessageReader,
  messagePieces,
  type ToProcess,
  type WhyFailed,
} from './ladder-messages.ts';

export interface LadderProcessOptions {
  /** What it may hold; it is ended beyond it. */
  memoryBytesMax: number;
  /** Other than the usual, for tests. */
  workerUrl?: URL;
  /** It can be fed. */
  onReady(): void;
  onTold(words: FromProcess, bytes: Uint8Array<ArrayBuffer>): void;
  /** It ended by itself or was ended here; another is started, unless it is `final`: none could do it. */
  onEnded(how: { why: WhyFailed; problem: string; isFinal: boolean }): void;
}

type Child = Bun.Subprocess<'pipe', 'pipe', 'ignore'>;

export class LadderProcess {
  private readonly options: LadderProcessOptions;

  private child: Child | undefined;
  private startedAt = 0;
  private memory: ReturnType<typeof watchMemory> | undefined;
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
    return this.child?.pid;
  }

  /** What it does not read waits in memory: whoever feeds it knows how much that is by what it has told. */
  send(words: ToProcess, bytes?: Uint8Array): void {
    const { child } = this;
    if (child) void writeToWorker(child.stdin, messagePieces(words, bytes));
  }

  /** It has something to do: so long without a word is too long. */
  await(): void {
    this.silence ??= setTimeout(
      () => this.end({ why: 'failed', problem: 'it said nothing for too long' }),
      ladderLimits.silentMsMax,
    );
  }

  /** It has nothing to do. */
  rest(): void {
    clearTimeout(this.silence);
    this.silence = undefined;
  }

  /** No other is started. One that reads on ends by the end of its input. */
  stop(): void {
    this.isStopped = true;
    clearTimeout(this.again);
    this.end({ why: 'failed', problem: 'the push is over' });
  }

  private start(): void {
    const { memoryBytesMax, workerUrl = new URL('./ladder-worker.ts', import.meta.url) } =
      this.options;
    const child = Bun.spawn([...ownProgram(workerUrl), String(memoryBytesMax)], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'ignore',
      // It reads what strangers have sent; what the environment holds is not for it.
      env: {},
    });
    this.child = child;
    this.startedAt = performance.now();
    this.memory = watchMemory(child.pid, memoryBytesMax, () =>
      this.end({ why: 'failed', problem: 'it took too much memory' }),
    );
    this.await();
    void this.listen(child);
  }

  private async listen(child: Child): Promise<void> {
    const reader = new MessageReader<FromProcess>();
    try {
      for await (const piece of child.stdout) {
        for (const { words, bytes } of reader.push(piece)) {
          if (this.child !== child) return;
          this.heard(words, bytes);
        }
      }
    } catch {
      // Nonsense: it is ended below like one that has ended by itself.
    }
    if (this.child === child) this.end({ why: 'failed', problem: 'it ended by itself' });
  }

  private heard(words: FromProcess, bytes: Uint8Array<ArrayBuffer>): void {
    this.rest();
    if (words.kind === 'failed') this.end(words);
    else if (words.kind === 'ready') this.options.onReady();
    else this.options.onTold(words, bytes);
  }

  private end({ why, problem }: { why: WhyFailed; problem: string }): void {
    const { child, isStopped } = this;
    if (!child) return;
    this.child = undefined;
    clearInterval(this.memory);
    this.rest();
    child.kill('SIGKILL');
    if (isStopped) return;
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
