// How long a player has played and advanced since the last report: looks in, milliseconds out.

/** What is seen of the player at one moment. */
export interface MeterLook {
  /** Of a clock that only rises. */
  nowMs: number;
  /** Where the player stands on the timeline of its media. */
  positionMs: number;
  /** It plays from here on, until a later look says otherwise. */
  isPlaying: boolean;
}

/** The service counts no more for one report, whatever it says. */
export const reportMsMax = 15_000;

/**
 * A player held at the live edge runs at 0.95 to 1.25 of the clock, and looks are not exact: between these its
 * media moved with the clock, and the clock is what counts.
 */
const rateMin = 0.5;
const rateMax = 2;
/** Looks at a playing player are no further apart; of a time with a jump in it no more is taken for played. */
const lookMsMax = 500;

export class WatchMeter {
  private last: MeterLook | undefined;
  private playedMs = 0;

  /** To be called at each change of the player and a few times a second while it plays. */
  look(look: MeterLook): void {
    const { last } = this;
    this.last = look;
    if (last?.isPlaying) this.playedMs += playedBetween(last, look);
  }

  /** What was played since it was last taken; more than a report can hold is lost. */
  take(): number {
    const ms = Math.min(reportMsMax, Math.floor(this.playedMs));
    this.playedMs = 0;
    return ms;
  }
}

function playedBetween(from: MeterLook, to: MeterLook): number {
  const passedMs = to.nowMs - from.nowMs;
  const advancedMs = to.positionMs - from.positionMs;
  // It jumped, and is looked at as soon as it does: until then it played.
  if (advancedMs > passedMs * rateMax) return Math.min(passedMs, lookMsMax);
  if (advancedMs >= passedMs * rateMin) return passedMs;
  // It stood still in between, in a frozen page or a sleeping machine.
  return Math.max(0, advancedMs);
}
