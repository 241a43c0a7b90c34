// Pieces of answers are got and given a few a turn: networks take turns, and in a network its connections do.
import { nextTurn } from '../lib/turn-slice.ts';
import { FairQueue, type Waiter } from '../peers/fair-queue.ts';

interface Waiting extends Waiter {
  begin(): void;
}

/** Bun encrypts and sends what a stream is given in the same turn, of as many streams and connections as there are. */
export class PieceTurns {
  private readonly piecesMax: number;

  private readonly queue = new FairQueue<Waiting>();
  private underWay = 0;

  /** So many in one turn; where it takes longer to get one, so many at once. */
  constructor(piecesMax: number) {
    this.piecesMax = piecesMax;
  }

  /** Gets and gives one when it is the asker's turn; resolves in the next, so a stream has one in each. */
  async run(asker: Waiter, give: () => Promise<void>): Promise<void> {
    if (this.underWay < this.piecesMax) this.underWay += 1;
    else await new Promise<void>((begin) => this.queue.add({ ...asker, begin }));
    try {
      await give();
      await nextTurn();
    } finally {
      const next = this.queue.take();
      if (next) next.begin();
      else this.underWay -= 1;
    }
  }
}
