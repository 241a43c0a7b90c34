// Whether a live stream is loaded by parts or by whole segments: how long loads take goes in, a decision comes out.

export interface Load {
  nowMs: number;
  /** Of the media. */
  durationMs: number;
  /** From the request to the first byte: media that is listed is there, so this is the line's way there and back. */
  waitedMs: number;
  /** From the first byte to the last. */
  tookMs: number;
}

export interface PartPlace {
  /** No smaller size with pictures is left to be tried instead. */
  isSmallest: boolean;
  /** Without them there is one. */
  hasSound: boolean;
  /** What the player still has. */
  aheadMs: number;
}

export interface Beginning {
  /** Of one answer that nobody had to wait for. */
  roundTripMs: number;
  /** Bits a second of the smallest size; 0 where that is not known. */
  leastBits: number;
  /** What the line is taken to carry. */
  lineBits: number;
}

/**
 * Parts are asked for one after another, each with a way there and back of its own. Where that alone takes most of
 * what a part lasts, no size is small enough: whole segments have one way there and back in two seconds, and are
 * as much later.
 */
const roundTripMsMax = 150;
/** Of the time that parts last, to load them: beyond it a line falls behind with its first hiccup. */
const partShareMax = 0.9;
/** Below this it is over, as if it had not been. */
const partShareToStay = 0.7;
/** Judged by so many of them. */
const partsJudged = 10;

/** Who is near the edge would stand still until the first whole segment has come: so much is to be in front before. */
const aheadMsToChange = 2_500;
/** What a part lasts, where it is not known. */
const partMsUsual = 200;
/** And less than this, of parts that would be loaded, for so long, before they are tried again. */
const partShareToReturn = 0.5;
const calmMsMin = 20_000;
/** A return that was none doubles it. */
const calmMsMax = 320_000;

export class LivePace {
  /** Else by whole segments. */
  byParts = true;

  private partMs = partMsUsual;
  private parts: Load[] = [];
  private isTooDear = false;
  private calmSince: number | undefined;
  private calmMs = calmMsMin;

  /** Before anything is loaded. */
  begin({ roundTripMs, leastBits, lineBits }: Beginning): void {
    const partShare = roundTripMs / partMsUsual + leastBits / lineBits;
    if (roundTripMs > roundTripMsMax || partShare > partShareMax) this.byParts = false;
  }

  /** Wanted in front: whole segments are to be loaded, as soon as that much is there. */
  get reserveMs(): number {
    return this.isTooDear ? aheadMsToChange : 0;
  }

  addPart(load: Load, { isSmallest, hasSound, aheadMs }: PartPlace): void {
    if (this.isTooDear && aheadMs >= aheadMsToChange) this.changeToSegments();
    this.partMs = Math.max(this.partMs, load.durationMs);
    // What larger ones took tells nothing of the smallest.
    this.parts = isSmallest ? [...this.parts, load].slice(-partsJudged) : [];
    if (this.parts.length < partsJudged) return;
    const cost = costOf(this.parts);
    if (cost > partShareMax) this.isTooDear = this.byParts;
    else if (cost < partShareToStay) this.isTooDear = false;
    // It stands still anyway, and there is nothing to go on with meanwhile.
    if (this.isTooDear && !hasSound) this.changeToSegments();
  }

  private changeToSegments(): void {
    this.byParts = false;
    this.isTooDear = false;
    this.parts = [];
    this.calmSince = undefined;
    this.calmMs = Math.min(calmMsMax, this.calmMs * 2);
  }

  addSegment({ nowMs, durationMs, waitedMs, tookMs }: Load): void {
    const partTookMs = waitedMs + (tookMs * this.partMs) / durationMs;
    const isCalm = waitedMs <= roundTripMsMax && partTookMs <= partShareToReturn * this.partMs;
    this.calmSince = isCalm ? (this.calmSince ?? nowMs) : undefined;
    if (!this.byParts && nowMs - (this.calmSince ?? nowMs) >= this.calmMs) this.byParts = true;
  }
}

function costOf(loads: readonly Load[]): number {
  const took = loads.reduce((sum, { waitedMs, tookMs }) => sum + waitedMs + tookMs, 0);
  return took / loads.reduce((sum, { durationMs }) => sum + durationMs, 0);
}
