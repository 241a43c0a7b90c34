// Every bound of the ladders in one place, each with its reason.

export const ladderLimits = {
  /** A rung this far behind its source is left out: its players have stood still, and one that is on time is better. */
  behindMsMax: 1_500,
  /** The same while the process begins, which takes half a second of an idle machine. */
  beginMsMax: 6_000,
  /** What waits for the process, whatever its times say: a second and a half of the fastest push. */
  waitingBytesMax: 8 * 1_048_576,
  /** A process that has been asked and says nothing for so long hangs. */
  silentMsMax: 10_000,
  /** What is still to be made when a push ends is told within this. */
  endMsMax: 2_000,
  /** One that has run for so long had no fault of its own when it ends: the next is started at once. */
  settledMs: 30_000,
  /** Else they are started after so long, and then after twice as long each. */
  againMsMin: 250,
  againMsMax: 60_000,
  /** The dearest rung of a ladder that fell behind is tried again after this, and then after twice as long each. */
  lessMsMin: 10_000,
  lessMsMax: 300_000,
} as const;
