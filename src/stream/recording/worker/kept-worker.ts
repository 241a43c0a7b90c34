// A worker process that is kept and told one thing after the other: starts it, hears it, ends one that grows.
import { ownProgram } from '../../../base/lib/own-program.ts';
import { watchMemory } from './memory-watch.ts';
import type { Failure } from './why-failed.ts';
import { writeToWorker } from './worker-input.ts';
import { MessageReader, messagePieces } from './worker-messages.ts';

export interface KeptWorkerOptions<FromWorker> {
  /** It is given what it may hold as its argument. */
  workerUrl: URL;
  /** It is ended beyond it. */
  memoryBytesMax: number;
  onTold(words: FromWorker, bytes: Uint8Array<ArrayBuffer>): void;
  /**
   * It could not be started, ended by itself, or was ended for its size, for nonsense or by its owner. Once, and not
   * before whoever starts it has it; nothing is told after it.
   */
  onEnded(failure: Failure): void;
}

type Child = Bun.Subprocess<'pipe', 'pipe', 'ignore'>;

export class KeptWorker<ToWorker extends object, FromWorker extends object> {
  private readonly options: KeptWorkerOptions<FromWorker>;

  private readonly child: Child | undefined;
  private readonly memory: ReturnType<typeof watchMemory> | undefined;
  private isEnded = false;

  constructor(options: KeptWorkerOptions<FromWorker>) {
    this.options = options;
    const { memoryBytesMax } = options;
    try {
      this.child = started(options);
    } catch (error) {
      // The system may have no descriptors left, or no memory: whoever feeds it has media that goes on.
      queueMicrotask(() => this.end({ why: 'failed', problem: `it was not started: ${error}` }));
      return;
    }
    this.memory = watchMemory(this.child.pid, memoryBytesMax, () =>
      this.end({ why: 'failed', problem: 'it took too much memory' }),
    );
    void this.listen(this.child);
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** What it does not read waits in memory: whoever feeds it knows how much that is by what it has told. */
  async send(words: ToWorker, bytes?: Uint8Array): Promise<void> {
    if (this.child) await writeToWorker(this.child.stdin, messagePieces(words, bytes));
  }

  end(failure: Failure): void {
    if (this.isEnded) return;
    this.isEnded = true;
    clearInterval(this.memory);
    this.child?.kill('SIGKILL');
    this.options.onEnded(failure);
  }

  private async listen({ stdout }: Child): Promise<void> {
    const reader = new MessageReader<FromWorker>();
    try {
      for await (const piece of stdout) {
        for (const { words, bytes } of reader.push(piece)) {
          if (this.isEnded) return;
          this.options.onTold(words, bytes);
        }
      }
    } catch {
      // Nonsense: it is ended below like one that has ended by itself.
    }
    this.end({ why: 'failed', problem: 'it ended by itself' });
  }
}

function started({
  workerUrl,
  memoryBytesMax,
}: Pick<KeptWorkerOptions<unknown>, 'workerUrl' | 'memoryBytesMax'>): Child {
  return Bun.spawn([...ownProgram(workerUrl), String(memoryBytesMax)], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
    // It reads what strangers have sent; what the environment holds is not for it.
    env: {},
  });
}
