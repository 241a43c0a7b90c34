// How long objects are waited for, and how much is asked for at once; each with its reason.

export const bucketLimits = {
  /** A store that neither takes nor gives a byte for so long is away: one that is well answers in a tenth of a second. */
  silentMs: 15_000,
  /** A signed address is used at once; clocks may be apart. */
  signedSeconds: 900,
  /** Of one look: what S3 gives at most. */
  listedMax: 1_000,
  /** Removed at the same time: one request each, and others want to be heard too. */
  removedAtOnce: 8,
  /** Of one object, and how long the first rest between them is. */
  removalTries: 3,
  removalWaitMs: 100,
  /** Of a key without its prefix; S3 takes 1,024 bytes in all. */
  keyCharsMax: 512,
  /** Of an answer that says what is wrong. */
  problemBytesMax: 4_096,
  /** Of an object at a time: who reads slowly holds no more. */
  rangeBytes: 524_288,
  /** Handed on at a time from a file on its way into the bucket. */
  pieceBytes: 262_144,
} as const;
