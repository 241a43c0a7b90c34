// Long work of many small steps: together all of it takes a little of each turn, however many want it.
import { dearStep, type TurnSlice } from './turn-slice.ts';
import { Turns } from './turns.ts';

/** Work that stops after each small step; what it comes to is what it returns. */
export type Steps<Result> = Generator<void, Result>;

export class SteppedWork {
  private readonly turns: Turns;

  constructor(options: { turnMs: number }) {
    this.turns = new Turns(options);
  }

  /** What the steps come to, or what one of them throws. */
  run<Result>(steps: Steps<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const work = {
      goOn: (slice: TurnSlice) => {
        try {
          do {
            const step = steps.next();
            if (step.done) return resolve(step.value);
            // What comes in may make each step as long as a turn.
          } while (!slice.isOver(dearStep));
          this.turns.later(work);
        } catch (error) {
          reject(error);
        }
      },
    };
    if (this.turns.hasTime) this.turns.work(work.goOn);
    else this.turns.later(work);
    return promise;
  }
}
