// The service's side of the picture process: starts it when it is asked, and ends it when it is idle, slow or too large.
import { ownProgram } from '../../base/lib/own-program.ts';
import { watchMemory } from '../recording/worker/memory-watch.ts';
import { writeToWorker } from '../recording/worker/worker-input.ts';
import { type Frame, FrameReader, frameParts } from './picture-frames.ts';
import { pictureLimits } from './picture-limits.ts';

export interface PictureProcessOptions {
  /** What it may hold; it is ended beyond it. */
  memoryBytesMax: number;
  /** Other than the usual, for tests. */
  workerUrl?: URL;
  decodeWithinMs?: number;
  idleMs?: number;
}

export interface KeyFrame {
  /** The AVCDecoderConfigurationRecord. */
  record: Uint8Array;
  bytes: Uint8Array;
}

export type PictureAnswer =
  | { made: Uint8Array<ArrayBuffer> }
  /** `no_decoder`: no other will be made either. */
  | { made: undefined; why: 'failed' | 'no_decoder' | 'too_large'; problem: string };

type Child = Bun.Subprocess<'pipe', 'pipe', 'ignore'>;

export class PictureProcess {
  private readonly options: PictureProcessOptions;

  private child: Child | undefined;
  private memory: Timer | undefined;
  private idle: Timer | undefined;
  /** Whoever waits for an answer. */
  private answered: ((answer: PictureAnswer) => void) | undefined;

  constructor(options: PictureProcessOptions) {
    this.options = options;
  }

  /** One at a time. Never rejects: a crash, a hang and nonsense are answers too. */
  async make({ record, bytes }: KeyFrame): Promise<PictureAnswer> {
    const { decodeWithinMs = pictureLimits.decodeWithinMs, idleMs = pictureLimits.idleMs } =
      this.options;
    clearTimeout(this.idle);
    const { promise, resolve } = Promise.withResolvers<PictureAnswer>();
    this.answered = resolve;
    const late = setTimeout(() => this.end('it took too long'), decodeWithinMs);
    this.child ??= this.start();
    await writeToWorker(this.child.stdin, frameParts('asked', record, bytes));
    const answer = await promise;
    clearTimeout(late);
    this.idle = setTimeout(() => this.end('it was idle'), idleMs);
    return answer;
  }

  stop(): void {
    this.end('the service stops');
  }

  private start(): Child {
    const { memoryBytesMax, workerUrl = new URL('./picture-worker.ts', import.meta.url) } =
      this.options;
    const child = Bun.spawn([...ownProgram(workerUrl), String(memoryBytesMax)], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'ignore',
      // It reads what strangers have sent; what the environment holds is not for it.
      env: {},
    });
    this.memory = watchMemory(child.pid, memoryBytesMax, () => this.end('it took too much memory'));
    void this.listen(child);
    return child;
  }

  private async listen(child: Child): Promise<void> {
    const reader = new FrameReader();
    try {
      for await (const piece of child.stdout)
        for (const frame of reader.push(piece)) this.tell(answerOf(frame));
    } catch {
      // Nonsense: it is ended below like one that has ended by itself.
    }
    if (this.child === child) this.end('it ended without an answer');
  }

  private end(problem: string): void {
    const { child } = this;
    this.child = undefined;
    clearInterval(this.memory);
    clearTimeout(this.idle);
    child?.kill('SIGKILL');
    this.tell({ made: undefined, why: 'failed', problem });
  }

  private tell(answer: PictureAnswer): void {
    const { answered } = this;
    this.answered = undefined;
    answered?.(answer);
  }
}

function answerOf({ kind, first }: Frame): PictureAnswer {
  if (kind === 'made') return { made: first };
  const problem = Buffer.from(first).toString();
  return { made: undefined, why: kind === 'asked' ? 'failed' : kind, problem };
}
