// A show: what a channel shows from its first part that can be played until it is live no more, cut and back included.

/** From here on the show's media and the wall's clock go on together, until the next one. */
export interface ShowAnchor {
  mediaMs: number;
  /** Epoch milliseconds: the date that playlists give to the media there. */
  wallMs: number;
}

/** Dates of segments are whole milliseconds, and lengths are added up: less than this is no gap. */
const gapMsMin = 20;
/** An encoder whose clock is off by a tenth makes one every ten seconds; beyond twelve hours of that, dates are not followed. */
const anchorsMax = 4_320;

/** Its media's time begins with 0 and is the recordings' own: all parts, one behind the other. */
export class Show {
  /** Epoch milliseconds; no other show of the channel began then, so it is known by this. */
  readonly begin: number;

  readonly anchors: ShowAnchor[] = [];
  /** How long its media is so far. */
  mediaMs = 0;

  constructor(begin: number) {
    this.begin = begin;
  }

  /** One that a row tells of, as it was when it was last on. */
  static until(endAt: number, begin: number, anchors: readonly ShowAnchor[]): Show {
    const show = new Show(begin);
    show.anchors.push(...anchors);
    const last = anchors.at(-1);
    show.mediaMs = last ? Math.max(last.mediaMs, last.mediaMs + endAt - last.wallMs) : 0;
    return show;
  }

  /** One that another node has on: how long its media is so far is not known here, and bounds nothing. */
  static onElsewhere(begin: number, anchors: readonly ShowAnchor[]): Show {
    const show = new Show(begin);
    show.anchors.push(...anchors);
    show.mediaMs = Number.POSITIVE_INFINITY;
    return show;
  }

  /** A part came, of a segment that begins with it at `startsAt`, or that goes on. True where there was a gap before it. */
  add(durationMs: number, startsAt: number | undefined): boolean {
    const isGap = startsAt !== undefined && this.isGapBefore(startsAt);
    if (isGap) this.anchors.push({ mediaMs: this.mediaMs, wallMs: startsAt });
    this.mediaMs += durationMs;
    return isGap;
  }

  /** What of its media has this date; in a gap what comes behind it, outside of it all its beginning or its end. */
  positionAt(dateMs: number): number {
    const at = this.anchors.findLastIndex(({ wallMs }) => wallMs <= dateMs);
    const anchor = this.anchors[at];
    if (!anchor) return 0;
    const endMs = this.anchors[at + 1]?.mediaMs ?? this.mediaMs;
    return Math.min(anchor.mediaMs + dateMs - anchor.wallMs, endMs);
  }

  /** The date of its first picture. */
  get firstDate(): number {
    return this.anchors[0]?.wallMs ?? this.begin;
  }

  private isGapBefore(startsAt: number): boolean {
    const last = this.anchors.at(-1);
    if (!last) return true;
    if (this.anchors.length >= anchorsMax) return false;
    return Math.abs(last.wallMs + this.mediaMs - last.mediaMs - startsAt) >= gapMsMin;
  }
}
