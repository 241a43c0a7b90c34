// How long a player has played and advanced since the last report, and up to which picture: samples in, a report out.
import type { Report } from '../../../audience/protocol/messages.ts';

/** What is seen of the player at one moment. */
export interface MeterSample {
  /** Of a clock that only rises. */
  nowMs: number;
  /** Where the player stands on the timeline of its media. */
  positionMs: number;
  /** It plays from here on, until a later sample says otherwise. */
  isPlaying: boolean;
  /** The date of what it shows, where that is known. */
  shownAt?: number | undefined;
}

export type Played = Omit<Report, 'type'>;

/** The service counts no more for one report, whatever it says. */
export const reportMsMax = 15_000;

/**
 * A player held at the live edge runs at 0.95 to 1.25 of the clock, and samples are not exact: between these its
 * media moved with the clock, and the clock is what counts.
 */
const rateMin = 0.5;
const rateMax = 2;
/** Samples of a playing player are no further apart; of a time with a jump in it no more is taken for played. */
const sampleMsMax = 500;

/** A picture that is off by less counts as the next one. */
const jumpMsMin = 1_000;

export class WatchMeter {
  private last: MeterSample | undefined;
  private playedMs = 0;
  /** The date of the last picture that was played; after a jump, of the last before it. */
  private shownAt: number | undefined;
  /** Since it was last taken. */
  private hasJumped = false;

  /**
   * To be called at each change of the player and a few times a second while it plays. True where it has jumped: what
   * it played before is to be taken before it plays on, as a report tells of pictures that follow one another.
   */
  add(sample: MeterSample): boolean {
    const { last } = this;
    this.last = sample;
    if (!last?.isPlaying) return false;
    const playedMs = playedBetween(last, sample);
    const jumpMs = sample.positionMs - last.positionMs - playedMs;
    const isJump = Math.abs(jumpMs) >= jumpMsMin;
    const isKnown = sample.shownAt !== undefined && !isJump;
    this.playedMs += playedMs;
    if (!this.hasJumped)
      this.shownAt = isKnown ? sample.shownAt : last.shownAt && last.shownAt + playedMs;
    this.hasJumped ||= isJump;
    return isJump;
  }

  /** What was played since it was last taken; more than a report can hold is lost. */
  take(): Played {
    const played_ms = Math.min(reportMsMax, Math.floor(this.playedMs));
    this.playedMs = 0;
    this.hasJumped = false;
    const { shownAt } = this;
    return shownAt === undefined ? { played_ms } : { played_ms, shown_at: Math.round(shownAt) };
  }
}

function playedBetween(from: MeterSample, to: MeterSample): number {
  const passedMs = to.nowMs - from.nowMs;
  const advancedMs = to.positionMs - from.positionMs;
  // It jumped, and a sample is taken as soon as it does: until then it played.
  if (advancedMs > passedMs * rateMax) return Math.min(passedMs, sampleMsMax);
  if (advancedMs >= passedMs * rateMin) return passedMs;
  // It stood still in between, in a frozen page or a sleeping machine.
  return Math.max(0, advancedMs);
}
