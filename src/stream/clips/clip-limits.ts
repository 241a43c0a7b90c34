// Bounds on clips, each with its reason.

export const clipLimits = Object.freeze({
  /** "The last minute": less than a few seconds is no more than one segment. */
  lastSecondsMin: 5,
  /** Whoever wants more than the last ten minutes knows from where to where. */
  lastSecondsMax: 600,
  /** The request waits while the bytes are copied: an hour of 10 Mbps is 4.5 GB, some ten seconds of a usual disk. */
  stretchMsMax: 3_600_000,
  /** Who asks another node waits for a clip as long as this, for its turn and for the longest copy. */
  askedWithinMs: 60_000,
  /** Copied at once; an account has half of what the others leave. More would only share the same disk. */
  atOnce: 2,
});
