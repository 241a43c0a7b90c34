// How fast to play and when to jump, so that a player stays near the live edge: numbers in, a decision out.
import { LiveMargin } from './live-margin.ts';
import { LiveRhythm } from './live-rhythm.ts';

/** What is seen of the player now; positions are milliseconds on the timeline of its media. */
export interface EdgeSample {
  /** Of any clock that only rises. */
  nowMs: number;
  positionMs: number;
  /** Where what can be played from here without a gap ends. */
  endMs: number;
  /** Where the newest media that is known of ends, loaded or not. */
  newestMs: number;
  /** The last place before that where playing can begin: a key frame. */
  joinMs: number;
  /** So much is loaded at once, where that is not a part but a whole segment; else 0. */
  pieceMs?: number;
  /** Wanted in front besides the margin: something larger is to be loaded, which takes so much longer. */
  reserveMs?: number;
  /** It should play and has nothing to show. */
  isStarved: boolean;
  /** What is loaded behind that, where something between is missing. */
  beyond?: { startMs: number; endMs: number } | undefined;
}

export interface Decision {
  rate: number;
  /** Go forward at once by this much; 0 where playing on is right. */
  jumpMs: number;
}

/**
 * Media comes in parts: what is in front of the player rises by a part and is played down to a trough. The
 * trough is what protects from a stall, so it is what the margin is compared with. The window is longer than a
 * part, so that it holds one trough at least; where whole segments come, as long as these.
 */
const windowMsMin = 300;
/** Of a segment that is loaded whole: the next one ends so much later, known before two of them have come. */
const pieceShare = 1.1;

/** Being off by less is left alone. */
const toleranceMs = 25;
/** Between these nobody sees or hears it. */
const rateMin = 0.95;
/** Whoever looks for it sees this; a line that is full is worth it. */
const rateMinToReserve = 0.9;
const rateMax = 1.1;
/** How far off the margin is worth 10 % of speed. */
const tenthMs = 250;
/** At each change of speed WebKit stands still for a moment: one is kept for a while, unless it leads into a stall. */
const rateHeldMs = 1_000;
/** So far behind, being quick matters more than not being noticed. */
const hurryBeyondMs = 1_000;
const rateInHurry = 1.25;
/** And so far behind, nobody wants to see it all. */
const jumpBeyondMs = 3_000;
/** The newest media, where it was not loaded for so long, is not being loaded. */
const lagMsMax = 1_500;
/** In the beginning media comes in bursts and from too far back: a jump is better than hurrying, and nothing is learned. */
const startMs = 3_000;
const startJumpBeyondMs = 200;
/** Behind a hole it goes on so far from its edge: exactly there a browser may not see that it has media. */
const insideMs = 50;
/** With so much in front it plays on, and is slower until there is what is wanted. */
const enoughMs = 500;
const nudgeMs = 1;
/** A jump has its effect after this. */
const jumpEveryMs = 1_000;

export class LiveEdge {
  private readonly margin = new LiveMargin();
  private readonly rhythm = new LiveRhythm();
  private pieceMs = 0;
  private reserveMs = 0;
  private window: { nowMs: number; aheadMs: number }[] = [];
  /** When the newest media was loaded for the first time. */
  private startedAt: number | undefined;
  private laggingSince: number | undefined;
  private jumpedAt = Number.NEGATIVE_INFINITY;
  /** The rate that was decided last, and since when. */
  private rate = 1;
  private ratedAt = Number.NEGATIVE_INFINITY;

  /** So much shall be in front when the next part comes. */
  get marginMs(): number {
    return this.margin.ms;
  }

  private get wantedMs(): number {
    return this.marginMs + this.reserveMs;
  }

  private get windowMs(): number {
    return Math.max(windowMsMin, this.rhythm.ms, this.pieceMs * pieceShare);
  }

  /** To be called some 20 times a second while it plays or should play. */
  decide(sample: EdgeSample): Decision {
    const { nowMs, isStarved } = sample;
    const aheadMs = sample.endMs - sample.positionMs;
    this.rhythm.add(nowMs, sample.endMs);
    this.pieceMs = sample.pieceMs ?? 0;
    this.reserveMs = sample.reserveMs ?? 0;
    if (this.phase(nowMs) === 'settled')
      this.margin.add({ ...sample, aheadMs, usualGapMs: Math.max(this.rhythm.ms, this.pieceMs) });
    if (isStarved) this.window = [];
    const farMs = this.farMs(sample);
    if (farMs > 0 && this.mayJump(nowMs)) return this.jump(nowMs, farMs);
    if (isStarved && sample.beyond) return this.leap(nowMs, sample.positionMs, sample.beyond);
    if (isStarved) return this.wake(nowMs, aheadMs);
    this.window = this.window.filter((one) => nowMs - one.nowMs <= this.windowMs);
    this.window.push({ nowMs, aheadMs });
    return this.steer(sample);
  }

