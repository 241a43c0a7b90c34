// The work of one look at many connections, a slice a turn.
import { nextTurn, TurnSlice } from '../../base/turns/turn-slice.ts';
import { httpLimits } from './http-limits.ts';

export class LookSlices {
  private startedAt = performance.now();
  private slice = new TurnSlice(httpLimits.lookSliceMs);
  private earlierMs = 0;

  get workedMs(): number {
    return this.earlierMs + performance.now() - this.startedAt;
  }

  isOver(): boolean {
    return this.slice.isOver();
  }

  async next(): Promise<void> {
    this.earlierMs = this.workedMs;
    await nextTurn();
    this.startedAt = performance.now();
    this.slice = new TurnSlice(httpLimits.lookSliceMs);
  }
}
