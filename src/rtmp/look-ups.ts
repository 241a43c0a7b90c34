// How many keys are looked up at once: a few in all, of them half for one network, and everybody gets their turn.
import { Share, type ShareOptions } from '../peers/share.ts';

export interface Asker {
  readonly network: string;
}

export class LookUps {
  private readonly share: Share;

  /** Those who wait, by network; the network whose turn it is comes first, and in it who came first. */
  private readonly waiting = new Map<string, Map<Asker, (isTurn: boolean) => void>>();

  constructor(options: ShareOptions) {
    this.share = new Share(options);
  }

  /** Looks when it is the asker's turn; undefined where it gave up before. */
  async run<T>(asker: Asker, look: () => Promise<T>): Promise<T | undefined> {
    const { network } = asker;
    if (this.share.refusal(network) === undefined) this.share.take(network);
    else if (!(await this.turnOf(asker))) return undefined;
    try {
      return await look();
    } finally {
      this.share.leave(network);
      this.next();
    }
  }

  /** It has left: nobody is held up by it, and nothing of it is kept. */
  giveUp(asker: Asker): void {
    this.take(asker)?.(false);
  }

  private turnOf(asker: Asker): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const others = this.waiting.get(asker.network);
    if (others) others.set(asker, resolve);
    else this.waiting.set(asker.network, new Map([[asker, resolve]]));
    return promise;
  }

  private next(): void {
    for (const [network, askers] of this.waiting) {
      if (this.share.refusal(network) !== undefined) continue;
      const [first] = askers.keys();
      const answer = first && this.take(first);
      // Its others wait behind the other networks.
      if (askers.size > 0) {
        this.waiting.delete(network);
        this.waiting.set(network, askers);
      }
      this.share.take(network);
      answer?.(true);
      return;
    }
  }

  private take(asker: Asker): ((isTurn: boolean) => void) | undefined {
    const askers = this.waiting.get(asker.network);
    const answer = askers?.get(asker);
    askers?.delete(asker);
    if (askers?.size === 0) this.waiting.delete(asker.network);
    return answer;
  }
}