  /** How far to jump where it is too far behind to catch up; else 0. */
  private farMs({ nowMs, positionMs, endMs, newestMs, joinMs }: EdgeSample): number {
    const isLagging = newestMs - endMs > jumpBeyondMs + this.pieceMs;
    this.laggingSince = isLagging ? (this.laggingSince ?? nowMs) : undefined;
    const loadedMs = endMs - positionMs - this.wantedMs - this.windowMs;
    if (loadedMs > jumpBeyondMs) return loadedMs;
    // Usually what is missing is being loaded; after a pause it never will be.
    const isLeftBehind = nowMs - (this.laggingSince ?? nowMs) > lagMsMax;
    return isLeftBehind && joinMs > endMs ? joinMs - positionMs : 0;
  }

  /**
   * After running dry Chromium waits for more and more before it goes on (0.2, 0.6, 1.4, 2.8 s); a seek makes
   * it forget. So it is made to seek as soon as there is enough in front: where it is, if that is less than wanted, which
   * a slow line would not bring for long.
   */
  private wake(nowMs: number, aheadMs: number): Decision {
    const excessMs = aheadMs - this.wantedMs - this.windowMs;
    if (excessMs < 0 && aheadMs < enoughMs) return this.playOn(nowMs, 1);
    return this.mayJump(nowMs)
      ? this.jump(nowMs, Math.max(excessMs, nudgeMs))
      : this.playOn(nowMs, 1);
  }

  /**
   * What is missing never comes: the node that had it has died. hls.js leaps, too, but first it waits for seconds to see
   * whether it comes after all.
   */
  private leap(
    nowMs: number,
    positionMs: number,
    { startMs, endMs }: { startMs: number; endMs: number },
  ): Decision {
    const excessMs = endMs - startMs - this.wantedMs - this.windowMs;
    if (excessMs < 0 || !this.mayJump(nowMs)) return this.playOn(nowMs, 1);
    return this.jump(nowMs, startMs + Math.max(insideMs, excessMs) - positionMs);
  }

  private steer({ nowMs, endMs, newestMs }: EdgeSample): Decision {
    const [first] = this.window;
    // Samples since a jump or a stall, or of timers that the browser slows down, hold no trough.
    if (!first || nowMs - first.nowMs < this.windowMs * 0.8) return this.playOn(nowMs, 1);
    const troughMs = Math.min(...this.window.map(({ aheadMs }) => aheadMs));
    const excessMs = troughMs - this.wantedMs;
    if (newestMs - endMs < this.windowMs) this.startedAt ??= nowMs;
    const isStart = this.phase(nowMs) === 'start';
    if (isStart && excessMs > startJumpBeyondMs && this.mayJump(nowMs))
      return this.jump(nowMs, excessMs);
    return this.playOn(nowMs, rateFor(excessMs, this.reserveMs > 0 ? rateMinToReserve : rateMin));
  }

  private playOn(nowMs: number, wanted: number): Decision {
    const isWrong = this.rate > 1 && wanted < 1;
    if (isWrong || nowMs - this.ratedAt >= rateHeldMs) this.setRate(nowMs, wanted);
    return { rate: this.rate, jumpMs: 0 };
  }

  private setRate(nowMs: number, rate: number): void {
    if (rate !== this.rate) this.ratedAt = nowMs;
    this.rate = rate;
  }

  private phase(nowMs: number): 'loading' | 'start' | 'settled' {
    if (this.startedAt === undefined) return 'loading';
    return nowMs - this.startedAt < startMs ? 'start' : 'settled';
  }

  private mayJump(nowMs: number): boolean {
    return nowMs - this.jumpedAt >= jumpEveryMs;
  }

  private jump(nowMs: number, jumpMs: number): Decision {
    this.jumpedAt = nowMs;
    this.window = [];
    this.margin.forgetEnd();
    this.setRate(nowMs, 1);
    return { rate: 1, jumpMs };
  }
}

/** In steps of a hundredth: browsers need not be told of less. */
function rateFor(excessMs: number, slowest: number): number {
  if (Math.abs(excessMs) <= toleranceMs) return 1;
  if (excessMs > hurryBeyondMs) return rateInHurry;
  const wanted = 1 + (excessMs / tenthMs) * 0.1;
  return Math.round(Math.min(rateMax, Math.max(slowest, wanted)) * 100) / 100;
}
