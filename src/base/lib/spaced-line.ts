// A line of the log for what may come in floods: the first at once, then one in so long, with how many there were.

/** A flood of what is told must not become a flood of lines. */
const lineEveryMs = 10_000;

export class SpacedLine {
  private since = 0;
  private writtenAt = Number.NEGATIVE_INFINITY;

  /** How many there were since the last line, where the next is due. */
  due(at: number, more = 1): number | undefined {
    this.since += more;
    if (at - this.writtenAt < lineEveryMs) return undefined;
    const count = this.since;
    this.since = 0;
    this.writtenAt = at;
    return count;
  }
}
