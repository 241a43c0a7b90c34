// Sends to all connections for so long of a turn of the event loop; networks take turns with the rest.
import { FairLines, type InLine } from '../../base/turns/fair-lines.ts';

/** A connection's way out; its line is that of its network. */
export interface Sender extends InLine {
  /** Whether the socket may take more of what waits. */
  readonly isReady: boolean;
  /** One write. */
  send(): void;
}

export interface SendTurnsOptions {
  /** What all of them together may take; the last write may end later. */
  turnMs: number;
  /** Time that only passes. */
  monotonicMs?: () => number;
}

/** Of a turn. Less than that counts on from turn to turn: a call in the next costs as much as an answer does. */
const worthALook = 0.25;

export class SendTurns {
  private readonly turnMs: number;
  private readonly monotonicMs: () => number;

  private readonly lines = new FairLines<Sender>();
  private spentMs = 0;
  private isAwaited = false;

  constructor({ turnMs, monotonicMs = () => performance.now() }: SendTurnsOptions) {
    this.turnMs = turnMs;
    this.monotonicMs = monotonicMs;
  }

  /** Writes all that waits; now where this turn has room and nobody stands in line, else in a later one. */
  begin(sender: Sender): void {
    while (sender.isReady) {
      if (this.lines.size > 0 || this.spentMs >= this.turnMs) {
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
    this.spentMs = 0;
    while (this.spentMs < this.turnMs) {
      const sender = this.lines.take();
      if (!sender) return;
      this.spend(sender);
      if (sender.isReady) this.lines.add(sender);
    }
    this.awaitNext();
  }

  private spend(sender: Sender): void {
    const startedAt = this.monotonicMs();
    sender.send();
    this.spentMs += this.monotonicMs() - startedAt;
    if (this.spentMs > worthALook * this.turnMs) this.awaitNext();
  }
}
