// How many keys are looked up at once: a few in all, of them half for one network, and everybody gets their turn.
import { FairLines, type InLine } from '../lib/fair-lines.ts';
import { Share, type ShareOptions } from '../peers/share.ts';

export interface Asker {
  readonly network: string;
}

interface Waiting extends InLine {
  answer(isTurn: boolean): void;
}

export class LookUps {
  private readonly share: Share;

  /** By network. */
  private readonly lines = new FairLines<Waiting>();
  private readonly waiting = new Map<Asker, Waiting>();

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
    const waiting = this.waiting.get(asker);
    if (!waiting) return;
    this.lines.remove(waiting);
    waiting.answer(false);
  }

  private turnOf(asker: Asker): Promise<boolean> {
    return new Promise((resolve) => {
      const answer = (isTurn: boolean) => {
        this.waiting.delete(asker);
        resolve(isTurn);
      };
      const waiting = { whose: asker.network, answer };
      this.waiting.set(asker, waiting);
      this.lines.add(waiting);
    });
  }

  private next(): void {
    const first = this.lines.take((network) => this.share.refusal(network) === undefined);
    if (!first) return;
    this.share.take(first.whose);
    first.answer(true);
  }
}
