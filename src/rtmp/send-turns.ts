// What all connections send in one turn of the event loop: so many bytes together, and networks take turns with the rest.
import { FairLines, type InLine } from '../lib/fair-lines.ts';

/** A connection's way out; its line is that of its network. */
export interface Sender extends InLine {
  /** Whether the socket may take more of what waits. */
  readonly isReady: boolean;
  /** One write; returns how many bytes the socket has taken. */
  send(): number;
}

export interface SendTurnsOptions {
  turnBytes: number;
}

/** What a write costs beside its bytes: as much as these. */
const writeBytes = 16_384;
/** Of a turn. Less than that counts on from turn to turn: a call in the next costs as much as an answer does. */
const worthALook = 0.25;

export class SendTurns {
  private readonly turnBytes: number;

  private readonly lines = new FairLines<Sender>();
  private sentBytes = 0;
  private isAwaited = false;

  constructor({ turnBytes }: SendTurnsOptions) {
    this.turnBytes = turnBytes;
  }

  /** Writes all that waits; now where this turn has room and nobody stands in line, else in a later one. */
  begin(sender: Sender): void {
    while (sender.isReady) {
      if (this.lines.size > 0 || this.sentBytes >= this.turnBytes) {
        this.lines.add(sender);
        this.awaitNext();
        return;
      }
      this.spend(sender);
    }
  }

  leave(sender: Sender): void {
    this.lines.remove(sender);
  }

  private awaitNext(): void {
    if (this.isAwaited) return;
    this.isAwaited = true;
    setImmediate(() => this.next());
  }

  private next(): void {
    this.isAwaited = false;
    this.sentBytes = 0;
    while (this.sentBytes < this.turnBytes) {
      const sender = this.lines.take();
      if (!sender) return;
      this.spend(sender);
      if (sender.isReady) this.lines.add(sender);
    }
    this.awaitNext();
  }

  private spend(sender: Sender): void {
    this.sentBytes += writeBytes + sender.send();
    if (this.sentBytes > worthALook * this.turnBytes) this.awaitNext();
  }
}
