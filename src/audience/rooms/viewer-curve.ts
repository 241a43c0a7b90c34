// How many were in a room while a show was on: the most in each step of it. The report has what they watched, exactly.
import { joinedCurves, type NotedCurve } from '../nodes/shared-curves.ts';

/** The first steps; they become longer as a show does. */
const firstStepMs = 10_000;
/** Two hours of the first steps: a page draws no more points than this. */
const stepsMax = 720;

export class ViewerCurve {
  /** Epoch milliseconds of the show's beginning. */
  readonly begin: number;

  stepMs = firstStepMs;
  peak = 0;
  private level = 0;
  steps: number[] = [0];

  /** Who joins later than it began knows of nobody before. */
  constructor(begin: number, viewers: number, at = begin) {
    this.begin = begin;
    this.note(at, viewers);
  }

  /** So many are there from now on. */
  note(at: number, viewers: number): void {
    this.reach(at);
    this.level = viewers;
    this.peak = Math.max(this.peak, viewers);
    const last = this.steps.length - 1;
    this.steps[last] = Math.max(this.steps[last] ?? 0, viewers);
  }

  /** The most in each step until now; the last one has not ended. */
  until(at: number): readonly number[] {
    this.reach(at);
    return this.steps;
  }

  /** What another node has noted of the same show: of each step the larger. */
  join(other: NotedCurve): void {
    const { stepMs, peak, steps } = joinedCurves([this, other]) ?? this;
    this.stepMs = stepMs;
    this.peak = peak;
    this.steps = [...steps];
  }

  private reach(at: number): void {
    while (this.begin + this.steps.length * this.stepMs <= at) {
      this.steps.push(this.level);
      if (this.steps.length > stepsMax) this.joinSteps();
    }
  }

  /** Two become one, in their place. */
  private joinSteps(): void {
    const half = Math.ceil(this.steps.length / 2);
    for (let at = 0; at < half; at++)
      this.steps[at] = Math.max(this.steps[2 * at] ?? 0, this.steps[2 * at + 1] ?? 0);
    this.steps.length = half;
    this.stepMs *= 2;
  }
}
