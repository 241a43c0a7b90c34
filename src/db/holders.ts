// Who has how many of the connections or readers: what runs cannot be put off, so none may have them all.
import { shareOf } from '../lib/share.ts';
import { service } from './whose.ts';

/** From so many on, one is kept for the service itself, whose calls are short. */
const sparedFrom = 3;

export class Holders {
  /** How many there are for those who have a share. */
  private readonly shared: number;

  private readonly counts = new Map<string, number>();
  private total = 0;

  constructor(size: number) {
    this.shared = size >= sparedFrom ? size - 1 : size;
  }

  mayHold(whose: string): boolean {
    if (whose === service) return true;
    const own = this.counts.get(whose) ?? 0;
    return own < shareOf(this.shared, this.total - own);
  }

  add(whose: string): void {
    if (whose === service) return;
    this.counts.set(whose, (this.counts.get(whose) ?? 0) + 1);
    this.total += 1;
  }

  remove(whose: string): void {
    if (whose === service) return;
    const left = (this.counts.get(whose) ?? 0) - 1;
    if (left > 0) this.counts.set(whose, left);
    else this.counts.delete(whose);
    this.total -= 1;
  }
}
