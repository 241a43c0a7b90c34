// Places that all share, and how many of them one network or account may take: half of what the others leave.
import { Counts } from '../lib/counts.ts';

export interface ShareOptions {
  placesMax: number;
  /** Whether an operator lets it have as many as there are. */
  isAllowed?: (whose: string) => boolean;
}

/** Who has which of the places; `whose` names a network or an account. */
export class Share {
  private readonly placesMax: number;
  private readonly isAllowed: (whose: string) => boolean;

  private readonly counts = new Counts<string>();
  private takenCount = 0;

  constructor({ placesMax, isAllowed = () => false }: ShareOptions) {
    this.placesMax = placesMax;
    this.isAllowed = isAllowed;
  }

  get taken(): number {
    return this.takenCount;
  }

  takenBy(whose: string): number {
    return this.counts.of(whose);
  }

  /** Why it may not have another place: all are taken, or its share is. */
  refusal(whose: string): 'full' | 'share' | undefined {
    const { placesMax, takenCount } = this;
    if (takenCount >= placesMax) return 'full';
    if (this.isAllowed(whose)) return undefined;
    const own = this.takenBy(whose);
    return own < shareOf(placesMax, takenCount - own) ? undefined : 'share';
  }

  take(whose: string, places = 1): void {
    this.counts.add(whose, places);
    this.takenCount += places;
  }

  leave(whose: string, places = 1): void {
    this.counts.remove(whose, places);
    this.takenCount -= places;
  }

  /** The one that has most: it makes room. */
  get greediest(): string | undefined {
    let found: string | undefined;
    for (const [whose, count] of this.counts)
      if (found === undefined || count > this.takenBy(found)) found = whose;
    return found;
  }
}

/**
 * Half of what the others leave. Who comes second gets half of what the first has left, and so on: whoever comes still
 * finds a place, and a venue behind one address has half of the machine while nobody else wants it.
 */
export function shareOf(all: number, others: number): number {
  return Math.ceil((all - others) / 2);
}
