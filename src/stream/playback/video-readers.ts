// Who reads a video as it was recorded: the progressive file that takes its place must not come between.
import { RecentMap } from '../../base/lib/recent-map.ts';

/** A reader that asks for one range after another is back sooner. */
const readingMs = 10_000;
/** Behind one address, such as a proxy's, there may always be another who has just begun: then all of them begin anew. */
const readingMsMax = 3_600_000;
/** Each is an address and a time; of more than these the oldest may have to begin anew. */
const readersMax = 10_000;

export class VideoReaders {
  private readonly now: () => number;

  /** Since when each reads and when it was last served. */
  private readonly readings = new RecentMap<string, { since: number; at: number }>({
    max: readersMax,
  });

  constructor(now: () => number) {
    this.now = now;
  }

  /** Served the video as it was recorded just now. */
  served(reader: string): void {
    const at = this.now();
    const known = this.readings.peek(reader);
    const since = known && at - known.at <= readingMs ? known.since : at;
    this.readings.set(reader, { since, at });
    this.readings.forgetWhile((one) => at - one.at > readingMs);
  }

  /** Whether it is still reading what it was served. */
  has(reader: string): boolean {
    const now = this.now();
    const known = this.readings.peek(reader);
    return known !== undefined && now - known.at <= readingMs && now - known.since <= readingMsMax;
  }
}
