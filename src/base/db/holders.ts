// Counts the connections or readers that each caller has: a call that runs cannot be put off, so no caller may have them all.
import { Share } from '../turns/share.ts';
import { service } from './whose.ts';

/** From so many on, one is kept for the service itself, whose calls are short. */
const sparedFrom = 3;

export class Holders {
  /** Of those that are for everybody. */
  private readonly share: Share;

  constructor(size: number) {
    this.share = new Share({ placesMax: size >= sparedFrom ? size - 1 : size });
  }

  mayHold(whose: string): boolean {
    return whose === service || this.share.refusal(whose) === undefined;
  }

  has(whose: string): boolean {
    return this.share.takenBy(whose) > 0;
  }

  add(whose: string): void {
    if (whose !== service) this.share.take(whose);
  }

  remove(whose: string): void {
    if (whose !== service) this.share.leave(whose);
  }
}
