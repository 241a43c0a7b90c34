// How many keys are looked up at once: a few in all, of them half for one network, and everybody gets their turn.
import { NetworkShare, type NetworkShareOptions } from '../peers/network-share.ts';

export class LookUps {
  private readonly share: NetworkShare;

  /** Those who wait, by network; the network whose turn it is comes first. */
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(options: NetworkShareOptions) {
    this.share = new NetworkShare(options);
  }

  /** Looks when it is the network's turn. */
  async run<T>(network: string, look: () => Promise<T>): Promise<T> {
    if (this.share.refusal(network) === undefined) this.share.take(network);
    else await this.turnOf(network);
    try {
      return await look();
    } finally {
      this.share.leave(network);
      this.next();
    }
  }

  private turnOf(network: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const others = this.waiting.get(network);
    if (others) others.push(resolve);
    else this.waiting.set(network, [resolve]);
    return promise;
  }

  private next(): void {
    for (const [network, [first, ...others]] of this.waiting) {
      if (this.share.refusal(network) !== undefined) continue;
      this.waiting.delete(network);
      if (others.length > 0) this.waiting.set(network, others);
      this.share.take(network);
      first?.();
      return;
    }
  }
}
