// Slows down whoever tries keys that do not exist.

const firstDelayMs = 250;
/** Within the time a connection has to publish, so that an honest typing error only waits. */
const delayMsMax = 5_000;
const forgetMs = 60_000;
/** Addresses remembered; beyond it the one that has been quiet longest is forgotten. */
const addressesMax = 10_000;

interface Suspect {
  /** Tries since the first failure. They are counted when they begin: many at once wait longer too. */
  tries: number;
  lastAt: number;
}

/** Times are of any one clock in milliseconds. */
export class KeyGuard {
  private readonly suspects = new Map<string, Suspect>();

  /** How long this try has to wait before its key is looked up. */
  attempt(address: string, now: number): number {
    const suspect = this.suspects.get(address);
    if (!suspect) return 0;
    if (now - suspect.lastAt >= forgetMs) {
      this.suspects.delete(address);
      return 0;
    }
    const delayMs = Math.min(delayMsMax, firstDelayMs * 2 ** suspect.tries);
    this.remember(address, { tries: suspect.tries + 1, lastAt: now });
    return delayMs;
  }

  failed(address: string, now: number): void {
    const tries = this.suspects.get(address)?.tries ?? 0;
    this.remember(address, { tries, lastAt: now });
  }

  succeeded(address: string): void {
    this.suspects.delete(address);
  }

  /** A map keeps the order of entry, so the first is the one that has been quiet longest. */
  private remember(address: string, suspect: Suspect): void {
    this.suspects.delete(address);
    if (this.suspects.size >= addressesMax) {
      const [oldest] = this.suspects.keys();
      if (oldest !== undefined) this.suspects.delete(oldest);
    }
    this.suspects.set(address, suspect);
  }
}
