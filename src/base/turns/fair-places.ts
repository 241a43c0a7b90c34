// Work of which a little is done at once: half of the places for one network or account, and everybody gets their turn.
import { AwaitedTurns } from './awaited-turns.ts';
import { FairLines, type InLine } from './fair-lines.ts';
import { Share, type ShareOptions } from './share.ts';

export class FairPlaces {
  private readonly share: Share;

  private readonly lines = new FairLines<InLine>();
  private readonly turns = new AwaitedTurns<InLine>(this.lines);

  constructor(options: ShareOptions) {
    this.share = new Share(options);
  }

  /** Works when it is the asker's turn; undefined where it gave up before. An asker waits once at a time. */
  async run<T>(asker: InLine, work: () => Promise<T>): Promise<T | undefined> {
    const { whose } = asker;
    if (this.share.refusal(whose) === undefined) this.share.take(whose);
    else if (!(await this.turns.wait(asker))) return undefined;
    try {
      return await work();
    } finally {
      this.share.leave(whose);
      this.next();
    }
  }

  /** It has left: nobody is held up by it, and nothing of it is kept. */
  giveUp(asker: InLine): void {
    this.turns.giveUp(asker);
  }

  private next(): void {
    for (;;) {
      // One place that is left may make room for two: a share grows with it.
      const first = this.lines.take((whose) => this.share.refusal(whose) === undefined);
      if (!first) return;
      this.share.take(first.whose);
      this.turns.begin(first);
    }
  }
}
