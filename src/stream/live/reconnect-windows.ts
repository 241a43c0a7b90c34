// The reconnect windows: the hub opens one, counted from the last media, for a push that was cut; when it is over the push ends.
import { nextTurn } from '../../base/turns/turn-slice.ts';

export class ReconnectWindows<Push> {
  private readonly onOver: (push: Push) => void;

  private readonly timers = new Map<Push, ReturnType<typeof setTimeout>>();
  /** Their windows are over, and their end waits for its turn. */
  private readonly over = new Set<Push>();
  private isEnding = false;

  /** `onOver` ends a push that has not come back. */
  constructor(onOver: (push: Push) => void) {
    this.onOver = onOver;
  }

  open(push: Push, ms: number): void {
    this.close(push);
    this.timers.set(
      push,
      setTimeout(() => this.endInTurn(push), ms),
    );
  }

  /** Nothing is waited for any more: the push has come back, or was ended otherwise. */
  close(push: Push): void {
    clearTimeout(this.timers.get(push));
    this.timers.delete(push);
    this.over.delete(push);
  }

  /** One a turn: of many that were cut together the windows are over together. */
  private async endInTurn(push: Push): Promise<void> {
    this.over.add(push);
    if (this.isEnding) return;
    this.isEnding = true;
    try {
      for (const first of this.over) {
        this.close(first);
        this.onOver(first);
        await nextTurn();
      }
    } finally {
      this.isEnding = false;
    }
  }
}
