// How much of the machine's processors all ladders together may take, and what of it one account.
import { Counts } from '../../base/lib/counts.ts';
import { shareOf } from '../../base/turns/share.ts';

/** What a ladder has, until it gives it back. */
export interface LadderCores {
  readonly cores: number;
  release(): void;
}

/** Whole, so that what is given back is what was taken. */
const unitsPerCore = 1_000;

export class LadderBudget {
  private readonly units: number;
  private readonly taken = new Counts<number>();
  private takenUnits = 0;

  constructor(cores: number) {
    this.units = Math.round(cores * unitsPerCore);
  }

  get takenCores(): number {
    return this.takenUnits / unitsPerCore;
  }

  /** The first ladder of an account may have what is left, every other half of what the other accounts leave. */
  take(account_id: number, cores: number): LadderCores | 'full' | 'share' {
    const units = Math.ceil(cores * unitsPerCore);
    if (this.takenUnits + units > this.units) return 'full';
    const own = this.taken.of(account_id);
    const share = shareOf(this.units, this.takenUnits - own);
    if (own > 0 && own + units > share) return 'share';
    this.add(account_id, units);
    let isReleased = false;
    const release = () => {
      if (!isReleased) this.add(account_id, -units);
      isReleased = true;
    };
    return { cores, release };
  }

  private add(account_id: number, units: number): void {
    if (units > 0) this.taken.add(account_id, units);
    else this.taken.remove(account_id, -units);
    this.takenUnits += units;
  }
}
