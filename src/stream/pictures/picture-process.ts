// The service's side of the picture process: starts it when it is asked, and ends it when it is idle, slow or too large.
import { KeptWorker } from '../recording/worker/kept-worker.ts';
import type { Failure } from '../recording/worker/why-failed.ts';
import { pictureLimits } from './picture-limits.ts';
import type { PictureQuestion, PictureTold } from './picture-messages.ts';

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
  | ({ made: undefined } & Failure);

export class PictureProcess {
  private readonly options: PictureProcessOptions;

  private worker: KeptWorker<PictureQuestion, PictureTold> | undefined;
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
    this.worker ??= this.start();
    await this.worker.send({ recordBytes: record.length }, Buffer.concat([record, bytes]));
    const answer = await promise;
    clearTimeout(late);
    this.idle = setTimeout(() => this.end('it was idle'), idleMs);
    return answer;
  }

  stop(): void {
    this.end('the service stops');
  }

  private start(): KeptWorker<PictureQuestion, PictureTold> {
    const { memoryBytesMax, workerUrl = new URL('./picture-worker.ts', import.meta.url) } =
      this.options;
    return new KeptWorker({
      workerUrl,
      memoryBytesMax,
      onTold: (told: PictureTold, bytes) =>
        this.tell(told.kind === 'made' ? { made: bytes } : { made: undefined, ...told }),
      onEnded: (failure) => {
        this.worker = undefined;
        this.tell({ made: undefined, ...failure });
      },
    });
  }

  private end(problem: string): void {
    clearTimeout(this.idle);
    this.worker?.end({ why: 'failed', problem });
  }

  private tell(answer: PictureAnswer): void {
    const { answered } = this;
    this.answered = undefined;
    answered?.(answer);
  }
}
