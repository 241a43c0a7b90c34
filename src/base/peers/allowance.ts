// How often somebody may do something: a few times at once, then one in a while.
import { RecentMap } from '../lib/recent-map.ts';

export interface Rate {
  atOnce: number;
  /** Then one more in this time. */
  everyMs: number;
}

/** As many nodes may let somebody have all that may be had at once in the same moment; a wrong number must not bar them for ever. */
const owedMax = 16;

/** One number is all it keeps: when all that was taken would have been due. */
export class Allowance {
  private readonly rate: Rate;

  private dueAt = Number.NEGATIVE_INFINITY;

  constructor(rate: Rate) {
    this.rate = rate;
  }

  /** Whether so many may be had now; then they are taken. */
  take(at: number, count = 1): boolean {
    if (this.waitMs(at, count) > 0) return false;
    this.dueAt = Math.max(this.dueAt, at) + count * this.rate.everyMs;
    return true;
  }

  /** How long until so many may be had; 0 where that is now. */
  waitMs(at: number, count = 1): number {
    const { atOnce, everyMs } = this.rate;
    return Math.max(0, Math.max(this.dueAt, at) - at + (count - atOnce) * everyMs);
  }

  /** Takes so many in any case: who has overspent waits the longer. Whether they might be had. */
  spend(at: number, count = 1): boolean {
    this.dueAt = Math.max(this.dueAt, at) + count * this.rate.everyMs;
    return !this.isOverspent(at);
  }

  /** So many were had elsewhere, as is said from there: what is owed for it has a bound. */
  spendElsewhere(at: number, count: number): void {
    const { atOnce, everyMs } = this.rate;
    const mostAt = at + owedMax * atOnce * everyMs;
    const from = Math.max(this.dueAt, at);
    this.dueAt = Math.max(from, Math.min(from + count * everyMs, mostAt));
  }

  isOverspent(at: number): boolean {
    return this.dueAt > at + this.rate.atOnce * this.rate.everyMs;
  }

  /** Nothing of it is used: it may as well be forgotten. */
  isWhole(at: number): boolean {
    return this.dueAt <= at;
  }
}

export interface AllowancesOptions extends Rate {
  /** Whether an operator lets somebody do it as often as they like. */
  isAllowed?: (whose: string) => boolean;
}

/** Those that are remembered; beyond it the one that has been quiet longest begins anew. */
const keptMax = 10_000;

/** The same allowance for each of many; `whose` names a network, a connection, a channel or an account. */
export class Allowances {
  private readonly options: AllowancesOptions;

  private readonly kept = new RecentMap<string, Allowance>({ max: keptMax });

  constructor(options: AllowancesOptions) {
    this.options = options;
  }

  take(whose: string, at: number): boolean {
    if (this.options.isAllowed?.(whose)) return true;
    const allowance = this.kept.peek(whose) ?? new Allowance(this.options);
    const isTaken = allowance.take(at);
    this.kept.set(whose, allowance);
    this.kept.forgetWhile((quiet) => quiet.isWhole(at));
    return isTaken;
  }

  /** So many were had elsewhere: they count here. */
  spend(whose: string, at: number, count: number): void {
    if (this.options.isAllowed?.(whose)) return;
    const allowance = this.kept.peek(whose) ?? new Allowance(this.options);
    allowance.spendElsewhere(at, count);
    this.kept.set(whose, allowance);
  }

  /** How long until so many may be had; 0 where that is now. */
  waitMs(whose: string, at: number, count = 1): number {
    return this.kept.peek(whose)?.waitMs(at, count) ?? 0;
  }
}
