// While the service starts a call that the database refuses for now is made again: to give up would only begin it anew.
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../api/errors.ts';
import { monotonicMs } from '../lib/time.ts';
import { callsThrough } from './calls-through.ts';
import type { Soon, Store } from './sql.ts';

/** A database that says "not now" at once is not asked more often. */
const askAgainMs = 250;

export class Patience {
  private readonly onFirst: (error: ApiError) => void;

  private until: number;
  private hasWaited = false;

  /** `onFirst` is told of the first refusal. */
  constructor({ forMs, onFirst }: { forMs: number; onFirst(error: ApiError): void }) {
    this.onFirst = onFirst;
    this.until = monotonicMs() + forMs;
  }

  /** From now on a call is refused at its first deadline. */
  end(): void {
    this.until = Number.NEGATIVE_INFINITY;
  }

  /** Makes a call that may be made twice: one that was refused late may have been made all the same. */
  ask<T>(call: () => Soon<T>): Soon<T> {
    return this.isOver ? call() : this.askAgain(call);
  }

  /** The same for what a store is asked; its writes are made once. */
  with(store: Store): Store {
    return callsThrough(store, (call, kind) => (kind === 'read' ? this.ask(call) : call()));
  }

  private get isOver(): boolean {
    return monotonicMs() + askAgainMs > this.until;
  }

  private async askAgain<T>(call: () => Soon<T>): Promise<T> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof ApiError) || error.kind !== 'unavailable' || this.isOver)
          throw error;
        if (!this.hasWaited) this.onFirst(error);
        this.hasWaited = true;
        await pause(askAgainMs);
      }
    }
  }
}
