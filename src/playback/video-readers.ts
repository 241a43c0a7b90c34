// Who reads a video as it was recorded: the progressive file that takes its place must not come between.

/** A reader that asks for one range after another is back sooner. */
const readingMs = 10_000;
/** Each is an address and a time; of more than these the oldest may have to begin anew. */
const readersMax = 10_000;

export class VideoReaders {
  private readonly now: () => number;

  /** When each was last served, the latest last. */
  private readonly servedAt = new Map<string, number>();

  constructor(now: () => number) {
    this.now = now;
  }

  /** Served the video as it was recorded just now. */
  served(reader: string): void {
    const at = this.now();
    this.servedAt.delete(reader);
    this.servedAt.set(reader, at);
    for (const [oldest, oldestAt] of this.servedAt) {
      if (this.servedAt.size <= readersMax && at - oldestAt <= readingMs) return;
      this.servedAt.delete(oldest);
    }
  }

  /** Whether it is still reading what it was served. */
  has(reader: string): boolean {
    return this.now() - (this.servedAt.get(reader) ?? Number.NEGATIVE_INFINITY) <= readingMs;
  }
}
