// Places that all share, and how many of them one network may take: half of what the others leave.

export interface NetworkShareOptions {
  placesMax: number;
  /** Whether an operator lets the network have as many as there are. */
  isAllowed?: (network: string) => boolean;
}

/**
 * A network that comes second gets half of what the first has left, and so on: whoever comes still finds a place,
 * and a venue behind one address has half of the machine while nobody else wants it.
 */
export class NetworkShare {
  private readonly placesMax: number;
  private readonly isAllowed: (network: string) => boolean;

  private readonly counts = new Map<string, number>();
  private takenCount = 0;

  constructor({ placesMax, isAllowed = () => false }: NetworkShareOptions) {
    this.placesMax = placesMax;
    this.isAllowed = isAllowed;
  }

  get taken(): number {
    return this.takenCount;
  }

  takenBy(network: string): number {
    return this.counts.get(network) ?? 0;
  }

  /** Why the network may not have another place: all are taken, or its share is. */
  refusal(network: string): 'full' | 'network' | undefined {
    if (this.takenCount >= this.placesMax) return 'full';
    if (this.isAllowed(network)) return undefined;
    const own = this.takenBy(network);
    const shared = Math.ceil((this.placesMax - (this.takenCount - own)) / 2);
    return own < shared ? undefined : 'network';
  }

  take(network: string): void {
    this.counts.set(network, this.takenBy(network) + 1);
    this.takenCount += 1;
  }

  leave(network: string): void {
    const left = this.takenBy(network) - 1;
    if (left < 0) throw new Error('a place was left that nobody had');
    if (left > 0) this.counts.set(network, left);
    else this.counts.delete(network);
    this.takenCount -= 1;
  }

  /** Who has most, for who must make room. */
  get greediest(): string | undefined {
    let found: string | undefined;
    for (const [network, count] of this.counts)
      if (found === undefined || count > this.takenBy(found)) found = network;
    return found;
  }
}
