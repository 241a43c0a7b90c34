// Pieces of answers are got and given a few a turn: networks take turns, and in a network its connections do.
import { FairQueue, type Waiter } from '../../base/turns/fair-queue.ts';
import { nextTurn } from '../../base/turns/turn-slice.ts';

interface Waiting extends Waiter {
  answer(isTurn: boolean): void;
}

/** Bun encrypts and sends what a stream is given in the same turn, of as many streams and connections as there are. */
export class PieceTurns {
  private readonly piecesMax: number;

  private readonly queue = new FairQueue<Waiting>();
  private readonly waiting = new Map<Waiter, Waiting>();
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
    else if (!(await this.turnOf(asker))) return;
    try {
      await give();
      await nextTurn();
    } finally {
      const next = this.queue.take();
      if (next) next.answer(true);
      else this.underWay -= 1;
    }
  }

  /** It has left: nobody is held up by it, and nothing of it is kept. */
  giveUp(asker: Waiter): void {
    const waiting = this.waiting.get(asker);
    if (!waiting) return;
    this.queue.remove(waiting);
    waiting.answer(false);
  }

  private turnOf(asker: Waiter): Promise<boolean> {
    return new Promise((resolve) => {
      const answer = (isTurn: boolean) => {
        this.waiting.delete(asker);
        resolve(isTurn);
      };
      const waiting = { ...asker, answer };
      this.waiting.set(asker, waiting);
      this.queue.add(waiting);
    });
  }
}
