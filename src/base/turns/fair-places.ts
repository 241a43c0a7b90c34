// Work of which a little is done at once: half of the places for one network or account, and everybody gets their turn.
import { FairLines, type InLine } from './fair-lines.ts';
import { Share, type ShareOptions } from './share.ts';

interface Waiting extends InLine {
  answer(isTurn: boolean): void;
}

export class FairPlaces {
  private readonly share: Share;

  private readonly lines = new FairLines<Waiting>();
  private readonly waiting = new Map<InLine, Waiting>();

  constructor(options: ShareOptions) {
    this.share = new Share(options);
  }

  /** Works when it is the asker's turn; undefined where it gave up before. */
  async run<T>(asker: InLine, work: () => Promise<T>): Promise<T | undefined> {
    const { whose } = asker;
    if (this.share.refusal(whose) === undefined) this.share.take(whose);
    else if (!(await this.turnOf(asker))) return undefined;
    try {
      return await work();
    } finally {
      this.share.leave(whose);
      this.next();
    }
  }

  /** It has left: nobody is held up by it, and nothing of it is kept. */
  giveUp(asker: InLine): void {
    const waiting = this.waiting.get(asker);
    if (!waiting) return;
    this.lines.remove(waiting);
    waiting.answer(false);
  }

  private turnOf(asker: InLine): Promise<boolean> {
    return new Promise((resolve) => {
      const answer = (isTurn: boolean) => {
        this.waiting.delete(asker);
        resolve(isTurn);
      };
      const waiting = { whose: asker.whose, answer };
      this.waiting.set(asker, waiting);
      this.lines.add(waiting);
    });
  }

  private next(): void {
    for (;;) {
      // One place that is left may make room for two: a share grows with it.
      const first = this.lines.take((whose) => this.share.refusal(whose) === undefined);
      if (!first) return;
      this.share.take(first.whose);
      first.answer(true);
    }
  }
}
