// Pieces of answers are got and given a few a turn: networks take turns, and in a network its connections do.
import { AwaitedTurns } from '../../base/turns/awaited-turns.ts';
import { FairQueue, type Waiter } from '../../base/turns/fair-queue.ts';
import { nextTurn } from '../../base/turns/turn-slice.ts';

/**
 * Bun encrypts and sends what a stream is given in the same turn, of as many streams and connections as there are. Not
 * `FairPlaces`, where one network may have half of the places: here one that is alone has all, for they are free again
 * in the next turn.
 */
export class PieceTurns {
  private readonly piecesMax: number;

  private readonly queue = new FairQueue<Waiter>();
  private readonly turns = new AwaitedTurns<Waiter>(this.queue);
  private underWay = 0;

  /** So many in one turn; where it takes longer to get one, so many at once. */
  constructor(piecesMax: number) {
    this.piecesMax = piecesMax;
  }

  /**
   * Gets and gives one when it is the asker's turn, unless it gave up before; resolves in the next, so a stream has one
   * in each. An asker waits once at a time.
   */
  async run(asker: Waiter, give: () => Promise<void>): Promise<void> {
    if (this.underWay < this.piecesMax) this.underWay += 1;
    else if (!(await this.turns.wait(asker))) return;
    try {
      await give();
      await nextTurn();
    } finally {
      const next = this.queue.take();
      if (next) this.turns.begin(next);
      else this.underWay -= 1;
    }
  }

  /** It has left: nobody is held up by it, and nothing of it is kept. */
  giveUp(asker: Waiter): void {
    this.turns.giveUp(asker);
  }
}
