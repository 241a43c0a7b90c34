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
/** Judged by so many of them. */
const partsJudged = 10;

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
  private calmSince: number | undefined;
  private calmMs = calmMsMin;

  /** Before anything is loaded. */
  begin({ roundTripMs, leastBits, lineBits }: Beginning): void {
    const partShare = roundTripMs / partMsUsual + leastBits / lineBits;
    if (roundTripMs > roundTripMsMax || partShare > partShareMax) this.byParts = false;
  }

  /** `isSmallest`: no smaller size is left to be tried instead. */
  addPart(load: Load, isSmallest: boolean): void {
    this.partMs = Math.max(this.partMs, load.durationMs);
    this.parts = [...this.parts, load].slice(-partsJudged);
    if (!this.byParts || !isSmallest || this.parts.length < partsJudged) return;
    if (costOf(this.parts) <= partShareMax) return;
    this.byParts = false;
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
