// Where in a show a picture stands, and how long the show is by now: dates in, seconds from its beginning out.

/** Where the list of the show ends: its media so far, and the date of what comes there; milliseconds. */
export interface ShowListEnd {
  mediaMs: number;
  dateMs: number;
}

export class ShowTime {
  private listEnd: ShowListEnd | undefined;
  /** How far the dates at the live edge are ahead of the clock. */
  private edgeMs: number | undefined;
  private seconds = 0;

  get isKnown(): boolean {
    return this.listEnd !== undefined;
  }

  lists(end: ShowListEnd, nowMs: number): void {
    this.listEnd = end;
    // The live edge is a little further on; a player that tells no dates knows no better.
    this.edgeMs ??= end.dateMs - nowMs;
  }

  /** What the live edge shows now. */
  showsLive(dateMs: number, nowMs: number): void {
    this.edgeMs = dateMs - nowMs;
  }

  /** Of a date behind which the encoder was not away. */
  secondsAt(dateMs: number): number | undefined {
    const { listEnd } = this;
    return listEnd && (listEnd.mediaMs + dateMs - listEnd.dateMs) / 1000;
  }

  /** Goes on with the clock. While the encoder is away it runs ahead, and then waits: it never goes back. */
  lengthAt(nowMs: number): number | undefined {
    const length = this.edgeMs === undefined ? undefined : this.secondsAt(this.edgeMs + nowMs);
    if (length === undefined) return undefined;
    this.seconds = Math.max(this.seconds, length);
    return this.seconds;
  }
}
