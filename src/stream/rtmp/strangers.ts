// Connections that neither publish nor play, yet or any more: of a crowd the oldest makes room for the newest.
import { Share, type ShareOptions } from '../../base/turns/share.ts';

export interface Stranger {
  readonly network: string;
  /** It is let go, and has left already. */
  makeRoom(): void;
}

export class Strangers {
  private readonly share: Share;

  /** By network, the oldest first. */
  private readonly strangers = new Map<string, Set<Stranger>>();

  constructor(options: ShareOptions) {
    this.share = new Share(options);
  }

  /** One that is in keeps its place. Where its network has its share, one of them goes; where all places are taken, one of the network that has most. */
  enter(stranger: Stranger): void {
    const { network } = stranger;
    if (this.strangers.get(network)?.has(stranger)) return;
    const refusal = this.share.refusal(network);
    if (refusal) this.letGo(refusal === 'share' ? network : this.share.greediest);
    this.share.take(network);
    const others = this.strangers.get(network);
    if (others) others.add(stranger);
    else this.strangers.set(network, new Set([stranger]));
  }

  leave(stranger: Stranger): void {
    const { network } = stranger;
    const others = this.strangers.get(network);
    if (!others?.delete(stranger)) return;
    if (others.size === 0) this.strangers.delete(network);
    this.share.leave(network);
  }

  private letGo(network: string | undefined): void {
    const [oldest] = (network !== undefined && this.strangers.get(network)) || [];
    if (!oldest) return;
    this.leave(oldest);
    oldest.makeRoom();
  }
}
