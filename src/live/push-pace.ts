// How often a channel may begin a push: each is a playlist, a recording and jobs, and costs its encoder nothing.
import { Allowance } from '../peers/allowance.ts';
import type { RefusalBook } from '../peers/refusals.ts';

export interface PushPaceOptions {
  /** So many at once, then evenly so many a minute. */
  perMinute: number;
  refusals: RefusalBook<'often'>;
}

/** The channel must wait; the sentence is for the encoder. */
export class PushedTooOften extends Error {}

const minuteMs = 60_000;

/** Kept in memory: who starts after a kill is not refused for what was before it. */
export class PushPace {
  private readonly options: PushPaceOptions;

  /** Of channels that have begun one in the last minutes. */
  private readonly allowances = new Map<number, Allowance>();

  constructor(options: PushPaceOptions) {
    this.options = options;
  }

  /** A push begins that goes on with no other; throws PushedTooOften. */
  begin(channelId: number, atMs: number): void {
    const { perMinute, refusals } = this.options;
    // Whole numbers: a minute is divided here, and a rest of it must refuse nobody.
    const at = Math.floor(atMs);
    for (const [id, allowance] of this.allowances)
      if (allowance.isWhole(at)) this.allowances.delete(id);
    const allowance =
      this.allowances.get(channelId) ??
      new Allowance({ atOnce: perMinute, everyMs: Math.floor(minuteMs / perMinute) });
    this.allowances.set(channelId, allowance);
    if (allowance.take(at)) return;
    refusals.note('often', `channel ${channelId}`);
    const seconds = Math.ceil(allowance.waitMs(at) / 1000);
    throw new PushedTooOften(
      `This channel may begin ${perMinute} pushes a minute; try again in ${seconds} s`,
    );
  }
}
