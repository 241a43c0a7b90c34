// What the way into the bucket and out of it may take, each bound with its reason.

export const bucketSpoolLimits = {
  /** Puts at the same time, accounts in turns: enough for a slow store, few beside what is live. */
  atOnce: 4,
  /** Rests after a failure: the store is asked again after one second, then twice as long each time, up to this. */
  restMs: 1_000,
  restMsMax: 60_000,
  /** How often it is looked for recordings that are on their way, such as those of which the last job is done. */
  lookEveryMs: 2_000,
  /** Recordings that are looked at in a step. */
  lookedAtOnce: 100,
  /** Of a large file; S3 takes 5 GB in one put, and a piece that fails is put again. */
  pieceBytesMax: 1_073_741_824,
  /** Of an index: a recording has up to 32,768 segments of some 200 bytes. */
  indexBytesMax: 16_777_216,
  /** Pieces of sources that are remembered, of all recordings: some 100 bytes each. */
  keptPieces: 262_144,
  /** A player that was sent to the store reads on for so long before it is sent anew. */
  redirectSeconds: 21_600,
  /** An object that nobody names is removed after a day: it may be on its way. */
  unnamedMs: 86_400_000,
  /** Between two looks at the bucket for such objects, a thousand each, and between two that begin anew. */
  sweepEveryMs: 5_000,
  sweepAnewMs: 86_400_000,
} as const;
