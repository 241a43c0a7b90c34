// Shares the turns of the event loop among connections: together they take so long of each, the rest waits in a queue.
import { TurnSlice } from './turn-slice.ts';

/** Something with more to do than its slice allowed. */
export interface Late {
  /** Goes on until the slice is over; where it is not done then, it says so with `later`. */
  goOn(slice: TurnSlice): void;
}

export interface TurnsOptions {
  /** What all of them together may take of a turn; one alone takes no more either. */
  turnMs: number;
  /** How long the late then wait; 0 for the next turn. */
  restMs?: number;
}

/** Of a late one, before the next gets its turn: so who has little to do does not wait for those who have much. */
const lateSliceMs = 1;
/** The late have half of a turn, so that who is read for the first time in it finds time too. */
const latePart = 0.5;
/**
 * Of a turn. Less than that counts on from turn to turn: a call in the next, which sets it to nothing, costs as much as
 * what an encoder sends.
 */
const worthALook = 0.25;

export class Turns {
  private readonly turnMs: number;
  private readonly restMs: number;

  private readonly late = new Set<Late>();
  private spentMs = 0;
  private isAwaited = false;

  constructor({ turnMs, restMs = 0 }: TurnsOptions) {
    this.turnMs = turnMs;
    this.restMs = restMs;
  }

  /** Whether there is time left in this turn. */
  get hasTime(): boolean {
    return this.spentMs < this.turnMs;
  }

  /** Works now, for no longer than is left; asked only while there is time. */
  work(work: (slice: TurnSlice) => void): void {
    this.spend(this.turnMs - this.spentMs, work);
  }

  /** It goes on in a later turn, behind those that wait already. */
  later(late: Late): void {
    this.late.add(late);
    this.awaitNext();
  }

  leave(late: Late): void {
    this.late.delete(late);
  }

  private awaitNext(): void {
    if (this.isAwaited) return;
    this.isAwaited = true;
    if (this.restMs === 0) setImmediate(() => this.next());
    else setTimeout(() => this.next(), this.restMs);
  }

  private next(): void {
    this.isAwaited = false;
    this.spentMs = 0;
    // One that comes back into the queue stands at its end: this goes round while there is time.
    for (const late of this.late) {
      if (this.spentMs >= latePart * this.turnMs) break;
      this.late.delete(late);
      this.spend(Math.min(lateSliceMs, this.turnMs), (slice) => late.goOn(slice));
    }
    if (this.late.size > 0) this.awaitNext();
  }

  private spend(ms: number, work: (slice: TurnSlice) => void): void {
    const startedAt = performance.now();
    work(new TurnSlice(ms, startedAt));
    this.spentMs += performance.now() - startedAt;
    if (this.spentMs > worthALook * this.turnMs) this.awaitNext();
  }
}
