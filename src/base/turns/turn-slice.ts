// A slice of time: how long one peer's input is worked on before everybody else gets their turn.

/** Much shorter than a part, so that no viewer notices; much longer than what any honest message takes. */
const sliceMs = 5;
/** Steps between two looks at the clock: a look costs as much as a small step. */
const stepsPerLook = 16;
/** For `isOver`: what one step is worth that may take milliseconds. */
export const dearStep = stepsPerLook;

export class TurnSlice {
  private readonly until: number;

  private steps = 0;
  private isSpent = false;

  constructor(ms = sliceMs, startedAt = performance.now()) {
    this.until = startedAt + ms;
  }

  /** Asked before every step, or before so many; once true it stays so, and the rest is for the next turn. */
  isOver(steps = 1): boolean {
    this.steps += steps;
    if (this.isSpent || this.steps < stepsPerLook) return this.isSpent;
    this.steps = 0;
    this.isSpent = performance.now() >= this.until;
    return this.isSpent;
  }
}

/** All that is made one after another, in as many slices as it takes; what follows several has a turn of its own. */
export async function inTurns<T>(made: Iterable<T>, sliceOf = () => new TurnSlice()): Promise<T[]> {
  const all: T[] = [];
  let slice = sliceOf();
  let isLong = false;
  for (const one of made) {
    all.push(one);
    if (!slice.isOver()) continue;
    isLong = true;
    await nextTurn();
    slice = sliceOf();
  }
  if (isLong) await nextTurn();
  return all;
}

/** Resolves in the next turn of the event loop: sockets, timers and requests come first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
