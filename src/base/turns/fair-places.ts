// Work of which a little is done at once: half of the places for one network or account, and everybody gets their turn.
import { AwaitedTurns } from './awaited-turns.ts';
import { FairLines, type InLine } from './fair-lines.ts';
import { Share, type ShareOptions } from './share.ts';

export interface FairPlacesOptions extends ShareOptions {
  /** Those of one group have one share and one turn among them, and take turns at it; otherwise each has its own. */
  groupOf?: (whose: string) => string;
}

export class FairPlaces {
  private readonly groupOf: (whose: string) => string;
  private readonly share: Share;

  private readonly lines: FairLines<InLine>;
  private readonly turns: AwaitedTurns<InLine>;

  constructor({ groupOf = (whose) => whose, ...options }: FairPlacesOptions) {
    this.groupOf = groupOf;
    this.share = new Share(options);
    this.lines = new FairLines(groupOf);
    this.turns = new AwaitedTurns(this.lines);
  }

  /** Works when it is the asker's turn; undefined where it gave up before. An asker waits once at a time. */
  async run<T>(asker: InLine, work: () => Promise<T>): Promise<T | undefined> {
    const group = this.groupOf(asker.whose);
    if (this.share.refusal(group) === undefined) this.share.take(group);
    else if (!(await this.turns.wait(asker))) return undefined;
    try {
      return await work();
    } finally {
      this.share.leave(group);
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
      const first = this.lines.take((group) => this.share.refusal(group) === undefined);
      if (!first) return;
      this.share.take(this.groupOf(first.whose));
      this.turns.begin(first);
    }
  }
}
