// When a page is heard: at once, or where pages have had their time of this turn of the event loop, in a later one.
import type { Log } from '../../base/lib/log.ts';
import type { Peers } from '../../base/peers/peers.ts';
import { FairQueue, type Waiter } from '../../base/turns/fair-queue.ts';
import { Share } from '../../base/turns/share.ts';
import { nextTurn, type TurnSlice } from '../../base/turns/turn-slice.ts';
import { type Late, Turns } from '../../base/turns/turns.ts';
import { type PageBounds, presenceLimits } from '../protocol/page-limits.ts';
import type { Connection, Words } from './page-connection.ts';

export interface PageTurnsOptions {
  peers: Pick<Peers, 'isAllowed'>;
  bounds: Pick<PageBounds, 'unheardBytesMax' | 'unheardBytesInAllMax'>;
  log: Log;
  /** What all pages together may take of a turn. */
  turnMs?: number;
}

/** The words themselves wait with their connection, which may have to be settled before its turn comes. */
interface Turn extends Waiter {
  connection: Connection;
  blocks: number;
}

/** So many bytes are counted as one place: the words of nearly every page. */
const blockBytes = 1_024;

/**
 * Bun gives us what all pages have sent in one turn. Once somebody waits all do: networks take turns, in a network
 * its pages, and what one page says stays in order.
 */
export class PageTurns implements Late {
  private readonly log: Log;
  private readonly bytesMax: number;
  private readonly turns: Turns;
  private readonly share: Share;

  private readonly queue = new FairQueue<Turn>();

  constructor({ peers, bounds, log, turnMs = presenceLimits.turnMs }: PageTurnsOptions) {
    this.log = log;
    this.bytesMax = bounds.unheardBytesMax;
    this.turns = new Turns({ turnMs });
    this.share = new Share({
      placesMax: bounds.unheardBytesInAllMax / blockBytes,
      isAllowed: (network) => peers.isAllowed(network),
    });
  }

  /** False where more waits than may; then they are not heard. */
  hear(connection: Connection, words: Words): boolean {
    if (this.queue.size === 0 && this.turns.hasTime) {
      this.turns.work(() => words.hear());
      return true;
    }
    const isTooMuch = connection.unheardBytes + words.bytes > this.bytesMax;
    if (isTooMuch || this.share.refusal(connection.network)) return false;
    this.wait(connection, words);
    return true;
  }

  /** The end of a page's connection: it does not overtake what the page has said. */
  end(connection: Connection, hear: () => void): void {
    if (connection.isHeard) hear();
    else this.wait(connection, { bytes: 0, hear });
  }

  /** Resolves when nothing waits. */
  async settled(): Promise<void> {
    while (this.queue.size > 0) await nextTurn();
  }

  goOn(slice: TurnSlice): void {
    // Words are dear: the clock is looked at after each.
    do this.hearNext();
    while (this.queue.size > 0 && !slice.isOver(Number.POSITIVE_INFINITY));
    if (this.queue.size > 0) this.turns.later(this);
  }

  private wait(connection: Connection, words: Words): void {
    const { network } = connection;
    const blocks = Math.ceil(words.bytes / blockBytes);
    this.share.take(network, blocks);
    connection.hearLater(words);
    this.queue.add({ network, connection, blocks });
    this.turns.later(this);
  }

  private hearNext(): void {
    const turn = this.queue.take();
    if (!turn) return;
    const { network, connection, blocks } = turn;
    this.share.leave(network, blocks);
    try {
      connection.hearNext();
    } catch (error) {
      this.log.error('what a page said could not be heard', { error });
    }
  }
}
