// The body of a request as it comes: the next piece is taken when whoever wants it has done with the last.
import { nextTurn } from '../turns/turn-slice.ts';
import { declaredBytes, endsConnection } from './body-bytes.ts';
import { ApiError } from './errors.ts';
import { type CheckSpacing, spacedCheck } from './pieces.ts';

export interface BodyStreamOptions {
  /** One that brings less than `bytesMin` in so long is ended. */
  stall: { withinMs: number; bytesMin: number };
  /** After a smaller piece than `bytes` the next is asked for so much later: it is whatever has come meanwhile. */
  gather: { bytes: number; ms: number };
  /** How often it is looked whether more of it may come. */
  checks: CheckSpacing;
  onRead: (bytes: number) => void;
}

/** Bun takes in a megabyte beyond what was asked for, then it lets the sender wait. */
export class BodyStream {
  private readonly options: BodyStreamOptions;
  /** What the head says of the length; not a number where it says nothing. */
  readonly declaredBytes: number;
  private readonly reader:
    | Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>
    | undefined;
  private readonly sender: AbortSignal;
  private readonly checkIfDue: () => Promise<void>;

  private readonly watch: Timer;
  private readonly checks: (() => Promise<void>)[] = [];
  private readonly onGone = () => this.end(broken('The body broke off'));
  /** In all, and since it was last looked whether it brings enough. */
  private readBytes = 0;
  private broughtBytes = 0;
  private isEnded = false;
  /** Of the last piece. */
  private pieceBytes: number | undefined;
  private problem: unknown;
  /** Of the read that waits. */
  private fail: ((problem: unknown) => void) | undefined;

  constructor(request: Request, options: BodyStreamOptions) {
    this.options = options;
    this.declaredBytes = declaredBytes(request);
    this.reader = request.body?.getReader();
    this.sender = request.signal;
    this.checkIfDue = spacedCheck(() => this.checkAll(), options.checks);
    const { withinMs, bytesMin } = options.stall;
    this.watch = setInterval(() => {
      if (this.broughtBytes < bytesMin)
        this.end(
          broken(`The body brought less than ${bytesMin} bytes in ${withinMs / 1_000} s; go on`),
        );
      this.broughtBytes = 0;
    }, withinMs);
    // Bun does not say so of a read that waits.
    this.sender.addEventListener('abort', this.onGone);
    if (this.sender.aborted) this.onGone();
  }

  /** Whether all of it was taken. */
  get isWhole(): boolean {
    return this.isEnded || this.readBytes === this.declaredBytes;
  }

  /** A piece that comes when this throws is taken by nobody, and so is the rest. */
  check(one: () => Promise<void>): void {
    this.checks.push(one);
  }

  /** Undefined at its end. Throws where it has ended otherwise; what came before is whoever's that took it. */
  async next(): Promise<Uint8Array | undefined> {
    if (this.isWhole) return undefined;
    await this.gathered();
    if (this.problem !== undefined) throw this.problem;
    const { done, value } = await this.read();
    this.isEnded = done;
    if (done) return undefined;
    this.pieceBytes = value.length;
    this.readBytes += value.length;
    this.broughtBytes += value.length;
    this.options.onRead(value.length);
    // Behind the read, which may have waited for long.
    await this.checkIfDue();
    return value;
  }

  private async checkAll(): Promise<void> {
    try {
      for (const check of this.checks) await check();
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw broken('It is unknown whether more of the body may come; go on', error);
    }
  }

  /**
   * While a read waits Bun gives every chunk by itself, so none waits in the turn of the last: see `readBodyBytes`. And who
   * takes a piece has as much to do for a byte as for a megabyte.
   */
  private async gathered(): Promise<void> {
    const { bytes, ms } = this.options.gather;
    if (this.pieceBytes === undefined) return;
    if (this.pieceBytes < bytes) await Bun.sleep(ms);
    else await nextTurn();
  }

  /** Whoever waits for the next piece is told the problem instead. */
  end(problem: unknown): void {
    if (this.problem !== undefined) return;
    this.problem = problem;
    this.fail?.(problem);
    this.leave();
  }

  /** Nothing more is wanted of it. */
  leave(): void {
    clearInterval(this.watch);
    this.sender.removeEventListener('abort', this.onGone);
    this.reader?.cancel().catch(() => {});
  }

  /** By a promise of its own each: one for all of them would remember every read of a long body. */
  private read(): Promise<{ done: boolean; value: Uint8Array }> {
    const { reader } = this;
    if (!reader) return Promise.resolve({ done: true, value: new Uint8Array() });
    return new Promise((resolve, reject) => {
      this.fail = reject;
      reader.read().then(
        ({ done, value = new Uint8Array() }) =>
          this.problem === undefined ? resolve({ done, value }) : reject(this.problem),
        (error) => reject(this.problem ?? broken('The body broke off', error)),
      );
    });
  }
}

/** Clients try again. The rest of the body is not read, so the connection cannot be used again; lines are cut every day. */
export function broken(message: string, cause?: unknown): ApiError {
  const headers = { 'Retry-After': '2', ...endsConnection };
  return new ApiError('unavailable', { message, cause, headers, isCounted: true });
}
